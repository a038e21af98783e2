import json
import subprocess

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ggpm
from ggpm import RBF, GeneralizedGP

pd = pytest.importorskip("pandas")
QUICK = {"restarts": 1, "keep": 1, "splits": 2}


def test_overdispersed_counts_prefer_the_negative_binomial(counts):
    X, _, exposure = counts
    random = np.random.default_rng(0)
    y = random.negative_binomial(1.0, 1 / (1 + exposure * np.exp(2 + np.sin(X[:, 0]))))
    table = ggpm.compare(X, y, likelihoods=["poisson", ("poisson", "linear"), "negative-binomial"],
                         exposure=exposure, **QUICK)
    assert table.index[0] == table.attrs["best"] == "negative-binomial, laplace, rbf + constant"
    assert "poisson/linear, laplace, rbf + constant" in table.index
    assert np.all(np.isfinite(table[["nlp", "mae", "mse", "coverage", "rank", "seconds"]]))
    assert (table["failures"] == 0).all()
    assert table.attrs["recommendation"].startswith("negative-binomial, laplace, rbf + constant: best NLP")


def test_it_is_the_comparison_of_the_command(tmp_path, command, counts):
    X, y, exposure = counts
    frame = pd.DataFrame({"x": X[:, 0], "time": exposure, "n": y.astype(int)})
    frame.to_csv(tmp_path / "counts.csv", index=False)
    frame = pd.read_csv(tmp_path / "counts.csv", float_precision="round_trip")
    done = subprocess.run(
        [command, "compare", tmp_path / "counts.csv", "--target", "n", "--exposure", "time",
         "--splits", "3", "--restarts", "1", "--keep", "1", "--threads", "1", "--json", "--quiet"],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    ours = ggpm.compare(frame[["x", "time"]], frame["n"], exposure="time", splits=3, restarts=1,
                        keep=1, threads=1)
    assert list(ours.index) == [c["candidate"] for c in theirs["candidates"]]
    assert list(ours["failure"]) == [c.get("failure", "") for c in theirs["candidates"]]
    assert (ours["failures"] == 0).all()
    assert "gaussian, exact, rbf + constant" not in ours.index, "exposures are not for gaussian"
    np.testing.assert_array_equal(ours["nlp"], [c["nlp"]["mean"] for c in theirs["candidates"]])
    np.testing.assert_array_equal(ours["rank"], [c["rank"]["nlp"] for c in theirs["candidates"]])
    assert ours.attrs["recommendation"] == theirs["recommendation"]
    assert ours.attrs["friedman"]["nlp"]["p"] == theirs["friedman"]["nlp"]["p"]
    assert ours.attrs["friedman"]["mae"]["statistic"] == theirs["friedman"]["mae"]["statistic"]


def test_candidates_are_any_estimators(counts):
    X, y, _ = counts
    gp = GeneralizedGP("poisson", inference="laplace", restarts=0, optimize=False)
    a = ggpm.compare(X, y, candidates={"plain": gp, "pipe": make_pipeline(StandardScaler(), gp)},
                     splits=2)
    assert a.loc["plain", "nlp"] == pytest.approx(a.loc["pipe", "nlp"], rel=1e-6)
    b = ggpm.compare(X, y, candidates={"plain": gp}, splits=2, n_jobs=2)
    # Another process may run BLAS with another number of threads: the same digits, not the same bits.
    assert b.loc["plain", "nlp"] == pytest.approx(a.loc["plain", "nlp"], rel=1e-9)


def test_the_library_and_scikit_learn_score_a_split_alike(counts):
    X, y, _ = counts
    gp = GeneralizedGP("poisson", inference="laplace", restarts=0, standardize=False)
    ours = ggpm.compare(X, y, candidates=[gp], splits=KFold(3))
    library = ggpm.compare(X, y, likelihoods=["poisson"], splits=KFold(3), restarts=0,
                           standardize=False)
    for column in ("nlp", "mae", "mse", "coverage", "width", "log_marginal", "loo"):
        assert ours[column].iloc[0] == pytest.approx(library[column].iloc[0], rel=1e-6), column


def test_inferences_and_failures_are_rows(counts):
    X, y, _ = counts
    table = ggpm.compare(X, y + 0.5, likelihoods=["gamma-shape", "poisson"],
                         inferences=["taylor", "laplace"], kernel=RBF(), **QUICK)
    assert len(table) == 4
    assert table.loc["poisson, laplace, rbf", "failures"] == 2
    assert "poisson" in table.loc["poisson, laplace, rbf", "failure"]


@pytest.mark.parametrize("y, first", [([-1.0, 2], "gaussian"), ([1.5, 2], None),
                                      ([0.0, 7], "poisson"), ([0.0, 1], "bernoulli"),
                                      ([0.2, 0.7], "beta")])
def test_every_domain_has_families(y, first):
    domain, _ = ggpm._core.recognize_domain(np.array(y), False)
    families = ggpm._core.families_of(domain)
    assert families and (first is None or families[0] == first)


def test_progress_is_told_and_may_stop(counts):
    X, y, _ = counts
    seen = []
    ggpm.compare(X, y, likelihoods=["poisson"], progress=seen.append, **QUICK)
    assert [t.split for t in sorted(seen, key=lambda t: t.split)] == [0, 1]

    def stop(_):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        ggpm.compare(X, y, likelihoods=["poisson"], progress=stop, **QUICK)


def test_wrong_lengths_are_refused(counts):
    X, y, _ = counts
    with pytest.raises(ggpm.DataError, match="exposure has 2"):
        ggpm.compare(X, y, exposure=[1, 2])
