"""Private clustering: finds the clusters in data about people without giving the people away.

>>> import numpy as np, shoal
>>> X = np.repeat([[20.0], [60.0]], 2000, axis=0)
>>> shoal.KMeans(n_clusters=2, epsilon=1.0, bounds=(0, 100)).fit(X).cluster_centers_.shape
(2, 1)
"""

from . import consortium
from ._audit import Audit, audit
from ._engine import answer, fit_on, merge
from ._errors import (
    BudgetError,
    DataError,
    DataTypeError,
    Error,
    Interrupted,
    NotFittedError,
    NotPrivateWarning,
    PrivacyWarning,
    UsageError,
)
from ._crowd import Design, Device, cluster_reports, perturb
from ._kmeans import KMeans
from ._ledger import Ledger
from ._model import Model, Synopsis, compare, score
from ._plan import Plan, PrivateBounds, plan, private_bounds
from ._shoal import Question, __version__, methods as _methods


def methods():
    """The methods of `KMeans`, each with a line on what it does.

    >>> "auto" in shoal.methods()
    True
    """
    return dict(_methods())


__all__ = [
    "Audit", "BudgetError", "DataError", "DataTypeError", "Design", "Device", "Error", "Interrupted", "KMeans", "Ledger",
    "Model", "NotFittedError", "NotPrivateWarning", "Plan", "PrivacyWarning", "PrivateBounds", "Question", "Synopsis",
    "UsageError", "__version__", "answer", "audit", "cluster_reports", "compare",
    "consortium", "fit_on", "merge", "methods", "perturb", "plan", "private_bounds", "score",
]
