"""Families as in docs/likelihoods.md, not as in the library: of each log p(y | eta), P(Y <= y | eta) and E(y | eta)."""
import math

import integrals
from flint import arb, arb_poly


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
    p = x.gamma_lower(shape, 1)
    if p.rel_accuracy_bits() > 100:
        return p
    term = total = arb(1)  # a series without a sign, where the library gives up
    k = 1
    while not (term < total * arb(1e-40) and k > float(x.mid()) - float(shape.mid())):
        term *= x / (shape + k)
        total += term
        k += 1
    return (shape * x.log() - x - lgamma(shape + 1)).exp() * total


def beta_cdf(a, b, x):
    return x.beta_lower(a, b, 1)


# ---- log p(y | eta), P(Y <= y | eta), E(y | eta)

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

    def mills(x):  # P(Z > x) e^(x^2/2), where erfc has no digits left by its series
        if x < 1000:
            return ndtr(-x) * (x * x / 2).exp()
        term = total = arb(1)
        for k in range(1, 20, 2):
            term *= -k / (x * x)
            total += term
        return total / (x * (2 * arb.pi()).sqrt())

    def cdf(y, eta):  # the second part has a factor e^(2/(phi m)), which with that of mills is e^(-z^2/2)
        root, m = (1 / (phi * y)).sqrt(), mu(eta)
        z = root * (y / m - 1)
        return ndtr(z) + (-z * z / 2).exp() * mills(root * (y / m + 1))
    return (lambda y, eta: -(y / mu(eta) - 1) ** 2 / (2 * phi * y) - (2 * arb.pi() * phi * y**3).log() / 2, cdf, mu)


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
        if expected > 500:  # e^-100 and less for the outputs of the grid
            return arb(0)
        out = weight = (-expected).exp()
        j, before = 1, arb(0)
        while True:  # terms rise, then fall
            weight *= expected / j
            term = weight * gamma_cdf(j * alpha, scaled)
            out += term
            if j > 3 and term < before and term < out * arb(1e-25):
                return out
            before = term
            j += 1
    return log_p, cdf, lambda eta: eta.exp()


def poisson(link):
    m = LOG_MEAN[link]
    return (lambda y, eta: y * m(eta) - m(eta).exp() - lgamma(y + 1), lambda y, eta: m(eta).exp().gamma_upper(y + 1, 1), lambda eta: m(eta).exp())


def com_poisson(link, nu):
    """The normalizer is a power series in mu^nu; so is what is up to y, and what weights each count by itself."""
    series = {}

    def too_many(eta):  # eight deviations of the latent away, and more: what is there is 1e-14 of the whole
        return LOG_MEAN[link](eta) > 10

    def terms(eta):  # of the sum, until they are e^-150 of the largest and less
        mean, many = float(LOG_MEAN[link](eta).exp().mid()), 256
        while many < mean + 20 * math.sqrt(mean / float(nu)) + 200:
            many *= 2
        if many not in series:
            log_factorial, coefficients = arb(0), [arb(1)]
            for j in range(1, many):
                log_factorial += arb(j).log()
                coefficients.append((-nu * log_factorial).exp())
            series[many] = arb_poly(coefficients)
        return series[many]

    def argument(eta):
        return (nu * LOG_MEAN[link](eta)).exp()

    def log_p(y, eta):
        if too_many(eta):
            return arb(-1e6)
        return nu * (y * LOG_MEAN[link](eta) - lgamma(y + 1)) - terms(eta)(argument(eta)).log()

    def cdf(y, eta):
        if too_many(eta):
            return arb(0)
        x, all_terms = argument(eta), terms(eta)
        few = arb_poly(all_terms.coeffs()[:int(y.mid().unique_fmpz()) + 1])
        return few(x) / all_terms(x)

    def mean(eta):
        if too_many(eta):
            return arb(-1e6).exp()
        x, all_terms = argument(eta), terms(eta)
        return x * all_terms.derivative()(x) / all_terms(x)
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
        if trials > 1e4:  # as an integral, from y + 1/2 = x + e^t on: terms change by a millionth, midpoints are exact to their square
            def h(t):
                x = y + 0.5 - t.exp()
                return log_p(x, eta) + t if x > 1 else arb(-1e300)
            width = math.log(float(trials) * math.sqrt(float(phi)))
            return integrals.log_integral(h, width, 1.0, [width]).exp()
        log_m, log_c = UNIT[link](eta)
        a, b = log_m.exp() * (1 - phi) / phi, log_c.exp() * (1 - phi) / phi
        total = term = log_p(arb(0), eta).exp()
        for k in range(int(y.mid().unique_fmpz())):
            term *= (trials - k) / (k + 1) * (a + k) / (b + trials - k - 1)
            total += term
        return total
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
    constant = lgamma((df + 1) / 2) - lgamma(df / 2) - (df * arb.pi()).log() / 2 - phi.log()

    def cdf(y, eta):
        t = (y - eta) / phi
        if t * t < df:
            middle = beta_cdf(arb(0.5), df / 2, t * t / (df + t * t)) / 2
            return 0.5 - middle if t < 0 else 0.5 + middle
        tail = beta_cdf(df / 2, arb(0.5), df / (df + t * t)) / 2
        return tail if t < 0 else 1 - tail
    return (lambda y, eta: constant - (df + 1) / 2 * (((y - eta) / phi) ** 2 / df).log1p(), cdf, (lambda eta: eta) if df > 1 else None)


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


# By their names: of the link, the number of trials and the parameters in the library's order.
FAMILIES = {
    "gaussian": lambda link, _, phi: gaussian(link, phi),
    "gamma-shape": lambda link, _, phi: gamma_shape(link, phi),
    "gamma-scale": lambda link, _, phi: gamma_scale(link, phi),
    "inverse-gaussian": lambda link, _, phi: inverse_gaussian(link, phi),
    "exponential": lambda link, _: weibull(link, arb(1)),
    "weibull": lambda link, _, phi: weibull(link, phi),
    "log-logistic": lambda link, _, phi: log_logistic(link, phi),
    "log-normal": lambda link, _, phi: log_normal(link, phi),
    "tweedie": lambda link, _, phi, power: tweedie(link, phi, power),
    "poisson": lambda link, _: poisson(link),
    "com-poisson": lambda link, _, nu: com_poisson(link, nu),
    "negative-binomial": lambda link, _, phi: negative_binomial(link, phi),
    "zero-inflated-poisson": lambda link, _, zero: zero_inflated(poisson(link), zero),
    "zero-inflated-negative-binomial": lambda link, _, phi, zero: zero_inflated(negative_binomial(link, phi), zero),
    "hurdle-poisson": lambda link, _, zero: hurdle_poisson(link, zero),
    "binomial": lambda link, trials: binomial(link, trials),
    "bernoulli": lambda link, trials: binomial(link, trials),
    "beta-binomial": lambda link, trials, rho: beta_binomial(link, trials, rho),
    "beta": lambda link, _, phi: beta(link, phi),
    "laplace": lambda link, _, phi: laplace(link, phi),
    "student-t": lambda link, _, phi, df: student_t(link, phi, df),
    "ordinal": lambda link, _, *cuts: ordinal(link, *cuts),
}


def functions(family, link, parameters, trials):
    return FAMILIES[family](link, arb(trials), *map(arb, parameters))
