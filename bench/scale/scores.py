"""How good latent means and variances are, for every program by the same rules."""

from __future__ import annotations

import numpy as np
from data import TEST_ROWS, Scene, log_density, outputs

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
LOG_WEIGHTS = np.log(WEIGHTS / WEIGHTS.sum())


def predictive(family: str, y, mean, sd):
    """log of the integral of p(y | eta) under the latent marginal."""
    terms = LOG_WEIGHTS + log_density(family, y[:, None], mean[:, None] + sd[:, None] * NODES)
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))


def crps(family: str, y, mean, sd, draws: int = 100):
    rng = np.random.default_rng(5)
    eta = mean + sd * rng.normal(size=(draws, len(mean)))
    Y = np.sort([outputs(family, row, rng) for row in eta], axis=0)
    weight = (2 * np.arange(1, draws + 1) - draws - 1) / draws**2
    return (np.abs(Y - y).mean(axis=0) - (weight[:, None] * Y).sum(axis=0)).mean()


def score(scene: Scene, mean, sd, to_cut=None) -> dict:
    """Near: test rows among training rows; far: in the hole; cut: the tenth of the first that is nearest to a cut."""
    half = np.arange(TEST_ROWS // 2)
    parts = {"near": half, "far": half + len(half)}
    if to_cut is not None:
        parts["cut"] = np.argsort(to_cut[half])[:len(half) // 10]
    out = {}
    for where, rows in parts.items():
        y, eta, m, s = scene.y_new[rows], scene.eta[rows], mean[rows], np.maximum(sd[rows], 1e-9)
        nlp = -predictive(scene.family, y, m, s).mean()
        true = -log_density(scene.family, y, eta).mean()
        out[where] = {"nlp": nlp, "above_truth": nlp - true, "crps": crps(scene.family, y, m, s),
                      "rmse": np.sqrt(((m - eta) ** 2).mean()),
                      "within_50": (np.abs(m - eta) < 0.67449 * s).mean(),
                      "within_95": (np.abs(m - eta) < 1.95996 * s).mean()}
    return {where: {key: float(value) for key, value in part.items()}
            for where, part in out.items()}
