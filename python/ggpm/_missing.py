"""Rows that are left out: with missing cells, without weight."""

from __future__ import annotations

import numpy as np

try:
    from sklearn.utils import _safe_indexing
except ImportError:
    from sklearn.utils._indexing import _safe_indexing


def complete_rows(policy: str, X, y, per_row: dict):
    """The rows in which nothing is missing, or all of them unless the policy is ``"drop"``."""
    if policy != "drop":
        return X, y, per_row
    given = {name: values for name, values in per_row.items() if np.ndim(values) > 0}
    missing = _missing(X) | _missing(y)
    for name, values in given.items():
        if name != "upper":  # NaN: not an interval
            missing |= _missing(values)
    return _only(np.flatnonzero(~missing), X, y, per_row)


def weighted_rows(X, y, per_row: dict):
    """The rows whose weight is not 0."""
    weight = per_row.get("weight")
    if weight is None or np.ndim(weight) == 0 or len(weight) != len(y):  # the library says so
        return X, y, per_row
    return _only(np.flatnonzero(np.asarray(weight) != 0), X, y, per_row)


def _only(rows, X, y, per_row: dict):
    kept = {name: _safe_indexing(values, rows) for name, values in per_row.items()
            if np.ndim(values) > 0}
    return _safe_indexing(X, rows), _safe_indexing(y, rows), {**per_row, **kept}


def _missing(values) -> np.ndarray:
    """Of each row, whether one of its cells is NaN, None or NA."""
    if hasattr(values, "isna"):
        cells = np.asarray(values.isna())
    else:
        values = np.asarray(values)
        cells = values != values if values.dtype.kind in "fcO" else np.zeros(values.shape, bool)
        if values.dtype.kind == "O":
            cells = cells.astype(bool) | (values == None)  # noqa: E711 (of every cell)
    return np.any(cells.reshape(len(cells), -1), axis=1)
