"""Several custodians, who cluster their records together without showing them to each other.

Each custodian fits its own table with `shoal.KMeans` and gives the model away, and anyone merges the models with `merge`;
`plan` says what to expect of that and of other ways. Where distances between single records are needed, there are codes
(SZY19): one custodian makes an `Agreement` and gives it to the others, and to nobody else. Each of them turns a table into codes with
`encode`, within a limit of their own. The aggregator has codes and nothing else: `cluster` groups the records, `distances`
says how far apart they are. Whatever is computed from codes keeps their guarantee.

>>> import numpy as np
>>> from shoal import consortium
>>> agreed = consortium.Agreement({"age": (0, 100)}, epsilon=1, bits=200)
>>> north = consortium.encode(np.repeat([[20.0], [70.0]], 20, axis=0), agreed, max_epsilon=200)
>>> south = consortium.encode(np.repeat([[21.0], [71.0]], 20, axis=0), agreed, max_epsilon=200)
>>> len(consortium.cluster([north, south], 2).labels)
80
"""

import json
import os
import warnings
from dataclasses import dataclass, field

import numpy as np

from . import _settings as to
from . import _shoal
from ._errors import NotPrivateWarning, UsageError
from ._frames import frame, has_names, width_of
from ._model import Model, Synopsis
from ._plan import Plan

__all__ = ["Agreement", "Codes", "Groups", "cluster", "distances", "encode", "merge", "plan"]


def merge(
    releases, n_clusters, *, restarts=None, iterations=None, reruns=None, sampling=False, match_with=None, seed=None, n_jobs=None,
):
    """One model of what several custodians released, each from a table of its own. It spends nothing and reads no record.

    `releases` are the models of all custodians (fitted estimators, `Model`s), or the cells of all (`Synopsis`): a list, or a
    dict by the names of the custodians. A list may also be one of files. Cells also take `n_clusters="auto"`.

    The guarantee is that of the custodian with the largest ε, if nobody is in the tables of two; `guarantee` has the
    condition, and beside it what holds without it. A `seed` takes no guarantee away: the noise is in the releases already.

    >>> import numpy as np, shoal
    >>> from shoal import consortium
    >>> tables = {"north": np.repeat([[20.0], [70.0]], 900, axis=0), "south": np.repeat([[21.0], [71.0]], 900, axis=0)}
    >>> fitted = {name: shoal.KMeans(2, epsilon=1, bounds=(0, 100)).fit(X) for name, X in tables.items()}
    >>> merged = consortium.merge(fitted, 2)
    >>> len(merged.centers), merged.spent["epsilon"], "nobody is in the tables of two custodians" in merged.guarantee
    (2, 0.0, True)
    """
    settings = dict(
        k=to.clusters(n_clusters),
        restarts=to.whole(restarts, "restarts", 1),
        iterations=to.whole(iterations, "iterations", 1),
        reruns=to.whole(reruns, "reruns"),
        sampling=bool(sampling),
        seed=to.whole(seed, "seed"),
        threads=None if n_jobs in (None, -1) else to.whole(n_jobs, "n_jobs", 1),
    )
    earlier = None if match_with is None else Model.of(match_with)._native
    return Model(_shoal.consortium_merge(_releases(releases), settings, earlier))


def _releases(given):
    """Releases with the names of their custodians, or files."""
    is_file = lambda one: isinstance(one, (str, os.PathLike))
    if is_file(given) or isinstance(given, (Model, Synopsis)) or not (hasattr(given, "items") or hasattr(given, "__iter__")):
        raise UsageError("merging takes the releases of two custodians or more: give a list of them, or a dict by name", "releases")
    if not hasattr(given, "items"):
        given = list(given)
        if given and all(map(is_file, given)):
            return [os.fspath(one) for one in given]
        given = {f"custodian {number}": one for number, one in enumerate(given, 1)}
    return [(str(name), _release(name, one)) for name, one in given.items()]


def _release(name, one):
    if isinstance(one, Synopsis):
        return one._native
    if not isinstance(getattr(one, "model_", one), Model):
        raise UsageError(
            f"the release of {name} is no fitted estimator, Model or Synopsis; files are read by shoal.Model.load and "
            "shoal.Synopsis.load, or give a list of files alone",
            "releases",
        )
    return Model.of(one)._native


def plan(
    rows, custodians, dims=None, n_clusters="auto", epsilon=1.0, *, delta=0, bounds=None, spread=None, overlap=None, smallest=None,
):
    """What to expect of each way to cluster the tables of several custodians, before anybody reads or spends anything.

    `rows` are those of all custodians together. `print` the plan, or read its numbers: `ways`, and the one that is
    `recommended`.

    >>> from shoal import consortium
    >>> consortium.plan(50_000, 4, n_clusters=5, bounds={"age": (17, 90), "hours": (1, 99)})["recommended"]
    'merge'
    """
    if dims is None:
        dims = len(bounds) if hasattr(bounds, "items") else 0
    numbers = _shoal.consortium_plan(
        to.whole(rows, "rows"),
        to.whole(custodians, "custodians"),
        to.whole(dims, "dims"),
        to.clusters(n_clusters),
        to.exact(epsilon, "epsilon"),
        to.exact(delta, "delta"),
        to.text_bounds(bounds),
        dict(spread=spread, overlap=overlap, smallest=smallest),
    )
    numbers = json.loads(numbers)
    return Plan(_forecast(numbers), numbers)


def _forecast(planned):
    """The forecast in words."""
    lines = [
        f"{planned['k']} clusters in {planned['dims']} columns of about {planned['rows']} rows at {planned['custodians']} custodians, "
        f"ε = {planned['epsilon']:g}. Nothing is read and nothing is spent."
    ]
    for way in planned["ways"]:
        accuracy = way["accuracy"]
        if accuracy is not None:
            found = f"about {accuracy['found']:.1f} of {accuracy['k']} clusters, centres ± {100 * way['plus_minus']:.2g} % of a column's range"
        elif way["distance_error"] is not None:
            found = f"distances of pairs, with {100 * way['distance_error']:.0f} % of the error of a blind answer"
        else:
            found = "no code fits the ε"
        later = "" if way["exists"] else "; not in this version"
        lines.append(f"  {way['name']}: {found} (trusted: {way['trusted']}{later})")
    names = {way["way"]: way["name"] for way in planned["ways"]}
    if planned["recommended"]:
        lines.append(f"Recommended: {names[planned['recommended']]}.")
    else:
        lines.append("No way in this version is expected to find the clusters: use more rows, a larger ε, or fewer columns or clusters.")
    return "\n".join(lines)


class Agreement:
    """What all custodians encode by: columns, public bounds, bits, and the ε of each bit. It opens their codes, so it is a
    secret of the custodians.

    Every bit costs its own ε: `bits` of each column and `epsilon` for each bit give away up to `bits × epsilon` for each
    column. `window` is half the width within which distances are kept, as a share of each column's range. `seed` makes
    anchors that anyone can guess, for tests.
    """

    def __init__(self, bounds, epsilon, bits=1000, window=0.5, seed=None):
        bits = to.whole(bits, "bits", 1)
        self._native = _shoal.Agreement.make(
            to.bounds(bounds, None), to.exact(epsilon, "epsilon"), bits, float(window), to.whole(seed, "seed")
        )

    @classmethod
    def from_json(cls, text):
        """Reads the text of an agreement."""
        agreement = cls.__new__(cls)
        agreement._native = _shoal.Agreement.from_json(text)
        return agreement

    @classmethod
    def load(cls, path):
        """Reads an agreement that `save` or the program wrote."""
        with open(path, encoding="utf-8") as file:
            return cls.from_json(file.read())

    def to_json(self):
        """The agreement with its secret."""
        return self._native.to_json()

    def save(self, path):
        """Writes the agreement for its owner's eyes only. A file that is there stays: codes made by it could no longer be
        compared with new ones."""
        try:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise UsageError(
                f"{os.fspath(path)} is there already, and codes made by it could no longer be compared with new ones; choose "
                "another name, or remove it first",
                "file-exists",
            ) from None
        with open(made, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    columns = property(lambda self: self._native.columns, doc="The columns that are coded.")
    fingerprint = property(lambda self: self._native.fingerprint, doc="A hash that distinguishes agreements.")

    @property
    def guarantee(self):
        """What a record's codes guarantee, in a sentence."""
        return self._native.guarantee()

    def price(self):
        """What the codes guarantee and how accurate their distances are, next to reports of a crowd: a dict."""
        return json.loads(self._native.price())

    def __repr__(self):
        # The secret is not shown.
        return f"<shoal.consortium.Agreement {self.fingerprint} on {', '.join(self.columns)}>"


@dataclass(frozen=True)
class Codes:
    """What a custodian sends to the aggregator."""

    #: A Parquet file.
    data: bytes = field(repr=False)
    #: Rows in it, made-up ones among them.
    rows: int
    #: What the codes guarantee.
    guarantee: str = field(repr=False)
    #: Records with a value outside the bounds, which was moved to the nearest limit. Not private, and no part of the codes.
    clamped: int = field(repr=False)
    #: Rows that lacked a value and were left out. Not private, and no part of the codes.
    dropped: int = field(repr=False)

    def save(self, path):
        """Writes the file. One that is there stays: a second code of the same people adds up."""
        with open(path, "xb") as file:
            file.write(self.data)


def encode(X, agreement, max_epsilon=None, *, delta=None, id=None, missing="refuse", pairs=False, bridge=0, seed=None):
    """A custodian's table as codes, if they stay within `max_epsilon`: the most that a record's codes may give away, purely
    or at a `delta`.

    `id` names a column that goes into the codes in the clear, so that labels find their rows. `pairs` codes two numbers of
    each pair of records, for tables of other columns of the same people. `bridge` adds made-up records. With a `seed`, for
    tests, there is NO PRIVACY. Codes come in the order of the rows: shuffle a table that is sorted by what it holds.
    """
    naming = [] if id is None else [id]
    names = agreement.columns if not has_names(X) and width_of(X) == len(agreement.columns) else None
    settings = dict(
        max_epsilon=None if max_epsilon is None else to.exact(max_epsilon, "max_epsilon"),
        delta=None if delta is None else to.exact(delta, "delta"),
        id=id,
        missing=missing,
        pairs=bool(pairs),
        bridge=to.whole(bridge, "bridge"),
        seed=to.whole(seed, "seed"),
    )
    if seed is not None:
        warnings.warn("NO PRIVACY: seed makes the flips repeatable. Leave it out for anything that is released.", NotPrivateWarning, 2)
    data, *rest = _shoal.consortium_encode(frame(X, naming, names), agreement._native, settings)
    return Codes(bytes(data), *rest)


@dataclass(frozen=True)
class Groups:
    """Clusters of codes. They have no centres: an aggregator knows distances only."""

    #: The cluster of each record, from zero; −1 where it belongs to none. Records come in the order of the codes.
    labels: np.ndarray = field(repr=False)
    #: Which of the given codes each record is from, from zero.
    source: np.ndarray = field(repr=False)
    #: Sizes, mean distances within and to the next cluster, and the record that is nearest to the others.
    clusters: list
    #: How distances were combined.
    metric: str
    #: What kcluster minimises, and whether its last step moved nothing.
    objective: float | None
    converged: bool | None
    #: The names that custodians gave, or None.
    ids: list | None = field(repr=False)
    #: The guarantee of the codes.
    guarantee: str = field(repr=False)


def cluster(
    codes, n_clusters=None, *, method="kcluster", metric=None, starts=None, iterations=None, radius=None, min_points=None,
    linkage=None, height=None, consistency="none", own=None, own_bounds=None, own_id=None, seed=None,
):
    """Clusters codes of one agreement: `Codes`, their bytes, or files, one or several.

    `method` is "kcluster", "dbscan" (with a `radius`) or "hierarchical" (with `n_clusters` or a `height`). `own` is a table of
    the aggregator with other columns of the same people, within `own_bounds`. A `seed` takes no guarantee away: the flips are
    in the codes already.
    """
    k = None
    if n_clusters is not None:
        k = to.whole(n_clusters, "n_clusters", 1)
    group = dict(
        method=method,
        metric=metric,
        k=k,
        starts=to.whole(starts, "starts", 1),
        iterations=to.whole(iterations, "iterations", 1),
        radius=None if radius is None else float(radius),
        min_points=to.whole(min_points, "min_points", 1),
        linkage=linkage,
        height=None if height is None else float(height),
        seed=to.whole(seed, "seed"),
    )
    pool, table = _pool(codes, consistency, own, own_bounds, own_id)
    found = json.loads(_shoal.consortium_cluster(pool, group, table))
    counts = [records for _, records in found["files"]]
    return Groups(
        labels=np.array(found["labels"], dtype=np.int32),
        source=np.repeat(np.arange(len(counts)), counts),
        clusters=found["clusters"],
        metric=found["metric"],
        objective=found["objective"],
        converged=found["converged"],
        ids=found["ids"],
        guarantee=found["guarantee"],
    )


def distances(codes, pairs=None, *, metric=None, consistency="none", own=None, own_bounds=None, own_id=None):
    """Distances between records, decoded from their codes: a list of `(first, second, distance)`, records counted from zero
    over all codes. All pairs, or those that are asked for."""
    if pairs is not None:
        pairs = [tuple(to.whole(one, "pairs") + 1 for one in pair) for pair in pairs]
    pool, table = _pool(codes, consistency, own, own_bounds, own_id)
    found = _shoal.consortium_distances(pool, pairs, metric, table)
    return [(first - 1, second - 1, distance) for first, second, distance in found]


def _pool(codes, consistency, own, own_bounds, own_id):
    if isinstance(codes, (Codes, bytes, bytearray, str, os.PathLike)):
        codes = [codes]
    sources = [one.data if isinstance(one, Codes) else bytes(one) if isinstance(one, bytearray) else one for one in codes]
    if (own is None) != (own_bounds is None):
        raise UsageError("own and own_bounds go together: a table, and the public bounds of its columns", "own-bounds")
    pool = dict(codes=sources, consistency=consistency, own_bounds=to.text_bounds(own_bounds), own_id=own_id)
    return pool, None if own is None else frame(own, [] if own_id is None else [own_id])
