"""What runs side by side, through joblib, has the numbers of what runs one after another."""

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP

COLUMNS = ["nlp", "mae", "mse", "coverage", "width", "log_marginal", "loo", "rank", "failures"]


def test_compare_gives_the_same_numbers_in_other_processes(counts):
    pytest.importorskip("pandas")
    X, y, exposure = counts
    options = {"likelihoods": ["poisson", "negative-binomial"], "exposure": exposure, "splits": 3, "restarts": 1,
               "keep": 1, "inferences": ["laplace"]}
    seen = []
    here = ggpm.compare(X, y, threads=1, **options)
    there = ggpm.compare(X, y, n_jobs=2, progress=seen.append, **options)
    # Another process may run BLAS with another number of threads: the same digits, not the same bits.
    np.testing.assert_allclose(there[COLUMNS], here[COLUMNS], rtol=1e-9)
    assert list(there.index) == list(here.index)
    assert there.attrs["recommendation"] == here.attrs["recommendation"]
    assert len(seen) == 6


def test_the_best_of_several_fits_is_the_same_wherever_they_run(counts):
    X, y, exposure = counts
    model = GeneralizedGP("poisson", inference="laplace", restarts=5, keep=1)
    here = ggpm.fit_best(model, X, y, fits=3, exposure=exposure)
    there = ggpm.fit_best(model, X, y, fits=3, n_jobs=2, exposure=exposure)
    assert there.log_marginal_likelihood_ == pytest.approx(here.log_marginal_likelihood_, rel=1e-9)
    assert there.random_state == here.random_state
    np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=1e-6)
    singles = [GeneralizedGP("poisson", inference="laplace", restarts=r, keep=1, random_state=1 + k, threads=1)
               .fit(X, y, exposure=exposure).log_marginal_likelihood_ for k, r in enumerate([2, 2, 1])]
    assert here.log_marginal_likelihood_ == pytest.approx(max(singles), rel=1e-9)
