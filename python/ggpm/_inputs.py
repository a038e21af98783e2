"""Arrays and data frames on their way into the library."""

from __future__ import annotations

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
    """Table of the inputs of a data frame, and the columns that have a role, by role."""
    _check_feature_names(estimator, X, reset=reset)
    _check_n_features(estimator, X, reset=reset)
    if len(X) == 0:
        raise _core.DataError("X: there are no rows")
    table = _core.Table()
    found = {}
    role_of = {column: role for role, column in roles.items() if column is not None}
    for column in role_of:
        if column not in X.columns:
            raise _core.DataError(f"X: there is no column {column!r} ({role_of[column]}); columns: "
                                  f"{', '.join(map(str, X.columns))}")
    for j, (label, name) in enumerate(zip(X.columns, frame_names(X))):
        column = X.iloc[:, j]
        if label in role_of:
            found[role_of[label]] = _numbers(column, name)
        elif _is_text(column) and not _holds_numbers(column):
            table.add_text(name, _cells(column, name))
        else:
            table.add_numbers(name, _forward(_numbers(column, name)))
    if not table.names:
        raise _core.DataError("X: no column is left as an input")
    return table, found


def _holds_numbers(column) -> bool:
    """Objects that are all numbers, e.g. a column that once had None in it."""
    return column.dtype == object and all(
        isinstance(v, (int, float, np.number)) for v in column if v is not None)


def _numbers(column, name: str) -> np.ndarray:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _core.DataError(f"X: column {name!r}: {error}; numbers are needed") from None
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise _core.DataError(f"X: row {bad[0] + 1}, column {name!r}: {numbers[bad[0]]} (NaN or "
                              "infinite); fill it in or leave the row out")
    return numbers


def _cells(column, name: str) -> list[str]:
    missing = np.flatnonzero(np.asarray(column.isna()))
    if len(missing):
        raise _core.DataError(f"X: row {missing[0] + 1}, column {name!r}: the cell is missing; fill "
                              "it in or leave the row out")
    return [str(v) for v in column]


def doubles(values, name: str) -> np.ndarray:
    """As float64; a whole number that no double is, is refused and not rounded."""
    values = np.asarray(values)
    numbers = np.asarray(values, dtype=np.float64)
    if values.dtype.kind in "iu":
        for i in np.flatnonzero(np.abs(numbers) >= 2.0**53):
            if int(numbers.flat[i]) != int(values.flat[i]):
                raise _core.DataError(f"row {i + 1}: {name} = {values.flat[i]} has more digits than "
                                      "a double keeps; round it, or count in larger units")
    return numbers


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
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise _core.DataError(f"row {bad[0] + 1}: {name} = {values[bad[0]]}; finite numbers are "
                              "needed")
    return _forward(values)


def same_length(table, y) -> None:
    if table.rows != len(y):
        check_consistent_length(np.empty(table.rows), y)


# ---- Outputs

def name_of(y) -> str:
    """Of a pandas Series, so that the command finds the target in a table."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else ""


def are_fractions(y, trials) -> bool:
    return trials is not None and bool(np.any(y != np.floor(y)) and np.max(y) <= 1)


def observed(y, trials, roles, rows: int) -> np.ndarray:
    """y as the likelihood sees it: fractions as successes, proportions squeezed by that many rows."""
    if roles.fractions and trials is not None:
        y = _successes(y, trials)
    if roles.squeeze:
        y = _squeezed(y, rows)
    return y


def _successes(y, trials) -> np.ndarray:
    successes = np.round(y * trials)
    bad = np.flatnonzero(np.abs(y * trials - successes) > 1e-6 * trials)
    if len(bad):
        raise _core.DataError(f"row {bad[0] + 1}: y = {y[bad[0]]} of {trials[bad[0]]} trials is "
                              "not a whole number of successes")
    return successes


def _squeezed(y, rows: int) -> np.ndarray:
    bad = np.flatnonzero((y < 0) | (y > 1))
    if len(bad):
        raise _core.DataError(f"row {bad[0] + 1}: y = {y[bad[0]]} cannot be squeezed; squeeze needs "
                              "numbers from 0 to 1")
    return (y * (rows - 1) + 0.5) / rows
