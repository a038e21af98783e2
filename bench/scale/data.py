"""Data whose truth is known at any n: a function of random Fourier features, seen through a family.

S1, S2: two inputs, Matérn-3/2, length-scale 0.1 and 0.01. S3: eight inputs, RBF, one length-scale
each. S4: one input, a slow function and a period. A square (a stretch of the first input) is left
out of the training rows; half of the test rows lie in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special

FEATURES = 4000
TEST_ROWS = 5000
SCENES = ("S1", "S2", "S3", "S4")
FAMILIES = ("bernoulli", "poisson", "gamma", "gaussian")
LEVEL = {"bernoulli": 0.0, "poisson": -0.5, "gamma": 0.0, "gaussian": 0.0}  # mean count about 1
SHAPE, NOISE = 2.0, 0.05
EIGHT = np.array([0.5, 1, 2, 4, 4, 8, 8, 8])


@dataclass
class Scene:
    name: str
    family: str
    X: np.ndarray  # (n, d) training
    y: np.ndarray
    Z: np.ndarray  # (m, d) test: first half anywhere, second half where no training row is
    eta: np.ndarray  # (m) the truth there
    y_new: np.ndarray


def function(name: str, rng):
    """x (n, d) -> eta (n), of variance 1."""
    if name == "S4":
        slow = matern(1, np.array([0.05]), rng)
        return lambda x: 0.8 * slow(x) + 0.85 * np.sin(2 * np.pi * x[:, 0] / 0.01)
    if name == "S3":
        return features(rng.normal(size=(8, FEATURES)) / EIGHT[:, None], rng)
    return matern(2, np.full(2, 0.1 if name == "S1" else 0.01), rng)


def matern(d: int, lengthscale, rng):
    student = rng.normal(size=(d, FEATURES)) / np.sqrt(rng.chisquare(3, FEATURES) / 3)
    return features(student / lengthscale[:, None], rng)


def features(frequency, rng):
    phase = rng.uniform(0, 2 * np.pi, FEATURES)

    def evaluate(x):
        parts = [np.cos(part @ frequency + phase).sum(axis=1)
                 for part in np.array_split(x, max(1, len(x) // 2000))]
        return np.sqrt(2 / FEATURES) * np.concatenate(parts)

    return evaluate


def outputs(family: str, eta, rng):
    if family == "bernoulli":
        return (rng.uniform(size=len(eta)) < special.expit(eta)).astype(float)
    if family == "poisson":
        return rng.poisson(np.exp(eta)).astype(float)
    if family == "gamma":
        return rng.gamma(SHAPE, np.exp(eta) / SHAPE)
    return eta + np.sqrt(NOISE) * rng.normal(size=len(eta))


def log_density(family: str, y, eta):
    if family == "bernoulli":
        return -np.logaddexp(0, np.where(y > 0, -eta, eta))
    if family == "poisson":
        return y * eta - np.exp(eta) - special.gammaln(y + 1)
    if family == "gamma":
        rate = SHAPE * np.exp(-eta)
        return SHAPE * np.log(rate) - special.gammaln(SHAPE) + (SHAPE - 1) * np.log(y) - rate * y
    return -0.5 * np.log(2 * np.pi * NOISE) - (y - eta) ** 2 / (2 * NOISE)


def draw(name: str, family: str, n: int, seed: int = 1) -> Scene:
    rng = np.random.default_rng([seed, SCENES.index(name), FAMILIES.index(family)])
    evaluate = function(name, rng)
    d = {"S1": 2, "S2": 2, "S3": 8, "S4": 1}[name]
    side = 0.02 if name in ("S2", "S4") else 0.1  # of the hole, around the middle

    def hole(x):
        return (np.abs(x[:, :min(d, 2)] - 0.5) < side / 2).all(axis=1)

    X = rng.uniform(size=(int(1.2 * n) + 1000, d))
    X = X[~hole(X)][:n]
    Z = rng.uniform(size=(TEST_ROWS, d))
    Z[TEST_ROWS // 2:, :min(d, 2)] = 0.5 + side * (Z[TEST_ROWS // 2:, :min(d, 2)] - 0.5)
    eta = LEVEL[family] + evaluate(Z)
    return Scene(name, family, X, outputs(family, LEVEL[family] + evaluate(X), rng), Z, eta,
                 outputs(family, eta, rng))


def stored(folder: Path, name: str, family: str, n: int) -> Path:
    """Drawn unless it is there."""
    path = folder / f"{name}-{family}-{n}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        scene = draw(name, family, n)
        np.savez(path, X=scene.X, y=scene.y, Z=scene.Z, eta=scene.eta, y_new=scene.y_new)
    return path


def load(path: Path) -> Scene:
    name, family, _ = path.stem.split("-")
    with np.load(path) as file:
        return Scene(name, family, *(file[key] for key in ("X", "y", "Z", "eta", "y_new")))
