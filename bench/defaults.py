#!/usr/bin/env python3
"""Which kernel and mean should a model have when the user names none? Refitted cross-validation of
candidate defaults over the tables of GGPM_DATA_DIR.

    python3 bench/defaults.py build/ggpm [--only NAME,NAME] [--keep FOLDER]

Every candidate sees the same folds; the figure is the mean of -log p(y) of left-out rows, less that of
the zero mean (below zero: better), and at the end of "auto" less the plain default. Finished tables are
kept in FOLDER and not run again.
"""

import argparse
import json
import os
import statistics
import subprocess
from pathlib import Path

ZERO, CONSTANT = "zero", "constant"
CANDIDATES = {
    "rbf": ("rbf", ZERO),
    "rbf, constant mean": ("rbf", CONSTANT),
    "rbf + constant": ("rbf + constant", ZERO),
    "rbf + linear + constant": ("rbf + linear + constant", ZERO),
    "auto": ("auto", ZERO),
}
FOLDS = ["--folds", "5", "--splits", "1"]
LARGE = ["--splits", "2", "--train", "150"]


class Data:
    def __init__(self, target, likelihoods, options="", large=False):
        self.target, self.likelihoods = target, likelihoods.split()
        self.options = options.split() + (LARGE if large else FOLDS)


TABLES = {
    "tokyo_rainfall": Data("rain", "binomial", "--trials trials", large=True),
    "abalone": Data("rings", "poisson", large=True),
    "auto_mpg": Data("mpg", "gamma-shape", "--inputs cylinders,displacement,horsepower,weight,"
                     "acceleration,model_year,origin", large=True),
    "housing": Data("medv", "gamma-shape", large=True),
    "servo": Data("rise_time", "gamma-shape"),
    "coal_disasters": Data("disasters", "poisson"),
    "ships": Data("incidents", "poisson", "--exposure service"),
    "scottish_lip_cancer": Data("observed", "poisson negative-binomial", "--exposure expected"),
    "horseshoe_crabs": Data("satellites", "negative-binomial"),
    "quine": Data("days", "negative-binomial"),
    "bike_sharing_day": Data("cnt", "negative-binomial", large=True),
    "cotton_bolls": Data("bolls", "poisson"),
    "takeover_bids": Data("numbids", "poisson"),
    "fertility_german": Data("children", "poisson", large=True),
    "concrete_strength": Data("strength", "gamma-shape", large=True),
    "yacht_resistance": Data("resistance", "gamma-shape", large=True),
    "airfoil_noise": Data("spl", "gaussian gamma-shape", large=True),
    "gasoline_yield": Data("yield", "beta"),
    "food_expenditure": Data("food_share", "beta"),
    "reading_skills": Data("accuracy", "beta"),
    "challenger_orings": Data("failures", "binomial", "--trials orings"),
    "seeds": Data("germinated", "binomial", "--trials n"),
    "pima": Data("diabetes", "bernoulli", large=True),
    "mcycle": Data("accel", "gaussian student-t"),
    "stackloss": Data("stack_loss", "student-t"),
    "beetle_mortality": Data("killed", "binomial", "--trials exposed"),
    "ionosphere": Data("good", "bernoulli", large=True),
    "ucsd_left": Data("count", "poisson",
                      "--inputs " + ",".join(f"f{i}" for i in range(1, 31)), large=True),
}


def link_of(likelihood):
    return "log" if likelihood == "negative-binomial" else ""


def scores(program, folder, name, data):
    """NLP by likelihood and candidate."""
    found = {}
    for mean in (ZERO, CONSTANT):
        kernels = {text: label for label, (text, m) in CANDIDATES.items() if m == mean}
        for likelihood in data.likelihoods:
            command = [program, "compare", str(folder / f"{name}.csv"), "--target", data.target,
                       "--likelihoods", likelihood, "--kernels", ",".join(kernels), "--mean", mean,
                       "--restarts", "3", "--threads", "1", "--quiet", "--json", *data.options]
            if link_of(likelihood):
                command += ["--links", link_of(likelihood)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
            for row in json.loads(done.stdout)["candidates"]:
                parts = row["candidate"].split(", ")
                label = next((kernels[text] for text in kernels if text in parts), None)
                if label:
                    found.setdefault(likelihood, {})[label] = row["nlp"]["mean"]
    return found


def print_table(results):
    others = [label for label in CANDIDATES if label != "rbf"]
    print("| table | likelihood | rbf, zero mean | " + " | ".join(others) + " |")
    print("|---" * (3 + len(others)) + "|")
    changes = {label: [] for label in others}
    for name, by_likelihood in results.items():
        for likelihood, nlp in by_likelihood.items():
            cells = []
            for label in others:
                change = nlp[label] - nlp["rbf"] if nlp.get(label) is not None else None
                cells.append("failed" if change is None else f"{change:+.3f}")
                if change is not None:
                    changes[label].append(change)
            print(f"| {name} | {likelihood} | {nlp['rbf']:.3f} | " + " | ".join(cells) + " |")
    chosen = sorted((nlp["auto"] - nlp["rbf + constant"], f"{name}, {likelihood}")
                    for name, by_likelihood in results.items() for likelihood, nlp in by_likelihood.items()
                    if nlp.get("auto") is not None and nlp.get("rbf + constant") is not None)
    for words, of in (("mean", statistics.mean), ("median", statistics.median), ("worst", max)):
        print(f"| *{words}* | | | " + " | ".join(f"{of(changes[label]):+.3f}" for label in others) + " |")
    if chosen:
        print(f"\nauto less rbf + constant: median {statistics.median(c for c, _ in chosen):+.3f}, "
              f"worst {chosen[-1][0]:+.3f} ({chosen[-1][1]}), best {chosen[0][0]:+.3f} ({chosen[0][1]})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="build/defaults")
    arguments = parser.parse_args()
    folder = Path(os.environ.get("GGPM_DATA_DIR", "../shared/data"))
    keep = Path(arguments.keep)
    keep.mkdir(parents=True, exist_ok=True)
    names = arguments.only.split(",") if arguments.only else list(TABLES)
    results = {}
    for name in names:
        kept = keep / f"{name}.json"
        if not kept.exists():
            kept.write_text(json.dumps(scores(arguments.program, folder, name, TABLES[name])))
        results[name] = json.loads(kept.read_text())
    print_table(results)


if __name__ == "__main__":
    main()
