"""Tables as they come: numpy, pandas, polars, pyarrow, anything with the Arrow PyCapsule interface, and files.

Numbers stay where they are. What cannot be read is refused here, before anything is spent.
"""

import os
import sys

import numpy as np

from ._errors import DataError, DataTypeError
from ._shoal import Frame


def frame(X, naming=(), names=None):
    """The table that `X` holds. `naming` are columns of text that name persons; `names` name the columns of an array."""
    if isinstance(X, Frame):
        return X
    if isinstance(X, (str, os.PathLike)):
        return Frame.path(os.fspath(X))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.Series):
        raise DataTypeError("Expected 2D array, got 1D array instead: give a DataFrame, such as X.to_frame()", "one-column")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _of_pandas(X, naming)
    if hasattr(X, "__arrow_c_stream__"):
        return _checked(Frame.arrow(X.__arrow_c_stream__(), list(naming)))
    if hasattr(X, "__arrow_c_array__"):
        return _of_batch(X, naming)
    return _of_array(X, names)


def _of_batch(X, naming):
    try:
        import pyarrow
    except ImportError:
        raise DataTypeError("a single Arrow array needs pyarrow to be read; give a stream of batches", "arrow-array") from None
    table = pyarrow.Table.from_batches([pyarrow.record_batch(X)])
    return _checked(Frame.arrow(table.__arrow_c_stream__(), list(naming)))


def _checked(found):
    """Refuses a table with a column twice: a name would mean either of them."""
    columns = list(found.numbers or []) + [name for name, _ in found.others]
    repeated = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if repeated is not None:
        raise DataError(f"column {repeated!r} is there twice; rename one of them", "column-twice")
    return found


def _of_pandas(df, naming):
    numbers, texts, others = [], [], []
    for place, name in enumerate(df.columns):
        if not isinstance(name, str):
            name = str(name)
        column = df.iloc[:, place]
        dtype = column.dtype
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
    return _checked(Frame.arrays(numbers, texts, others))


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


def _of_array(X, names):
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
        array = np.asarray(X)
    except ValueError:
        raise DataError("the rows differ in length; give as many numbers in each row", "ragged-rows") from None
    if array.ndim != 2:
        hint = " Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one row" if array.ndim == 1 else ""
        raise DataError(f"Expected 2D array, got {array.ndim}D array instead: rows and columns are needed.{hint}", "not-2d")
    if array.dtype.kind == "c":
        raise DataTypeError("Complex data not supported: give real numbers", "complex")
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataTypeError("some values are no numbers: argument must be a string or a number that reads as one", "not-numbers") from None
    native = _native(array)
    if native is None:
        raise DataTypeError(f"an array of type {array.dtype} holds no numbers; convert it first", "not-numbers")
    if native.shape[1] == 0:
        raise DataError(f"0 feature(s) (shape={native.shape}) while a minimum of 1 is required.", "no-columns")
    names = names if names is not None else [f"x{i}" for i in range(native.shape[1])]
    return Frame.arrays([(name, native[:, i]) for i, name in enumerate(names)], [], [])


def only_numbers(table, columns, bounds, special=()):
    """Refuses a table with columns that are no numbers, where all columns are meant: neither `columns` nor `bounds` name any."""
    named = columns is not None or hasattr(bounds, "items") or isinstance(bounds, os.PathLike)
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
