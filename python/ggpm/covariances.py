"""The kernels that there are, as objects."""

from __future__ import annotations

import inspect

from . import _core
from .kernel import Constant, Leaf
from .parameter import Columns, Values

__all__ = [
    "RBF", "Matern12", "Matern32", "Matern52", "RQ", "Periodic", "Linear", "Poly", "Constant",
    "White", "Group",
]

_SHARED = """
    variance : float or Parameter
        Variance of the function.
    lengthscale : float, sequence of float, or Parameter
        How far one must go until the function is another; a sequence has one per input.
    ard : bool
        One length-scale per input, all starting at `lengthscale`.
    columns : name, number from 1, or list of them, optional
        The inputs that the kernel looks at. Default: all. The name of a categorical column means
        all its levels, ``"sex=F"`` one of them."""

_METRIC = """
    metric : {"euclidean", "sphere"}
        Of the distance r. On the sphere `columns` are longitude and latitude, in degrees, and the
        length-scale is in kilometers."""


def _stationary(name: str, summary: str, formula: str):
    """A kernel with a length-scale: RBF and its rougher relatives differ in one formula."""

    def decorate(cls):
        cls._text_name = name
        cls.__doc__ = f"""{summary}

    ``{formula}``

    Parameters
    ----------{_SHARED}{_METRIC}
    """
        return cls

    return decorate


class _Stationary(Leaf):
    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, *, ard: bool = False,
                 columns: Columns = None, metric: str = "euclidean"):
        self.variance = variance
        self.lengthscale = lengthscale
        self.ard = ard
        self.columns = columns
        self.metric = metric


@_stationary("rbf", "Smooth functions: the squared exponential.", "variance exp(-r^2 / 2 l^2)")
class RBF(_Stationary):
    pass


@_stationary("matern12", "Continuous, rough functions: the exponential kernel.",
             "variance exp(-r / l)")
class Matern12(_Stationary):
    pass


@_stationary("matern32", "Functions with one derivative.",
             "variance (1 + sqrt(3) r / l) exp(-sqrt(3) r / l)")
class Matern32(_Stationary):
    pass


@_stationary("matern52", "Functions with two derivatives.",
             "variance (1 + sqrt(5) r / l + 5 r^2 / 3 l^2) exp(-sqrt(5) r / l)")
class Matern52(_Stationary):
    pass


class RQ(Leaf):
    __doc__ = f"""Rational quadratic: a mixture of length-scales.

    ``variance (1 + r^2 / (2 alpha l^2))^-alpha``

    Parameters
    ----------{_SHARED}{_METRIC}
    alpha : float or Parameter
        Large: close to `RBF`; small: many length-scales at once.
    """
    _text_name = "rq"

    def __init__(self, variance: Values = 1.0, lengthscale: Values = 1.0, alpha: Values = 1.0, *,
                 ard: bool = False, columns: Columns = None, metric: str = "euclidean"):
        self.variance = variance
        self.lengthscale = lengthscale
        self.alpha = alpha
        self.ard = ard
        self.columns = columns
        self.metric = metric


class Periodic(Leaf):
    __doc__ = f"""Functions that repeat.

    ``variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period) / l^2)``

    Inputs are standardized by default (``standardize=False`` keeps them as they are), and the
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


class Linear(Leaf):
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


class Poly(Leaf):
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


class White(Leaf):
    """Independent noise on every row of the training data."""

    _text_name = "white"

    def __init__(self, variance: Values = 1.0):
        self.variance = variance


class Group(Leaf):
    """A random intercept for each level of a column: rows of one level share a deviation.

    ``variance`` where two rows agree in the columns, 0 elsewhere. ``Group(columns="site") *
    RBF(columns="year")`` gives each level a function of its own. A text column may have any number of
    levels; one that is new at prediction is a new group.

    Parameters
    ----------
    variance : float or Parameter
    columns : name, number from 1, or list of them, optional
        The inputs that the kernel looks at. Default: all.
    """

    _text_name = "group"

    def __init__(self, variance: Values = 1.0, *, columns: Columns = None):
        self.variance = variance
        self.columns = columns


def _leaf_class(info):
    """The class of a kernel of the library, from its entry in the table."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [inspect.Parameter(name, kind, default=2 if name == "degree" else 1.0)
           for name in info.parameters]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in (("ard", False), ("columns", None))]
    signature = inspect.Signature([inspect.Parameter("self", kind), *own, *more])

    def __init__(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)

    __init__.__signature__ = signature
    return type(info.name.capitalize(), (Leaf,),
                {"__doc__": f"``{info.formula}``", "__init__": __init__, "_text_name": info.name,
                 "__module__": __name__})


# A kernel that the library has and that is not written out above is here all the same.
for _info in _core.kernels():
    if not any(getattr(c, "_text_name", None) == _info.name for c in list(globals().values())):
        _class = _leaf_class(_info)
        globals()[_class.__name__] = _class
        __all__.append(_class.__name__)
