"""Intervals of the mean, joint draws, terms, coefficients."""

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP, Linear, RBF


@pytest.fixture(scope="module")
def counts():
    random = np.random.default_rng(1)
    X = random.uniform(0, 10, (40, 1))
    exposure = random.uniform(1, 3, 40)
    y = random.poisson(exposure * np.exp(np.sin(X[:, 0])))
    model = GeneralizedGP("poisson", RBF() + Linear(), mean="constant", restarts=0)
    return model.fit(X, y, exposure=exposure), X


@pytest.mark.parametrize("likelihood", ["poisson", "negative-binomial"])
def test_the_latent_is_without_exposure(likelihood):
    X = np.linspace(0, 1, 20)[:, None]
    y = np.arange(20) % 4
    model = GeneralizedGP(likelihood, restarts=0).fit(X, y, exposure=np.full(20, 7.0))
    latent = model.predictive(X, exposure=3.0).latent_mean
    np.testing.assert_array_equal(latent, model.predict_latent(X))
    np.testing.assert_array_equal(latent, model.predictive(X).latent_mean)


def test_the_mean_exceeds_the_ends_of_its_interval_as_often_as_it_should(counts):
    model, X = counts
    lower, upper = model.predict_mean_interval(X, 0.9, exposure=2.0)
    p = model.predictive(X, exposure=2.0)
    assert np.all(lower < upper)
    for i in range(3):
        assert model.exceedance(X, lower[i], exposure=2.0)[i] == pytest.approx(0.95, abs=1e-9)
        assert p.mean_above(upper[i])[i] == pytest.approx(0.05, abs=1e-9)
    np.testing.assert_allclose(p.mean_quantile(0.5), 2 * np.exp(p.latent_mean), rtol=1e-12)
    assert p.mean_quantile([0.1, 0.9]).shape == (40, 2)


def test_draws_are_functions(counts):
    model, X = counts
    twice = np.vstack([X[:3], X[:3]])
    drawn = model.draw(twice, 20, random_state=2)
    assert drawn.shape == (6, 20)
    np.testing.assert_allclose(drawn[:3], drawn[3:], rtol=1e-4)
    np.testing.assert_array_equal(drawn, model.draw(twice, 20, random_state=2))
    outputs = model.sample_y(twice, 20, random_state=2, exposure=4.0)
    assert np.all(outputs == np.floor(outputs)) and np.any(outputs[:3] != outputs[3:])
    assert np.any(model.draw(X, 1, "latent") < 0)
    with pytest.raises(ggpm.UsageError, match="latent, mean, outcome"):
        model.draw(X, 1, "rate")


def test_terms_add_up(counts):
    model, X = counts
    terms = model.predict_terms(X)
    assert list(terms) == ["prior", "rbf", "linear"]
    np.testing.assert_allclose(sum(mean for mean, _ in terms.values()), model.predict_latent(X),
                               atol=1e-9)


def test_coefficients_are_in_units_of_the_columns():
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"dose": random.uniform(0, 500, 60), "age": random.uniform(20, 80, 60)})
    y = 3 + 0.02 * frame["dose"] - 0.5 * frame["age"] + random.normal(0, 0.1, 60)
    model = GeneralizedGP(kernel=Linear(ard=True), mean="constant", restarts=2).fit(frame, y)
    table = pd.DataFrame(model.coefficients()).set_index("input")
    assert table.loc["dose", "estimate"] == pytest.approx(0.02, rel=0.02)
    assert table.loc["age", "lower"] < -0.5 < table.loc["age", "upper"]
    assert table.loc["age", "standard_error"] < 0.01
    linear = GeneralizedGP(kernel="white(0.01)", mean="linear(columns=[dose])", restarts=0)
    assert [c.input for c in linear.fit(frame, y).coefficients()] == ["dose", "intercept"]
