"""The cases: extreme but valid dispersions, Gaussians of the latent and outputs of each family and link."""
import math

from families import INVERSE
from flint import arb

POSITIVE = [(0.7, 0.1), (-20.0, 1.0), (12.0, 0.01), (0.0, 100.0), (3.0, 1e-10)]
SMALL = [(0.7, 0.1), (-20.0, 1.0), (3.0, 1e-10), (2.0, 1.0)]
REAL = [(0.7, 0.1), (-1e6, 1e-4), (0.0, 1e8), (3.0, 1e-10)]
CURVED = [(0.7, 0.1), (5.0, 1e-4), (0.0, 4.0), (3.0, 1e-10)]  # a real mean that is an exponential
UNITS = [(0.7, 0.1), (-8.0, 1.0), (4.0, 25.0), (0.0, 1e4), (1.0, 1e-10)]
CLOGLOG = [(0.7, 0.1), (-8.0, 1.0), (0.0, 4.0), (0.0, 1e4), (1.0, 1e-10)]

# family: links, parameters (as the library orders them), outputs besides the likely ones
GRID = {
    "gaussian": (["identity", "log", "softplus"], [[0.3], [1e-8], [1e8]], [-1e6, 1e12]),
    "gamma-shape": (["log", "softplus"], [[0.3], [1e-4], [1e3]], [1e-100, 1e-6, 1e6, 1e100]),
    "gamma-scale": (["log", "softplus"], [[0.3], [1e-3], [1e3]], [1e-100, 1e-6, 1e6]),
    "inverse-gaussian": (["log-square", "log", "softplus"], [[0.3], [1e-4], [1e3]], [1e-100, 1e-6, 1e6, 1e100]),
    "exponential": (["log"], [[]], [1e-100, 1e-6, 1e6, 1e100]),
    "weibull": (["log"], [[0.3], [1e-3], [30.0]], [1e-100, 1e-6, 1e6, 1e100]),
    "log-logistic": (["log"], [[0.3], [1e-3], [30.0]], [1e-100, 1e-6, 1e6, 1e100]),
    "log-normal": (["log"], [[0.3], [1e-6], [1e3]], [1e-100, 1e-6, 1e6, 1e100]),
    "tweedie": (["log"], [[0.5, 1.5], [0.5, 1.1], [5.0, 1.9]], [0.0, 1e-6, 100.0]),
    "poisson": (["log", "linear"], [[]], [0.0, 1e6, 1e12]),
    "com-poisson": (["log", "linear"], [[0.3], [3.0], [40.0]], [0.0, 100.0]),
    "negative-binomial": (["flipped-log-loss", "log", "softplus"], [[0.3], [1e-4], [100.0]], [0.0, 1e6, 1e9]),
    "zero-inflated-poisson": (["log", "softplus"], [[0.3], [1e-9], [0.999]], [0.0, 1e6]),
    "zero-inflated-negative-binomial": (["log", "softplus"], [[0.3, 0.2], [1e-4, 1e-9], [100.0, 0.99]], [0.0, 1e6]),
    "hurdle-poisson": (["log", "softplus"], [[0.3], [1e-9], [0.999]], [0.0, 1e6]),
    "binomial": (["logit", "probit", "cloglog"], [[]], []),
    "bernoulli": (["logit", "probit", "cloglog"], [[]], []),
    "beta-binomial": (["logit", "probit", "cloglog"], [[0.3], [1e-6], [0.999], [1e-12]], []),
    "beta": (["logit", "probit", "cloglog"], [[0.1], [1e-4], [100.0]], [1e-100, 1e-9, 1 - 1e-12]),
    "laplace": (["identity"], [[0.5], [1e-8], [1e8]], [-1e6, 1e12]),
    "student-t": (["identity"], [[0.5, 4.0], [1e-6, 1.0], [1e4, 100.0]], [-1e6, 1e12]),
    "ordinal": (["probit", "logit"], [[-1.0, 1.0], [0.0, 1e-6], [-50.0, 50.0]], []),
}
# Sums and incomplete functions of enormous arguments take minutes in 60 digits; these families have neither.
CHEAP = {"gaussian", "laplace", "ordinal", "bernoulli", "exponential", "weibull", "log-logistic", "log-normal", "poisson", "inverse-gaussian", "student-t"}
OF_TRIALS = {"binomial", "bernoulli", "beta-binomial"}
COUNTS = {"poisson", "com-poisson", "negative-binomial", "zero-inflated-poisson", "zero-inflated-negative-binomial", "hurdle-poisson"} | OF_TRIALS
REALS = {"gaussian", "laplace", "student-t"}


def trials_of(family, parameters):
    if family == "binomial":
        return [1.0, 20.0, 1e9]
    if family == "beta-binomial":
        return {1e-12: [2e15], 1e-6: [1.0, 20.0, 2e15]}.get(parameters[0], [1.0, 20.0])
    return [1.0]


def latents_of(family, link, trials):
    if trials == 2e15:
        return [(0.7, 0.1), (0.0, 1e-30), (1.0, 1e-30), (-2.0, 1e-30)]
    if link == "cloglog":
        return CLOGLOG
    if family in REALS:
        return REAL if link == "identity" else CURVED
    if family in OF_TRIALS | {"beta", "ordinal"}:
        return UNITS
    return SMALL if family in ("tweedie", "com-poisson") else POSITIVE


def outputs(family, parameters, mean, latent, more, trials):
    if family == "ordinal":
        return [1.0, 2.0, 3.0]
    out = list(more)
    for z in (-2, 0, 2):
        eta = arb(latent[0]) + z * arb(latent[1]).sqrt()
        y = float((mean(eta) if mean else eta).mid())
        out.append(float(round(y)) if family in COUNTS else y)
    if family in OF_TRIALS:
        out += [0.0, trials]
    if trials == 2e15:  # a deviation away, and far away
        out += [float(round(out[1] + z * trials * math.sqrt(parameters[0]) / 2)) for z in (-6, -1, 1, 6)]
    if family == "beta":
        out = [y for y in out if 1e-300 < y < 1 - 1e-15]
    elif family in COUNTS:
        out = [y for y in out if y <= max(1e15, trials)]
    elif family not in REALS | {"tweedie"}:
        out = [y for y in out if 1e-300 < y < 1e300]
    return sorted(set(out))


def peaks_of(family, link, y, trials):
    """Where the likelihood of y may have its peak."""
    try:
        if family == "ordinal":
            return [0.0]
        if family == "negative-binomial" and link == "flipped-log-loss":
            return [math.log(y + 0.5), y]
        if family in OF_TRIALS:
            m = (y + 0.25) / (trials + 0.5)
            return [INVERSE[link](m)]
        if family in ("exponential", "weibull", "log-logistic", "log-normal", "tweedie"):
            return [math.log(y + (y == 0))]
        if family in COUNTS:
            return [INVERSE[link](y + 0.5)]
        return [INVERSE.get(link, float)(y)]
    except ValueError:
        return []
