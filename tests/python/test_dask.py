"""Model selection over a Dask cluster. Runs where Dask is installed; Debian's packages are not needed."""

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP

distributed = pytest.importorskip("dask.distributed")


def test_compare_gives_the_same_numbers_on_a_cluster(counts):
    import joblib

    X, y, exposure = counts
    candidates = {name: GeneralizedGP(name, inference="laplace", restarts=1, keep=1, threads=1)
                  for name in ("poisson", "negative-binomial")}
    options = {"candidates": candidates, "exposure": exposure, "splits": 2}
    here = ggpm.compare(X, y, **options)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster), joblib.parallel_backend("dask"):
            there = ggpm.compare(X, y, n_jobs=-1, **options)
    columns = ["nlp", "mae", "mse", "coverage", "rank"]
    np.testing.assert_allclose(there.loc[here.index, columns], here[columns], rtol=1e-8)
