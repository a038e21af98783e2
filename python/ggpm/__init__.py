"""Generalized Gaussian process models.

Gaussian process regression for outputs that are not real numbers: counts, positive reals,
fractions, classes, and reals with outliers.

>>> from ggpm import GeneralizedGP, RBF, Linear
>>> model = GeneralizedGP(likelihood="poisson", kernel=RBF() + Linear(), inference="ep")

Estimators follow scikit-learn's conventions: :class:`GeneralizedGP`,
:class:`GeneralizedGPClassifier`. :func:`compare` finds out which likelihood suits the data,
:func:`plot` shows a fit.
"""

from ._core import DataError, Error, NumericalError, UsageError
from ._core import version as _version
from .comparison import compare, log_density_score
from .estimators import GeneralizedGP, GeneralizedGPClassifier, Optimum
from .kernel import (RBF, RQ, Constant, Expression, Kernel, Linear, Matern12, Matern32, Matern52,
                      Parameter, Periodic, Poly, Product, Sum, White, bounded, fixed)
from .plots import plot
from .predictive import LeaveOneOut, Predictive
from .progress import FitProgress, ProgressBar
from .registries import kernels, likelihoods, recognise_domain

__version__ = _version()

__all__ = [
    "GeneralizedGP", "GeneralizedGPClassifier", "Predictive", "LeaveOneOut", "Optimum",
    "compare", "log_density_score", "plot",
    "Kernel", "RBF", "Matern12", "Matern32", "Matern52", "RQ", "Periodic", "Linear", "Poly",
    "Constant", "White", "Sum", "Product", "Expression", "Parameter", "fixed", "bounded",
    "FitProgress", "ProgressBar", "kernels", "likelihoods", "recognise_domain",
    "Error", "UsageError", "DataError", "NumericalError", "__version__",
]
