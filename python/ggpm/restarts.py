"""Restarts of one fit, side by side or on a cluster."""

from __future__ import annotations

from joblib import Parallel, delayed
from sklearn.base import clone

from ._core import NumericalError
from .predictive import seed_of

__all__ = ["fit_best"]


def fit_best(estimator, X, y, *, fits=4, n_jobs=None, random_state=None, **fit_params):
    """The best of several fits that begin at other random places.

    Every fit has its part of the ``restarts`` of the estimator and a seed of its own. Which of them run
    at the same time, and where, changes nothing: joblib's processes, Dask, Ray and Spark give what
    ``n_jobs=1`` gives.

    Parameters
    ----------
    estimator : GeneralizedGP or GeneralizedGPClassifier
    X, y, **fit_params
        Of its ``fit``.
    fits : int
    n_jobs : int, optional
        Fits at the same time, through joblib.
    random_state : int, RandomState or None
        The first seed. None is 1, as in the command.

    Returns
    -------
    The fitted estimator with the largest ``log_marginal_likelihood_``.
    """
    first = seed_of(random_state)
    each = [estimator.restarts // fits + (k < estimator.restarts % fits) for k in range(fits)]
    jobs = [clone(estimator).set_params(restarts=each[k], random_state=first + k, threads=1)
            for k in range(fits)]
    fitted = Parallel(n_jobs=n_jobs)(delayed(_fit)(job, X, y, fit_params) for job in jobs)
    good = [model for model, _ in fitted if model is not None]
    if not good:
        raise NumericalError(f"none of {fits} fits succeeded; the first: {fitted[0][1]}")
    return max(good, key=lambda model: model.log_marginal_likelihood_)


def _fit(estimator, X, y, fit_params):
    try:
        return estimator.fit(X, y, **fit_params), ""
    except NumericalError as error:  # another start may well do
        return None, str(error)
