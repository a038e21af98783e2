"""Numbers from measurements: growth, ratios, and how they are written."""

from __future__ import annotations

import math

# Below this a call is mostly interpreter and start-up, which says nothing about growth.
GROWTH_FROM = 500


def exponent(seconds: dict[int, float]) -> float | None:
    """p of seconds ~ n^p by least squares on logarithms; None with fewer than three sizes."""
    points = [(math.log(n), math.log(s)) for n, s in seconds.items() if n >= GROWTH_FROM and s > 0]
    if len(points) < 3:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return (sum((x - mean_x) * (y - mean_y) for x, y in points)
            / sum((x - mean_x) ** 2 for x, _ in points))


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """How many times as long as ours."""
    return theirs / ours if theirs and ours else None


def matrices(megabytes: float, n: int) -> float:
    """Memory in n x n matrices of doubles."""
    return megabytes * 2**20 / (8.0 * n * n)


def write_number(value: float | None, digits: int = 3) -> str:
    """Significant digits without an exponent: 0.00412, 35.1, 12000."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{round(value, decimals):.{decimals}f}"


def write_ratio(value: float | None) -> str:
    return "–" if value is None else f"{write_number(value, 2)}×"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
