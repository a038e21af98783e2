#!/usr/bin/env python3
"""What integrating over hyperparameters changes: coverage of 95 % intervals on simulated data, and the
negative log density of left-out rows of the small tables of GGPM_DATA_DIR.

    python3 bench/integrated.py build/ggpm coverage [--repeats 100] [--sizes 20,40,80]
    python3 bench/integrated.py build/ggpm tables [--folds 5]

Both models see the same rows. Simulated functions have a Gaussian process with known hyperparameters,
which the models do not know; intervals are those of the mean of y given the function, whose truth is
known, and for continuous outputs those of a new y.
"""

import argparse
import csv
import math
import os
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

USES = ("optimum", "integrate")
TEST_ROWS = 40
QUANTILES = "0.025,0.975"


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{program} {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def fit(program, table, model, use, *arguments):
    run(program, "fit", table, "--hyperparameters", use, "--restarts", 5, "--threads", 1, "--quiet",
        "--no-standard-errors", "-o", model, *arguments)


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


# ---- Simulated data

# Name: its options, and the mean of y at a latent.
FAMILIES = {
    "gaussian": (["--dispersion", 0.15], lambda eta: eta),
    "poisson": (["--mean", "constant(1)"], math.exp),
    "bernoulli": ([], lambda eta: 1 / (1 + math.exp(-eta))),
    "gamma-shape": (["--dispersion", 0.3], math.exp),
}
DISCRETE = ("poisson", "bernoulli")  # whose intervals hold more than 95 %


def one_data_set(program, folder, family, n, seed):
    """Files of training and test rows; the true means of the test rows."""
    options, mean = FAMILIES[family]
    text = run(program, "simulate", "--likelihood", family, "--kernel", "rbf(1, 1.5)", "--rows",
               n + TEST_ROWS, "--seed", seed + 1, "--latent", *options)
    header, *rows = csv.reader(text.splitlines())
    random.Random(seed).shuffle(rows)
    x, y, latent = (header.index(name) for name in ("x", "y", "latent"))
    write(folder / "train.csv", ["x", "y"], [(r[x], r[y]) for r in rows[:n]])
    write(folder / "test.csv", ["x", "y"], [(r[x], r[y]) for r in rows[n:]])
    return [mean(float(r[latent])) for r in rows[n:]]


def inside(predictions, low, high, truths):
    return statistics.mean(float(row[low]) <= truth <= float(row[high])
                           for row, truth in zip(predictions, truths))


def cover(program, folder, family, n, seed):
    """By use: the shares of test rows inside of both kinds of intervals, and NLP."""
    truths = one_data_set(program, folder, family, n, seed)
    out = {}
    for use in USES:
        model = folder / "model.ggpm"
        fit(program, folder / "train.csv", model, use, "--target", "y", "--likelihood", family)
        text = run(program, "predict", model, folder / "test.csv", "--quantiles", QUANTILES,
                   "--mean-quantiles", QUANTILES, "--keep", "y")
        rows = list(csv.DictReader(text.splitlines()))
        out[use] = {"mean": inside(rows, "mean_q0.025", "mean_q0.975", truths),
                    "y": inside(rows, "q0.025", "q0.975", [float(row["y"]) for row in rows]),
                    "nlp": -statistics.mean(float(row["log_density"]) for row in rows)}
    return out


def coverage(arguments):
    print("| likelihood | n | mean, optimum | mean, integrated | new y, optimum | new y, integrated | "
          "NLP, change |")
    print("|---" * 7 + "|")
    with tempfile.TemporaryDirectory() as name:
        for family in arguments.families.split(","):
            for n in map(int, arguments.sizes.split(",")):
                found = [cover(arguments.program, Path(name), family, n, seed)
                         for seed in range(arguments.repeats)]
                cells = []
                for what in ("mean", "y"):
                    for use in USES:
                        shares = [f[use][what] for f in found]
                        error = statistics.stdev(shares) / math.sqrt(len(shares))
                        text = f"{100 * statistics.mean(shares):.1f} ± {100 * error:.1f} %"
                        cells.append("" if what == "y" and family in DISCRETE else text)
                changes = [f["integrate"]["nlp"] - f["optimum"]["nlp"] for f in found]
                error = statistics.stdev(changes) / math.sqrt(len(changes))
                print(f"| {family} | {n} | " + " | ".join(cells) +
                      f" | {statistics.mean(changes):+.3f} ± {error:.3f} |", flush=True)


# ---- Tables

TABLES = {  # name: target, likelihood, more
    "stackloss": ("stack_loss", "student-t", ""),
    "challenger_orings": ("failures", "binomial", "--trials orings"),
    "seeds": ("germinated", "binomial", "--trials n"),
    "gasoline_yield": ("yield", "beta", ""),
    "ships": ("incidents", "poisson", "--exposure service"),
    "food_expenditure": ("food_share", "beta", "--inputs income,persons"),
    "reading_skills": ("accuracy", "beta", ""),
    "scottish_lip_cancer": ("observed", "poisson", "--exposure expected"),
    "coal_disasters": ("disasters", "poisson", ""),
    "takeover_bids": ("numbids", "poisson", ""),
    "mcycle": ("accel", "gaussian", ""),
}


def left_out(program, folder, table, name, folds):
    """By use: -log p of each row, predicted by a model that learned without its fold."""
    target, likelihood, more = TABLES[name]
    with open(table, newline="") as file:
        header, *rows = csv.reader(file)
    random.Random(name).shuffle(rows)
    out = {use: [] for use in USES}
    for k in range(folds):
        write(folder / "train.csv", header, [r for i, r in enumerate(rows) if i % folds != k])
        write(folder / "test.csv", header, [r for i, r in enumerate(rows) if i % folds == k])
        for use in USES:
            model = folder / "model.ggpm"
            fit(program, folder / "train.csv", model, use, "--target", target, "--likelihood",
                likelihood, *more.split())
            text = run(program, "predict", model, folder / "test.csv")
            out[use] += [-float(row["log_density"]) for row in csv.DictReader(text.splitlines())]
    return out


def tables(arguments):
    folder = Path(os.environ.get("GGPM_DATA_DIR", "../shared/data"))
    print("| table | rows | likelihood | NLP, optimum | NLP, integrated | change |")
    print("|---" * 6 + "|")
    with tempfile.TemporaryDirectory() as name:
        for table in arguments.only.split(",") if arguments.only else TABLES:
            nlp = left_out(arguments.program, Path(name), folder / f"{table}.csv", table,
                           arguments.folds)
            changes = [b - a for a, b in zip(*(nlp[use] for use in USES))]
            error = statistics.stdev(changes) / math.sqrt(len(changes))
            print(f"| {table} | {len(changes)} | {TABLES[table][1]} | "
                  f"{statistics.mean(nlp['optimum']):.3f} | {statistics.mean(nlp['integrate']):.3f} | "
                  f"{statistics.mean(changes):+.3f} ± {error:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("what", choices=["coverage", "tables"])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--sizes", default="20,40,80")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    {"coverage": coverage, "tables": tables}[arguments.what](arguments)


if __name__ == "__main__":
    main()
