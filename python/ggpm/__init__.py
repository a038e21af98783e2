"""Generalized Gaussian process models.

Gaussian process regression for outputs that are not real numbers: counts, positive reals,
fractions, classes, and reals with outliers.

>>> from ggpm import GeneralizedGP, RBF, Linear
>>> model = GeneralizedGP(likelihood="poisson", kernel=RBF() + Linear(), inference="ep")

Estimators follow scikit-learn's conventions: :class:`GeneralizedGP`,
:class:`GeneralizedGPClassifier`. :func:`compare` finds out which likelihood suits the data,
:func:`plot` shows a fit.
"""

from . import _memory  # before numpy is loaded
from ._core import DataError, Error, NumericalError, UsageError
from ._core import version as _version
from ._base import Coefficient, Optimum
from .classifier import GeneralizedGPClassifier
from .comparison import compare, log_density_score
from . import covariances
from .covariances import *  # noqa: F403 every kernel of the library
from .kernel import Expression, Kernel, Product, Sum, classes, fixed
from .parameter import Parameter, bounded
from .plots import plot
from .predictive import LeaveOneOut, Predictive
from .progress import FitProgress, ProgressBar
from .registries import inferences, kernels, likelihoods, options, recognize_domain
from .regressor import GeneralizedGP
from .restarts import fit_best
from .simulation import simulate
from .trust import PosteriorDraws

_memory.reserve()

__version__ = _version()

__all__ = [
    "GeneralizedGP", "GeneralizedGPClassifier", "Predictive", "LeaveOneOut", "Optimum", "Coefficient",
    "PosteriorDraws",
    "compare", "fit_best", "log_density_score", "plot", "simulate",
    "Kernel", *covariances.__all__, "Sum", "Product", "Expression", "Parameter", "classes", "fixed", "bounded",
    "FitProgress", "ProgressBar", "inferences", "kernels", "likelihoods", "options",
    "recognize_domain",
    "Error", "UsageError", "DataError", "NumericalError", "__version__",
]
