"""Values of kernel parameters, and the text forms of values."""

from __future__ import annotations

import inspect
from typing import Iterable, Sequence, Union

import numpy as np

__all__ = ["Parameter", "bounded"]


class Parameter:
    """The value of a kernel's parameter, and what learning may do with it.

    Parameters
    ----------
    value : float or sequence of float
        Where learning starts. A sequence has one value per input.
    lower, upper : float, optional
        Bounds of the value itself. Both or neither.
    prior : str, optional
        A density that is added to the log marginal likelihood: ``"gamma(2, 1)"``,
        ``"inverse_gamma(2, 1)"``, ``"lognormal(0, 1)"`` or ``"normal(0, 1)"``.
    fixed : bool
        Held at `value`.

    Examples
    --------
    >>> print(RBF(lengthscale=Parameter(2, lower=0.1, upper=10, prior="gamma(2, 1)")))
    rbf(lengthscale=2 in [0.1, 10] ~ gamma(2, 1))
    """

    def __init__(self, value, *, lower=None, upper=None, prior=None, fixed=False):
        self.value = value
        self.lower = lower
        self.upper = upper
        self.prior = prior
        self.fixed = fixed

    def __str__(self) -> str:
        text = value_text(self.value)
        if self.fixed:
            text = f"fixed({text})"
        if (self.lower is None) != (self.upper is None):
            raise ValueError(f"a parameter has both bounds or none, not lower={self.lower} and "
                             f"upper={self.upper}")
        if self.lower is not None:
            text += f" in [{number_text(self.lower)}, {number_text(self.upper)}]"
        if self.prior is not None:
            text += f" ~ {self.prior}"
        return text

    def __repr__(self) -> str:
        return call_text("Parameter", self, skip_names=("value",))

    def __eq__(self, other) -> bool:
        return isinstance(other, Parameter) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def bounded(value, lower, upper) -> Parameter:
    """A parameter that learning keeps between two bounds: ``RBF(lengthscale=bounded(1, .1, 10))``."""
    return Parameter(value, lower=lower, upper=upper)


Values = Union[float, Sequence[float], Parameter]
Columns = Union[None, str, int, Iterable[Union[str, int]]]


# ---- Text

def number_text(value) -> str:
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def value_text(value) -> str:
    if isinstance(value, Parameter):
        return str(value)
    if isinstance(value, str):
        return value
    if np.ndim(value) == 0:
        return number_text(value)
    return "[" + ", ".join(value_text(v) for v in value) + "]"


def column_text(column) -> str:
    if isinstance(column, (int, np.integer)):
        return str(int(column))
    return "'" + str(column).replace("\\", "\\\\").replace("'", "\\'") + "'"


def listed(columns) -> list:
    return [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)


def same(value, default) -> bool:
    if value is default:
        return True
    if isinstance(value, str):  # an equal one that pickle made is another object
        return value == default
    if isinstance(value, Parameter) or np.ndim(value) != 0:
        return False
    return type(value) in (int, float, bool) and value == default


def call_text(name: str, thing, skip_names: tuple = ()) -> str:
    """``RBF(lengthscale=2.0)``: the arguments that are not the defaults."""
    given = []
    for key, parameter in inspect.signature(type(thing).__init__).parameters.items():
        if key == "self":
            continue
        value = getattr(thing, key)
        if same(value, parameter.default):
            continue
        given.append(repr(value) if key in skip_names else f"{key}={value!r}")
    return f"{name}({', '.join(given)})"
