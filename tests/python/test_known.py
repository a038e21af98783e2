"""Case weights, censored outputs, levels in order, groups and formulas."""

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


def test_a_formula_finds_its_columns_in_frames_with_others(counts, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y, exposure = counts
    frame = pd.DataFrame({"other": "-", "x": X[:, 0], "n": y, "years": exposure})
    model = GeneralizedGP.from_formula("n ~ rbf(x) + offset(log(years))", frame,
                                       likelihood="poisson", optimize=False)
    mean = model.predict(frame)
    np.testing.assert_array_equal(mean, model.predict(frame[["x", "years"]]))
    model.save(tmp_path / "m.ggpm")
    np.testing.assert_array_equal(mean, GeneralizedGP.load(tmp_path / "m.ggpm").predict(frame))
    with pytest.raises(ggpm.DataError, match="no column 'years'"):
        model.predict(frame[["x"]])


def test_times_with_an_event_have_a_score(lifetimes):
    X, times, seen = lifetimes
    y = np.array(list(zip(seen, times)), dtype=[("event", bool), ("time", float)])
    model = GeneralizedGP("weibull", **AS_GIVEN).fit(X, y)
    assert model.score(X, y) == pytest.approx(model.score(X[seen], times[seen]), rel=1e-12)


def test_a_comparison_knows_weights_and_events(lifetimes):
    """Of rows without weight none is split off, and estimators are judged as the library judges."""
    from sklearn.model_selection import KFold

    X, times, seen = lifetimes
    known = {"event": seen, "sample_weight": np.arange(60) % 3, "splits": KFold(3)}
    library = ggpm.compare(X, times, likelihoods=["weibull"], restarts=0, standardize=False, **known)
    gp = GeneralizedGP("weibull", inference="laplace", restarts=0, standardize=False)
    ours = ggpm.compare(X, times, candidates=[gp], **known)
    rows = np.flatnonzero(known["sample_weight"])
    fewer = {name: values[rows] for name, values in list(known.items())[:2]}
    without = ggpm.compare(X[rows], times[rows], candidates=[gp], splits=KFold(3), **fewer)
    assert library["failures"].iloc[0] == 0
    for column in ("nlp", "log_marginal"):
        assert ours[column].iloc[0] == pytest.approx(library[column].iloc[0], rel=1e-6)
        assert ours[column].iloc[0] == without[column].iloc[0]


def test_rows_of_a_split_that_are_not_there_are_refused(counts):
    X, y, _ = counts
    with pytest.raises(ggpm.UsageError, match="row 60, counted from 0; there are 60 rows"):
        ggpm.compare(X, y, likelihoods=["poisson"], splits=[(range(30), range(30, 61))])


@pytest.fixture(scope="module")
def grades(counts):
    """X, levels 1 to 3, the same as an ordered categorical."""
    pd = pytest.importorskip("pandas")
    X = counts[0]
    noisy = np.sin(X[:, 0]) + np.random.default_rng(5).normal(0, 0.5, 60)
    levels = 1 + np.digitize(noisy, [-0.4, 0.4])
    words = np.array(["low", "middle", "high"])
    return X, levels, pd.Series(pd.Categorical(words[levels - 1], words, ordered=True), name="grade")


@pytest.mark.parametrize("likelihood", ["ordinal", "auto"])
def test_levels_in_order_have_probabilities_and_names(grades, likelihood, tmp_path):
    X, levels, words = grades
    numbers = GeneralizedGP("ordinal", restarts=0).fit(X, levels)
    model = GeneralizedGP(likelihood, restarts=0).fit(X, words)
    assert model.likelihood_ == "ordinal" and list(model.classes_) == ["low", "middle", "high"]
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(proba @ [1, 2, 3], model.predict(X), rtol=1e-9)
    np.testing.assert_array_equal(proba, numbers.predict_proba(X))
    assert model.scores(X, words)["nlp"] == numbers.scores(X, levels)["nlp"]
    model.save(tmp_path / "m.ggpm")
    again = GeneralizedGP.load(tmp_path / "m.ggpm").set_output(transform="pandas")
    assert list(again.predict_proba(X)) == ["low", "middle", "high"]
    assert again.scores(X, words.to_numpy())["nlp"] == model.scores(X, words)["nlp"]


def test_words_without_an_order_are_no_levels(grades, counts, poisson):
    X, _, words = grades
    with pytest.raises(ggpm.UsageError, match="ordered=True"):
        GeneralizedGP("ordinal").fit(X, words.to_numpy())
    with pytest.raises(ggpm.DataError, match="row 1: y = '.*' is not a number"):
        GeneralizedGP("poisson").fit(X, words.to_numpy())
    assert not hasattr(poisson, "predict_proba")
