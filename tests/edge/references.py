#!/usr/bin/env python3
"""Predictions at the edges in 50 digits: writes tests/golden/edges/FAMILY.json.

    tests/edge/references.py [FAMILY ...]

For every family and link, extreme but valid dispersions, Gaussians of the latent and outputs:
log p(y), P(Y <= y) and E y, each an integral over the latent. Arithmetic is that of balls (python-flint of
PyPI, 60 digits): a number knows how many of its digits are right, and one that has lost too many is
an error here, not a reference. Formulas are written as in docs/likelihoods.md, not as in the library.
"""
import json
import math
import pathlib
import sys

from flint import arb, ctx

ctx.dps = 60
FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "edges"
NODES = 24
GAUSS = [arb.legendre_p_root(NODES, k, weight=True) for k in range(NODES)]
DROP = 100  # what is e^-100 of the largest does not count
FEW = 1e-17  # of the total, at which halving a panel stops


# ---- one integral, of exp(h)

def number(ball):
    """As a double, if its digits are known."""
    if not ball.is_finite() or ball.rel_accuracy_bits() < 60 and abs(float(ball.mid())) > 1e-250:
        raise ArithmeticError(f"digits are lost: {ball}")
    return float(ball.mid())


def rough(h, x):
    value = h(arb(x))
    return float(value.mid()) if value.is_finite() else -math.inf


def climb(h, left, x, right):
    for _ in range(90):
        a, b = (left + x) / 2, (x + right) / 2
        ha, hx, hb = rough(h, a), rough(h, x), rough(h, b)
        if ha > hx:
            right, x = x, a
        elif hb > hx:
            left, x = x, b
        else:
            left, right = a, b
        if right - left <= 1e-13 * max(1e-290, abs(x)):
            break
    return x


def drop_at(h, peak, top, direction, drop):
    """How far from the peak h is lower by `drop`."""
    step = max(abs(peak), 1.0) * 1e-15
    while rough(h, peak + direction * step) > top - drop and step < 1e18:
        step *= 2
    low, high = step / 2, step
    for _ in range(6):
        middle = math.sqrt(low * high)
        if rough(h, peak + direction * middle) > top - drop:
            low = middle
        else:
            high = middle
    return high


def log_integral(h, mean, sd, guesses=()):
    """log of the integral of exp(h) over the real line; h is log-concave or nearly so around each guess."""
    grid = {mean + sd * t for k in range(-12, 7) for s in (-1, 1) for t in (0, s * 2.0**k)}
    for guess in guesses:
        width = max(abs(guess), 1.0)
        grid |= {guess + s * width * 4.0**-k for k in range(26) for s in (-1, 0, 1)}
    grid = sorted(grid)
    values = [rough(h, x) for x in grid]
    peaks = []
    for i in range(1, len(grid) - 1):
        if values[i] > -math.inf and values[i] >= values[i - 1] and values[i] >= values[i + 1]:
            x = climb(h, grid[i - 1], grid[i], grid[i + 1])
            peaks.append((rough(h, x), x))
    top = max(peaks)[0]
    points = set()
    for value, x in peaks:
        if value < top - DROP:
            continue
        points.add(x)
        for direction in (-1, 1):
            end = drop_at(h, x, value, direction, DROP - (top - value))
            width = min(drop_at(h, x, value, direction, 0.5), end)
            while width < end:
                points.add(x + direction * width)
                width *= 2
            points.add(x + direction * end)
    points = sorted(points)
    scale = arb(top)

    def panel(a, b):
        half, middle = (b - a) / 2, (a + b) / 2
        return half * sum(((h(middle + half * node) - scale).exp() * weight for node, weight in GAUSS), arb(0))

    panels = [(arb(a), arb(b), panel(arb(a), arb(b)), 0) for a, b in zip(points, points[1:])]
    about = sum(float(p[2].mid()) for p in panels)
    total, count = arb(0), 0
    while panels:
        count += 1
        if count > 3000:
            raise ArithmeticError("the integral does not converge")
        a, b, whole, depth = panels.pop()
        middle = (a + b) / 2
        left, right = panel(a, middle), panel(middle, b)
        if depth > 40 or abs(float((left + right - whole).mid())) <= FEW * about:
            total += left + right
        else:
            panels += [(a, middle, left, depth + 1), (middle, b, right, depth + 1)]
    return total.log() + scale


# ---- links

def softplus(x):
    return x + (-x).exp().log1p() if x > 0 else x.exp().log1p()


def ndtr(x):
    return (-x / arb(2).sqrt()).erfc() / 2


def log_1_minus_exp(x):
    return (-x.expm1()).log()


LOG_MEAN = {"log": lambda eta: eta, "softplus": lambda eta: softplus(eta).log(), "linear": lambda eta: softplus(eta).log(),
            "log-square": lambda eta: eta / 2 - arb(2).log() / 2}
REAL_MEAN = {"identity": lambda eta: eta, "log": lambda eta: eta.exp(), "softplus": softplus}
UNIT = {"logit": lambda eta: (-softplus(-eta), -softplus(eta)), "probit": lambda eta: (ndtr(eta).log(), ndtr(-eta).log()),
        "cloglog": lambda eta: (log_1_minus_exp(-eta.exp()), -eta.exp())}
INVERSE = {"log": math.log, "softplus": lambda m: m if m > 30 else math.log(math.expm1(m)), "log-square": lambda m: 2 * math.log(m) + math.log(2),
           "identity": lambda m: m, "logit": lambda m: math.log(m / (1 - m)),
           "probit": lambda m: math.copysign(math.sqrt(max(0.0, -2 * math.log(min(m, 1 - m)))), m - 0.5),
           "cloglog": lambda m: math.log(-math.log1p(-m))}
INVERSE["linear"] = INVERSE["softplus"]


def lgamma(x):
    return x.lgamma()


def gamma_cdf(shape, x):  # regularized
    return x.gamma_lower(shape, 1)


def beta_cdf(a, b, x):
    return x.beta_lower(a, b, 1)


# ---- families: log p(y | eta), P(Y <= y | eta), E(y | eta)

def gaussian(link, phi):
    mu = REAL_MEAN[link]
    return (lambda y, eta: -(y - mu(eta)) ** 2 / (2 * phi) - (2 * arb.pi() * phi).log() / 2,
            lambda y, eta: ndtr((y - mu(eta)) / phi.sqrt()), mu)


def gamma_shape(link, phi):
    m, k = LOG_MEAN[link], 1 / phi
    return (lambda y, eta: (k - 1) * y.log() - y / (phi * m(eta).exp()) - k * (m(eta) + phi.log()) - lgamma(k),
            lambda y, eta: gamma_cdf(k, y / (phi * m(eta).exp())), lambda eta: m(eta).exp())


def gamma_scale(link, phi):
    def shape(eta):
        return LOG_MEAN[link](eta).exp() / phi
    return (lambda y, eta: (shape(eta) - 1) * y.log() - y / phi - shape(eta) * phi.log() - lgamma(shape(eta)),
            lambda y, eta: gamma_cdf(shape(eta), y / phi), lambda eta: LOG_MEAN[link](eta).exp())


def inverse_gaussian(link, phi):
    def mu(eta):
        return LOG_MEAN[link](eta).exp()

    def cdf(y, eta):
        root = (1 / (phi * y)).sqrt()
        return ndtr(root * (y / mu(eta) - 1)) + (2 / (phi * mu(eta))).exp() * ndtr(-root * (y / mu(eta) + 1))
    return (lambda y, eta: -(y - mu(eta)) ** 2 / (2 * phi * y * mu(eta) ** 2) - (2 * arb.pi() * phi * y**3).log() / 2, cdf, mu)


def weibull(link, phi):
    def x(y, eta):
        return (y.log() - eta) / phi
    return (lambda y, eta: x(y, eta) - x(y, eta).exp() - (phi * y).log(), lambda y, eta: -(-x(y, eta).exp()).expm1(),
            lambda eta: eta.exp() * (1 + phi).gamma())


def log_logistic(link, phi):
    def x(y, eta):
        return (y.log() - eta) / phi
    return (lambda y, eta: x(y, eta) - 2 * softplus(x(y, eta)) - (phi * y).log(), lambda y, eta: (-softplus(-x(y, eta))).exp(),
            (lambda eta: eta.exp() * arb.pi() * phi / (arb.pi() * phi).sin()) if phi < 1 else None)


def log_normal(link, phi):
    return (lambda y, eta: -(y.log() - eta) ** 2 / (2 * phi) - (2 * arb.pi() * phi).log() / 2 - y.log(),
            lambda y, eta: ndtr((y.log() - eta) / phi.sqrt()), lambda eta: (eta + phi / 2).exp())


def tweedie(link, phi, power):
    alpha, memory = (2 - power) / (power - 1), {}

    def rate(eta):
        return ((2 - power) * eta).exp() / (phi * (2 - power))

    def constant(y):  # log of the sum over j of what does not depend on the mean
        if y not in memory:
            per = alpha * (y.log() - (phi * (power - 1)).log()) - (phi * (2 - power)).log()
            logs, j, top = [], 1, -math.inf
            while True:
                value = j * per - lgamma(arb(j + 1)) - lgamma(j * alpha)
                top = max(top, float(value.mid()))
                if float(value.mid()) < top - 150:
                    break
                logs.append(value)
                j += 1
            memory[y] = arb(top) + sum(((v - top).exp() for v in logs), arb(0)).log() - y.log()
        return memory[y]

    def log_p(y, eta):
        if y == 0:
            return -rate(eta)
        return y * ((1 - power) * eta).exp() / (phi * (1 - power)) - rate(eta) + constant(y)

    def cdf(y, eta):
        if y == 0:
            return (-rate(eta)).exp()
        expected, scaled = rate(eta), y / (phi * (power - 1) * ((power - 1) * eta).exp())
        out = term = (-expected).exp()
        j = 1
        while j < 4 or float(term.mid()) > 1e-25 * float(out.mid()) or j < float(expected.mid()):
            term *= expected / j
            out += term * gamma_cdf(j * alpha, scaled)
            j += 1
        return out
    return log_p, cdf, lambda eta: eta.exp()


def poisson(link):
    m = LOG_MEAN[link]
    return (lambda y, eta: y * m(eta) - m(eta).exp() - lgamma(y + 1), lambda y, eta: m(eta).exp().gamma_upper(y + 1, 1), lambda eta: m(eta).exp())


def com_poisson(link, nu):
    factorials = [arb(0)]

    def log_term(j, eta):
        while len(factorials) <= j:
            factorials.append(factorials[-1] + arb(len(factorials)).log())
        return nu * (j * LOG_MEAN[link](eta) - factorials[j])

    def sums(eta, last=None):
        """The normalizer relative to its largest term, and how much of it is up to `last`."""
        mode = int(float(LOG_MEAN[link](eta).exp().mid()))
        if mode > 20000:
            raise OverflowError
        top, total, below, weighted = log_term(mode, eta), arb(0), arb(0), arb(0)
        for step, j in ((-1, mode), (1, mode + 1)):
            while j >= 0:
                value = (log_term(j, eta) - top).exp()
                total += value
                weighted += j * value
                if last is not None and j <= last:
                    below += value
                if float(value.mid()) < 1e-40:
                    break
                j += step
        return top, total, below, weighted

    def log_p(y, eta):
        top, total, _, _ = sums(eta)
        return log_term(int(y.mid().unique_fmpz()), eta) - top - total.log()

    def cdf(y, eta):
        _, total, below, _ = sums(eta, int(y.mid().unique_fmpz()))
        return below / total

    def mean(eta):
        _, total, _, weighted = sums(eta)
        return weighted / total
    return log_p, cdf, mean


def log_nb(y, log_p, log_q, r):
    return lgamma(y + r) - lgamma(r) - lgamma(y + 1) + r * log_p + y * log_q


def negative_binomial(link, phi):
    r = 1 / phi

    def split(eta):  # log p of a success, log(1 - p)
        if link == "flipped-log-loss":
            log_q = -softplus(-eta) / phi
            return log_1_minus_exp(log_q), log_q
        x = LOG_MEAN[link](eta) + phi.log()
        return -softplus(x), -softplus(-x)

    def cdf(y, eta):
        log_p, log_q = split(eta)
        if float(log_p.mid()) > -0.1:
            return 1 - beta_cdf(y + 1, r, log_q.exp())
        return beta_cdf(r, y + 1, log_p.exp())
    return lambda y, eta: log_nb(y, *split(eta), r), cdf, lambda eta: r * (split(eta)[1] - split(eta)[0]).exp()


def zero_inflated(inner, zero):
    log_p, cdf, mean = inner
    rest = 1 - zero
    return (lambda y, eta: (zero + rest * log_p(y, eta).exp()).log() if y == 0 else rest.log() + log_p(y, eta),
            lambda y, eta: zero + rest * cdf(y, eta), lambda eta: rest * mean(eta))


def hurdle_poisson(link, zero):
    log_p, cdf, mean = poisson(link)
    rest = 1 - zero

    def positive(eta):
        return -(-mean(eta)).expm1()
    return (lambda y, eta: zero.log() + 0 * eta if y == 0 else rest.log() + log_p(y, eta) - positive(eta).log(),
            lambda y, eta: zero + rest * (1 - (1 - cdf(y, eta)) / positive(eta)), lambda eta: rest * mean(eta) / positive(eta))


def binomial(link, trials):
    def log_p(y, eta):
        log_m, log_c = UNIT[link](eta)
        return lgamma(trials + 1) - lgamma(y + 1) - lgamma(trials - y + 1) + (y * log_m if y > 0 else 0) + ((trials - y) * log_c if y < trials else 0)

    def cdf(y, eta):
        if y >= trials:
            return arb(1)
        log_m, log_c = UNIT[link](eta)
        return beta_cdf(trials - y, y + 1, log_c.exp()) if log_c < log_m else 1 - beta_cdf(y + 1, trials - y, log_m.exp())
    return log_p, cdf, lambda eta: trials * UNIT[link](eta)[0].exp()


def beta_binomial(link, trials, phi):
    def log_beta(a, b):
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    def log_p(y, eta):
        log_m, log_c = UNIT[link](eta)
        a, b = log_m.exp() * (1 - phi) / phi, log_c.exp() * (1 - phi) / phi
        return lgamma(trials + 1) - lgamma(y + 1) - lgamma(trials - y + 1) + log_beta(y + a, trials - y + b) - log_beta(a, b)

    def cdf(y, eta):
        return sum((log_p(arb(k), eta).exp() for k in range(int(y.mid().unique_fmpz()) + 1)), arb(0))
    return log_p, cdf, lambda eta: trials * UNIT[link](eta)[0].exp()


def beta(link, phi):
    def shapes(eta):
        log_m, log_c = UNIT[link](eta)
        return log_m.exp() / phi, log_c.exp() / phi

    def log_p(y, eta):
        a, b = shapes(eta)
        return (a - 1) * y.log() + (b - 1) * (-y).log1p() - lgamma(a) - lgamma(b) + lgamma(1 / phi)
    return log_p, lambda y, eta: beta_cdf(*shapes(eta), y), lambda eta: UNIT[link](eta)[0].exp()


def laplace(link, phi):
    return None, None, lambda eta: eta  # the rest is in closed_form


def student_t(link, phi, df):
    def cdf(y, eta):
        t = (y - eta) / phi
        tail = beta_cdf(df / 2, arb(0.5), df / (df + t * t)) / 2
        return tail if t < 0 else 1 - tail
    return (lambda y, eta: lgamma((df + 1) / 2) - lgamma(df / 2) - (df * arb.pi()).log() / 2 - phi.log()
            - (df + 1) / 2 * (((y - eta) / phi) ** 2 / df).log1p(), cdf, (lambda eta: eta) if df > 1 else None)


def ordinal(link, *cuts):
    def below(k, eta):
        if k == 0:
            return arb(0)
        if k > len(cuts):
            return arb(1)
        x = cuts[k - 1] - eta
        return ndtr(x) if link == "probit" else (-softplus(-x)).exp()

    def between(k, eta):  # from whichever side has the digits
        if 0 < k <= len(cuts) and k > 1 and cuts[k - 2] > eta:
            x, z = cuts[k - 1] - eta, cuts[k - 2] - eta
            return ndtr(-z) - ndtr(-x) if link == "probit" else (-softplus(z)).exp() - (-softplus(x)).exp()
        if k == len(cuts) + 1:
            x = cuts[-1] - eta
            return ndtr(-x) if link == "probit" else (-softplus(x)).exp()
        return below(k, eta) - below(k - 1, eta)

    def level(y):
        return int(y.mid().unique_fmpz())
    return (lambda y, eta: between(level(y), eta).log(), lambda y, eta: below(level(y), eta),
            lambda eta: 1 + sum((1 - below(k, eta) for k in range(1, len(cuts) + 1)), arb(0)))


# ---- the grid of cases

POSITIVE = [(0.7, 0.1), (-20.0, 1.0), (12.0, 0.01), (0.0, 100.0), (3.0, 1e-10)]
SMALL = [(0.7, 0.1), (-20.0, 1.0), (3.0, 1e-10), (2.0, 1.0)]
REAL = [(0.7, 0.1), (-1e6, 1e-4), (0.0, 1e8), (3.0, 1e-10)]
UNITS = [(0.7, 0.1), (-8.0, 1.0), (4.0, 25.0), (0.0, 1e4), (1.0, 1e-10)]
CLOGLOG = [(0.7, 0.1), (-8.0, 1.0), (0.0, 4.0), (0.0, 1e4), (1.0, 1e-10)]

# family: links, parameters (as the library orders them), latents, outputs besides the likely ones
GRID = {
    "gaussian": (["identity", "log", "softplus"], [[0.3], [1e-8], [1e8]], REAL, [-1e6, 1e12]),
    "gamma-shape": (["log", "softplus"], [[0.3], [1e-4], [1e3]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "gamma-scale": (["log", "softplus"], [[0.3], [1e-3], [1e3]], POSITIVE, [1e-100, 1e-6, 1e6]),
    "inverse-gaussian": (["log-square", "log", "softplus"], [[0.3], [1e-4], [1e3]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "exponential": (["log"], [[]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "weibull": (["log"], [[0.3], [1e-3], [30.0]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "log-logistic": (["log"], [[0.3], [1e-3], [30.0]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "log-normal": (["log"], [[0.3], [1e-6], [1e3]], POSITIVE, [1e-100, 1e-6, 1e6, 1e100]),
    "tweedie": (["log"], [[0.5, 1.5], [0.5, 1.1], [5.0, 1.9]], SMALL, [0.0, 1e-6, 100.0]),
    "poisson": (["log", "linear"], [[]], POSITIVE, [0.0, 1e6, 1e12]),
    "com-poisson": (["log", "linear"], [[0.3], [3.0], [40.0]], SMALL, [0.0, 100.0]),
    "negative-binomial": (["flipped-log-loss", "log", "softplus"], [[0.3], [1e-4], [100.0]], POSITIVE, [0.0, 1e6, 1e9]),
    "zero-inflated-poisson": (["log", "softplus"], [[0.3], [1e-9], [0.999]], POSITIVE, [0.0, 1e6]),
    "zero-inflated-negative-binomial": (["log", "softplus"], [[0.3, 0.2], [1e-4, 1e-9], [100.0, 0.99]], POSITIVE, [0.0, 1e6]),
    "hurdle-poisson": (["log", "softplus"], [[0.3], [1e-9], [0.999]], POSITIVE, [0.0, 1e6]),
    "binomial": (["logit", "probit", "cloglog"], [[]], UNITS, []),
    "bernoulli": (["logit", "probit", "cloglog"], [[]], UNITS, []),
    "beta-binomial": (["logit", "probit", "cloglog"], [[0.3], [1e-6], [0.999]], UNITS, []),
    "beta": (["logit", "probit", "cloglog"], [[0.1], [1e-4], [100.0]], UNITS, [1e-100, 1e-9, 1 - 1e-12]),
    "laplace": (["identity"], [[0.5], [1e-8], [1e8]], REAL, [-1e6, 1e12]),
    "student-t": (["identity"], [[0.5, 4.0], [1e-6, 1.0], [1e4, 100.0]], REAL, [-1e6, 1e12]),
    "ordinal": (["probit", "logit"], [[-1.0, 1.0], [0.0, 1e-6], [-50.0, 50.0]], UNITS, []),
}
TRIALS = {"binomial": [1.0, 20.0, 1e9], "bernoulli": [1.0], "beta-binomial": [1.0, 20.0]}
CHEAP = {"gaussian", "laplace", "ordinal", "bernoulli", "exponential", "weibull", "log-logistic", "log-normal", "poisson", "inverse-gaussian"}
COUNTS = {"poisson", "com-poisson", "negative-binomial", "zero-inflated-poisson", "zero-inflated-negative-binomial", "hurdle-poisson",
          "binomial", "bernoulli", "beta-binomial"}


def functions(family, link, parameters, trials):
    p = [arb(value) for value in parameters]
    if family in ("binomial", "bernoulli"):
        return binomial(link, arb(trials))
    if family == "beta-binomial":
        return beta_binomial(link, arb(trials), *p)
    if family == "zero-inflated-poisson":
        return zero_inflated(poisson(link), *p)
    if family == "zero-inflated-negative-binomial":
        return zero_inflated(negative_binomial(link, p[0]), p[1])
    if family == "exponential":
        return weibull(link, arb(1))
    return globals()[family.replace("-", "_")](link, *p)


def outputs(family, mean, latent, more, trials):
    if family == "ordinal":
        return [1.0, 2.0, 3.0]
    out = list(more)
    for z in (-2, 0, 2):
        eta = arb(latent[0]) + z * arb(latent[1]).sqrt()
        y = float((mean(eta) if mean else eta).mid())
        out.append(float(round(y)) if family in COUNTS else y)
    if family in TRIALS:
        out += [0.0, trials]
    if family == "beta":
        out = [y for y in out if 1e-300 < y < 1 - 1e-15]
    elif family in COUNTS:
        out = [y for y in out if y <= 1e15]
    elif family not in ("gaussian", "laplace", "student-t", "tweedie"):
        out = [y for y in out if 1e-300 < y < 1e300]
    return sorted(set(out))


def guesses_of(family, link, y, trials):
    """Where the likelihood of y may have its peak."""
    try:
        if family == "ordinal":
            return [0.0]
        if family == "negative-binomial" and link == "flipped-log-loss":
            return [math.log(y + 0.5), y]
        if family in TRIALS:
            m = (y + 0.25) / (trials + 0.5)
            return [INVERSE[link](m)]
        if family in ("exponential", "weibull", "log-logistic", "log-normal", "tweedie"):
            return [math.log(y + (y == 0))]
        if family in COUNTS:
            return [INVERSE[link](y + 0.5)]
        return [INVERSE.get(link, float)(y)]
    except ValueError:
        return []


def closed_form(family, link, parameters, latent, y):
    """Integrals that are known: log p(y) and P(Y <= y), or None."""
    m, v = arb(latent[0]), arb(latent[1])
    d, phi = arb(y) - m, arb(parameters[0]) if parameters else None
    if family == "gaussian" and link == "identity":
        return [number(-d * d / (2 * (v + phi)) - (2 * arb.pi() * (v + phi)).log() / 2), number(ndtr(d / (v + phi).sqrt()))]
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
    known = closed_form(family, link, parameters, latent, y)
    if known:
        return [known[0], known[1] if 1e-12 < known[1] else None]
    log_p, cdf, _ = functions(family, link, parameters, trials)
    m, v = arb(latent[0]), arb(latent[1])

    def log_normal_density(eta):
        return -(eta - m) ** 2 / (2 * v) - (2 * arb.pi() * v).log() / 2
    guesses = guesses_of(family, link, y, trials)
    sd, exact = math.sqrt(latent[1]), arb(y)
    out = [number(log_integral(lambda eta: log_p(exact, eta) + log_normal_density(eta), latent[0], sd, guesses))]

    # Incomplete beta and gamma functions of enormous arguments take minutes in 60 digits.
    costly = family not in CHEAP and (trials > 1e4 or y > 1e4 or latent[0] > 10 or latent[1] > 10 or min(parameters, default=1) < 1e-3
                                        or (family == "beta" and parameters[0] != 0.1))
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
    links, dispersions, latents, more = GRID[family]
    groups, lost = [], 0
    for link in links:
        for parameters in dispersions:
            for trials in TRIALS.get(family, [1.0]):
                for latent in CLOGLOG if link == "cloglog" else latents:
                    if family in ("gaussian",) and link != "identity":
                        latent = {(-1e6, 1e-4): (5.0, 1e-4), (0.0, 1e8): (0.0, 4.0)}.get(latent, latent)
                    rows = []
                    for y in outputs(family, functions(family, link, parameters, trials)[2], latent, more, trials):
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
