"""Writes the tables of the recipes (docs/recipes.md), drawn at random from known truths.

    python3 examples/tables.py examples/tables
"""
import sys
from pathlib import Path

import numpy as np


def write(folder, name, columns):
    rows = zip(*columns.values())
    text = [",".join(columns)] + [",".join(str(value) for value in row) for row in rows]
    (folder / name).write_text("\n".join(text) + "\n")


def rounded(values, digits=2):
    return np.round(values, digits).tolist()


def deaths(random):
    """Rates over a map, with an expected number of deaths and a covariate of each district."""
    n = 90
    lon, lat = random.uniform(6, 15, n), random.uniform(47, 55, n)
    smoking = random.uniform(15, 40, n)
    region = np.array(["north", "middle", "south"])[np.digitize(-lat, [-52, -49.5])]
    expected = random.gamma(4, 6, n) + 1
    log_rate = 0.4 * np.sin(lon / 2) + 0.3 * np.cos(lat) + 0.03 * (smoking - 27)
    counts = random.poisson(expected * np.exp(log_rate))
    return {"lon": rounded(lon), "lat": rounded(lat), "region": region.tolist(), "smoking": rounded(smoking, 1),
            "expected": rounded(expected, 1), "deaths": counts.tolist()}


def germination(random):
    """k of N seeds, with plates that differ more than coins do."""
    n = 60
    temperature = random.uniform(5, 35, n)
    seeds = random.integers(10, 51, n)
    mean = 0.9 * np.exp(-((temperature - 22) / 8) ** 2)
    share = random.beta(12 * mean + 1e-3, 12 * (1 - mean))
    return {"temperature": rounded(temperature, 1), "seeds": seeds.tolist(),
            "germinated": random.binomial(seeds, share).tolist()}


def patients(random):
    """Days to an event; alive = 1 where only a lower bound is known."""
    n = 80
    age, dose = random.uniform(40, 85, n), random.uniform(0, 10, n)
    days = np.exp(6.5 - 0.04 * (age - 60) + 0.08 * dose) * random.weibull(1.4, n)
    end = random.uniform(200, 1500, n)
    return {"age": rounded(age, 0), "dose": rounded(dose, 1), "days": rounded(np.maximum(1, np.minimum(days, end)), 0),
            "alive": (days > end).astype(int).tolist()}


def rain(random):
    """Amounts with exact zeros, a row a week of three years."""
    days = np.arange("2021-01-04", "2024-01-01", 7, dtype="datetime64[D]")
    phase = 2 * np.pi * (days - days[0]).astype(float) / 365.25
    mean = np.exp(1.2 + 0.8 * np.cos(phase))
    showers = random.poisson(mean / 3)
    amount = [random.gamma(2, 1.5, k).sum() for k in showers]
    return {"date": [str(day) for day in days], "rain": rounded(amount, 1)}


def sensor(random):
    """A smooth signal with a few wild readings."""
    time = np.linspace(0, 10, 70)
    level = np.sin(time) + 0.1 * time + 0.1 * random.standard_normal(70)
    wild = random.choice(70, 6, replace=False)
    level[wild] += random.choice([-1, 1], 6) * random.uniform(2, 6, 6)
    return {"time": rounded(time), "level": rounded(level, 3)}


def grades(random):
    """Levels of which only the order is known."""
    hours = random.uniform(0, 20, 80)
    latent = hours / 5 - 2 + random.standard_normal(80)
    return {"hours": rounded(hours, 1),
            "grade": np.array(["low", "middle", "high"])[np.digitize(latent, [-0.7, 0.9])].tolist()}


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    for seed, table in enumerate([deaths, germination, patients, rain, sensor, grades], 1):
        write(folder, f"{table.__name__}.csv", table(np.random.default_rng(seed)))
