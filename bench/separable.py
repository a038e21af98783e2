#!/usr/bin/env python3
"""How far log marginals of classes that separate are from the truth, which draws from the prior tell.

    python3 bench/separable.py GGPM

Three rows, then thirty, of a latent function with standard deviation 6: the truth is the average of p(y|f) over 12
million draws from the prior, which needs nothing of ggpm.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DRAWS, BLOCK = 12_000_000, 200_000


def log_marginal_by_draws(square_root, y, random):
    """log of the average of p(y|f), f = square_root z, and its standard error."""
    signs = 2 * y[:, None] - 1
    total = squares = 0.0
    for _ in range(DRAWS // BLOCK):
        f = square_root @ random.normal(size=(square_root.shape[1], BLOCK))
        p = np.exp(-np.logaddexp(0, -signs * f).sum(0))
        total, squares = total + p.sum(), squares + (p**2).sum()
    mean = total / DRAWS
    return np.log(mean), np.sqrt((squares / DRAWS - mean**2) / DRAWS) / mean


def main(ggpm):
    random = np.random.default_rng(5)
    for x, length_scale in ((np.arange(3.0), 1.0), (np.linspace(0, 10, 30), 2.5)):
        K = 36 * np.exp(-0.5 * ((x[:, None] - x) / length_scale) ** 2)
        values, vectors = np.linalg.eigh(K)
        kept = values > 1e-9 * values.max()
        square_root = vectors[:, kept] * np.sqrt(values[kept])
        f = square_root @ random.normal(size=kept.sum())
        y = (random.uniform(size=len(x)) < 1 / (1 + np.exp(-f))).astype(int)
        with tempfile.TemporaryDirectory() as folder:
            table, model = Path(folder, "t.csv"), Path(folder, "m.ggpm")
            table.write_text("x,y\n" + "".join(f"{a!r},{b}\n" for a, b in zip(x.tolist(), y)))

            def run(*words):
                done = subprocess.run([ggpm, *map(str, words), "--json", "--quiet"], check=True, capture_output=True,
                                      text=True)
                return json.loads(done.stdout)["log_marginal"]

            truth, error = log_marginal_by_draws(square_root, y, random)
            print(f"{len(x)} rows, draws from the prior: {truth:.3f} ± {error:.3f}")
            for inference in ("laplace", "kld", "ep"):
                found = run("fit", table, "--target", "y", "--likelihood", "bernoulli", "--kernel",
                            f"rbf(36, {length_scale})", "--no-optimize", "--no-standardize", "--inference", inference,
                            "-o", model)
                print(f"  {inference:8} {found:.3f}, off by {found - truth:+.3f}")
            annealed = run("diagnose", model)
            print(f"  annealing {annealed['value']:.3f} ± {annealed['standard_error']:.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
