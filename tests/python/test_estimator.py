import copy
import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ggpm
from ggpm import RBF, GeneralizedGP, GeneralizedGPClassifier, Linear


def test_gaussian_equals_scikit_learns_regressor():
    random = np.random.default_rng(0)
    X, Z = random.normal(size=(30, 2)), random.normal(size=(9, 2))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=30)
    ours = GeneralizedGP(kernel=RBF(1.3, 0.8), dispersion=0.04, optimize=False,
                         standardize=False).fit(X, y)
    theirs = GaussianProcessRegressor(sk.ConstantKernel(1.3) * sk.RBF(0.8) + sk.WhiteKernel(0.04),
                                      alpha=0.0, optimizer=None).fit(X, y)
    np.testing.assert_allclose(ours.log_marginal_likelihood_,
                               theirs.log_marginal_likelihood_value_, rtol=1e-9)
    for a, b in zip(ours.predict(Z, return_std=True), theirs.predict(Z, return_std=True)):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
    mean, covariance = ours.predict_latent(Z, return_cov=True)
    np.testing.assert_allclose(mean, ours.predict(Z), rtol=1e-12)
    np.testing.assert_allclose(np.diag(covariance) + 0.04, ours.predictive(Z).var(), rtol=1e-9)


def test_what_was_learned(poisson):
    assert list(poisson.hyperparameters_) == ["rbf.variance", "rbf.lengthscale", "constant.variance"]
    assert poisson.likelihood_ == "poisson" and poisson.inference_ == "ep"
    assert poisson.converged_
    np.testing.assert_allclose(np.exp(poisson.theta_), list(poisson.hyperparameters_.values()))
    assert poisson.optima_[0].log_marginal == max(
        o.log_marginal for o in poisson.optima_ if o.inference == "ep")
    assert list(poisson.optima_[0].hyperparameters) == list(poisson.hyperparameters_)
    assert poisson.kernel_.hyperparameters == pytest.approx(poisson.hyperparameters_)


def test_gradient_of_the_log_marginal_likelihood(poisson):
    theta = poisson.theta_ + [0.2, -0.1, 0.3]
    value, gradient = poisson.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == poisson.log_marginal_likelihood(theta)
    for k, step in enumerate(1e-4 * np.eye(len(theta))):
        up, down = (poisson.log_marginal_likelihood(theta + s) for s in (step, -step))
        assert gradient[k] == pytest.approx((up - down) / 2e-4, rel=1e-5, abs=1e-6)
    at_optimum, gradient = poisson.log_marginal_likelihood(eval_gradient=True)
    assert at_optimum == poisson.log_marginal_likelihood_ >= value
    assert np.all(np.abs(gradient) < 0.1)


def test_exposure_multiplies_the_mean_and_offset_shifts_it(counts, poisson):
    X, y, exposure = counts
    one = poisson.predict(X)
    np.testing.assert_allclose(poisson.predict(X, exposure=2.0), 2 * one, rtol=1e-9)
    np.testing.assert_allclose(poisson.predict(X, offset=np.full(len(X), np.log(2))), 2 * one,
                               rtol=1e-9)
    by_offset = GeneralizedGP("poisson", restarts=3).fit(X, y, offset=np.log(exposure))
    np.testing.assert_allclose(by_offset.predict(X), one, rtol=1e-6)
    with pytest.raises(ggpm.DataError, match="exposure has 3 numbers; there are 60 rows"):
        poisson.predict(X, exposure=[1, 2, 3])


def test_predictive_distribution_is_consistent(counts, poisson):
    X, y, exposure = counts
    p = poisson.predictive(X, exposure=exposure)
    assert len(p) == len(X)
    k = np.arange(0, 400)
    pmf = np.array([p.pdf(float(v)) for v in k])
    np.testing.assert_allclose(pmf.sum(axis=0), 1, atol=1e-7)
    np.testing.assert_allclose(k @ pmf, p.mean(), rtol=1e-6)
    np.testing.assert_allclose(np.sqrt((k**2) @ pmf - p.mean() ** 2), p.std(), rtol=1e-5)
    np.testing.assert_array_equal(k[np.argmax(pmf, axis=0)], p.mode())
    np.testing.assert_allclose(pmf[:6].sum(axis=0), p.cdf(5.0), atol=1e-8)
    lower, upper = p.interval(0.9)
    np.testing.assert_array_equal(p.quantile([0.05, 0.95]), np.column_stack([lower, upper]))
    np.testing.assert_array_equal(p.median(), p.quantile(0.5))
    np.testing.assert_array_equal(poisson.predict_quantiles(X, [0.5], exposure=exposure)[:, 0],
                                  p.median())
    np.testing.assert_array_equal(poisson.log_predictive_density(X, y, exposure=exposure),
                                  p.logpdf(y))
    draws = p.sample(2000, random_state=3)
    assert draws.shape == (60, 2000)
    np.testing.assert_array_equal(draws, p.sample(2000, random_state=3))
    assert np.all(np.abs(draws.mean(axis=1) - p.mean()) < 5 * p.std() / np.sqrt(2000))
    with pytest.raises(ValueError, match="probability"):
        p.quantile([0.5, 1.0])
    with pytest.raises(ValueError, match="shape"):
        p.logpdf([1.0, 2.0])


def test_leave_one_out(counts, poisson):
    loo = poisson.loo_
    assert loo.total == pytest.approx(loo.log_density.sum())
    assert np.all((loo.cdf_below <= loo.cdf) & (loo.pit() >= loo.cdf_below) & (loo.pit() <= loo.cdf))
    assert stats.kstest(loo.pit(), "uniform").pvalue > 1e-3


def test_binomial_takes_successes_and_fractions():
    random = np.random.default_rng(4)
    X = random.normal(size=(40, 1))
    trials = random.integers(1, 20, 40)
    y = random.binomial(trials, 1 / (1 + np.exp(-2 * X[:, 0])))
    a = GeneralizedGP("binomial", restarts=0).fit(X, y, trials=trials)
    b = GeneralizedGP("binomial", restarts=0).fit(X, y / trials, trials=trials)
    np.testing.assert_allclose(a.predict(X, trials=trials), b.predict(X, trials=trials), rtol=1e-9)
    assert np.all(a.predict(X) < 1)
    np.testing.assert_allclose(a.predict(X, trials=10), 10 * a.predict(X), rtol=1e-9)
    np.testing.assert_allclose(a.log_predictive_density(X, y, trials=trials),
                               b.log_predictive_density(X, y / trials, trials=trials), rtol=1e-9)
    with pytest.raises(ggpm.DataError):
        GeneralizedGP("binomial", restarts=0).fit(X, trials + 1, trials=trials)


def test_outputs_are_read_by_the_rules_of_the_command():
    X = [[0.0], [1.0], [2.0], [3.0]]
    signs = GeneralizedGP("bernoulli", restarts=0).fit(X, [-1, 1, 1, -1])
    zeros = GeneralizedGP("bernoulli", restarts=0).fit(X, [0, 1, 1, 0])
    assert signs.log_marginal_likelihood_ == zeros.log_marginal_likelihood_
    with pytest.raises(ggpm.UsageError, match=r"number of trials.*\(trials=\)"):
        GeneralizedGP("binomial", restarts=0).fit(X, [0, 1, 1, 0])
    with pytest.raises(ggpm.UsageError, match="exposures are for counts"):
        GeneralizedGP("gaussian", restarts=0).fit(X, [1, 2, 3, 4], exposure=2.0)
    with pytest.raises(ggpm.DataError, match=r"squeezing.*\(squeeze=True\)") as caught:
        GeneralizedGP("beta", restarts=0).fit(X, [0.2, 0.0, 0.5, 0.7])
    assert (caught.value.row, caught.value.column) == (2, "y")


@pytest.mark.parametrize("y, likelihood", [
    ([0, 1, 1, 0], "bernoulli"), ([0.1, 0.5, 0.3, 0.9], "beta")])
def test_auto_takes_the_only_likelihood_of_a_domain(y, likelihood):
    model = GeneralizedGP("auto", inference="auto", restarts=0).fit([[0.0], [1], [2], [3]], y)
    assert model.likelihood_ == likelihood and model.inference_ == "ep"
    assert f"likelihood {likelihood}" in model.choice_ and "inference ep for 4 rows" in model.choice_
    assert np.all(np.isfinite(model.predict([[1.5]])))


def test_auto_takes_no_zeros_for_granted_where_there_are_none():
    """Families with zeros of their own are Poisson then, but for where learning ended: Brownlee's stack losses."""
    air = [80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58, 58, 58, 58, 50, 50, 50, 50, 50, 56, 70]
    water = [27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18, 17, 18, 19, 18, 18, 19, 19, 20, 20, 20]
    acid = [89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89, 88, 82, 93, 89, 86, 72, 79, 80, 82, 91]
    loss = [42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14, 13, 11, 12, 8, 7, 8, 8, 9, 15, 15]
    model = GeneralizedGP("auto", inference="laplace", restarts=1).fit(np.column_stack([air, water, acid]), loss)
    assert model.likelihood_ == "poisson"


def test_auto_says_why_and_the_file_keeps_it(tmp_path, counts):
    X, y, exposure = counts
    model = GeneralizedGP("auto", restarts=1).fit(X, y, exposure=exposure)
    assert model.likelihood_ == "poisson" and model.inference_ == "ep"
    assert "likelihood poisson, the " in model.choice_
    assert "negative-binomial" in model.choice_ and "→ count" in model.choice_
    model.save(tmp_path / "m.ggpm")
    assert GeneralizedGP.load(tmp_path / "m.ggpm").choice_ == model.choice_
    named = GeneralizedGP("poisson", inference="laplace", restarts=0).fit(X, y)
    assert named.choice_ == ""


@pytest.mark.parametrize("how, inference", [
    (dict(likelihood="gaussian"), "exact"), (dict(likelihood="laplace"), "ep"),
    (dict(likelihood="gaussian", link="softplus"), "ep"), (dict(likelihood="auto", warp="log"), "exact")])
def test_automatic_inference(how, inference):
    model = GeneralizedGP(inference="auto", optimize=False, **how).fit([[0.0], [1], [2]], [0.5, 2, 1.2])
    assert model.inference_ == inference and model.choice_


def test_automatic_inference_of_many_rows_is_laplace():
    X = np.linspace(0, 1, 1001)[:, None]
    model = GeneralizedGPClassifier(inference="auto", optimize=False).fit(X, X[:, 0] > 0.5)
    assert model.inference_ == "laplace"
    assert model.choice_ == "inference laplace for 1001 rows, where ep takes long"


def test_squeeze_takes_proportions_of_exactly_0_and_1(tmp_path):
    X = np.arange(5.0)[:, None]
    y = np.array([0, 0.2, 0.5, 1, 0.7])
    with pytest.raises(ggpm.DataError, match="row 1"):
        GeneralizedGP("beta", restarts=0).fit(X, y)
    model = GeneralizedGP("beta", squeeze=True, restarts=0).fit(X, y)
    plain = GeneralizedGP("beta", restarts=0).fit(X, (y * 4 + 0.5) / 5)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_array_equal(model.log_predictive_density(X[:2], [1.0, 0.0]),
                                  plain.log_predictive_density(X[:2], [0.9, 0.1]))
    assert GeneralizedGP("auto", squeeze=True, restarts=0).fit(X, y).likelihood_ == "beta"
    model.save(tmp_path / "m.ggpm")
    assert GeneralizedGP.load(tmp_path / "m.ggpm").squeeze is True
    with pytest.raises(ggpm.DataError, match="row 3: y = 1.5 cannot be squeezed"):
        GeneralizedGP("beta", squeeze=True).fit(X, [0, 1, 1.5, 0, 0])


def test_pickle_clone_deepcopy_and_file_keep_every_bit(tmp_path, counts, poisson):
    X = counts[0]
    expected = poisson.predict(X)
    poisson.save(tmp_path / "m.ggpm")
    loaded = GeneralizedGP.load(tmp_path / "m.ggpm")
    for other in (pickle.loads(pickle.dumps(poisson)), copy.deepcopy(poisson), loaded):
        np.testing.assert_array_equal(other.predict(X), expected)
        assert other.hyperparameters_ == poisson.hyperparameters_
        assert other.optima_ == poisson.optima_
        assert other.log_marginal_likelihood_ == poisson.log_marginal_likelihood_
    assert loaded.likelihood == "poisson"
    assert poisson._model.to_bytes() == loaded._model.to_bytes()
    with pytest.raises(NotFittedError):
        clone(poisson).predict(X)


def test_a_pickled_model_is_the_model_file(poisson):
    state = poisson._model.__getstate__()
    assert isinstance(state, bytes) and state == poisson._model.to_bytes()
    broken = bytearray(state)
    broken[len(broken) // 2] ^= 1
    with pytest.raises(ggpm.DataError):
        ggpm._core.Model.from_bytes(bytes(broken))


def test_same_seed_same_bits(counts):
    X, y, _ = counts
    a, b = (GeneralizedGP("poisson", restarts=4, random_state=7).fit(X, y) for _ in range(2))
    assert a._model.to_bytes() == b._model.to_bytes()


def test_pipeline_grid_search_and_cross_validation(counts):
    X, y, exposure = counts
    gp = GeneralizedGP("poisson", kernel=RBF() + Linear(), restarts=0, optimize=False)
    pipe = make_pipeline(StandardScaler(), gp)
    assert np.isfinite(pipe.fit(X, y, generalizedgp__exposure=exposure).score(X, y))
    search = GridSearchCV(gp, {"kernel__k1__lengthscale": [0.1, 1.0], "inference": ["laplace", "ep"]},
                          scoring=ggpm.log_density_score, cv=3).fit(X, y)
    assert search.best_params_["kernel__k1__lengthscale"] in (0.1, 1.0)
    assert gp.kernel.k1.lengthscale == 1.0
    scores = cross_val_score(gp, X, y, cv=3, n_jobs=2, scoring=ggpm.log_density_score)
    np.testing.assert_allclose(scores, cross_val_score(gp, X, y, cv=3,
                                                       scoring=ggpm.log_density_score))


def test_parameters_are_stored_as_given():
    kernel = RBF()
    model = GeneralizedGP("poisson", kernel=kernel, fixed=("rbf.variance",))
    assert model.get_params()["kernel"] is kernel
    assert model.get_params()["kernel__lengthscale"] == 1.0
    model.set_params(kernel__lengthscale=3.0)
    assert kernel.lengthscale == 3.0
    assert "likelihood='poisson'" in repr(model)


def test_fixed_and_priors(counts):
    X, y, _ = counts
    model = GeneralizedGP("negative-binomial", kernel=RBF(variance=2.0), dispersion=0.3, restarts=2,
                          fixed=["rbf.variance", "dispersion"],
                          priors={"rbf.lengthscale": "gamma(2, 1)"}).fit(X, y)
    assert model.hyperparameters_["rbf.variance"] == 2.0
    assert model.hyperparameters_["dispersion"] == 0.3
    with pytest.raises(ggpm.UsageError, match="prior 'beta"):
        GeneralizedGP(priors={"rbf.lengthscale": "beta(1, 1)"}, restarts=0).fit(X, y)


def test_not_converged_is_said(counts):
    X, y, _ = counts
    with pytest.warns(ConvergenceWarning):
        model = GeneralizedGP("poisson", optimize=False, max_iterations=1).fit(X, y)
    assert not model.converged_


@pytest.mark.parametrize("how, error, words", [
    (dict(likelihood="poisson"), ggpm.DataError, "row 2"),
    (dict(likelihood="poison"), ggpm.UsageError, "poisson"),
    (dict(kernel="rbf(lenghtscale=2)"), ggpm.UsageError, "lenghtscale"),
    (dict(kernel=RBF(columns=["nope"])), ggpm.UsageError, "nope"),
    (dict(inference="laplac"), ggpm.UsageError, "laplace"),
    (dict(likelihood="laplace", inference="laplace"), ggpm.UsageError, "ep"),
    (dict(mean="cubic"), ggpm.UsageError, "cubic"),
    (dict(restarts=-1), ggpm.UsageError, "restarts"),
    (dict(restarts=1.5), ggpm.UsageError, "restarts"),
    (dict(expansion="exakt"), ggpm.UsageError, "exact"),
    (dict(memory_limit=1000), ggpm.DataError, "limit"),
    (dict(exposure="time"), ggpm.UsageError, "DataFrame"),
    (dict(random_state=-1), ValueError, "seed"),
])
def test_errors_are_sentences(how, error, words):
    with pytest.raises(error, match=words) as caught:
        GeneralizedGP(**{"restarts": 0, **how}).fit([[0.0], [1.0], [2.0]], [1.0, -2.0, 3.0])
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_error_types():
    assert issubclass(ggpm.UsageError, (ggpm.Error, ValueError))
    assert issubclass(ggpm.DataError, ValueError)
    assert issubclass(ggpm.NumericalError, ArithmeticError)
    assert not issubclass(ggpm.NumericalError, ValueError)


def test_damaged_foreign_and_missing_files_are_refused(tmp_path):
    for name, content in (("empty", b""), ("png", b"\x89PNG\r\n"), ("json", b'{"likelihood": 1}')):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ggpm.DataError):
            GeneralizedGP.load(tmp_path / name)
    with pytest.raises(ggpm.DataError):
        GeneralizedGP.load(tmp_path / "missing")


def test_classifier_binary(tmp_path):
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 2))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=60) > 0, "yes", "no")
    model = GeneralizedGPClassifier(restarts=2, link="probit").fit(X, y)
    assert list(model.classes_) == ["no", "yes"]
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba)
    assert model.score(X, y) > 0.8 and model.link_ == "probit"
    assert np.isfinite(model.loo_.total)
    model.save(tmp_path / "c.ggpm")
    for other in (GeneralizedGPClassifier.load(tmp_path / "c.ggpm"),
                  pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), proba)
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    with pytest.raises(ggpm.UsageError, match="GeneralizedGP.load"):
        GeneralizedGP("poisson", restarts=0).fit(X, y == "yes").save(tmp_path / "p.ggpm")
        GeneralizedGPClassifier.load(tmp_path / "p.ggpm")


def test_classifier_with_three_classes():
    random = np.random.default_rng(6)
    y = np.repeat([1, 5, 9], 15)
    X = random.normal(size=(45, 2)) + np.column_stack([y, -y]) / 2
    model = GeneralizedGPClassifier(restarts=0, inference="ep").fit(X, y)
    assert model.predict_proba(X).shape == (45, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.9
    assert len(model.estimators_) == 3
    with pytest.raises(ggpm.UsageError, match="estimators_"):
        model.standard_errors()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_softmax_is_one_model_of_all_classes(tmp_path):
    random = np.random.default_rng(6)
    y = np.repeat(["a", "b", "c"], 15)
    X = random.normal(size=(45, 2)) + np.repeat([[0, 0], [2, -2], [3, 2]], 15, axis=0)
    model = GeneralizedGPClassifier(restarts=0, multi_class="softmax").fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (45, 3) and list(model.classes_) == ["a", "b", "c"]
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-14)
    assert model.score(X, y) > 0.9
    assert model.likelihood_ == "softmax" and model.inference_ == "laplace"
    assert len(model.loo_.log_density) == 45 and model.standard_errors()
    model.save(tmp_path / "three.ggpm")
    for again in (GeneralizedGPClassifier.load(tmp_path / "three.ggpm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(again.predict_proba(X), p, rtol=1e-12)
        assert again.multi_class == "softmax" and list(again.predict(X)) == list(model.predict(X))
    with pytest.raises(ggpm.UsageError, match="laplace or kld"):
        GeneralizedGPClassifier(restarts=0, multi_class="softmax", inference="ep").fit(X, y)
    with pytest.raises(ggpm.UsageError, match="one_vs_rest"):
        GeneralizedGPClassifier(multi_class="jointly").fit(X, y)


def test_swapping_the_classes_mirrors_the_probabilities():
    random = np.random.default_rng(7)
    X = random.normal(size=(40, 1))
    y = (X[:, 0] + random.normal(size=40) > 0).astype(int)
    a = GeneralizedGPClassifier(restarts=0).fit(X, y).predict_proba(X)
    b = GeneralizedGPClassifier(restarts=0).fit(X, 1 - y).predict_proba(X)
    np.testing.assert_allclose(a, b[:, ::-1], rtol=1e-6)


def test_warped_outputs_have_densities_of_y():
    random = np.random.default_rng(8)
    X = random.uniform(0, 3, (30, 1))
    y = np.exp(X[:, 0] + 0.2 * random.normal(size=30))
    warped = GeneralizedGP(warp="log", restarts=0, optimize=False, dispersion=0.1).fit(X, y)
    plain = GeneralizedGP(restarts=0, optimize=False, dispersion=0.1).fit(X, np.log(y))
    np.testing.assert_allclose(warped.log_marginal_likelihood_,
                               plain.log_marginal_likelihood_ - np.log(y).sum(), rtol=1e-9)
    np.testing.assert_allclose(np.log(warped.predictive(X).median()), plain.predict(X), rtol=1e-7)
