"""What every program is asked: data, kernel, hyperparameters, where a fit starts.

The data is drawn once by `ggpm simulate`; a problem of n rows is the first n of them, so that sizes
are comparable.
"""

from __future__ import annotations

import csv
import subprocess
from dataclasses import dataclass
from pathlib import Path

DIMENSIONS = 4
VARIANCE = 1.0
LENGTHSCALES = (1.0, 1.5, 2.0, 3.0)
START_VARIANCE, START_LENGTHSCALE, START_DISPERSION_FACTOR = 0.5, 2.0, 2.0
PREDICTED_ROWS = 100_000
# Dispersion of ggpm (docs/likelihoods.md): 1/shape, 1/precision, alpha; None: the family has none.
DISPERSION = {"bernoulli": None, "poisson": None, "gamma-shape": 0.25, "beta": 0.1,
              "negative-binomial": 0.5}


@dataclass(frozen=True)
class Case:
    """A model that two programs can both compute."""

    likelihood: str
    link: str
    inference: str

    @property
    def label(self) -> str:
        return f"{self.likelihood} {self.link}, {self.inference}"

    @classmethod
    def parse(cls, label: str) -> Case:
        family, inference = label.split(", ")
        return cls(*family.split(" "), inference)


CASES = [Case.parse(label) for label in (
    "bernoulli logit, laplace", "poisson log, laplace", "gamma-shape log, laplace",
    "beta logit, laplace", "negative-binomial log, laplace",
    "bernoulli probit, ep", "bernoulli probit, kld", "poisson log, kld",
    "gamma-shape log, kld", "beta logit, kld")]


@dataclass
class Problem:
    case: Case
    X: object  # (n, d) NumPy array
    y: object  # (n)
    variance: float
    lengthscales: list
    dispersion: float | None
    threads: int

    @property
    def likelihood(self) -> str:
        return self.case.likelihood


def kernel_text(variance: float, lengthscales) -> str:
    return f"rbf(variance={variance}, lengthscale=[{', '.join(map(str, lengthscales))}])"


def simulate(program: Path, folder: Path, likelihood: str, rows: int) -> Path:
    """The table of a likelihood, drawn unless it is there."""
    path = folder / f"{likelihood}-{rows}.csv"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    link = next(case.link for case in CASES if case.likelihood == likelihood)
    command = [program, "simulate", "--likelihood", likelihood, "--link", link, "--rows", rows,
               "--dimensions", DIMENSIONS, "--range", "0,4", "--seed", 1,
               "--kernel", kernel_text(VARIANCE, LENGTHSCALES), "-o", path]
    if DISPERSION[likelihood] is not None:
        command += ["--dispersion", DISPERSION[likelihood]]
    subprocess.run([str(word) for word in command], check=True)
    return path


def load(table: str, case: Case, rows: int, threads: int, start: bool) -> Problem:
    """The first rows of a table, at the true hyperparameters or where a fit starts."""
    import numpy as np

    with open(table, newline="") as file:
        numbers = np.array([row for _, row in zip(range(rows + 1), csv.reader(file))][1:], float)
    if len(numbers) != rows:
        raise ValueError(f"{table} has {len(numbers)} rows, fewer than {rows}")
    dispersion = DISPERSION[case.likelihood]
    if start and dispersion is not None:
        dispersion *= START_DISPERSION_FACTOR
    return Problem(case, np.ascontiguousarray(numbers[:, :DIMENSIONS]),
                   np.ascontiguousarray(numbers[:, DIMENSIONS]),
                   START_VARIANCE if start else VARIANCE,
                   [START_LENGTHSCALE] * DIMENSIONS if start else list(LENGTHSCALES),
                   dispersion, threads)


def new_inputs(rows: int = PREDICTED_ROWS):
    import numpy as np

    return np.random.default_rng(2).uniform(0, 4, (rows, DIMENSIONS))
