"""Case weights, censored outputs and groups."""

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP, GeneralizedGPClassifier

AS_GIVEN = {"optimize": False, "restarts": 0, "standardize": False, "inference": "laplace"}


def test_a_weight_is_so_many_copies(counts):
    X, y, _ = counts
    weights = np.arange(60) % 3
    one = GeneralizedGP("poisson", **AS_GIVEN).fit(X, y, sample_weight=weights)
    copies = np.repeat(np.arange(60), weights)
    all_rows = GeneralizedGP("poisson", **AS_GIVEN).fit(X[copies], y[copies])
    assert one.log_marginal_likelihood_ == pytest.approx(all_rows.log_marginal_likelihood_, rel=1e-9)
    np.testing.assert_allclose(one.predict(X), all_rows.predict(X), rtol=1e-7)
    with pytest.raises(ggpm.DataError, match="weight"):
        GeneralizedGP("poisson", **AS_GIVEN).fit(X, y, sample_weight=-np.ones(60))


def test_a_classifier_takes_weights(counts):
    X, y, _ = counts
    labels = np.where(y > 4, "many", "few")
    plain = GeneralizedGPClassifier(**AS_GIVEN).fit(X, labels)
    weighted = GeneralizedGPClassifier(**AS_GIVEN).fit(X, labels, sample_weight=np.full(60, 5.0))
    assert np.abs(weighted.predict_proba(X) - 0.5).mean() > np.abs(plain.predict_proba(X) - 0.5).mean()


@pytest.fixture(scope="module")
def lifetimes(counts):
    X = counts[0]
    times = np.random.default_rng(4).weibull(1.5, 60) * np.exp(np.sin(X[:, 0]))
    return X, np.minimum(times, 1.5), times < 1.5


def test_an_event_and_a_structured_array_say_the_same(lifetimes):
    X, times, seen = lifetimes
    a = GeneralizedGP("weibull", **AS_GIVEN).fit(X, times, event=seen)
    y = np.array(list(zip(seen, times)), dtype=[("event", bool), ("time", float)])
    b = GeneralizedGP("weibull", **AS_GIVEN).fit(X, y)
    assert a.log_marginal_likelihood_ == b.log_marginal_likelihood_
    ignored = GeneralizedGP("weibull", **AS_GIVEN).fit(X, times)
    assert (a.predictive(X).median() > ignored.predictive(X).median()).mean() > 0.9
    np.testing.assert_allclose(a.log_predictive_density(X, y),
                               a.log_predictive_density(X, times, event=seen))
    with pytest.raises(ggpm.UsageError, match="event"):
        a.fit(X, y, event=seen)


def test_predictions_of_survival(lifetimes):
    X, times, seen = lifetimes
    model = GeneralizedGP("log-normal", **AS_GIVEN).fit(X, times, event=seen)
    p = model.predictive(X[:4])
    np.testing.assert_allclose(np.diag(p.survival(p.median())), 0.5, atol=1e-9)
    right = model.log_predictive_density(X[:4], np.full(4, 2.0), event=np.zeros(4))
    np.testing.assert_allclose(right, np.log(p.survival(2.0)[:, 0]), atol=1e-8)
    between = model.log_predictive_density(X[:4], np.full(4, 1.0), upper=np.full(4, 2.0))
    np.testing.assert_allclose(np.exp(between), -np.diff(p.survival([1.0, 2.0]))[:, 0], atol=1e-8)
    scores = model.scores(X, times, event=seen)
    assert 0.5 < scores["c_index"] <= 1 and scores["censored"] == (~seen).sum()


def test_auto_takes_a_likelihood_that_can_be_censored(lifetimes):
    X, times, seen = lifetimes
    model = GeneralizedGP("auto", restarts=1).fit(X, times, event=seen)
    assert model.likelihood_ in ("exponential", "weibull", "log-normal", "log-logistic")


def test_groups_of_any_number(frame):
    pd = pytest.importorskip("pandas")
    n = 300
    X = pd.DataFrame({"patient": [f"p{i % 150}" for i in range(n)], "x": np.linspace(0, 1, n)})
    y = np.random.default_rng(1).normal(size=150)[np.arange(n) % 150]
    model = GeneralizedGP(kernel="rbf + group(columns=[patient])", restarts=0).fit(X, y)
    assert model._model.columns == ["patient=(levels)", "x"]
    new = pd.DataFrame({"patient": ["somebody", "p3"], "x": [0.5, 0.5]})
    _, sd = model.predict_latent(new, return_std=True)
    assert sd[0] > sd[1]


def test_a_formula_names_the_whole_model(counts):
    pd = pytest.importorskip("pandas")
    X, y, exposure = counts
    frame = pd.DataFrame({"x": X[:, 0], "n": y, "years": exposure, "other": 1.0,
                          "site": [f"s{i % 7}" for i in range(60)]})
    options = {"likelihood": "poisson", "optimize": False, "inference": "laplace"}
    a = GeneralizedGP.from_formula("n ~ rbf(x) + group(site) + offset(log(years))", frame, **options)
    b = GeneralizedGP(kernel="rbf(columns=[x]) + group(columns=[site]) + constant", exposure="years",
                      **options).fit(frame[["x", "site", "years"]], frame["n"])
    assert a.log_marginal_likelihood_ == b.log_marginal_likelihood_
    with pytest.raises(ggpm.DataError, match="no column 'z'"):
        GeneralizedGP.from_formula("n ~ rbf(z)", frame)
    with pytest.raises(ggpm.UsageError, match="formula"):
        GeneralizedGP.from_formula("n", frame)
