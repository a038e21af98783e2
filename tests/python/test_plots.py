import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP, GeneralizedGPClassifier

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("kind", ["fit", "latent", "marginal", "calibration"])
def test_each_kind_draws(kind, poisson, tmp_path):
    ax = ggpm.plot(poisson, kind, resolution=72)
    assert ax.get_title() and ax.get_xlabel() and ax.get_ylabel()
    ax.figure.savefig(tmp_path / "p.png")


def test_all_kinds_together(poisson):
    assert ggpm.plot(poisson, "all", resolution=40).shape == (2, 2)


def test_counts_are_a_map_and_densities_bands(poisson, counts):
    assert ggpm.plot(poisson).collections
    X, y, _ = counts
    gamma = GeneralizedGP("gamma-shape", restarts=0).fit(X, y + 0.5)
    ax = ggpm.plot(gamma, levels=(0.9, 0.5))
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert labels == ["90 %", "50 %", "mean", "data"]
    assert ggpm.plot(gamma, heatmap=True).collections


def test_frames_draw_along_any_column(frame):
    X, y = frame
    model = GeneralizedGP("gamma-shape", restarts=0).fit(X, y)
    assert ggpm.plot(model, column="dose (mg)").get_xlabel().startswith("dose (mg)")
    assert [t.get_text() for t in ggpm.plot(model, column="site").get_xticklabels()] == [
        "north", "south", "west"]
    assert ggpm.plot(model, "latent", column=2).get_xlabel() == "sex (3 other inputs held)"
    with pytest.raises(ggpm.UsageError, match="column = 'height'"):
        ggpm.plot(model, column="height")


def test_classifier_draws_its_probability():
    X = np.linspace(-2, 2, 30)[:, None]
    model = GeneralizedGPClassifier(restarts=0).fit(X, X[:, 0] > 0.3)
    assert "probability" in ggpm.plot(model).get_ylabel()


def test_unknown_kinds_and_parameters_are_named(poisson):
    with pytest.raises(ggpm.UsageError, match="fit, latent"):
        ggpm.plot(poisson, "fitt")
    with pytest.raises(ggpm.UsageError, match="rbf.period"):
        ggpm.plot(poisson, "marginal", parameters=("rbf.period", "rbf.variance"))


def test_levels_in_order_are_a_map_with_their_names():
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(3).normal(size=(30, 1))
    grade = pd.Categorical(np.digitize(X[:, 0], [-0.5, 0.5]), ordered=True)
    model = GeneralizedGP("ordinal", restarts=0).fit(X, grade.rename_categories(["a", "b", "c"]))
    ax = ggpm.plot(model)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.collections[0].get_array().size == 3 * 200  # places, and no level besides


def test_censored_outputs_are_drawn_as_bounds():
    random = np.random.default_rng(4)
    X, times = random.normal(size=(30, 1)), random.weibull(1.5, 30)
    model = GeneralizedGP("weibull", restarts=0).fit(X, np.minimum(times, 1), event=times < 1)
    drawn = {line.get_label(): len(line.get_xdata()) for line in ggpm.plot(model).lines}
    assert drawn["data"] == (times < 1).sum() and drawn["known to be larger"] == (times >= 1).sum()


def test_intervals_are_drawn_from_end_to_end():
    random = np.random.default_rng(4)
    X, times = random.normal(size=(30, 1)), random.weibull(1.5, 30)
    upper = np.where(times > 0.7, np.ceil(times), np.nan)
    model = GeneralizedGP("weibull", restarts=0).fit(X, np.where(times > 0.7, np.floor(times) + 0.01, times),
                                                     upper=upper)
    ax = ggpm.plot(model)
    assert {line.get_label(): len(line.get_xdata()) for line in ax.lines}["data"] == (times <= 0.7).sum()
    (bars,) = [c for c in ax.collections if c.get_label() == "known to be between"]
    assert sorted(end[1] for _, end in bars.get_segments()) == sorted(np.ceil(times[times > 0.7]))
