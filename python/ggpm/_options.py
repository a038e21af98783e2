"""Parameters of an estimator as the options of the library."""

from __future__ import annotations

import re

from . import _core
from .kernel import kernel_text
from .predictive import seed_of

EXPANSIONS = {"auto": "automatic", "exact": "exact", "canonical": "canonical",
              "agnostic": "agnostic"}


def specification_of(estimator, likelihood: str) -> tuple[_core.Specification, _core.OpenChoices]:
    """What is to be fitted, and what of it the library is to choose."""
    open_choices = _core.OpenChoices(likelihood == "auto", estimator.inference == "auto")
    s = _core.Specification()
    if not open_choices.likelihood:
        s.likelihood = likelihood
    if not open_choices.inference:
        s.inference = estimator.inference
    s.link = estimator.link or ""
    s.kernel = kernel_text(estimator.kernel)
    s.mean = "zero" if estimator.mean is None else estimator.mean
    s.expansion.point = getattr(_core.ExpansionPoint, one_of("expansion", EXPANSIONS,
                                                             estimator.expansion))
    return s, open_choices


def fit_options_of(estimator) -> _core.FitOptions:
    o = _core.FitOptions()
    o.optimize = bool(estimator.optimize)
    o.restarts = whole("restarts", estimator.restarts, 0)
    o.keep = whole("keep", estimator.keep, 1)
    o.seed = seed_of(estimator.random_state)
    o.threads = whole("threads", 0 if estimator.threads is None else estimator.threads, 0)
    o.tolerance = float(estimator.tolerance)
    o.max_evaluations = whole("max_evaluations", estimator.max_evaluations, 1)
    o.inference_iterations = whole("max_iterations", estimator.max_iterations, 1)
    o.fixed = [estimator.fixed] if isinstance(estimator.fixed, str) else list(estimator.fixed or ())
    o.priors = {name: prior_of(text) for name, text in (estimator.priors or {}).items()}
    o.memory_limit = whole("memory_limit", estimator.memory_limit or 0, 0)
    return o


def given_or_unset(value) -> float:
    """A number that the library takes, below 0: its own default."""
    return -1.0 if value is None else float(value)


def given_or_none(value: float):
    """The other way round."""
    return None if value < 0 else value


def whole(name: str, value, lowest: int) -> int:
    if isinstance(value, bool) or int(value) != value or value < lowest:
        raise _core.UsageError(f"{name} = {value!r}; a whole number of at least {lowest} is needed")
    return int(value)


def one_of(name: str, choices: dict, value):
    if value not in choices:
        raise _core.UsageError(f"{name} = {value!r}; there are {', '.join(choices)}")
    return choices[value]


def prior_of(text: str) -> _core.Prior:
    """``gamma(2, 1)``"""
    found = re.fullmatch(r"\s*(normal|lognormal|gamma|inverse_gamma)\s*\(([^,()]+),([^,()]+)\)\s*",
                         text)
    try:
        if found:
            kind, a, b = found.groups()
            return _core.Prior(getattr(_core.Prior.Kind, kind), float(a), float(b))
    except ValueError:
        pass
    raise _core.UsageError(
        f"prior {text!r}; a prior is normal(mean, sd), lognormal(mean, sd), gamma(shape, rate) or "
        "inverse_gamma(shape, scale)")
