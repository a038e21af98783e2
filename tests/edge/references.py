#!/usr/bin/env python3
"""Predictions at the edges in 60 digits: writes tests/golden/edges/FAMILY.json.

    tests/edge/references.py [FAMILY ...]

For every case of grid.py log p(y), P(Y <= y) and E y, each an integral over the latent (integrals.py) of a formula
(families.py). Needs python-flint of PyPI.
"""
import json
import math
import pathlib
import sys

from families import functions, ndtr
from flint import arb, ctx
from grid import CHEAP, GRID, latents_of, outputs, peaks_of, trials_of
from integrals import log_integral, number

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "edges"


def closed_form(family, link, parameters, trials, latent, y):
    """Integrals that are known: log p(y) and P(Y <= y), or None."""
    m, v = arb(latent[0]), arb(latent[1])
    d, phi = arb(y) - m, arb(parameters[0]) if parameters else None
    if family == "gaussian" and link == "identity":
        return [number(-d * d / (2 * (v + phi)) - (2 * arb.pi() * (v + phi)).log() / 2), number(ndtr(d / (v + phi).sqrt()))]
    if family == "beta-binomial" and latent[1] < 1e-25:  # which nothing sees
        log_p, cdf, _ = functions(family, link, parameters, trials)
        return [number(log_p(arb(y), m)), number(cdf(arb(y), m))]
    if family == "inverse-gaussian" and y * parameters[0] < 1e-30:  # the mean is y, to less than doubles tell: the density of a mean
        eta = {"log": arb(y).log(), "log-square": 2 * arb(y).log() + arb(2).log(), "softplus": arb(y).expm1().log()}[link]
        slope = 2 if link == "log-square" else 1
        return [number(-(eta - m) ** 2 / (2 * v) - (2 * arb.pi() * v).log() / 2 + arb(slope).log() - arb(y).log()), 0.0]
    if family == "inverse-gaussian" and link == "softplus" and y > 1e50:  # a saddle point, exact to 1/|log p|; the mean is eta there
        ctx.dps = 200
        try:
            y, eta = arb(y), (arb(y) * v / phi).sqrt().sqrt()
            for _ in range(30):
                slope = (y / eta - 1) / (phi * eta**2) - (eta - m) / v
                eta -= slope / ((2 * eta - 3 * y) / (phi * eta**4) - 1 / v)
            eta = eta.mid()
            curvature = 1 / v - (2 * eta - 3 * y) / (phi * eta**4)
            return [number(-(y / eta - 1) ** 2 / (2 * phi * y) - (2 * arb.pi() * phi * y**3).log() / 2 - (eta - m) ** 2 / (2 * v)
                           - (v * curvature).log() / 2), 1.0]
        finally:
            ctx.dps = 60
    if family == "laplace":  # what is exponential on either side of y, under a Gaussian
        ctx.dps = 200
        try:
            s, at = v.sqrt(), v / (2 * phi * phi)
            left = (at - d / phi).exp() * ndtr(d / s - s / phi)
            right = (at + d / phi).exp() * ndtr(-d / s - s / phi)
            return [number(((left + right) / (2 * phi)).log()), number(ndtr(d / s) - left / 2 + right / 2)]
        finally:
            ctx.dps = 60
    return None


def case(family, link, parameters, trials, latent, y):
    known = closed_form(family, link, parameters, trials, latent, y)
    if known:
        return [known[0], known[1] if 1e-12 < known[1] else None]
    log_p, cdf, _ = functions(family, link, parameters, trials)
    m, v = arb(latent[0]), arb(latent[1])

    def log_normal_density(eta):
        return -(eta - m) ** 2 / (2 * v) - (2 * arb.pi() * v).log() / 2
    guesses = peaks_of(family, link, y, trials)
    sd, exact = math.sqrt(latent[1]), arb(y)
    out = [number(log_integral(lambda eta: log_p(exact, eta) + log_normal_density(eta), latent[0], sd, guesses))]

    costly = family not in CHEAP and (trials > 1e4 or y > 1e4 or latent[0] > 10 or latent[1] > 10 or min(parameters, default=1) < 1e-3
                                        or (family == "beta" and parameters[0] != 0.1)
                                        or (family == "tweedie" and y > 0 and (parameters[1] < 1.5 or latent[1] > 0.5)))
    if costly:
        return out + [None]

    def log_cdf(eta):
        p = cdf(exact, eta)
        return (p.log() if p > 0 else arb(-1e300)) + log_normal_density(eta)
    try:
        p = number(log_integral(log_cdf, latent[0], sd, guesses).exp())
        out.append(p if 1e-12 < p < 1 + 1e-12 else None)
    except (ArithmeticError, ValueError, OverflowError):
        out.append(None)
    return out


def mean_of(family, link, parameters, trials, latent):
    mean = functions(family, link, parameters, trials)[2]
    if mean is None:
        return None
    if link == "identity":
        return latent[0]
    m, v = arb(latent[0]), arb(latent[1])
    try:
        h = log_integral(lambda eta: mean(eta).log() - (eta - m) ** 2 / (2 * v) - (2 * arb.pi() * v).log() / 2,
                         latent[0], math.sqrt(latent[1]), [latent[0] + latent[1], latent[0] + latent[1] / 2])
        return number(h.exp())
    except (ArithmeticError, ValueError, OverflowError):
        return None


def write(family):
    links, dispersions, more = GRID[family]
    groups, lost = [], 0
    for link in links:
        for parameters in dispersions:
            for trials in trials_of(family, parameters):
                for latent in latents_of(family, link, trials):
                    rows = []
                    for y in outputs(family, parameters, functions(family, link, parameters, trials)[2], latent, more, trials):
                        try:
                            rows.append([y] + case(family, link, parameters, trials, latent, y))
                        except (ArithmeticError, ValueError, OverflowError, IndexError) as error:
                            lost += 1
                            print(f"  {family} {link} {parameters} {latent} y={y}: {error}", file=sys.stderr)
                    groups.append({"link": link, "parameters": parameters, "trials": trials, "latent": latent,
                                   "mean": mean_of(family, link, parameters, trials, latent), "rows": rows})
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / f"{family}.json", "w") as out:
        out.write(json.dumps({"family": family, "columns": ["y", "log_density", "cdf"]})[:-1] + ', "groups": [\n')
        out.write(",\n".join(json.dumps(group) for group in groups) + "\n]}\n")
    print(family, sum(len(group["rows"]) for group in groups), "rows,", lost, "left out")


if __name__ == "__main__":
    for name in sys.argv[1:] or GRID:
        write(name)
