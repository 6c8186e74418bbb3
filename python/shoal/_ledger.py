"""Budgets on disk."""

import os

from . import _settings as to
from . import _shoal


class Ledger:
    """The file that keeps the budget of each data set, as the program does. Many processes may use it at the same time.

    >>> import shoal, tempfile, os
    >>> ledger = shoal.Ledger(os.path.join(tempfile.mkdtemp(), "shoal.ledger"))
    >>> ledger.init("people", epsilon=2)
    >>> ledger.balance("people")["epsilon_left"]
    Fraction(2, 1)
    """

    def __init__(self, path):
        self._native = _shoal.Ledger(os.fspath(path))
        self.path = os.fspath(path)

    def init(self, dataset, epsilon, delta=0):
        """Enters a data set with the budget of everything that will ever be released from it. This can be done once."""
        self._native.init(dataset, to.exact(epsilon, "epsilon"), to.exact(delta, "delta"))

    @property
    def datasets(self):
        """The names of all data sets."""
        return self._native.datasets()

    def balance(self, dataset):
        """What was granted, spent and left, as exact fractions."""
        from fractions import Fraction

        return {name: Fraction(text) for name, text in self._native.balance(dataset).items()}

    def entries(self, dataset):
        """All debits, first to last."""
        from fractions import Fraction

        numbers = ("epsilon", "delta")
        return [
            {name: Fraction(value) if name in numbers else value for name, value in entry.items()}
            for entry in self._native.entries(dataset)
        ]

    def __repr__(self):
        return f"Ledger({self.path!r})"
