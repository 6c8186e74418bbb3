"""Reports that people's devices make, so that nobody has to be trusted with a record."""

import json
import os

import numpy as np

from . import _settings as to
from . import _shoal
from ._errors import UsageError
from ._frames import frame, only_numbers
from ._model import Model


class Design:
    """What everyone agrees on beforehand: columns, bounds, mechanism, ε. A collector publishes it as JSON.

    >>> import shoal
    >>> design = shoal.Design(epsilon=2, bounds={"age": (17, 90)}, mechanism="laplace")
    >>> shoal.Design.from_json(design.to_json()).digest == design.digest
    True
    """

    def __init__(self, epsilon, bounds, mechanism="bpm", identifier=None):
        pairs = [(str(name), *to.pair(limits, name)) for name, limits in dict(bounds).items()]
        self._native = _shoal.Design.make(mechanism, to.exact(epsilon, "epsilon"), pairs, identifier)

    @classmethod
    def from_json(cls, text):
        """Reads a published design."""
        design = cls.__new__(cls)
        design._native = _shoal.Design.from_json(text)
        return design

    def to_json(self):
        """The design as it is published."""
        return self._native.to_json()

    digest = property(lambda self: self._native.digest, doc="A hash that distinguishes designs.")
    columns = property(lambda self: self._native.columns, doc="The columns, in the order of a record.")
    guarantee = property(lambda self: self._native.guarantee, doc="What one report guarantees to its sender.")


class Device:
    """A person's device: values in, one noisy report out. A design beyond the person's own limit is refused.

    `any_two_records` and `unit_of_distance` are the largest ε that the person accepts.

    >>> import shoal
    >>> design = shoal.Design(epsilon=2, bounds={"age": (17, 90)}, mechanism="laplace")
    >>> device = shoal.Device(design, any_two_records=2)
    >>> len(device.values(device.report({"age": 41})))
    1
    """

    def __init__(self, design, any_two_records=None, unit_of_distance=None):
        limits = [None if it is None else to.exact(it, "epsilon") for it in (any_two_records, unit_of_distance)]
        self.design = design
        self._native = _shoal.Device(design._native, *limits)

    def report(self, x):
        """A noisy report of one record, in the order of the design's columns: the JSON that the device sends. Each further
        report of the same person adds its ε."""
        if hasattr(x, "items"):
            x = [x[name] for name in self.design.columns]
        return self._native.report(np.asarray(x, dtype=float).ravel().tolist())

    def values(self, report):
        """The noisy values of a report, in the units of the columns. They may lie outside the bounds."""
        return self._native.values(report if isinstance(report, str) else json.dumps(report))


def cluster_reports(reports, n_clusters, design=None, method=None, seed=None, *, published=None, smallest_batch=None):
    """Clusters reports: a list as `Device.report` made them, with their design, or a file of reports, or its bytes. What is
    found keeps the guarantee of the reports.

    `method` is "noise-aware" (the default, which knows the distribution of the noise), "tk-means" or "kmeans".

    `published` is a δ, for a model that is published while the reports are not: `Model.also` then has what people who see
    nothing but the model can learn, which is less. Where earlier models of the same reports were published,
    `smallest_batch` is the smallest number of reports that came between two of them, or before the first.

    >>> import shoal
    >>> device = shoal.Device(shoal.Design(epsilon=8, bounds={"age": (17, 90)}, mechanism="laplace"))
    >>> reports = [device.report([age]) for age in [20, 80] * 300]
    >>> len(shoal.cluster_reports(reports, 2, device.design).centers)
    2
    """
    if isinstance(reports, os.PathLike):
        reports = os.fspath(reports)
    if isinstance(reports, (list, tuple)):
        reports = [report if isinstance(report, str) else json.dumps(report) for report in reports]
    native = None if design is None else design._native
    if published is None and smallest_batch is not None:
        raise UsageError("smallest_batch is about published models; give published, a δ such as 1e-6, as well", "published")
    public = None if published is None else to.exact(published, "published"), to.whole(smallest_batch, "smallest_batch", 1)
    return Model(_shoal.cluster_reports(reports, to.clusters(n_clusters), native, method, to.whole(seed, "seed"), *public))


def perturb(X, *, epsilon, bounds, mechanism="bpm", seed=None):
    """Simulates a crowd: one report for each row of `X`. Returns the bytes of a file of reports, and its guarantee.

    >>> import numpy as np, shoal
    >>> reports, guarantee = shoal.perturb(np.full((300, 1), 41.0), epsilon=8, bounds=(0, 100))
    >>> "ε = 8" in guarantee
    True
    """
    table = only_numbers(frame(X), None, bounds)
    made, guarantee = _shoal.perturb(
        table, to.exact(epsilon, "epsilon"), to.bounds(bounds, table.numbers), mechanism, to.whole(seed, "seed")
    )
    return bytes(made), guarantee
