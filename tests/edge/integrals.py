"""Integrals of exp(h) over the real line, in balls of 60 digits (python-flint of PyPI): a number knows how many of its digits
are right, and one that has lost too many is an error, not a reference."""
import math

from flint import arb, ctx

ctx.dps = 60
NODES = 24
GAUSS = [arb.legendre_p_root(NODES, k, weight=True) for k in range(NODES)]
DROP = 100  # what is e^-100 of the largest does not count
FEW = 1e-17  # of the total, at which halving a panel stops


def number(ball):
    """As a double, if its digits are known."""
    if not ball.is_finite() or ball.rel_accuracy_bits() < 60 and abs(float(ball.mid())) > 1e-250:
        raise ArithmeticError(f"digits are lost: {ball}")
    return float(ball.mid())


def rough(h, x):
    value = h(arb(x))
    return float(value.mid()) if value.is_finite() else -math.inf


def climb(h, left, x, right):
    """Near enough to a peak that h is as high as there, to a thousandth."""
    here = rough(h, x)
    for _ in range(90):
        a, b = (left + x) / 2, (x + right) / 2
        ha, hb = rough(h, a), rough(h, b)
        if ha > here:
            right, x, here = x, a, ha
        elif hb > here:
            left, x, here = x, b, hb
        else:
            if here - min(ha, hb) < 1e-3:
                break
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
    # What all of h has in common may be so large that doubles see nothing else, and 60 digits too few beside it.
    base = max((value.mid() for value in map(h, map(arb, grid)) if value.is_finite()), default=arb(0))
    before = ctx.dps
    ctx.dps += int(math.log10(max(1, abs(float(base)))))
    try:
        return log_integral_on(lambda x: h(x) - base, grid) + base
    finally:
        ctx.dps = before


def log_integral_on(h, grid):
    values = [rough(h, x) for x in grid]
    peaks = []
    for i in range(1, len(grid) - 1):
        if values[i] > -math.inf and values[i] >= values[i - 1] and values[i] >= values[i + 1]:
            x = climb(h, grid[i - 1], grid[i], grid[i + 1])
            peaks.append((rough(h, x), x))
    top = max(peaks)[0]
    peaks = apart(h, [(value, x) for value, x in peaks if value >= top - DROP])
    total = around_one_peak(h, peaks[0][1], top) if len(peaks) == 1 else None
    if total is None:
        total = in_panels(h, peaks, top)
    return total.log() + top


def apart(h, peaks):
    """Without those that are two looks at one flat top."""
    out = []
    for value, x in peaks:
        if out and rough(h, (out[-1][1] + x) / 2) > min(out[-1][0], value) - 0.01:
            out[-1] = max(out[-1], (value, x))
        else:
            out.append((value, x))
    return out


def around_one_peak(h, peak, top):
    """By the trapezoidal rule in t, x = peak + width sinh(t): every halving of its step doubles the digits. None where it does not."""
    width = min(drop_at(h, peak, top, direction, 0.5) for direction in (-1, 1))
    left, right = (math.asinh(drop_at(h, peak, top, direction, DROP) / width) for direction in (-1, 1))

    def term(t):
        t = arb(t)
        return (h(arb(peak) + width * t.sinh()) - top).exp() * t.cosh() * width
    step = 0.25
    rest = sum((term(k * step) for k in range(-math.ceil(left / step), math.ceil(right / step) + 1)), arb(0))
    total = rest * step
    for _ in range(5):
        step /= 2
        before = total
        rest += sum((term(k * step) for k in range(-math.ceil(left / step), math.ceil(right / step) + 1) if k % 2), arb(0))
        total = rest * step
        if not total.is_finite():
            return None
        if abs(float((total - before).mid())) <= 1e-13 * float(total.mid()):
            return total
    return None


def in_panels(h, peaks, top):
    """By Gauss' rule in panels, which are halved until their sums agree."""
    points = set()
    for value, x in peaks:
        points.add(x)
        for direction in (-1, 1):
            end = drop_at(h, x, value, direction, DROP - (top - value))
            width = min(drop_at(h, x, value, direction, 0.5), end)
            while width < end:
                points.add(x + direction * width)
                width *= 2
            points.add(x + direction * end)
    points = sorted(points)

    def panel(a, b):
        half, middle = (b - a) / 2, (a + b) / 2
        return half * sum(((h(middle + half * node) - top).exp() * weight for node, weight in GAUSS), arb(0))

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
    return total
