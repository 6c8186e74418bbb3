"""Parameters in the form in which the library takes them. It checks them; nothing is decided here."""

import numbers
import os

import numpy as np

from ._errors import UsageError


def exact(value, name):
    """A number as text that loses nothing: 0.1 stays a tenth."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real) and not hasattr(value, "as_tuple"):
        raise UsageError(f"{name} is {value!r}; give a number, or text such as '1/3'", f"{name}-out-of-range")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, numbers.Rational):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, (float, np.floating)):
        return np.format_float_positional(float(value), trim="-") if np.isfinite(value) else repr(float(value))
    return str(value)


def clusters(value):
    """A number of clusters, or 'auto'."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, float, np.floating)) or not isinstance(value, numbers.Integral):
        raise UsageError(f"n_clusters is {value!r}; give a whole number, or 'auto'", "k-out-of-range")
    return str(int(value))


def pair(value, what):
    """A pair of limits."""
    try:
        low, high = value
        return float(low), float(high)
    except (TypeError, ValueError):
        raise UsageError(f"bounds of {what}: give a pair of numbers, such as (17, 90)", "bounds-text") from None


def bounds(value, names):
    """Bounds in all their forms. `names` are the columns that a list of pairs is about."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "items"):
        return [(str(name), *pair(limits, name)) for name, limits in value.items()]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    value = list(value)
    if len(value) == 2 and all(isinstance(limit, numbers.Real) for limit in value):
        return pair(value, "all columns")
    if names is None:
        raise UsageError("bounds of a file: name the columns, such as {'age': (17, 90)}", "bounds-text")
    if len(value) != len(names):
        raise UsageError(
            f"there are bounds of {len(value)} columns, and the table has {len(names)}; give a pair for each", "bounds-text"
        )
    return [(name, *pair(limits, name)) for name, limits in zip(names, value)]


def text_bounds(value):
    """Bounds as text, for what takes no other form."""
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "items"):
        unfit = next((name for name in value if set(str(name)) & set(",=")), None)
        if unfit is not None:
            raise UsageError(f"bounds of {unfit!r}: a name with a comma or an equals sign cannot be given here; rename it", "bounds-text")
        pairs = ((name, pair(limits, name)) for name, limits in value.items())
        return ",".join(f"{name}={low!r}:{high!r}" for name, (low, high) in pairs)
    low, high = pair(value, "all columns")
    return f"{low!r},{high!r}"


def scale(value):
    """Scales by column."""
    if value is None or isinstance(value, str):
        return value
    if not hasattr(value, "items"):
        raise UsageError("scale: name the columns, such as {'income': 'log'}", "bounds-text")
    wrong = next((name for name, kind in value.items() if not isinstance(kind, str)), None)
    if wrong is not None:
        raise UsageError(f"scale of {wrong}: give text: 'log', 'log1p', 'sqrt', or 'rank:' with public quantiles", "bounds-text")
    return [(str(name), kind) for name, kind in value.items()] or None


def weight(value):
    """Weights by column."""
    if value is None or isinstance(value, str):
        return value
    if not hasattr(value, "items"):
        raise UsageError("weight: name the columns, such as {'age': 2}", "bounds-text")
    wrong = next((name for name, one in value.items() if isinstance(one, bool) or not isinstance(one, numbers.Real)), None)
    if wrong is not None:
        raise UsageError(f"weight of {wrong}: give a number above 0, such as 2", "bounds-text")
    return [(str(name), float(one)) for name, one in value.items()] or None


def word(value):
    """A value as a word of a category: as a CSV file has it. None for a gap."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return None if np.isnan(value) else np.format_float_positional(value, trim="-") if np.isfinite(value) else str(value)
    if isinstance(value, (bytes, complex, dict, list, set, tuple, np.ndarray)):
        raise TypeError(f"a {type(value).__name__} is no word")
    return None if value is None or type(value).__name__ in ("NAType", "NaTType") else str(value)


def _levels(name, value):
    """The levels of one category: a list, or text as the program takes it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    try:
        levels = [word(level) for level in value]
    except TypeError:
        levels = None
    if levels is None or hasattr(value, "items"):
        raise UsageError(f"levels of {name}: list them, such as ['F', 'M', 'X'], or give a file with one on each line", "bounds-text")
    # An empty level is refused as such: a gap is none.
    return ["" if level is None else level for level in levels]


def categories(value):
    """Categories with their levels."""
    if value is None or isinstance(value, str):
        return value
    if not hasattr(value, "items"):
        raise UsageError(
            "categories: list the levels of each column, such as {'gender': ['F', 'M', 'X']}, without looking at the data", "bounds-text"
        )
    return [(str(name), _levels(name, levels)) for name, levels in value.items()] or None


def words(value):
    """The columns that are categories."""
    if isinstance(value, str):
        # What makes no sense is for the library to refuse.
        return [part.split("=", 1)[0].strip() for part in value.split(",")]
    return [str(name) for name in value] if hasattr(value, "items") else []


def _plain(name, what):
    if set(str(name)) & set(",=|"):
        raise UsageError(f"{what} {name!r}: a comma, a bar or an equals sign cannot be given here; rename it", "bounds-text")
    return str(name)


def text_scale(value):
    """Scales as text, for what takes no other form."""
    value = scale(value)
    return ",".join(f"{_plain(name, 'column')}={kind}" for name, kind in value) if isinstance(value, list) else value


def text_weight(value):
    """Weights as text, for what takes no other form."""
    value = weight(value)
    return ",".join(f"{_plain(name, 'column')}={one!r}" for name, one in value) if isinstance(value, list) else value


def text_categories(value):
    """Categories as text, for what takes no other form."""
    value = categories(value)
    if not isinstance(value, list):
        return value
    listed = lambda levels: levels if isinstance(levels, str) else "".join(f"{_plain(level, 'level')}|" for level in levels)
    return ",".join(f"{_plain(name, 'column')}={listed(levels)}" for name, levels in value)


def names(value):
    """One name or several."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else [str(name) for name in value]


def naming(person, per_person):
    """The columns whose texts are needed: those that name persons, and the one that orders their rows."""
    order = per_person.split(":", 1)[1:] if per_person and per_person.startswith(("first:", "last:")) else []
    return names(person) + order


def settings(**given):
    """All settings of a fit, with the library's own defaults for those that are not given."""
    every = dict(
        k="1", epsilon="1", delta="0", bounds=None, scale=None, weight=None, categories=None, method="auto", columns=None, person=[], per_person=None,
        missing="refuse", rows=None, rows_public=False, keep_cells=False, sampling=False, ledger=None, dataset=None,
        population=None, seed=None, threads=None, memory=None, options=[],
    )
    return {**every, **given}


def options(given):
    """Options of the methods, as texts."""
    def text(name, value):
        if isinstance(value, (list, tuple)):
            return ",".join(exact(one, name) for one in value)
        return exact(value, name)

    return [(name, text(name, value)) for name, value in (given or {}).items()]


#: How a file may be written: what is known of it, with the values that it may have.
_READING = {
    "delimiter": lambda it: isinstance(it, str) and len(it) == 1 and it.isascii(),
    "decimal": lambda it: it in ("point", "comma"),
    "dates": lambda it: it in ("dmy", "mdy"),
    "sheet": lambda it: isinstance(it, str),
    "header": lambda it: isinstance(it, bool),
    "multiline": lambda it: isinstance(it, bool),
}


def reading(value, X):
    """How a file is written; nothing where that shows."""
    if value is None:
        return None
    if not hasattr(value, "items"):
        raise UsageError("reading: give a dict, such as {'delimiter': ';', 'decimal': 'comma'}", "reading")
    if not isinstance(X, (str, os.PathLike)):
        raise UsageError("reading is about files, and this table is in memory; leave reading out", "reading")
    for name, one in value.items():
        if name not in _READING:
            raise UsageError(f"reading: there is no {name!r}; there are {', '.join(_READING)}", "reading")
        if not _READING[name](one):
            raise UsageError(
                f"reading: {name} is {one!r}; delimiter is one character, sheet is text, decimal is 'point' or 'comma', dates are 'dmy' or 'mdy', "
                "header and multiline are True or False",
                "reading",
            )
    given = dict.fromkeys(("delimiter", "decimal", "dates", "sheet")) | dict(value)
    header = given.pop("header", True)
    return given | dict(no_header=not header, multiline=given.get("multiline", False))


def whole(value, name, least=0):
    """A whole number or nothing."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise UsageError(f"{name} is {value!r}; give a whole number, {least} or more", f"{name}-out-of-range")
    return int(value)


def ledger_of(ledger, dataset, people, X):
    """The ledger's file, and the name of the data set: that of a file, unless another is given."""
    from ._shoal import Ledger

    if ledger is None:
        return dict(ledger=None, dataset=None, population=None)
    path = ledger.path if hasattr(ledger, "path") else os.fspath(ledger)
    if dataset is None and isinstance(X, (str, os.PathLike)):
        dataset = Ledger.name_of(os.fspath(X))
    return dict(ledger=path, dataset=dataset, population=people)
