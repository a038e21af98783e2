"""Data from a model."""

from __future__ import annotations

from . import _core
from ._options import request_of
from .regressor import GeneralizedGP

__all__ = ["simulate"]


def simulate(X, likelihood: str = "poisson", kernel=None, *, exposure=None, offset=None, trials=None,
             random_state=None, return_latent: bool = False, **params):
    """Draw a function from the prior and outputs from the likelihood: ``ggpm simulate``.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, n_features)
        As they are, not standardized.
    likelihood, kernel, **params
        As in :class:`GeneralizedGP`, the kernel is ``"rbf"`` by default:
        ``link="log", mean="constant(2)", dispersion=0.1``.
    exposure, offset, trials : array-like of shape (n,) or float, optional
    random_state : int, RandomState or None
        None is 1, as in the command.
    return_latent : bool
        Also return the latent function.

    Returns
    -------
    ndarray of shape (n,), or a pair of them
    """
    model = GeneralizedGP(likelihood, kernel or "rbf", random_state=random_state,
                          **{"standardize": False, **params})
    table, observed, roles = model._observe(
        X, [0.0] * len(X), {"exposure": exposure, "offset": offset, "trials": trials})
    y, latent = _core.simulate(table, observed, roles, request_of(model))
    return (y, latent) if return_latent else y
