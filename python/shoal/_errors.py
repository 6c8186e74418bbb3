"""Exceptions and warnings. Every exception has the library's `code`, which stays the same between versions."""


class Error(Exception):
    """Shoal refused or could not finish. `code` is a short name of the reason."""

    def __init__(self, message, code="error"):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return type(self), (str(self), self.code)


class UsageError(Error, ValueError):
    """The request makes no sense, whatever the data. Nothing was spent."""


class DataError(Error, ValueError):
    """The table cannot be used as it is. Nothing was spent."""


class DataTypeError(DataError, TypeError):
    """The table is of a kind that cannot be read. Nothing was spent."""


class BudgetError(Error):
    """The ledger does not cover the release, or refuses it for another reason. Nothing was spent."""


class NotFittedError(Error, ValueError, AttributeError):
    """The estimator has no model yet."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a fit. The message states what was spent."""

    def __init__(self, message, code="interrupted"):
        super().__init__(message)
        self.code = code


class PrivacyWarning(UserWarning):
    """Something to know about the guarantee."""


class NotPrivateWarning(PrivacyWarning):
    """The result has no guarantee."""


def not_fitted(name):
    """The exception for an estimator without a model; scikit-learn's own class, too, where that is in use."""
    import sys

    message = f"this {name} has no model yet; call fit first"
    if "sklearn" in sys.modules:
        from sklearn.exceptions import NotFittedError as theirs

        return type("NotFittedError", (NotFittedError, theirs), {})(message, "not-fitted")
    return NotFittedError(message, "not-fitted")
