"""Tables as they come: numpy, pandas, polars, pyarrow, anything with the Arrow PyCapsule interface, and files.

Numbers stay where they are. What cannot be read is refused here, before anything is spent.
"""

import os
import sys

import numpy as np

from ._errors import DataError, DataTypeError
from ._settings import word
from ._shoal import Frame


def frame(X, naming=(), names=None, words=()):
    """The table that `X` holds. `naming` are columns of text that name persons, `words` those that are categories; `names`
    name the columns of an array."""
    if isinstance(X, Frame):
        return X
    if isinstance(X, (str, os.PathLike)):
        return Frame.path(os.fspath(X))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.Series):
        raise DataTypeError("Expected 2D array, got 1D array instead: give a DataFrame, such as X.to_frame()", "one-column")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _of_pandas(X, naming, words)
    if hasattr(X, "__arrow_c_stream__"):
        return _checked(Frame.arrow(X.__arrow_c_stream__(), list(naming), list(words)), words)
    if hasattr(X, "__arrow_c_array__"):
        return _of_batch(X, naming, words)
    return _of_array(X, names, words)


def _of_batch(X, naming, words):
    try:
        import pyarrow
    except ImportError:
        raise DataTypeError("a single Arrow array needs pyarrow to be read; give a stream of batches", "arrow-array") from None
    table = pyarrow.Table.from_batches([pyarrow.record_batch(X)])
    return _checked(Frame.arrow(table.__arrow_c_stream__(), list(naming), list(words)), words)


def _checked(found, words=()):
    """Refuses a table with a column twice, since a name would mean either of them, and categories of what has no words."""
    columns = list(found.numbers or []) + found.words + [name for name, _ in found.others]
    repeated = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if repeated is not None:
        raise DataError(f"column {repeated!r} is there twice; rename one of them", "column-twice")
    wordless = next((other for other in found.others if other[0] in words), None)
    if wordless is not None:
        raise DataTypeError(
            f"column {wordless[0]} holds {wordless[1]}, and a category needs words, whole numbers or booleans; write it as text",
            "column-type",
        )
    return found


def _of_pandas(df, naming, words):
    numbers, texts, categories, others = [], [], [], []
    for place, name in enumerate(df.columns):
        if not isinstance(name, str):
            name = str(name)
        column = df.iloc[:, place]
        dtype = column.dtype
        if name in words:
            categories.append((name, *_words_of_pandas(name, column)))
            continue
        if name in naming and not (hasattr(dtype, "kind") and dtype.kind in "iub"):
            known = column.notna()
            texts.append((name, [str(value) if there else "" for value, there in zip(column, known)]))
            continue
        kind = getattr(dtype, "kind", "O")
        if isinstance(dtype, np.dtype):
            array = column.to_numpy()
        elif kind in "iufb" and str(dtype) != "category":
            # Nullable types of pandas and those of Arrow; what is missing becomes NaN.
            missing = column.isna().any()
            array = column.to_numpy(dtype=np.float64, na_value=np.nan) if missing else column.to_numpy(dtype=_plain(dtype))
        else:
            others.append((name, "categories" if str(dtype) == "category" else str(dtype)))
            continue
        native = _native(array)
        if native is None:
            others.append((name, "text" if array.dtype == object else str(array.dtype)))
        else:
            numbers.append((name, native))
    return _checked(Frame.arrays(numbers, texts, categories, others))


def _words_of_pandas(name, column):
    """The words of a column, and the place of each row's word among them, −1 for a gap."""
    if isinstance(column.dtype, np.dtype):
        return _words_of_array(name, column.to_numpy())
    if str(column.dtype) == "category":
        return _places(name, column.cat.codes.to_numpy(), column.cat.categories)
    return _places(name, *sys.modules["pandas"].factorize(column))


def _words_of_array(name, column):
    """The same for a column of an array."""
    if column.dtype.kind in "biufUT":
        found, places = np.unique(column, return_inverse=True)
        return _places(name, places.reshape(-1), found)
    if column.dtype.kind != "O":
        raise _not_words(name)
    known = {}
    try:
        # Words and not values: 1 and true are the same to Python.
        places = [known.setdefault(value, len(known)) for value in map(word, column)]
    except TypeError:
        raise _not_words(name) from None
    return _places(name, places, list(known))


def _places(name, places, found):
    try:
        words = [word(value) for value in found]
    except TypeError:
        raise _not_words(name) from None
    places = np.asarray(places, dtype=np.int64)
    gaps = [place for place, one in enumerate(words) if one is None]
    if gaps:
        places = np.where(np.isin(places, gaps), -1, places)
    return [one or "" for one in words], np.ascontiguousarray(places)


def _not_words(name):
    return DataTypeError(f"column {name} holds values that are no words; a category needs text, whole numbers or booleans", "column-type")


def _plain(dtype):
    """The numpy type of a nullable type."""
    plain = getattr(dtype, "numpy_dtype", None)
    return plain if isinstance(plain, np.dtype) and plain.kind in "iufb" else np.float64


def _native(array):
    """The array as numbers that can be read in place; nothing if it holds none."""
    if array.dtype.kind not in "iufb":
        return None
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _of_array(X, names, words):
    if hasattr(X, "toarray") and hasattr(X, "tocsr"):
        raise DataTypeError("a sparse matrix was given; Shoal needs dense rows: X.toarray()", "sparse")
    if not hasattr(X, "__array__") and not isinstance(X, (list, tuple)):
        raise DataTypeError(
            f"a {type(X).__name__} is no table; give an array, a DataFrame, an Arrow table or a path", "not-a-table"
        )
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "iufb":
        # What is masked is missing.
        X = X.astype(np.float64).filled(np.nan)
    try:
        # Words and numbers in one list stay what they are.
        array = np.asarray(X, dtype=object if words and isinstance(X, (list, tuple)) else None)
    except ValueError:
        raise DataError("the rows differ in length; give as many numbers in each row", "ragged-rows") from None
    if array.ndim != 2:
        hint = " Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one row" if array.ndim == 1 else ""
        raise DataError(f"Expected 2D array, got {array.ndim}D array instead: rows and columns are needed.{hint}", "not-2d")
    if array.dtype.kind == "c":
        raise DataTypeError("Complex data not supported: give real numbers", "complex")
    if array.shape[1] == 0:
        raise DataError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.", "no-columns")
    names = names if names is not None else [f"x{i}" for i in range(array.shape[1])]
    if not any(name in words for name in names):
        native = _numbers(array)
        return Frame.arrays([(name, native[:, i]) for i, name in enumerate(names)], [], [], [])
    columns = [(name, array[:, i]) for i, name in enumerate(names)]
    numbers = [(name, _numbers(column, text=True)) for name, column in columns if name not in words]
    return Frame.arrays(numbers, [], [(name, *_words_of_array(name, column)) for name, column in columns if name in words], [])


def _numbers(array, text=False):
    """The array as numbers. Beside columns of words, numbers may be text, too."""
    if array.dtype.kind == "O" or text and array.dtype.kind in "UT":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataTypeError("some values are no numbers: argument must be a string or a number that reads as one", "not-numbers") from None
    native = _native(array)
    if native is None:
        raise DataTypeError(f"an array of type {array.dtype} holds no numbers; convert it first", "not-numbers")
    return native


def only_numbers(table, columns, bounds, special=(), categories=None):
    """Refuses a table with columns that are no numbers, where all columns are meant: neither `columns` nor `bounds` name any,
    and there are not only categories."""
    named = columns is not None or bounds is None and categories or hasattr(bounds, "items") or isinstance(bounds, os.PathLike)
    if isinstance(bounds, str):
        named = named or "=" in bounds or bounds.lower().endswith((".json", ".toml"))
    other = next((found for found in table.others if found[0] not in special), None)
    if other is not None and not named:
        raise DataTypeError(
            f"column {other[0]} holds {other[1]}, and bounds are for numbers; name the columns to use with columns, such as "
            f"columns={list(table.numbers or [])[:3]!r}",
            "column-type",
        )
    return table


def has_names(X):
    """Whether the columns of a table have names."""
    if isinstance(X, (str, os.PathLike)) or hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def width_of(X):
    """The number of columns of an array; None for what has none, or has to be opened first."""
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, (list, tuple)):
        try:
            shape = np.shape(X)
        except ValueError:
            return None
    return shape[1] if shape is not None and len(shape) == 2 else None
