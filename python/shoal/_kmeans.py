"""`KMeans`: an estimator with scikit-learn's interface. It works without scikit-learn."""

import inspect
import json
import sys

import numpy as np

from . import _settings as to
from ._errors import DataError, UsageError, not_fitted
from ._frames import frame, has_names, only_numbers, width_of
from ._model import Model
from ._progress import progress_bar
from ._shoal import fit as _fit


class KMeans:
    """Private clustering of a table that you are trusted with.

    Each call of `fit` spends `epsilon`: the guarantee of several fits adds up. The model is in `model_`, and the fitted
    attributes below are taken from it.

    Parameters
    ----------
    n_clusters : int or "auto"
        The number of clusters; "auto" and "auto:12" have it chosen from what is released anyway.
    epsilon : number or str
        The privacy budget. Text such as "1/3" is exact.
    bounds : dict, pair, list of pairs, str or path
        Public limits of the columns, chosen without looking at the data: `{"age": (17, 90)}`, one pair for all columns,
        a pair for each, the path of a JSON or TOML file, or "auto:10%" to buy them with a part of `epsilon`. Columns that
        a dict names are those that are used.
    scale : dict or str, optional
        How columns are stretched before they are clustered: `{"income": "log"}`, "log1p", "sqrt", or "rank:0,10000,250000"
        with public quantiles. Chosen like bounds, without looking at the data. Centres come back in the column's own units.
    weight : dict or str, optional
        How much columns count: a difference in a column of weight 2 counts twice. Others have weight 1.
    categories : dict or str, optional
        Columns of words with public levels, `{"gender": ["F", "M", "X"], "region": Path("regions.txt")}`, or as the program
        takes them, "gender=F|M|X". Each level is a coordinate, called `gender=F`, and its value in a centre is the share of
        rows that have it; whatever is no level counts as other. List levels without looking at the data. A table of
        categories alone needs no bounds.
    delta : number or str
        The probability with which the guarantee may fail; keep it well below 1/rows.
    method : str
        One of `shoal.methods()`.
    columns : list of str, optional
        The columns to use, in this order.
    person : str or list of str, optional
        The columns that say whose row it is. The guarantee is then about persons.
    per_person : str, optional
        Which rows of a person count: "mean", "first:COLUMN", "last:COLUMN", "up-to:M".
    reading : dict, optional
        How a file is written, where that does not show: `{"delimiter": ";", "decimal": "comma", "dates": "dmy", "sheet": "2026",
        "header": False, "multiline": True}`, any of them. Without a header, columns are called c1, c2, …
    missing : "refuse", "drop", "middle" or "category"
        What to do with rows in which a value is missing; "category" makes a gap in a category a level of its own.
    rows : int, optional
        About how many rows there are, known from elsewhere.
    rows_public : bool
        Treats the true number of rows as public.
    ledger : path or Ledger, optional
        The ledger that is debited before anything is asked about the rows.
    dataset, people : str, optional
        The data set in the ledger, or the population whose budget several tables share.
    keep_cells : bool
        Keeps the released cells (`model_.synopsis`), which can be clustered again for free.
    sampling : bool
        Also states the error of sampling.
    options : dict, optional
        Options of the method that differ from its paper, such as `{"iterations": 7}`.
    seed : int, optional
        Repeatable noise for tests. There is NO PRIVACY then.
    compute_labels : bool
        Sets `labels_`, the nearest centre of each row. Labels are as sensitive as the rows.
    match_with : Model, optional
        An earlier model whose numbers of clusters are kept.
    n_jobs : int, optional
        Threads. The result does not depend on them.
    progress : bool
        Shows a bar (`tqdm`, where it is installed).

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features), in the units of the columns; with categories, a column for
        each level (`model_.columns` has the names)
    guarantee_ : str, the guarantee in a sentence, with all its conditions
    intervals_ : array of shape (n_clusters, n_features, 2) or None; 95 % intervals
    sizes_ : array of noisy sizes, or None
    stability_ : array, how often each cluster reappears under other noise, or None
    n_features_in_, feature_names_in_, model_

    Examples
    --------
    >>> import numpy as np, shoal
    >>> X = np.repeat([[20.0, 30.0], [60.0, 70.0]], 2000, axis=0)
    >>> model = shoal.KMeans(n_clusters=2, epsilon=1.0, bounds=(0, 100)).fit(X)
    >>> model.cluster_centers_.shape
    (2, 2)
    >>> "ε = 1" in model.guarantee_
    True

    A skewed column, and one of words; a list of lists would do as well as a DataFrame.

    >>> people = np.array([[2000, "F"], [50000, "M"]] * 1000, dtype=object)
    >>> model = shoal.KMeans(2, epsilon=5, bounds={"x0": (1000, 1e6)}, scale={"x0": "log"}, categories={"x1": ["F", "M"]})
    >>> model.fit(people).model_.columns
    ['x0', 'x1=F', 'x1=M']
    >>> sorted(model.predict(people[:2]).tolist())
    [0, 1]
    """

    def __init__(
        self,
        n_clusters=5,
        *,
        epsilon=1.0,
        bounds=None,
        scale=None,
        weight=None,
        categories=None,
        delta=0,
        method="auto",
        columns=None,
        person=None,
        per_person=None,
        reading=None,
        missing="refuse",
        rows=None,
        rows_public=False,
        ledger=None,
        dataset=None,
        people=None,
        keep_cells=False,
        sampling=False,
        options=None,
        seed=None,
        compute_labels=False,
        match_with=None,
        n_jobs=None,
        progress=False,
    ):
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.bounds = bounds
        self.scale = scale
        self.weight = weight
        self.categories = categories
        self.delta = delta
        self.method = method
        self.columns = columns
        self.person = person
        self.per_person = per_person
        self.reading = reading
        self.missing = missing
        self.rows = rows
        self.rows_public = rows_public
        self.ledger = ledger
        self.dataset = dataset
        self.people = people
        self.keep_cells = keep_cells
        self.sampling = sampling
        self.options = options
        self.seed = seed
        self.compute_labels = compute_labels
        self.match_with = match_with
        self.n_jobs = n_jobs
        self.progress = progress

    # The protocol of estimators.

    @classmethod
    def _parameters(cls):
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep=True):
        """The parameters, as they were given."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params):
        """Changes parameters."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise UsageError(f"{type(self).__name__} has no parameter {name}; it has {', '.join(known)}", "unknown-option")
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self):
        if self.seed is None:
            _refuse_search()
        return type(self)(**self.get_params())

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="clusterer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            classifier_tags=None,
            regressor_tags=None,
            non_deterministic=self.seed is None,
            input_tags=InputTags(allow_nan=self.missing != "refuse"),
        )

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def __repr__(self):
        defaults = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        given = ", ".join(
            f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name] and value != defaults[name]
        )
        return f"{type(self).__name__}({given})"

    # Fitting.

    def _settings(self, X, names):
        return to.settings(
            k=to.clusters(self.n_clusters),
            epsilon=to.exact(self.epsilon, "epsilon"),
            delta=to.exact(self.delta, "delta"),
            bounds=to.bounds(self.bounds, names),
            scale=to.scale(self.scale),
            weight=to.weight(self.weight),
            categories=to.categories(self.categories),
            method=self.method,
            columns=None if self.columns is None else to.names(self.columns),
            person=to.names(self.person),
            per_person=self.per_person,
            missing=self.missing,
            rows=to.whole(self.rows, "rows", 1),
            rows_public=bool(self.rows_public),
            keep_cells=bool(self.keep_cells),
            sampling=bool(self.sampling),
            seed=to.whole(self.seed, "seed"),
            threads=None if self.n_jobs in (None, -1) else to.whole(self.n_jobs, "n_jobs", 1),
            options=to.options(self.options),
            **to.ledger_of(self.ledger, self.dataset, self.people, X),
        )

    def fit(self, X, y=None):
        """Clusters `X`. Checks, reads every row, pays, and only then asks about the rows."""
        if self.seed is None:
            _refuse_search()
        special = to.naming(self.person, self.per_person)
        table = only_numbers(frame(X, special, words=to.words(self.categories)), self.columns, self.bounds, special, self.categories)
        names = self._used(table)
        if table.rows == 0:
            raise DataError(f"0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is required.", "no-rows")
        earlier = None if self.match_with is None else Model.of(self.match_with)._native
        with progress_bar(self.progress) as bar:
            native = _fit(table, self._settings(X, names), to.reading(self.reading, X), earlier, bar)
        self.model_ = Model(native)
        self._take(self.model_, has_names(X), width=width_of(X))
        if self.compute_labels:
            self.labels_ = self.predict(X)
        return self

    def _used(self, table):
        """The columns of numbers that a list of pairs is about."""
        special = to.naming(self.person, self.per_person) + to.words(self.categories)
        if self.columns is not None:
            return [name for name in to.names(self.columns) if name not in special]
        return None if table.numbers is None else [name for name in table.numbers if name not in special]

    def _take(self, model, named, width=None):
        self.cluster_centers_ = model.centers
        self.n_features_in_ = len(model.table_columns)
        self._width = width
        if named:
            self.feature_names_in_ = np.array(model.table_columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.guarantee_ = model.guarantee
        self.intervals_ = model.intervals
        self.sizes_ = model.sizes
        self.stability_ = model.stability
        self.n_clusters_ = len(model.centers)

    def _table(self, X):
        """A table to label, with its columns matched by name, or by place where it has no names."""
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        columns, words = self.model_.table_columns, self.model_.categories
        if has_names(X):
            return frame(X, words=words)
        width = width_of(X)
        if width is None or width == len(columns):
            names = columns
        elif width == self._width:
            names = None
        else:
            raise DataError(
                f"X has {width} features, but {type(self).__name__} is expecting {self._width or len(columns)} features as input",
                "wrong-features",
            )
        return frame(X, names=names, words=words)

    # What is not private: everything that looks at single rows.

    def predict(self, X):
        """The nearest centre of each row, from zero; −1 for rows that were left out. Labels are as sensitive as the rows."""
        table = self._table(X)
        return self.model_._native.predict(table, self.missing)

    def fit_predict(self, X, y=None):
        """`fit(X).predict(X)`. The labels are not private."""
        return self.fit(X).predict(X)

    def transform(self, X):
        """The distance of each row from each centre, every column scaled to [−1, 1]. Not private."""
        table = self._table(X)
        return self.model_._native.transform(table)

    def fit_transform(self, X, y=None):
        """`fit(X).transform(X)`. Not private."""
        return self.fit(X).transform(X)

    def score(self, X, y=None):
        """Minus the sum of squared distances from the nearest centres, every column scaled to [−1, 1]. Not private."""
        table = self._table(X)
        return -json.loads(self.model_._native.scores(table, self.missing))["sse"]

    def get_feature_names_out(self, input_features=None):
        """The names of the distances that `transform` gives."""
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        return np.array([f"{type(self).__name__.lower()}{i}" for i in range(self.n_clusters_)], dtype=object)

    # Showing and keeping.

    def report(self, path, source=None):
        """Writes the report, one HTML page that is complete in itself."""
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        return self.model_.report(path, source)

    def plot(self, ax=None, columns=None):
        """Draws the centres with their intervals (matplotlib)."""
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        return self.model_.plot(ax, columns)

    def _repr_html_(self):
        from html import escape

        return self.model_._repr_html_() if hasattr(self, "model_") else f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self) if not hasattr(self, "model_") else str(self.model_), "text/html": self._repr_html_()}


def _refuse_search():
    """Searches and cross-validation fit many times, and each fit spends."""
    at = sys._getframe(2)
    while at is not None:
        if at.f_globals.get("__name__", "").startswith("sklearn.model_selection."):
            raise UsageError(
                "a search or a cross-validation fits many times, and each fit spends epsilon: the guarantee would be that of all "
                "fits together. Use shoal.plan to choose parameters before anything is spent, n_clusters='auto' for the number "
                "of clusters, or Synopsis.cluster(k) to try several for free",
                "each-fit-spends",
            )
        at = at.f_back
