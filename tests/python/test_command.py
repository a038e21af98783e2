"""The same numbers as the command, to the last bit."""

import json
import subprocess

import numpy as np
import pytest

from ggpm import GeneralizedGP

pd = pytest.importorskip("pandas")


def run(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if "fit" == arguments[0] and done.returncode == 2 and "fit" in done.stderr:
        pytest.skip("the command cannot fit")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture()
def table(tmp_path, counts):
    X, y, exposure = counts
    frame = pd.DataFrame({"x": X[:, 0], "time": exposure, "n": y.astype(int)})
    frame.to_csv(tmp_path / "counts.csv", index=False)
    return pd.read_csv(tmp_path / "counts.csv", float_precision="round_trip")


@pytest.mark.parametrize("likelihood, inference", [("poisson", "laplace"),
                                                   ("negative-binomial", "ep")])
def test_fit_and_predict_agree_with_the_command(tmp_path, command, table, likelihood, inference):
    X, y = table[["x", "time"]], table["n"]
    model = GeneralizedGP(likelihood, inference=inference, exposure="time", restarts=3, threads=1,
                          random_state=5).fit(X, y)
    out = json.loads(run(
        command, "fit", tmp_path / "counts.csv", "--target", "n", "--exposure", "time",
        "--likelihood", likelihood, "--inference", inference, "--restarts", 3, "--seed", 5,
        "--threads", 1, "--json", "--quiet", "-o", tmp_path / "m.ggpm"))
    assert out["log_marginal"] == model.log_marginal_likelihood_
    kernel = out["hyperparameters"]["kernel"]
    assert kernel["rbf.lengthscale"] == model.hyperparameters_["rbf.lengthscale"]
    assert kernel["rbf.variance"] == model.hyperparameters_["rbf.variance"]

    run(command, "predict", tmp_path / "m.ggpm", tmp_path / "counts.csv", "--quiet", "-o",
        tmp_path / "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    ours = model.predictive(X)
    np.testing.assert_array_equal(predicted["mean"], ours.mean())
    np.testing.assert_array_equal(predicted["sd"], ours.std())
    np.testing.assert_array_equal(predicted["q0.975"], ours.quantile(0.975))

    theirs = GeneralizedGP.load(tmp_path / "m.ggpm")
    np.testing.assert_array_equal(theirs.predict(X), model.predict(X))


def test_the_command_reads_a_model_of_python(tmp_path, command, table):
    X = table[["x", "time"]]
    model = GeneralizedGP("poisson", exposure="time", restarts=0).fit(X, table["n"])
    model.save(tmp_path / "m.ggpm")
    run(command, "predict", tmp_path / "m.ggpm", tmp_path / "counts.csv", "--quiet", "-o",
        tmp_path / "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    np.testing.assert_array_equal(predicted["mean"], model.predict(X))


def outputs(kind, x, random):
    """Outputs of a domain around a smooth function, and the command's words for it."""
    mean = np.exp(1 + np.sin(x))
    if kind == "poisson":
        return random.poisson(mean), {}
    if kind == "negative-binomial":
        return random.negative_binomial(0.7, 0.7 / (0.7 + 5 * mean)), {}
    if kind == "gaussian":
        return np.sin(x) + 0.1 * random.normal(size=len(x)), {}
    if kind == "student-t":
        return np.sin(x) + 0.1 * random.standard_t(1.5, size=len(x)), {}
    if kind == "gamma-shape":
        return random.gamma(3, mean / 3), {}
    if kind == "beta":
        p = mean / (1 + mean)
        return random.beta(5 * p, 5 * (1 - p)), {}
    if kind == "squeezed beta":
        return np.round(random.beta(mean, 2), 1), {"squeeze": True}
    if kind == "binomial":
        return random.binomial(10, mean / (1 + mean)), {"trials": "N"}
    return random.binomial(1, 1 / (1 + np.exp(-3 * np.sin(x)))), {}


@pytest.mark.parametrize("kind", ["poisson", "negative-binomial", "gaussian", "student-t",
                                  "gamma-shape", "beta", "squeezed beta", "binomial", "bernoulli"])
def test_auto_chooses_as_the_command_does(tmp_path, command, kind):
    random = np.random.default_rng(3)
    x = np.sort(random.uniform(0, 8, 50))
    y, how = outputs(kind, x, random)
    table = pd.DataFrame({"x": x, "y": y})
    if "trials" in how:
        table["N"] = 10
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["--squeeze"] if "squeeze" in how else ["--trials", "N"] if "trials" in how else []
    out = json.loads(run(command, "fit", tmp_path / "t.csv", "--target", "y", "--restarts", 1,
                         "--threads", 1, "--json", "--quiet", "-o", tmp_path / "m.ggpm", *words))
    model = GeneralizedGP("auto", inference="auto", restarts=1, threads=1, **how).fit(
        table.drop(columns="y"), table["y"])
    assert (model.likelihood_, model.inference_) == (out["likelihood"], out["inference"])
    assert model.log_marginal_likelihood_ == out["log_marginal"]
    theirs = GeneralizedGP.load(tmp_path / "m.ggpm")
    if kind != "squeezed beta":  # the command looks at y before it is squeezed
        assert model.choice_ == theirs.choice_
    assert kind.split()[-1] in model.choice_
