"""Arrays and data frames on their way into the library."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _core

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import _check_feature_names, _check_n_features, validate_data
except ImportError:

    def validate_data(estimator, *args, **kwargs):
        return estimator._validate_data(*args, **kwargs)

    def _check_feature_names(estimator, X, *, reset):
        estimator._check_feature_names(X, reset=reset)

    def _check_n_features(estimator, X, *, reset):
        estimator._check_n_features(X, reset=reset)


ROLES = ("exposure", "offset", "trials")


def is_frame(X) -> bool:
    return hasattr(X, "columns") and hasattr(X, "iloc") and hasattr(X, "dtypes")


def as_frame(X):
    """A table of another library (pyarrow, polars, duckdb, ...) as a pandas frame, anything else as it is.

    By the C interface of Arrow where pyarrow is there, which copies no column of numbers without
    gaps; otherwise by the interchange protocol of data frames.
    """
    if is_frame(X) or isinstance(X, np.ndarray):
        return X
    if hasattr(X, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            pass
        else:
            table = _with_signed_codes(pyarrow.table(X), pyarrow)
            return table.to_pandas(split_blocks=True, date_as_object=False)
    if hasattr(X, "__dataframe__"):
        from pandas.api.interchange import from_dataframe

        with warnings.catch_warnings():  # pandas 3 advises Arrow, for which pyarrow would have to be there
            warnings.simplefilter("ignore", DeprecationWarning)
            return from_dataframe(X)
    return X


def _with_signed_codes(table, pyarrow):
    """Levels whose codes are unsigned numbers, as polars has them, which pyarrow gives to pandas in no version yet."""
    types = pyarrow.types
    for j, field in enumerate(table.schema):
        if types.is_dictionary(field.type) and types.is_unsigned_integer(field.type.index_type):
            chunks = [pyarrow.DictionaryArray.from_arrays(chunk.indices.cast(pyarrow.int32()), chunk.dictionary,
                                                          ordered=field.type.ordered)
                      for chunk in table.column(j).chunks]
            table = table.set_column(j, field.name, pyarrow.chunked_array(chunks))
    return table


def array_names(count: int) -> list[str]:
    return [f"x{j + 1}" for j in range(count)]


def frame_names(X) -> list[str]:
    """Names of a frame's columns; numbers from 1 where they are not names."""
    if all(isinstance(name, str) for name in X.columns):
        return list(X.columns)
    return array_names(len(X.columns))


def _is_text(column) -> bool:
    kind = getattr(column.dtype, "kind", "O")
    return kind not in "biuf" or str(column.dtype) == "category"


def needs_frame(X, roles: dict) -> bool:
    """Whether X is a data frame that is not simply a matrix of numbers."""
    if not is_frame(X):
        return False
    return any(roles.values()) or any(_is_text(X.iloc[:, j]) for j in range(X.shape[1]))


def read_array(estimator, X, y, *, reset: bool, names=None, y_numeric=True):
    """Table of a matrix of numbers, after scikit-learn's own checks; y as it is checked."""
    options = {"dtype": np.float64, "reset": reset}
    if y is None and not reset:
        X = validate_data(estimator, X, **options)
    else:
        X, y = validate_data(estimator, X, y, y_numeric=y_numeric, **options)
    names = array_names(X.shape[1]) if names is None else names
    return _core.Table.of_array(_forward(X), list(names)), y


def _forward(values):
    """The array itself, or a copy if it runs backwards in memory."""
    return values if all(step >= 0 for step in values.strides) else values.copy()


def read_frame(estimator, X, *, reset: bool, roles: dict):
    """Table of a data frame, and the names in it of the columns that have a role, by role."""
    _check_feature_names(estimator, X, reset=reset)
    _check_n_features(estimator, X, reset=reset)
    if len(X) == 0:
        raise _core.DataError("X: there are no rows")
    table = _core.Table()
    names = dict(zip(X.columns, frame_names(X)))
    for j, name in enumerate(frame_names(X)):
        column = _plain_times(X.iloc[:, j])
        if _is_text(column) and not _holds_numbers(column):
            table.add_text(name, ["" if missing else str(v)
                                  for v, missing in zip(column, column.isna())])
        else:
            table.add_numbers(name, _forward(_numbers(column, name)))
    return table, {role: names.get(column, str(column)) for role, column in roles.items()
                   if column is not None}


def _plain_times(column):
    """Dates of a time zone as those of UTC, durations as days; the library knows neither."""
    if getattr(column.dtype, "tz", None) is not None:
        return column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.dt.total_seconds() / 86400 if column.dtype.kind == "m" else column


def _holds_numbers(column) -> bool:
    """Objects that are all numbers, e.g. a column that once had None in it."""
    return column.dtype == object and all(
        isinstance(v, (int, float, np.number)) for v in column if v is not None)


def _numbers(column, name: str) -> np.ndarray:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _core.DataError(f"X: column {name!r}: {error}; numbers are needed") from None


def doubles(values, name: str) -> np.ndarray:
    """As float64; a whole number that no double is, is refused and not rounded."""
    values = np.asarray(values)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except ValueError:
        row, word = next((i, v) for i, v in enumerate(values.flat) if not _is_number(v))
        raise _core.DataError(f"row {row + 1}: {name} = {str(word)!r} is not a number") from None
    if values.dtype.kind in "iu":
        for i in np.flatnonzero(np.abs(numbers) >= 2.0**53):
            if int(numbers.flat[i]) != int(values.flat[i]):
                raise _core.DataError(f"row {i + 1}: {name} = {values.flat[i]} has more digits than "
                                      "a double keeps; round it, or count in larger units")
    return numbers


def _is_number(value) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def read_per_row(values, name: str, rows: int):
    """One number per row, or None. A single number stands for all rows."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.ndim == 0:
        values = np.full(rows, values)
    values = doubles(column_or_1d(values), name)
    if len(values) != rows:
        raise _core.DataError(f"{name} has {len(values)} numbers; there are {rows} rows")
    return _forward(values)


def same_length(table, y) -> None:
    if table.rows != len(y):
        check_consistent_length(np.empty(table.rows), y)


# ---- Outputs

def read_outputs(y, event=None):
    """y, and 0 for observed, 1 for right and -1 for left censored, or None.

    `event` is true (1) where y was observed, false (0) where it is a lower bound, -1 where it is an
    upper one. A structured array of an event and a time is what scikit-survival has.
    """
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is not None:
        if event is not None:
            raise _core.UsageError("y is a structured array with an event; leave event out")
        if len(names) != 2 or y.dtype[names[0]].kind != "b":
            raise _core.DataError("y: a structured array has two fields, a boolean event and a "
                                  f"time, not {', '.join(names)}")
        y, event = y[names[1]], y[names[0]]
    if event is None:
        return y, None
    event = np.asarray(event)
    codes = column_or_1d(event).astype(np.float64)
    if not np.isin(codes, (-1, 0, 1)).all():
        raise _core.DataError("event: 1 for observed, 0 for right and -1 for left censored")
    return y, swapped(codes)


def swapped(codes) -> np.ndarray:
    """An event as the code of censoring, and the other way round: 0 and 1 change places."""
    codes = np.asarray(codes, dtype=np.float64)
    return np.where(codes == -1, -1.0, 1 - codes)


def name_of(y) -> str:
    """Of a pandas Series, so that the command finds the target in a table."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else ""


def is_words(y) -> bool:
    """Whether outputs are labels and not numbers."""
    y = np.asarray(y)
    return y.dtype.kind in "US" or (y.dtype.kind == "O" and y.ndim == 1
                                    and any(isinstance(v, (str, bytes)) for v in y))


def ordered_levels(y):
    """The levels of an ordered categorical that occur, in their order; None for other outputs."""
    dtype = getattr(y, "dtype", None)
    if not getattr(dtype, "ordered", False):
        return None
    present = set(np.asarray(y)[~np.asarray(y.isna())])
    return np.array([level for level in dtype.categories if level in present])


def two_classes(y):
    """Two words, and each of them as 0 or 1."""
    classes, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    if len(classes) != 2:
        shown = ", ".join(map(repr, classes[:4])) + (", ..." if len(classes) > 4 else "")
        raise _core.DataError(f"y has {len(classes)} different words, {shown}; two are needed here, "
                              "GeneralizedGPClassifier takes more")
    return classes, codes.astype(np.float64)


def codes_of(y, levels) -> np.ndarray:
    """Words as the model knows them: numbers of levels, from 0."""
    y = np.asarray(y).astype(str)
    for i in np.flatnonzero(~np.isin(y, levels)):
        raise _core.DataError(f"row {i + 1}: y = {str(y[i])!r}; the model knows "
                              f"{', '.join(map(repr, levels))}")
    return np.array([levels.index(word) for word in y], dtype=np.float64)
