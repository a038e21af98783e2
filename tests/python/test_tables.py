"""Answers as data frames, labels that are words, several classes in a file, maps."""

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP, GeneralizedGPClassifier

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"lon": random.uniform(0, 4, 50), "lat": random.uniform(50, 52, 50)},
                         index=[f"site {k}" for k in range(50)])
    return frame, pd.Series(random.poisson(np.exp(np.sin(frame["lon"]))), index=frame.index)


@pytest.fixture(scope="module")
def model(frame):
    return GeneralizedGP("poisson", restarts=0).fit(*frame)


def test_a_frame_of_predictions_has_the_index_of_its_rows(model, frame):
    X, _ = frame
    table = model.predictive(X[:5]).to_frame(quantiles=[0.1, 0.9], mean_quantiles=[0.5])
    assert list(table.index) == list(X.index[:5])
    assert list(table) == ["mean", "sd", "mode", "q0.1", "q0.9", "mean_q0.5", "latent_mean",
                           "latent_sd"]
    np.testing.assert_array_equal(table["mean"], model.predict(X[:5]))
    assert list(model.predictive(X[:5].to_numpy()).to_frame().index) == list(range(5))


def test_set_output_makes_pandas_objects_and_survives_clone(model, frame):
    from sklearn.base import clone

    X, y = frame
    again = clone(GeneralizedGP("poisson", restarts=0).set_output(transform="pandas")).fit(X, y)
    mean, sd = again.predict(X, return_std=True)
    assert isinstance(mean, pd.Series) and list(sd.index) == list(X.index)
    assert list(again.predict_quantiles(X, [0.1, 0.9])) == ["q0.1", "q0.9"]
    answers = [*again.predict_mean_interval(X), again.exceedance(X, 1.0), again.predict_latent(X),
               again.draw(X, 2), *again.predict_terms(X)["rbf"]]
    assert all(list(answer.index) == list(X.index) for answer in answers)
    np.testing.assert_array_equal(mean, model.predict(X))
    assert isinstance(again.set_output(transform="default").predict(X), np.ndarray)
    with pytest.raises(ggpm.UsageError, match="pandas"):
        again.set_output(transform="polars")


def test_two_words_are_classes_of_the_bernoulli(frame, tmp_path):
    X, y = frame
    words = np.where(y > 1, "busy", "quiet")
    model = GeneralizedGP("bernoulli", restarts=0).fit(X, words)
    numbers = GeneralizedGP("bernoulli", restarts=0).fit(X, (words == "quiet").astype(float))
    assert list(model.classes_) == ["busy", "quiet"]
    np.testing.assert_array_equal(model.predict(X), numbers.predict(X))
    np.testing.assert_array_equal(model.log_predictive_density(X, words),
                                  numbers.log_predictive_density(X, words == "quiet"))
    assert model.scores(X, words)["nlp"] > 0
    model.save(tmp_path / "m.ggpm")
    assert list(GeneralizedGP.load(tmp_path / "m.ggpm").classes_) == ["busy", "quiet"]
    assert list(GeneralizedGP("auto", restarts=0).fit(X, words).classes_) == ["busy", "quiet"]
    with pytest.raises(ggpm.DataError, match="row 1: y = 'loud'"):
        model.log_predictive_density(X[:1], ["loud"])
    with pytest.raises(ggpm.DataError, match="GeneralizedGPClassifier"):
        GeneralizedGP("bernoulli").fit(X[:3], ["a", "b", "c"])


@pytest.mark.parametrize("labels", [["low", "middle", "high"], [3, 5, 8]])
def test_several_classes_are_saved_and_loaded(frame, tmp_path, labels):
    X, y = frame
    classes = np.array(labels)[np.digitize(y, [1, 2])]
    model = GeneralizedGPClassifier(restarts=0).fit(X, classes)
    model.save(tmp_path / "three.ggpm")
    again = GeneralizedGPClassifier.load(tmp_path / "three.ggpm")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.classes_.tolist() == sorted(labels)
    assert len(again.estimators_) == 3
    damaged = bytearray((tmp_path / "three.ggpm").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.ggpm").write_bytes(damaged)
    with pytest.raises(ggpm.DataError):
        GeneralizedGPClassifier.load(tmp_path / "damaged.ggpm")
    (tmp_path / "cut.ggpm").write_bytes(damaged[:1000])
    with pytest.raises(ggpm.DataError, match="not an archive"):
        GeneralizedGPClassifier.load(tmp_path / "cut.ggpm")


def test_two_inputs_are_a_map(model):
    plt = pytest.importorskip("matplotlib.pyplot")
    for value in ("mean", "sd"):
        ax = ggpm.plot(model, "map", resolution=80, value=value)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("lon", "lat")
        assert ax.collections
    with pytest.raises(ggpm.UsageError, match="two inputs that are numbers"):
        ggpm.plot(model, "map", columns=["lon", "lon"])
    plt.close("all")
