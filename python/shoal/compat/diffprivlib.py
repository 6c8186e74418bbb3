"""diffprivlib's `KMeans` with its arguments, on Shoal's methods. docs/python.md puts both side by side."""

import warnings

import numpy as np

from .._errors import PrivacyWarning, UsageError
from .._kmeans import KMeans as _KMeans

#: diffprivlib halves the budget of each coordinate in a way that adds up to more than ε from this many columns on.
_OVERSPENT_FROM = 5


class KMeans(_KMeans):
    """Takes the arguments of `diffprivlib.models.KMeans`.

    `bounds` is diffprivlib's pair `(min, max)`, each a number or one number for each column. Without bounds diffprivlib took
    them from the data, with a warning, which gives away the extremes; that is refused here. `random_state` makes the noise
    repeatable and voids the guarantee; `accountant` has no counterpart, `ledger` has. Other arguments of scikit-learn's KMeans
    are taken and not used, with a warning, as there.

    >>> import numpy as np
    >>> from shoal.compat.diffprivlib import KMeans
    >>> KMeans(n_clusters=1, epsilon=1.0, bounds=(0, 100)).fit(np.full((500, 1), 41.0)).labels_.shape
    (500,)
    """

    def __init__(
        self, n_clusters=8, *, epsilon=1.0, bounds=None, random_state=None, accountant=None, ledger=None, dataset=None,
        **unused_args,
    ):
        super().__init__(n_clusters, epsilon=epsilon, bounds=bounds, ledger=ledger, dataset=dataset)
        self.random_state = random_state
        self.accountant = accountant
        if unused_args:
            warnings.warn(f"not used, as in diffprivlib: {', '.join(sorted(unused_args))}", PrivacyWarning, stacklevel=2)

    @classmethod
    def _parameters(cls):
        return ["n_clusters", "epsilon", "bounds", "random_state", "accountant", "ledger", "dataset"]

    def _settings(self, X, names):
        limits, seed = self.bounds, self.random_state
        if limits is not None and not isinstance(limits, (str, dict)):
            low, high = (np.broadcast_to(np.asarray(limit, dtype=float), len(names)) for limit in limits)
            limits = list(zip(low.tolist(), high.tolist()))
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise UsageError("random_state: give a whole number, for tests, or nothing", "seed-out-of-range")
        keep, keep_seed = self.bounds, self.seed
        try:
            self.bounds, self.seed = limits, seed
            return super()._settings(X, names)
        finally:
            self.bounds, self.seed = keep, keep_seed

    def fit(self, X, y=None):
        """Clusters `X`, and warns where diffprivlib's promise did not hold for such a table."""
        if self.accountant is not None:
            raise UsageError("accountant has no counterpart: keep the budget in a ledger, on disk (ledger, dataset)", "accountant")
        if self.bounds is None:
            raise UsageError(
                "bounds are needed. diffprivlib took them from the data, which gives away its extremes; give public ones, or "
                "bounds='auto:10%' to buy them with a part of epsilon",
                "bounds-needed",
            )
        super().fit(X, y)
        if self.n_features_in_ >= _OVERSPENT_FROM:
            warnings.warn(
                f"with {self.n_features_in_} columns diffprivlib's KMeans spends more than the epsilon that it is given; this "
                "fit spends epsilon and no more, so its centres are not comparable at equal epsilon",
                PrivacyWarning,
                stacklevel=2,
            )
        # diffprivlib sets labels, which are not private.
        self.labels_ = self.predict(X)
        return self
