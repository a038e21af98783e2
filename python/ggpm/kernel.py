"""Kernels as objects: ``RBF(lengthscale=2) * Periodic(period=12) + Linear(columns=["year"])``.

A kernel object is a description. ``str(kernel)`` is the text form that the command takes as
``--kernel`` and that a model file stores; what it means is defined in one place, the library.
"""

from __future__ import annotations

import inspect
from typing import Any, Iterable, Sequence, Union

import numpy as np

from . import _core

__all__ = [
    "Kernel", "RBF", "Matern12", "Matern32", "Matern52", "RQ", "Periodic", "Linear", "Poly",
    "Constant", "White", "Sum", "Product", "Expression", "Parameter", "fixed", "bounded",
]


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
        text = _value_text(self.value)
        if self.fixed:
            text = f"fixed({text})"
        if (self.lower is None) != (self.upper is None):
            raise ValueError(f"a parameter has both bounds or none, not lower={self.lower} and "
                             f"upper={self.upper}")
        if self.lower is not None:
            text += f" in [{_number_text(self.lower)}, {_number_text(self.upper)}]"
        if self.prior is not None:
            text += f" ~ {self.prior}"
        return text

    def __repr__(self) -> str:
        return _call_text("Parameter", self, skip_names=("value",))

    def __eq__(self, other) -> bool:
        return isinstance(other, Parameter) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def fixed(what):
    """Hold a parameter, or every parameter of a kernel: ``RBF(variance=fixed(1))``."""
    if isinstance(what, (Kernel, str)):
        return _Fixed(_as_kernel(what))
    return Parameter(what, fixed=True)


def bounded(value, lower, upper) -> Parameter:
    """A parameter that learning keeps between two bounds: ``RBF(lengthscale=bounded(1, .1, 10))``."""
    return Parameter(value, lower=lower, upper=upper)


class Kernel:
    """What all kernels can do: add, multiply, be cloned, be evaluated.

    Kernels follow scikit-learn's conventions, so that ``GridSearchCV`` can vary
    ``kernel__lengthscale``, and two numbers can be multiplied in: ``2.0 * RBF()`` is
    ``Constant(2.0) * RBF()``.
    """

    _text_name = ""  # in the text form

    def _text(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return self._text()

    # ---- Algebra

    def __add__(self, other):
        return Sum(self, _as_kernel(other))

    def __radd__(self, other):
        return Sum(_as_kernel(other), self)

    def __mul__(self, other):
        return Product(self, _as_kernel(other))

    def __rmul__(self, other):
        return Product(_as_kernel(other), self)

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash((type(self), str(self)))

    # ---- scikit-learn

    @classmethod
    def _param_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the constructor by name, those of inner kernels as ``k1__lengthscale``."""
        params = {}
        for name in self._param_names():
            value = getattr(self, name)
            params[name] = value
            if deep and isinstance(value, Kernel):
                params.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return params

    def set_params(self, **params) -> "Kernel":
        """Change parameters by the names that `get_params` gives."""
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in self._param_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; there are "
                                 f"{', '.join(self._param_names())}")
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self

    # ---- Evaluation

    def __call__(self, X, Y=None) -> np.ndarray:
        """The Gram matrix of X, or the covariance of X and Y (where white noise is 0)."""
        X = _matrix(X)
        if Y is None:
            return _core.kernel_gram(str(self), X)
        return _core.kernel_cross(str(self), X, _matrix(Y))

    def diag(self, X) -> np.ndarray:
        """The diagonal of the Gram matrix of X."""
        return _core.kernel_diagonal(str(self), _matrix(X))

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Value by name, as learning calls them: ``{"rbf.variance": 1.0, ...}``."""
        return dict(_core.kernel_parameters(str(self)))


class _Leaf(Kernel):
    """A kernel of the library, with its parameters as attributes."""

    def _text(self) -> str:
        given = []
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            if name == "self":
                continue
            value = getattr(self, name)
            if _same(value, parameter.default):
                continue
            if name == "columns":
                text = "[" + ", ".join(_column_text(c) for c in _listed(value)) + "]"
            elif name == "ard":
                text = "true" if value else "false"
            else:
                text = _value_text(value)
            given.append(f"{name}={text}")
        return self._text_name + (f"({', '.join(given)})" if given else "")

    def __repr__(self) -> str:
        return _call_text(type(self).__name__, self)


Values = Union[float, Sequence[float], Parameter]
Columns = Union[None, str, int, Iterable[Union[str, int]]]

_SHARED = """
    variance : float or Parameter
        Variance of the function.
    lengthscale : float, sequence of float, or Parameter
        How far one must go until the function is another; a sequence has one per input.
    ard : bool
        One length-scale per input, all starting at `lengthscale`.
    columns : name, number from 1, or list of them, optional
        The inputs that the kernel looks at. Default: all."""


def _stationary(name: str, summary: str, formula: str):
    """Docstring of a kernel with a length-scale, so that the shared part is written once."""

    def decorate(cls):
        cls._text_name = name
        cls.__doc__ = f"""{summary}

    ``{formula}``

    Parameters
    ----------{_SHARED}
    """
        return cls

    return decorate


@_stationary("rbf", "Smooth functions: the squared exponential.", "variance exp(-r^2 / 2 l^2)")
class RBF(_Leaf):
    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, *, ard: bool = False,
                 columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.ard = ard
        self.columns = columns


@_stationary("matern12", "Continuous, rough functions: the exponential kernel.",
             "variance exp(-r / l)")
class Matern12(_Leaf):
    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, *, ard: bool = False,
                 columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.ard = ard
        self.columns = columns


@_stationary("matern32", "Functions with one derivative.",
             "variance (1 + sqrt(3) r / l) exp(-sqrt(3) r / l)")
class Matern32(_Leaf):
    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, *, ard: bool = False,
                 columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.ard = ard
        self.columns = columns


@_stationary("matern52", "Functions with two derivatives.",
             "variance (1 + sqrt(5) r / l + 5 r^2 / 3 l^2) exp(-sqrt(5) r / l)")
class Matern52(_Leaf):
    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, *, ard: bool = False,
                 columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.ard = ard
        self.columns = columns


class RQ(_Leaf):
    __doc__ = f"""Rational quadratic: a mixture of length-scales.

    ``variance (1 + r^2 / (2 alpha l^2))^-alpha``

    Parameters
    ----------{_SHARED}
    alpha : float or Parameter
        Large: close to `RBF`; small: many length-scales at once.
    """
    _text_name = "rq"

    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, alpha: Values = 1.0, *,
                 ard: bool = False, columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.alpha = alpha
        self.ard = ard
        self.columns = columns


class Periodic(_Leaf):
    __doc__ = f"""Functions that repeat.

    ``variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period) / l^2)``

    Inputs are standardised by default (``standardize=False`` keeps them as they are), and the
    period is in units of what the kernel sees.

    Parameters
    ----------{_SHARED}
    period : float or Parameter
        The distance after which the function repeats.
    """
    _text_name = "periodic"

    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, period: Values = 1.0, *,
                 ard: bool = False, columns: Columns = None):
        self.variance = variance
        self.lengthscale = lengthscale
        self.period = period
        self.ard = ard
        self.columns = columns


class Linear(_Leaf):
    """Straight lines through the origin; add `Constant` for an intercept.

    ``sum_d variance_d x_d x'_d``

    Parameters
    ----------
    variance : float, sequence of float, or Parameter
        Variance of the slopes; a sequence has one per input.
    ard : bool
        One variance per input.
    columns : name, number from 1, or list of them, optional
        The inputs that the kernel looks at. Default: all.
    """

    _text_name = "linear"

    def __init__(self, variance: Values = 1.0, *, ard: bool = False, columns: Columns = None):
        self.variance = variance
        self.ard = ard
        self.columns = columns


class Poly(_Leaf):
    """Polynomials.

    ``variance (x^T x' + offset)^degree``

    Parameters
    ----------
    variance, offset : float or Parameter
    degree : int
    columns : name, number from 1, or list of them, optional
        The inputs that the kernel looks at. Default: all.
    """

    _text_name = "poly"

    def __init__(self, variance: Values = 1.0, offset: Values = 1.0, degree: int = 2, *,
                 columns: Columns = None):
        self.variance = variance
        self.offset = offset
        self.degree = degree
        self.columns = columns


class Constant(_Leaf):
    """A constant function with this variance; as a factor, a scale."""

    _text_name = "constant"

    def __init__(self, variance: Values = 1.0):
        self.variance = variance


class White(_Leaf):
    """Independent noise on every row of the training data."""

    _text_name = "white"

    def __init__(self, variance: Values = 1.0):
        self.variance = variance


class _Pair(Kernel):
    _sign = ""

    def __init__(self, k1: Kernel, k2: Kernel):
        self.k1 = k1
        self.k2 = k2


class Sum(_Pair):
    """The sum of two kernels: ``k1 + k2``."""

    def _text(self) -> str:
        return f"{self.k1} + {self.k2}"

    def __repr__(self) -> str:
        return f"{self.k1!r} + {self.k2!r}"


class Product(_Pair):
    """The product of two kernels: ``k1 * k2``."""

    def _text(self) -> str:
        return " * ".join(_factor(k, str(k)) for k in (self.k1, self.k2))

    def __repr__(self) -> str:
        return " * ".join(_factor(k, repr(k)) for k in (self.k1, self.k2))


class _Fixed(Kernel):
    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _text(self) -> str:
        return f"fixed({self.kernel})"

    def __repr__(self) -> str:
        return f"fixed({self.kernel!r})"


class Expression(Kernel):
    """A kernel in its text form, e.g. what a fitted model has learned.

    Examples
    --------
    >>> Expression("rbf(lengthscale=2)") + Linear()
    Expression('rbf(lengthscale=2)') + Linear()
    """

    def __init__(self, text: str):
        self.text = text

    def _text(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def _factor(kernel: Kernel, text: str) -> str:
    return f"({text})" if isinstance(kernel, (Sum, Expression)) and "+" in str(kernel) else text


def _as_kernel(what) -> Kernel:
    if isinstance(what, Kernel):
        return what
    if isinstance(what, str):
        return Expression(what)
    if np.isscalar(what) and np.isreal(what):
        return Constant(float(what))
    raise TypeError(f"a kernel is an object such as RBF(), or text such as 'rbf + linear', "
                    f"not {type(what).__name__}")


def kernel_text(kernel) -> str:
    """The text form of a kernel object, of text, or of None (a single RBF)."""
    return "rbf" if kernel is None else str(_as_kernel(kernel))


# ---- Text of values

def _number_text(value) -> str:
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _value_text(value) -> str:
    if isinstance(value, Parameter):
        return str(value)
    if isinstance(value, str):
        return value
    if np.ndim(value) == 0:
        return _number_text(value)
    return "[" + ", ".join(_value_text(v) for v in value) + "]"


def _column_text(column) -> str:
    if isinstance(column, (int, np.integer)):
        return str(int(column))
    return "'" + str(column).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _listed(columns) -> list:
    return [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)


def _same(value, default) -> bool:
    if value is default:
        return True
    if isinstance(value, (Parameter, str)) or np.ndim(value) != 0:
        return False
    return type(value) in (int, float, bool) and value == default


def _call_text(name: str, thing, skip_names: tuple = ()) -> str:
    """``RBF(lengthscale=2.0)``: the arguments that are not the defaults."""
    given = []
    for key, parameter in inspect.signature(type(thing).__init__).parameters.items():
        if key == "self":
            continue
        value = getattr(thing, key)
        if _same(value, parameter.default):
            continue
        given.append(repr(value) if key in skip_names else f"{key}={value!r}")
    return f"{name}({', '.join(given)})"


def _matrix(X) -> np.ndarray:
    X = np.ascontiguousarray(X, dtype=np.float64)
    return X[:, None] if X.ndim == 1 else X
