"""The algebra of kernels: ``RBF(lengthscale=2) * Periodic(period=12) + Linear(columns=["year"])``.

A kernel object is a description. ``str(kernel)`` is the text form that the command takes as
``--kernel`` and that a model file stores; what it means is defined in one place, the library.
"""

from __future__ import annotations

import inspect
from numbers import Real
from typing import Any

import numpy as np

from . import _core
from .parameter import Parameter, Values, call_text, column_text, listed, same, value_text

__all__ = ["Kernel", "Leaf", "Constant", "Sum", "Product", "Expression", "classes", "fixed", "kernel_text"]


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


class Leaf(Kernel):
    """A kernel of the library, with its parameters as attributes."""

    def _text(self) -> str:
        given = []
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            if name == "self":
                continue
            value = getattr(self, name)
            if same(value, parameter.default):
                continue
            if name == "columns":
                text = "[" + ", ".join(column_text(c) for c in listed(value)) + "]"
            elif name == "ard":
                text = "true" if value else "false"
            elif name == "metric":
                text = str(value)
            else:
                text = value_text(value)
            given.append(f"{name}={text}")
        return self._text_name + (f"({', '.join(given)})" if given else "")

    def __repr__(self) -> str:
        return call_text(type(self).__name__, self)


class Constant(Leaf):
    """A constant function with this variance; as a factor, a scale."""

    _text_name = "constant"

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


class _Classes(Kernel):
    def __init__(self, kernels: tuple):
        self.kernels = kernels

    def _text(self) -> str:
        return f"classes({', '.join(map(str, self.kernels))})"

    def __repr__(self) -> str:
        return f"classes({', '.join(map(repr, self.kernels))})"


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


def fixed(what):
    """Hold a parameter, or every parameter of a kernel: ``RBF(variance=fixed(1))``."""
    if isinstance(what, (Kernel, str)):
        return _Fixed(_as_kernel(what))
    return Parameter(what, fixed=True)


def classes(*kernels):
    """A kernel for each class of softmax, in the order of ``classes_``, or one that each has a copy of, with
    hyperparameters of its own: ``classes(RBF() + Linear())``."""
    if not kernels:
        raise TypeError("classes() needs a kernel")
    return _Classes(tuple(_as_kernel(kernel) for kernel in kernels))


def _factor(kernel: Kernel, text: str) -> str:
    return f"({text})" if isinstance(kernel, (Sum, Expression)) and "+" in str(kernel) else text


def _as_kernel(what) -> Kernel:
    if isinstance(what, Kernel):
        return what
    if isinstance(what, str):
        return Expression(what)
    if isinstance(what, Real):
        return Constant(float(what))
    raise TypeError(f"a kernel is an object such as RBF(), or text such as 'rbf + linear', "
                    f"not {type(what).__name__}")


def kernel_text(kernel) -> str:
    """The text form of a kernel object, of text, or of None (a single RBF)."""
    return str(_as_kernel(kernel))


def _matrix(X) -> np.ndarray:
    X = np.ascontiguousarray(X, dtype=np.float64)
    return X[:, None] if X.ndim == 1 else X
