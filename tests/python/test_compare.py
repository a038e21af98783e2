import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ggpm
from ggpm import RBF, GeneralizedGP

pytest.importorskip("pandas")
QUICK = {"restarts": 1, "keep": 1, "splits": 2}


def test_overdispersed_counts_prefer_the_negative_binomial(counts):
    X, _, exposure = counts
    random = np.random.default_rng(0)
    y = random.negative_binomial(1.0, 1 / (1 + exposure * np.exp(2 + np.sin(X[:, 0]))))
    table = ggpm.compare(X, y, likelihoods=["poisson", ("poisson", "linear"), "negative-binomial"],
                         exposure=exposure, **QUICK)
    assert table.index[0] == "negative-binomial"
    assert set(table.index) == {"poisson", "poisson linear", "negative-binomial"}
    assert np.all(np.isfinite(table[["nlp", "mae", "mse", "coverage95", "rank", "seconds"]]))
    assert (table["failed"] == 0).all()


def test_candidates_are_any_estimators(counts):
    X, y, _ = counts
    gp = GeneralizedGP("poisson", restarts=0, optimize=False)
    a = ggpm.compare(X, y, candidates={"plain": gp, "pipe": make_pipeline(StandardScaler(), gp)},
                     splits=2)
    assert a.loc["plain", "nlp"] == pytest.approx(a.loc["pipe", "nlp"], rel=1e-6)
    b = ggpm.compare(X, y, candidates={"plain": gp}, splits=2, n_jobs=2)
    # Another process may run BLAS with another number of threads: the same digits, not the same bits.
    assert b.loc["plain", "nlp"] == pytest.approx(a.loc["plain", "nlp"], rel=1e-9)


def test_inferences_and_failures_are_rows(counts):
    X, y, _ = counts
    table = ggpm.compare(X, y + 0.5, likelihoods=["gamma-shape", "poisson"],
                         inferences=["taylor", "laplace"], kernel=RBF(), **QUICK)
    assert len(table) == 4
    assert table.loc["poisson laplace", "failed"] == 2
    assert "poisson" in table.loc["poisson laplace", "error"]


@pytest.mark.parametrize("y", [[-1.0, 2], [1.5, 2], [0.0, 7], [0.0, 1], [0.2, 0.7]])
def test_every_domain_has_candidates(y):
    candidates = ggpm.comparison.default_candidates(y, restarts=3)
    assert len(candidates) >= 3
    assert all(c.restarts == 3 for c in candidates.values())


def test_wrong_lengths_are_refused(counts):
    X, y, _ = counts
    with pytest.raises(ggpm.DataError, match="exposure has 2"):
        ggpm.compare(X, y, exposure=[1, 2])
