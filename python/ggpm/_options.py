"""Parameters of an estimator as the options of the library's table, and back."""

from __future__ import annotations

import numbers
from typing import Mapping

import numpy as np

from . import _core
from .kernel import kernel_text
from .predictive import seed_of

# scikit-learn has its own name for the seed, and standard_errors() is a method of estimators;
# everything else is called as in the library.
PARAMETERS = {"seed": "random_state", "standard_errors": "intervals"}
OPTIONS = {option.name: option for option in _core.fit_options()}


def parameter_of(option: str) -> str:
    """The name of an option among the parameters of an estimator."""
    return PARAMETERS.get(option, option)


def request_of(estimator, **given) -> _core.FitRequest:
    """What the estimator's parameters ask of a fit; `given` go before them."""
    request = _core.FitRequest()
    for name in OPTIONS:
        value = given.get(name, getattr(estimator, parameter_of(name), None))
        if name == "seed":
            value = seed_of(value)
        text = as_text(name, value)
        if text:
            request.set(name, text)
    return request


def parameters_of(model) -> dict:
    """The parameters of an estimator that a fitted model has kept."""
    kept = [o for o in OPTIONS.values() if o.group == "Model" or o.name in
            ("seed", "squeeze", "hyperparameters")]
    return {parameter_of(o.name): as_value(o, model.option(o.name)) for o in kept}


def as_text(name: str, value) -> str:
    """A value as the library reads it; empty: its own default."""
    if value is None:
        return ""
    if name == "kernel":
        return kernel_text(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        value = float(value)
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        sign = " ~ " if name == "priors" else "="
        return ", ".join(f"{key}{sign}{as_text(key, item)}" for key, item in value.items())
    return ",".join(f"'{item}'" for item in value)


def as_value(option: _core.OptionInfo, text: str):
    """The other way round; None where there is no value."""
    if not text:
        return None
    if option.kind == _core.OptionKind.flag:
        return text == "true"
    if option.kind == _core.OptionKind.whole:
        return int(text)
    return float(text) if option.kind == _core.OptionKind.number else text
