"""What the command does with a model, from Python: score, report, simulate, the check of the gradient."""

import json
import subprocess

import numpy as np
import pytest

import ggpm
from ggpm import RBF, GeneralizedGP, GeneralizedGPClassifier

pd = pytest.importorskip("pandas")


def run(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scores_are_those_of_the_command(tmp_path, command, counts):
    X, y, _ = counts
    frame = pd.DataFrame({"x": X[:, 0]})
    target = pd.Series(y, name="n")
    model = GeneralizedGP("poisson", restarts=1).fit(frame, target)
    model.save(tmp_path / "m.ggpm")
    pd.concat([frame, target], axis=1).to_csv(tmp_path / "t.csv", index=False)
    theirs = json.loads(run(command, "score", tmp_path / "m.ggpm", tmp_path / "t.csv", "--json"))
    ours = model.scores(frame, target)
    assert {str(k): v for k, v in ours.pop("coverage").items()} == theirs.pop("coverage")
    our_pit, their_pit = ours.pop("pit"), theirs.pop("pit")
    assert our_pit.pop("histogram") == their_pit.pop("histogram")
    assert our_pit == pytest.approx(their_pit)
    assert ours == pytest.approx(theirs)


def test_the_summary_is_what_the_command_shows(tmp_path, command, counts):
    X, y, exposure = counts
    model = GeneralizedGP("poisson", restarts=1).fit(X, y, exposure=exposure)
    model.save(tmp_path / "m.ggpm")
    shown = run(command, "show", tmp_path / "m.ggpm")
    # The file does not keep how long the fit took.
    ours = [line for line in model.summary().splitlines() if not line.startswith("effort")]
    theirs = [line for line in shown.splitlines() if not line.startswith(("effort", "version"))]
    assert ours == theirs and "rbf.lengthscale" in shown


def test_a_report_is_a_page_with_figures(tmp_path, counts):
    X, y, exposure = counts
    model = GeneralizedGP("poisson", restarts=0).fit(X, y, exposure=exposure)
    model.report(tmp_path / "r.html", figures=[tmp_path / "fit.svg"], grid=0)
    assert "<html" in (tmp_path / "r.html").read_text()[:200]
    assert (tmp_path / "fit.svg").read_text().startswith("<svg")
    model.report(tmp_path / "new.html", X[:10], y[:10], exposure=exposure[:10], grid=0)
    assert "10 rows of" in (tmp_path / "new.html").read_text()
    with pytest.raises(ggpm.UsageError, match="it has: fit"):
        model.report(tmp_path / "x.html", figures=[tmp_path / "nothing.svg"], grid=0)
    assert not (tmp_path / "x.html").exists()


def test_a_classifier_reports_too(tmp_path, counts):
    X, y, _ = counts
    labels = np.where(y > np.median(y), "busy", "quiet")
    model = GeneralizedGPClassifier(restarts=0).fit(X, labels)
    model.report(tmp_path / "r.html", X[:20], labels[:20], grid=0)
    assert "20 rows of" in (tmp_path / "r.html").read_text()


def test_simulated_data_are_those_of_the_command(tmp_path, command):
    x = pd.DataFrame({"x": np.linspace(0, 5, 30)})
    x.to_csv(tmp_path / "x.csv", index=False)
    run(command, "simulate", tmp_path / "x.csv", "--likelihood", "gamma-shape", "--dispersion", 0.2,
        "--kernel", "rbf(1, 2)", "--seed", 4, "--latent", "-o", tmp_path / "y.csv")
    theirs = pd.read_csv(tmp_path / "y.csv", float_precision="round_trip")
    x = pd.read_csv(tmp_path / "x.csv", float_precision="round_trip")
    y, latent = ggpm.simulate(x, "gamma-shape", RBF(1.0, 2.0), dispersion=0.2, random_state=4,
                              return_latent=True)
    np.testing.assert_array_equal(theirs["y"], y)
    np.testing.assert_array_equal(theirs["latent"], latent)


def test_a_fitted_model_simulates_its_prior(counts):
    X, y, exposure = counts
    model = GeneralizedGP("poisson", restarts=0).fit(X, y, exposure=exposure)
    once = model.simulate(X, exposure=exposure, random_state=2)
    assert once.shape == y.shape and np.all(once == np.floor(once))
    np.testing.assert_array_equal(once, model.simulate(X, exposure=exposure, random_state=2))


def test_the_gradient_is_checked(counts):
    X, y, _ = counts
    check = GeneralizedGP("negative-binomial", restarts=0).fit(X, y).check_gradient()
    assert list(check) == ["rbf.variance", "rbf.lengthscale", "constant.variance", "dispersion"]
    for computed, differences in check.values():
        assert computed == pytest.approx(differences, abs=1e-5)


def test_tables_of_the_library_are_frames():
    assert {"exact", "taylor", "laplace", "ep", "kld", "mcmc"} <= set(ggpm.inferences().index)
    assert ggpm.options().loc["restarts", "default"] == "50"
    assert "random_state" in ggpm.options().index
