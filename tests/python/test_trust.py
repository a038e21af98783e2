import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP


@pytest.fixture(scope="module")
def counts():
    random = np.random.default_rng(3)
    X = random.uniform(-2, 2, size=(25, 1))
    return X, random.poisson(np.exp(np.sin(2 * X[:, 0]) - 0.5))


def fitted(X, y, inference="laplace"):
    return GeneralizedGP(likelihood="poisson", kernel="rbf(1, 0.8)", inference=inference,
                         optimize=False).fit(X, y)


def test_draws_have_the_shape_that_arviz_takes_and_the_moments_they_say(counts):
    draws = fitted(*counts).sample_posterior(400, chains=3, thin=2, random_state=5)
    assert draws.to_dict()["latent"].shape == (3, 400, 25)
    np.testing.assert_allclose(draws.latent.mean(axis=(0, 1)), draws.mean, rtol=1e-10)
    np.testing.assert_allclose(draws.latent.reshape(-1, 25).std(axis=0, ddof=1), draws.sd,
                               rtol=1e-10)
    # thin = 0 looks at the chains together: with fewer of them it may keep other draws.
    again = fitted(*counts).sample_posterior(400, chains=2, thin=2, random_state=5)
    np.testing.assert_array_equal(again.latent, draws.latent[:2])


def test_diagnose_says_that_laplace_puts_zeros_too_low_and_ep_does_not(counts):
    diagnosis = fitted(*counts).diagnose(all=True, random_state=1)
    methods = {method.inference: method for method in diagnosis.methods}
    assert diagnosis.methods[0].inference == "laplace"
    assert {"laplace", "ep", "kld", "taylor"} == set(methods)
    assert diagnosis.truth.converged and diagnosis.verdict.startswith("Laplace puts")
    assert np.max(np.abs(methods["ep"].mean_error)) < np.max(np.abs(methods["laplace"].mean_error))
    assert abs(methods["ep"].log_marginal_error) < 0.1 + 4 * diagnosis.marginal.standard_error
    assert diagnosis.trust in ("good", "fair", "poor")
    assert diagnosis.verdict in repr(diagnosis)


def test_bad_use_is_a_sentence(counts):
    model = fitted(*counts)
    with pytest.raises(ggpm.UsageError, match="chains = 1; at least 2"):
        model.sample_posterior(chains=1)
    with pytest.raises(ggpm.UsageError, match="draws = 2; a chain needs"):
        model.diagnose(draws=2)
    with pytest.raises(ggpm.UsageError, match="take fewer draws"):
        model.sample_posterior(2_000_000_000, chains=1000)
    for seconds in (-1, float("nan")):
        with pytest.raises(ggpm.UsageError, match="a limit of time is above 0"):
            model.diagnose(seconds=seconds)
    assert "allow more time" in model.diagnose(seconds=0.001).truth.detail


def test_integrated_hyperparameters_are_points_with_weights(counts, tmp_path):
    X, y = counts
    model = GeneralizedGP(likelihood="poisson", kernel="rbf", restarts=2,
                          hyperparameters="integrate").fit(X, y)
    points = model.integrated_
    assert points["weights"].sum() == pytest.approx(1)
    assert set(points["hyperparameters"]) == set(model.hyperparameters_)
    assert len(points["hyperparameters"]["rbf.variance"]) == len(points["weights"]) > 4
    model.save(tmp_path / "m.ggpm")
    loaded = GeneralizedGP.load(tmp_path / "m.ggpm")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert "averages over" in loaded.summary()
    assert fitted(X, y).integrated_ is None


def test_a_sampled_model_predicts_like_the_others(counts):
    X, y = counts
    sampled, ep = fitted(X, y, "mcmc"), fitted(X, y, "ep")
    assert sampled.inference_ == "mcmc"
    np.testing.assert_allclose(sampled.predict(X), ep.predict(X), rtol=0.15)
    with pytest.raises(ggpm.UsageError, match="by which approximations are judged"):
        sampled.diagnose()
