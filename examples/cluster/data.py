"""Counts over the plane, and what the examples of this folder do with them."""

import numpy as np

import ggpm
from ggpm import GeneralizedGP


def counts(rows=60, seed=1):
    random = np.random.default_rng(seed)
    X = random.uniform(size=(rows, 2))
    return X, random.poisson(np.exp(1 + np.sin(5 * X[:, 0]) + X[:, 1]))


def work(n_jobs):
    """A comparison, a cross-validation and the restarts of a fit, as many jobs at a time."""
    from sklearn.model_selection import cross_val_score

    X, y = counts()
    model = GeneralizedGP("poisson", inference="laplace", restarts=2, keep=1, threads=1)
    table = ggpm.compare(X, y, likelihoods=["poisson", "negative-binomial"], splits=2, restarts=1, keep=1,
                         threads=1, n_jobs=n_jobs)
    scores = cross_val_score(model, X, y, cv=2, scoring=ggpm.log_density_score, n_jobs=n_jobs)
    best = ggpm.fit_best(model, X, y, fits=2, n_jobs=n_jobs)
    return [*table["nlp"], *scores, best.log_marginal_likelihood_]


def same_as_serial(numbers):
    """Every backend has the numbers of one process."""
    np.testing.assert_allclose(numbers, work(n_jobs=1), rtol=1e-8)
    print("the same numbers as one after another:", np.round(numbers, 4))
