"""The options of a fit are those of the library, in every face."""

import inspect
import json
import subprocess

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP, GeneralizedGPClassifier
from ggpm._options import OPTIONS, as_text, as_value, parameter_of

NOT_OF_THE_TABLE = {"exposure", "offset", "trials", "progress"}  # columns, and a function
OF_CLASSES = {"multi_class"}


def parameters(cls):
    found = dict(inspect.signature(cls.__init__).parameters)
    found.pop("self")
    return found


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_a_parameter_with_the_default_of_the_library(name):
    parameter = parameters(GeneralizedGP)[parameter_of(name)]
    default = as_text(name, parameter.default)
    assert default in ("", ggpm._core.FitRequest().get(name))
    if parameter.default not in (None, ()):
        assert default == OPTIONS[name].fallback


def test_there_is_no_parameter_besides():
    names = {parameter_of(name) for name in OPTIONS} | NOT_OF_THE_TABLE
    assert set(parameters(GeneralizedGP)) == names
    assert set(parameters(GeneralizedGPClassifier)) - OF_CLASSES < names


@pytest.mark.parametrize("cls", [GeneralizedGP, GeneralizedGPClassifier])
def test_no_parameter_hides_a_method(cls):
    for name in parameters(cls):
        assert not hasattr(cls, name), name


def test_the_classifier_has_the_defaults_of_the_regressor():
    regressor = parameters(GeneralizedGP)
    for name, parameter in parameters(GeneralizedGPClassifier).items():
        assert name in OF_CLASSES or parameter.default == regressor[name].default
        assert getattr(GeneralizedGPClassifier(), name) == parameter.default
    assert GeneralizedGPClassifier("rbf", "ep").inference == "ep"
    with pytest.raises(TypeError):
        GeneralizedGPClassifier(likelihood="poisson")


@pytest.mark.parametrize("cls", [GeneralizedGP, GeneralizedGPClassifier])
def test_every_parameter_is_documented(cls):
    words = cls.__doc__.replace(",", " ").split()
    for name in parameters(GeneralizedGP):
        assert name in GeneralizedGP.__doc__.replace(",", " ").split()
    assert "GeneralizedGP`" in cls.__doc__ or all(name in words for name in parameters(cls))


def test_the_command_has_the_same_options(command):
    listed = json.loads(subprocess.run([command, "options", "--json"], capture_output=True,
                                       check=True).stdout)
    assert {o["name"]: o["default"] for o in listed} == {
        o.name: o.fallback for o in OPTIONS.values()}
    help_text = subprocess.run([command, "fit", "--help"], capture_output=True, text=True).stdout
    for option in listed:
        assert option["command"] + " " in help_text.replace(",", " "), option["command"]


def test_every_option_reaches_the_library(counts):
    X, y, _ = counts
    values = {"likelihood": "student-t", "link": "identity", "inference": "kld", "kernel": "rbf(2, 3)",
              "mean": "constant(1)", "dispersion": 0.5, "parameter": {"dispersion": 0.5}, "df": 5.0, "learn_df": True,
              "expansion": "exact", "expansion_offset": 0.25, "warp": "log", "engine": "dense",
              "accuracy": "high", "inducing": 5, "optimize": False,
              "restarts": 3, "keep": 2, "fixed": ("rbf.variance",),
              "priors": {"dispersion": "gamma(2, 1)"}, "tolerance": 1e-4, "max_evaluations": 9,
              "max_iterations": 8, "standard_errors": False, "refit_folds": 3, "seed": 7, "threads": 1,
              "memory_limit": "3G", "hyperparameters": "integrate",
              "resume": "fit.part",
              "factors": ("x1",), "coordinates": ("x1", "x2"),
              "standardize": False, "missing": "drop", "squeeze": True}
    assert set(values) == set(OPTIONS)
    model = GeneralizedGP(**{parameter_of(name): value for name, value in values.items()})
    request = ggpm._options.request_of(model)
    for name, value in values.items():
        assert request.get(name) != ggpm._core.FitRequest().get(name), name
        if name not in ("fixed", "memory_limit"):
            assert as_value(OPTIONS[name], request.get(name)) == (
                value if isinstance(value, float) else as_value(OPTIONS[name], as_text(name, value)))
    assert request.get("memory_limit") == str(3 * 2**30)


def test_a_flag_of_numpy_is_a_flag():
    assert as_text("optimize", np.bool_(False)) == "false"


@pytest.mark.parametrize("wrong, words", [
    ({"restarts": 2.5}, "restarts: '2.5' is not a whole number"),
    ({"inference": "variational"}, "there are: auto, exact"),
    ({"priors": {"dispersion": "uniform(0, 1)"}}, "unknown prior"),
    ({"missing": "ignore"}, "there are: error, drop"),
    ({"memory_limit": "much"}, "512M"),
    ({"keep": 0}, "keep"),
])
def test_wrong_options_are_refused_in_a_sentence(counts, wrong, words):
    X, y, _ = counts
    with pytest.raises(ggpm.UsageError, match=words):
        GeneralizedGP("poisson", **wrong).fit(X, y)


def test_a_loaded_model_has_the_options_it_was_fitted_with(tmp_path, counts):
    X, y, _ = counts
    model = GeneralizedGP("student-t", "rbf(1, 2)", "ep", mean="constant", df=6, dispersion=0.5,
                          restarts=0, random_state=3).fit(X, y)
    model.save(tmp_path / "m.ggpm")
    loaded = GeneralizedGP.load(tmp_path / "m.ggpm")
    for name in ("likelihood", "kernel", "inference", "link", "mean", "df", "dispersion", "learn_df",
                 "expansion", "expansion_offset", "warp", "random_state", "squeeze"):
        assert getattr(loaded, name) == getattr(model, name), name


def test_missing_rows_are_dropped_where_asked(counts):
    X, y, exposure = counts
    X, y = X.copy(), y.copy()
    X[3, 0] = y[5] = np.nan
    kept = np.setdiff1d(np.arange(60), [3, 5])
    dropped = GeneralizedGP("poisson", missing="drop", restarts=0).fit(X, y, exposure=exposure)
    without = GeneralizedGP("poisson", restarts=0).fit(X[kept], y[kept], exposure=exposure[kept])
    assert dropped.log_marginal_likelihood_ == without.log_marginal_likelihood_
    assert dropped.scores(X, y, exposure=exposure)["n"] == 58
    with pytest.raises(ValueError):
        GeneralizedGP("poisson", restarts=0).fit(X, y, exposure=exposure)


def test_a_kernel_may_be_chosen_as_in_the_command():
    X = np.linspace(0, 1, 30)[:, None]
    model = GeneralizedGP(kernel="auto", restarts=1).fit(X, np.sin(6 * X[:, 0]))
    assert "by the log marginal on 30 rows" in model.choice_
    assert str(model.kernel_) != "auto"
