"""Released clusterings and released cells."""

import json
import os
from datetime import datetime, timezone

import numpy as np

from . import _settings as to
from . import _shoal
from ._errors import UsageError
from ._frames import frame, width_of


class Model:
    """A released clustering. Everything in it may be shown to anyone whom the guarantee is meant for.

    >>> import numpy as np, shoal
    >>> model = shoal.KMeans(1, bounds=(0, 100)).fit(np.full((500, 1), 41.0)).model_
    >>> model.columns, model.method, model.bounds
    (['x0'], 'auto', {'x0': (0.0, 100.0)})
    >>> model.spent["epsilon"]
    1.0
    """

    def __init__(self, native):
        self._native = native
        self._facts = json.loads(native.to_json())

    @staticmethod
    def of(model):
        """The model of an estimator, or a model itself."""
        found = getattr(model, "model_", model)
        if not isinstance(found, Model):
            raise UsageError("a fitted estimator or a Model is needed", "model-needed")
        return found

    def __reduce__(self):
        # Cells and the ledger's balance stay behind.
        return _of_json, (self._native.to_json(),)

    @classmethod
    def load(cls, path):
        """Reads a model that `save` or the program wrote."""
        with open(path, encoding="utf-8") as file:
            return cls(_shoal.Model.from_json(file.read()))

    def save(self, path):
        """Writes `model.json`, which the program reads, too."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._native.to_json())

    def to_dict(self):
        """Everything that `model.json` holds."""
        return json.loads(self._native.to_json())

    def _array(self, name):
        found = self._facts.get(name)
        return np.array(found, dtype=float) if found else None

    columns = property(lambda self: list(self._facts["columns"]), doc="The names of the columns; `gender=F` is the share of a level.")
    table_columns = property(lambda self: self._native.table_columns, doc="The columns that a table needs: numbers, then categories.")
    categories = property(
        lambda self: {one["column"]: list(one["levels"]) for one in self._facts.get("categories", [])},
        doc="The levels of each category.",
    )
    scales = property(
        lambda self: {name: scale for name, scale in zip(self.columns, self._facts.get("scales", [])) if scale != "linear"},
        doc="The columns that are stretched, and how.",
    )
    weights = property(
        lambda self: dict(zip(self.columns, self._facts.get("weights", []))), doc="The weight of each column, where they differ."
    )
    method = property(lambda self: self._facts["method"], doc="The method.")
    centers = property(lambda self: np.array(self._facts["centers"], dtype=float), doc="The centres.")
    sizes = property(lambda self: self._array("sizes"), doc="Noisy numbers of rows, or None.")
    intervals = property(lambda self: self._array("intervals"), doc="95 % intervals of the centres, or None.")
    stability = property(lambda self: self._array("stability"), doc="How often each cluster reappears, or None.")
    bounds = property(
        lambda self: {n: tuple(b) if not isinstance(b, dict) else (b["lo"], b["hi"]) for n, b in zip(self.columns, self._facts["bounds"])},
        doc="The limits of each column.",
    )
    guarantee = property(lambda self: self._facts["sentence"], doc="The guarantee in a sentence.")
    also = property(lambda self: self._facts.get("also", []), doc="Further guarantees: in another unit of loss, or towards other people.")
    notes = property(lambda self: self._facts["notes"], doc="What to know about the result.")
    spent = property(lambda self: self._facts.get("spent"), doc="What it cost; None where nothing can pay for it.")

    @property
    def synopsis(self):
        """The released cells, where they were kept; they can be clustered again for free."""
        found = self._native.synopsis
        return None if found is None else Synopsis(found)

    @property
    def left(self):
        """The data set and what is left of its budget, where a ledger keeps one."""
        return self._native.left

    def predict(self, X, missing=None):
        """The nearest centre of each row. Labels are as sensitive as the rows. Rows with gaps are treated as in the model's own
        table, unless `missing` says otherwise."""
        return self._native.predict(self._frame(X), missing)

    def _frame(self, X, naming=()):
        columns = self.table_columns
        return frame(X, naming, columns if width_of(X) == len(columns) else None, self.categories)

    def report(self, path, source=None):
        """Writes the report, one HTML page that is complete in itself, and returns its path."""
        page = self._page(source)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return path

    def _page(self, source=None):
        written = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        return self._native.page(source or "a table in Python", written)

    def _repr_html_(self):
        from html import escape

        # A frame of its own: neither page changes the look of the other.
        page = escape(self._page(), quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:0" srcdoc="{page}"></iframe>'

    def __str__(self):
        return str(self._native)

    def __repr__(self):
        return f"<shoal.Model: {len(self.centers)} clusters of {', '.join(self.columns)}>"

    def plot(self, ax=None, columns=None):
        """Draws the centres over one or two columns (matplotlib), numbered from 1 as in the report: the area of a dot is the size
        of its cluster, and crosses are the intervals. Returns the axes."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.gca()
        names = list(columns) if columns is not None else self.columns[:2]
        wrong = next((name for name in names if name not in self.columns), None)
        if wrong is not None or not 1 <= len(names) <= 2:
            why = f"there is no column {wrong}" if wrong is not None else f"there are {len(names)} of them"
            raise UsageError(f"columns: {why}; name one or two of {', '.join(self.columns)}", "no-such-column")
        at = [self.columns.index(name) for name in names]
        points = np.column_stack([*(self.centers[:, i] for i in at), np.zeros(len(self.centers))])[:, :2]
        sizes = np.ones(len(points)) if self.sizes is None else np.clip(self.sizes, 0, None)
        areas = 30 + 270 * sizes / max(sizes.max(), 1)
        # Above whatever else is on the axes.
        ax.scatter(*points.T, s=areas, c=[f"C{i % 10}" for i in range(len(points))], alpha=0.6, zorder=3)
        if self.intervals is not None:
            reach = [np.abs(self.intervals[:, i, :].T - self.centers[:, i]) for i in at]
            errors = dict(zip(("xerr", "yerr"), reach))
            ax.errorbar(*points.T, fmt="none", ecolor="0.2", elinewidth=1, capsize=2, zorder=4, **errors)
        for number, (point, area) in enumerate(zip(points, areas), 1):
            beside = (np.sqrt(area) / 2 + 2, 2)
            ax.annotate(str(number), point, xytext=beside, textcoords="offset points", zorder=5)
        for axis, name in zip("xy", names):
            ax.set(**{f"{axis}lim": self.bounds[name], f"{axis}label": name})
            if self.scales.get(name) == "log":
                ax.set(**{f"{axis}scale": "log"})
        if len(names) == 1:
            ax.set_yticks([])
        return ax


def _of_json(text):
    return Model(_shoal.Model.from_json(text))


class Synopsis:
    """Released noisy cells: whatever is done with them costs nothing more.

    >>> import numpy as np, shoal
    >>> X = np.repeat([[20.0], [60.0]], 2000, axis=0)
    >>> model = shoal.KMeans(2, bounds=(0, 100), method="eugkm", keep_cells=True).fit(X)
    >>> len(model.model_.synopsis.cluster(3).centers)
    3
    """

    def __init__(self, native):
        self._native = native

    @classmethod
    def load(cls, path):
        """Reads a file of cells."""
        return cls(_shoal.Synopsis.read(os.fspath(path)))

    def save(self, path):
        """Writes the cells."""
        with open(path, "wb") as file:
            file.write(bytes(self._native.to_bytes()))

    def cluster(self, n_clusters, seed=None):
        """Clusters the cells. Nothing is spent, so several numbers of clusters can be tried."""
        return Model(self._native.cluster(to.clusters(n_clusters), to.whole(seed, "seed")))


def compare(first, second):
    """What changed between two models of the same columns, beyond what noise explains: a dict.

    >>> import numpy as np, shoal
    >>> fit = shoal.KMeans(1, bounds=(0, 100))
    >>> before, after = (fit.fit(np.full((5000, 1), x)).model_ for x in (30.0, 60.0))
    >>> shoal.compare(before, after)["has_changes"]
    True
    """
    return json.loads(_shoal.compare(Model.of(first)._native, Model.of(second)._native))


def score(model, X, missing=None, labels=None):
    """Measures of how well a model fits rows: a dict. None of them is private.

    `labels` names a column of known groups. Rows with gaps are treated as in the model's own table, unless `missing` says
    otherwise.

    >>> import numpy as np, shoal
    >>> X = np.full((500, 1), 41.0)
    >>> shoal.score(shoal.KMeans(1, bounds=(0, 100)).fit(X), X)["private"]
    False
    """
    found = Model.of(model)
    naming = [] if labels is None else [labels]
    return json.loads(found._native.scores(found._frame(X, naming), missing, labels))
