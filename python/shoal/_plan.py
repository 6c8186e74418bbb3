"""What to expect, before anything is spent; and bounds, where none are known."""

import json
from dataclasses import dataclass, field

from . import _settings as to
from . import _shoal
from ._frames import frame, only_numbers


@dataclass(frozen=True)
class Plan:
    """A forecast: `print` it, or read its numbers."""

    text: str = field(repr=False)
    numbers: dict

    def __str__(self):
        return self.text

    def __getitem__(self, name):
        return self.numbers[name]


def plan(
    rows=None, dims=None, n_clusters="auto", epsilon=None, *, delta=0, bounds=None, scale=None, weight=None, categories=None,
    target=None, spread=None, overlap=None, smallest=None, per_person=None,
):
    """What a fit would give; or, with a `target` such as "age=1" or "2%", which ε or how many rows it needs.

    >>> import shoal
    >>> planned = shoal.plan(rows=30_000, dims=3, n_clusters=4, epsilon=1)
    >>> planned["k"]
    4

    `dims` counts columns of numbers; every level of a category is a coordinate more.

    >>> shoal.plan(30_000, 1, 4, 1, categories={"gender": ["F", "M", "X"]})["dims"]
    4
    """
    if dims is None:
        dims = len(bounds) if hasattr(bounds, "items") else 0
    dims = to.whole(dims, "dims")
    k, limits = to.clusters(n_clusters), to.text_bounds(bounds)
    declared = to.text_scale(scale), to.text_weight(weight), to.text_categories(categories)
    rows = to.whole(rows, "rows")
    if target is not None:
        budget = None if epsilon is None else to.exact(epsilon, "epsilon")
        text, numbers = _shoal.plan_target(dims, k, target, rows, budget, to.exact(delta, "delta"), limits, *declared)
    else:
        budget = to.exact(1 if epsilon is None else epsilon, "epsilon")
        text, numbers = _shoal.plan(
            rows or 0, dims, k, budget, to.exact(delta, "delta"), limits, *declared, spread, overlap, smallest, per_person
        )
    return Plan(text, json.loads(numbers))


@dataclass(frozen=True)
class PrivateBounds:
    """Bounds that were estimated from data, and what that gave away."""

    bounds: dict
    guarantee: str = field(repr=False)
    left: tuple = None


def private_bounds(
    X, epsilon, *, columns=None, person=None, per_person=None, reading=None, missing="refuse", ledger=None, dataset=None,
    people=None, seed=None,
):
    """Estimates the bounds of columns under differential privacy. A fit within them is a release of its own: its ε adds to
    this one.

    >>> import numpy as np, shoal
    >>> found = shoal.private_bounds(np.full((5000, 1), 41.0), epsilon=0.1)
    >>> found.bounds["x0"][1] >= 41
    True
    """
    settings = to.settings(
        epsilon=to.exact(epsilon, "epsilon"),
        columns=None if columns is None else to.names(columns),
        person=to.names(person),
        per_person=per_person,
        missing=missing,
        seed=to.whole(seed, "seed"),
        **to.ledger_of(ledger, dataset, people, X),
    )
    special = to.naming(person, per_person)
    table = only_numbers(frame(X, special), columns, None, special)
    bounds, guarantee, left = _shoal.private_bounds(table, settings, to.reading(reading, X))
    return PrivateBounds({name: (low, high) for name, low, high in bounds}, guarantee, left)
