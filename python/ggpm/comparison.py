"""Which likelihood, link, kernel and inference suit the data?"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv

from . import _core, _inputs
from ._missing import complete_rows, weighted_rows
from ._options import request_of
from ._trials import numbers_of, run_splits, run_trials
from .kernel import kernel_text
from .predictive import seed_of
from .regressor import GeneralizedGP

__all__ = ["compare", "log_density_score"]


def log_density_score(estimator, X, y, **per_row) -> float:
    """Mean log predictive density of y: a scorer, ``scoring=ggpm.log_density_score``."""
    return float(np.mean(estimator.log_predictive_density(X, y, **per_row)))


def compare(X, y, *, likelihoods=(), links=(), inferences=None, kernels=(), point="mean",
            splits=10, folds=None, train=0.7, candidates=None, sample_weight=None, event=None,
            upper=None, exposure=None, offset=None,
            trials=None, random_state=None, n_jobs=None, progress=None, **params):
    """Fit candidates to parts of the data, score them on the rest: ``ggpm compare`` of the command.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n, n_features)
    y : array-like of shape (n,)
    likelihoods : sequence of str
        Names, ``"poisson/linear"`` with a link, ``"log-gaussian"`` for a Gaussian process on warped
        outputs. Default: those that suit the kind of y.
    links, inferences, kernels : sequence of str
        Every likelihood is tried with each of them. Default: the likelihood's own link, Laplace
        inference, the kernel of `params` or that of a fit.
    point : str
        What MAE and MSE judge: ``"mean"``, ``"median"``, ``"mode"``.
    splits : int or cross-validation splitter
        A number: random splits, or repeats of the `folds`.
    folds : int, optional
        Cross-validation with this many parts, instead of random splits.
    train : float or int
        Share, or number, of the rows that are fitted in a random split.
    candidates : dict of str to estimator, or sequence of estimators, optional
        Instead of likelihoods: any :class:`GeneralizedGP`, or a Pipeline that ends in one.
    sample_weight, event, upper : array-like of shape (n,), optional
        As in :meth:`GeneralizedGP.fit`.
    exposure, offset, trials : array-like of shape (n,) or str, optional
        As in :meth:`GeneralizedGP.fit`; text names a column of the data frame X.
    random_state : int, RandomState or None
        Of the splits and the fits. None is 1, as in the command.
    n_jobs : int, optional
        Splits, or fits of `candidates`, side by side, through joblib:
        ``joblib.parallel_backend("dask")`` spreads them over a cluster. Without it, ``threads=``
        says how many fits of likelihoods there are at a time.
    progress : callable, optional
        Called with each trial as it ends: its ``candidate``, ``split``, ``scores``, ``failure``.
    **params
        Of every :class:`GeneralizedGP`: ``kernel=RBF(ard=True), restarts=10``.

    Returns
    -------
    DataFrame
        A row per candidate, best first: means over the splits of `nlp` (negative log predictive
        density) with its `nlp_sd`, `mae`, `mse`, `coverage` of 95 % intervals, `width` of them,
        `log_marginal` and `loo` of the training rows, `seconds` of a fit; average ranks `rank`
        by nlp and `rank_mae`; the number of `trials` and `failures`, and the first `failure`.
        Its ``attrs`` hold the `recommendation`, the `best` name, Friedman's tests under
        `friedman`, and all `trials`.
    """
    y, censored = _inputs.read_outputs(y, event)
    given = {"exposure": exposure, "offset": offset, "trials": trials, "weight": sample_weight,
             "censored": censored, "upper": upper}
    params.update({role: v for role, v in given.items() if isinstance(v, str)})
    given = {role: None if isinstance(v, str) else v for role, v in given.items()}
    reader = GeneralizedGP("auto", random_state=random_state, **params)
    # Before they are split: the numbers of rows in a split are of the rows that are fitted.
    X, y, given = weighted_rows(*complete_rows(reader.missing, X, y, given))
    table, observed, roles = reader._observe(X, y, given)
    chosen, parts = _core.SplitOptions(), []
    chosen.seed, chosen.train, chosen.folds = seed_of(random_state), float(train), folds or 0
    if isinstance(splits, (int, np.integer)):
        chosen.splits = int(splits) if folds is None or splits != 10 else 1
    else:
        chosen, parts = None, list(check_cv(splits).split(X, y))
    if candidates is not None:
        if chosen is not None:
            parts = _core.make_splits(chosen, table.rows)
        return _frame(*run_trials(candidates, X, y, given, parts, n_jobs))
    kernels = list(kernels) or [params["kernel"]] if params.get("kernel") else list(kernels)
    which = {"likelihoods": [name if isinstance(name, str) else "/".join(name) for name in likelihoods],
             "links": list(links), "inferences": list(inferences or ()),
             "kernels": [kernel_text(k) for k in kernels], "mean": params.get("mean"), "point": point}
    if n_jobs is None or n_jobs == 1:
        study = _core.compare(table, observed, roles, request_of(reader), _candidates(**which), chosen,
                              parts, progress)
        return _frame(study.summary, study.trials)
    if chosen is not None:
        parts = _core.make_splits(chosen, table.rows)
    return _frame(*run_splits(_one_split, clone(reader).set_params(threads=1), X, y, given, which,
                              parts, n_jobs, progress))


def _candidates(point, **which):
    options = _core.CandidateOptions()
    for name, value in which.items():
        if value:
            setattr(options, name, value)
    options.point = getattr(_core.PointEstimate, point)
    return options


def _one_split(reader, X, y, given, which, part):
    """The trials of one split, as numbers that travel between processes."""
    table, observed, roles = reader._observe(X, y, given)
    study = _core.compare(table, observed, roles, request_of(reader), _candidates(**which), None,
                          [part], None)
    return [numbers_of(trial) for trial in study.trials]


def _frame(summary, trials):
    import pandas as pd

    means = ("nlp", "mae", "mse", "coverage", "width", "log_marginal", "loo", "seconds")
    table = pd.DataFrame(
        [{**{name: getattr(c, name).mean for name in means}, "nlp_sd": c.nlp.sd,
          "rank": c.nlp_rank or np.nan, "rank_mae": c.mae_rank or np.nan, "trials": c.trials,
          "failures": c.failures, "failure": c.failure} for c in summary.candidates],
        index=pd.Index([c.name for c in summary.candidates], name="candidate"))
    tests = {"nlp": (summary.by_nlp, summary.pairs_by_nlp),
             "mae": (summary.by_mae, summary.pairs_by_mae)}
    table.attrs.update(
        recommendation=summary.recommendation, best=summary.best,
        friedman={score: {"statistic": test.statistic, "p": test.p,
                          "degrees_of_freedom": test.degrees_of_freedom,
                          "pairs": {(summary.ranked[t.first], summary.ranked[t.second]): t.adjusted_p
                                    for t in pairs}} for score, (test, pairs) in tests.items()},
        trials=[{"candidate": t.candidate, "split": t.split, "nlp": t.scores.nlp,
                 "mae": t.scores.mae, "seconds": t.seconds, "failure": t.failure} for t in trials])
    return table
