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
