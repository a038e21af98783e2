"""Trials of estimators that the library does not know: Pipelines, options of their own, a cluster."""

from __future__ import annotations

import time
import warnings
from typing import Mapping

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._inputs import swapped
from ._missing import _safe_indexing


def run_trials(candidates, X, y, per_row: dict, parts, n_jobs):
    """Summary and trials of estimators by name, fitted and scored on each of the parts."""
    if not isinstance(candidates, Mapping):
        candidates = {str(c): c for c in candidates}
    per_row = {role: np.asarray(v) for role, v in per_row.items() if v is not None}
    jobs = [(name, split) for split in range(len(parts)) for name in candidates]
    found = Parallel(n_jobs=n_jobs)(
        delayed(_run)(clone(candidates[name]), X, y, *parts[split], per_row) for name, split in jobs)
    trials = [_trial(name, split, outcome) for (name, split), outcome in zip(jobs, found)]
    return _core.summarize(list(candidates), trials), trials


def run_splits(one_split, reader, X, y, per_row: dict, which: dict, parts, n_jobs, progress):
    """Summary and trials of likelihoods by name, a job for each split."""
    found = Parallel(n_jobs=n_jobs)(
        delayed(one_split)(reader, X, y, per_row, which, part) for part in parts)
    trials = [_trial(outcome.pop("candidate"), split, outcome)
              for split, outcomes in enumerate(found) for outcome in outcomes]
    for trial in trials if progress else ():
        progress(trial)
    return _core.summarize([t.candidate for t in trials if t.split == 0], trials), trials


OF_SCORES = ("nlp", "mae", "mse", "coverage", "width")
OF_TRIAL = ("candidate", "log_marginal", "loo", "seconds", "converged", "failure")


def numbers_of(trial) -> dict:
    return {**{name: getattr(trial.scores, name) for name in OF_SCORES},
            **{name: getattr(trial, name) for name in OF_TRIAL}}


def _trial(name: str, split: int, outcome: dict):
    trial = _core.Trial()
    trial.candidate, trial.split = name, split
    scores = _core.Scores()
    for key, value in outcome.items():
        setattr(scores if hasattr(scores, key) else trial, key, value)
    trial.scores = scores
    return trial


def _run(estimator, X, y, train, test, per_row: dict) -> dict:
    """One fit and its scores, as numbers that travel between processes."""
    def given(part):
        return {name: values[part] for name, values in per_row.items()}

    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(_safe_indexing(X, train), _safe_indexing(y, train),
                          **_to_last_step(estimator, _as_for_fit(given(train))))
        seconds = time.perf_counter() - began
        last, Z = _last_step(estimator, _safe_indexing(X, test))
        predictive, observed = last._predictive(
            Z, _safe_indexing(y, test),
            *(given(test).get(role)
              for role in ("exposure", "offset", "trials", "censored", "upper")))
        scores = _core.score(predictive._predictions, observed)
        return {**{name: getattr(scores, name) for name in OF_SCORES},
                "log_marginal": last.log_marginal_likelihood_, "converged": last.converged_,
                "loo": last.loo_.total / len(train), "seconds": seconds}
    except _core.Error as error:
        return {"failure": str(error), "seconds": time.perf_counter() - began}


def _as_for_fit(given: dict) -> dict:
    """By the names that `fit` has for them."""
    out = {"sample_weight" if role == "weight" else role: v for role, v in given.items()}
    if "censored" in out:
        out["event"] = swapped(out.pop("censored"))
    return out


def _last_step(estimator, X):
    """A Pipeline's last step and the inputs as it sees them."""
    if not hasattr(estimator, "steps"):
        return estimator, X
    return estimator.steps[-1][1], estimator[:-1].transform(X)


def _to_last_step(estimator, keywords: dict) -> dict:
    if not hasattr(estimator, "steps"):
        return keywords
    return {f"{estimator.steps[-1][0]}__{name}": values for name, values in keywords.items()}
