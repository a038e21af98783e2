"""Which likelihood, link, kernel and inference suit the data?"""

from __future__ import annotations

import time
import warnings
from typing import Mapping

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, check_cv
from sklearn.utils.validation import _num_samples

from . import _core
from .predictive import seed_of
from .regressor import GeneralizedGP

try:
    from sklearn.utils import _safe_indexing
except ImportError:
    from sklearn.utils._indexing import _safe_indexing

__all__ = ["compare", "log_density_score", "default_candidates"]

# (likelihood, link, warp) to try, by the domain of y.
DEFAULTS = {
    "real": [("gaussian", None, None), ("student-t", None, None), ("laplace", None, None)],
    "positive": [("gamma-shape", None, None), ("gamma-scale", None, None),
                 ("inverse-gaussian", None, None), ("gaussian", None, "log"),
                 ("gaussian", None, None)],
    "count": [("poisson", None, None), ("poisson", "linear", None),
              ("negative-binomial", None, None), ("com-poisson", None, None),
              ("com-poisson", "linear", None)],
    "fraction_of_trials": [("binomial", None, None), ("binomial", "probit", None),
                           ("binomial", "cloglog", None)],
    "binary": [("bernoulli", None, None), ("bernoulli", "probit", None),
               ("bernoulli", "cloglog", None)],
    "proportion": [("beta", None, None), ("gaussian", None, "logit"), ("gaussian", None, None)],
}


def log_density_score(estimator, X, y, **per_row) -> float:
    """Mean log predictive density of y: a scorer, ``scoring=ggpm.log_density_score``."""
    return float(np.mean(estimator.log_predictive_density(X, y, **per_row)))


def default_candidates(y, *, has_trials: bool = False, inferences=("auto",), **params) -> dict:
    """The estimators that :func:`compare` tries for outputs like y, by name."""
    domain, _ = _core.recognize_domain(np.asarray(y, dtype=np.float64), has_trials)
    return _combine(DEFAULTS[domain.name], inferences, params)


def compare(X, y, *, likelihoods=None, inferences=("auto",), candidates=None, splits=10, train=0.7,
            exposure=None, offset=None, trials=None, random_state=None, n_jobs=None, **params):
    """Fit candidates to parts of the data, score them on the rest.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, n_features)
    y : array-like of shape (n,)
    likelihoods : sequence of str or (str, str), optional
        Names, or pairs of name and link. Default: those for the domain of y.
    inferences : sequence of str
        Each likelihood is tried with each of them.
    candidates : dict of str to estimator, or sequence of estimators, optional
        Instead of `likelihoods`: any :class:`GeneralizedGP`, or a Pipeline that ends in one.
    splits : int or cross-validation splitter
        A number: random splits, of which a part `train` is for fitting.
    train : float
        Part of the rows that is fitted.
    exposure, offset, trials : array-like of shape (n,) or str, optional
        As in :meth:`GeneralizedGP.fit`; text names a column of the data frame X.
    random_state : int, RandomState or None
        Of the splits. None: the same every time.
    n_jobs : int, optional
        Fits side by side, through joblib: ``joblib.parallel_backend("dask")`` spreads them over a
        cluster.
    **params
        Of every :class:`GeneralizedGP`: ``kernel=RBF(ard=True), restarts=10``.

    Returns
    -------
    DataFrame
        A row per candidate, best first: `nlp` (mean negative log predictive density), `mae`,
        `mse`, `coverage95` with their means over the splits, `nlp_se`, the mean `rank` by nlp,
        `seconds` of a fit, `failed` splits and the last `error`.
    """
    import pandas as pd

    given = {"exposure": exposure, "offset": offset, "trials": trials}
    params.update({role: v for role, v in given.items() if isinstance(v, str)})
    if candidates is None:
        if likelihoods is None:
            candidates = default_candidates(y, has_trials=trials is not None, inferences=inferences,
                                            **params)
        else:
            pairs = [(l, None, None) if isinstance(l, str) else (*l, None) for l in likelihoods]
            candidates = _combine(pairs, inferences, params)
    elif not isinstance(candidates, Mapping):
        candidates = {str(c): c for c in candidates}
    if isinstance(splits, (int, np.integer)):
        splits = ShuffleSplit(int(splits), train_size=train, random_state=seed_of(random_state))
    parts = list(check_cv(splits).split(X, y))
    per_row = {role: np.asarray(v) for role, v in given.items()
               if v is not None and not isinstance(v, str)}
    for name, values in per_row.items():
        if len(values) != _num_samples(y):
            raise _core.DataError(f"{name} has {len(values)} numbers; there are {_num_samples(y)} "
                                  "rows")

    jobs = [(name, part) for name in candidates for part in range(len(parts))]
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_score)(clone(candidates[name]), X, y, *parts[part], per_row)
        for name, part in jobs)
    table = pd.DataFrame([{"candidate": name, "split": part, **score}
                          for (name, part), score in zip(jobs, scores)])
    table["rank"] = table.groupby("split")["nlp"].rank(na_option="bottom")
    return _summary(table)


def _combine(triples, inferences, params: dict) -> dict:
    out = {}
    for likelihood, link, warp in triples:
        for inference in inferences:
            chosen = "exact" if warp else inference
            name = likelihood + (f" {link}" if link else "") + (f" warp={warp}" if warp else "")
            if len(inferences) > 1:
                name += f" {chosen}"
            out[name] = GeneralizedGP(**{**params, "likelihood": likelihood, "link": link,
                                         "warp": warp, "inference": chosen})
    return out


def _score(estimator, X, y, train, test, per_row: dict) -> dict:
    def rows(values, part):
        return _safe_indexing(values, part)

    def given(part):
        return {name: values[part] for name, values in per_row.items()}

    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(rows(X, train), rows(y, train), **_to_last_step(estimator, given(train)))
        seconds = time.perf_counter() - began
        last, Z = _last_step(estimator, rows(X, test))
        predictive, observed = last._predictive(
            Z, rows(y, test), *(given(test).get(k) for k in ("exposure", "offset", "trials")))
        mean = predictive.mean()
        lower, upper = predictive.interval(0.95)
        return {
            "nlp": -float(np.mean(predictive.logpdf(observed))),
            "mae": float(np.mean(np.abs(observed - mean))),
            "mse": float(np.mean((observed - mean) ** 2)),
            "coverage95": float(np.mean((observed >= lower) & (observed <= upper))),
            "seconds": seconds, "converged": last.converged_, "error": "",
        }
    except _core.Error as error:
        return {"nlp": np.nan, "mae": np.nan, "mse": np.nan, "coverage95": np.nan,
                "seconds": time.perf_counter() - began, "converged": False, "error": str(error)}


def _last_step(estimator, X):
    """A Pipeline's last step and the inputs as it sees them."""
    if not hasattr(estimator, "steps"):
        return estimator, X
    return estimator.steps[-1][1], estimator[:-1].transform(X)


def _to_last_step(estimator, keywords: dict) -> dict:
    if not hasattr(estimator, "steps"):
        return keywords
    return {f"{estimator.steps[-1][0]}__{name}": values for name, values in keywords.items()}


def _summary(table):
    groups = table.groupby("candidate", sort=False)
    out = groups[["nlp", "mae", "mse", "coverage95", "rank", "seconds"]].mean()
    out.insert(1, "nlp_se", groups["nlp"].sem())
    out["failed"] = groups["nlp"].agg(lambda s: int(s.isna().sum()))
    out["not_converged"] = groups["converged"].agg(lambda s: int((~s).sum()))
    out["error"] = groups["error"].agg(lambda s: next((e for e in reversed(list(s)) if e), ""))
    return out.sort_values("nlp", kind="stable")
