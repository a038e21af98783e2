#!/usr/bin/env python3
"""Which inference? Every method beside sampling on simulated data: what is off, by how much, at what cost.

    python3 bench/which_inference.py build/ggpm [--sizes 30,100] [--repeats 2] [--svg FILE] > table.md

Hyperparameters are those that the data were drawn with. Errors are those of `ggpm diagnose`: of the log
marginal (± the standard error of annealing), of latent means in posterior standard deviations (the
largest of any row), the ratio of latent standard deviations (the farthest from 1), and of the
negative log density of 50 new rows against the same by mcmc.
"""

import argparse
import csv
import json
import math
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

METHODS = ("taylor", "laplace", "ep", "kld", "vb")
TEST_ROWS = 50

# Words: likelihood, its options, kernel, mean.
SETTINGS = {
    "poisson, few counts (mean 0.4)": ("poisson", [], "rbf(1, 1.5)", "constant(-1)"),
    "poisson, many counts (mean 20)": ("poisson", [], "rbf(1, 1.5)", "constant(3)"),
    "negative-binomial, alpha 0.2": ("negative-binomial", ["--dispersion", 0.2], "rbf(1, 1.5)", "zero"),
    "negative-binomial, alpha 2": ("negative-binomial", ["--dispersion", 2], "rbf(1, 1.5)", "zero"),
    "bernoulli, classes overlap": ("bernoulli", [], "rbf(1, 1.5)", "zero"),
    "bernoulli, separable": ("bernoulli", [], "rbf(36, 2.5)", "zero"),
    "binomial, 2 trials": ("binomial", ["--trials", 2], "rbf(1, 1.5)", "zero"),
    "binomial, 30 trials": ("binomial", ["--trials", 30], "rbf(1, 1.5)", "zero"),
    "gamma-shape, dispersion 0.1": ("gamma-shape", ["--dispersion", 0.1], "rbf(1, 1.5)", "zero"),
    "gamma-shape, dispersion 2": ("gamma-shape", ["--dispersion", 2], "rbf(1, 1.5)", "zero"),
    "beta, dispersion 0.1": ("beta", ["--dispersion", 0.1], "rbf(1, 1.5)", "zero"),
    "beta, dispersion 1": ("beta", ["--dispersion", 1], "rbf(1, 1.5)", "zero"),
    "laplace, scale 0.3": ("laplace", ["--dispersion", 0.3], "rbf(1, 1.5)", "zero"),
    "student-t, few outliers (df 4)": ("student-t", ["--dispersion", 0.3], "rbf(1, 1.5)", "zero"),
    "student-t, outliers (df 1.5)": ("student-t", ["--dispersion", 0.3, "--df", 1.5], "rbf(1, 1.5)", "zero"),
}


class Refused(Exception):
    pass


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 2 or done.returncode == 4:
        raise Refused(done.stderr)
    if done.returncode:
        raise SystemExit(f"{program} {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def simulate(program, folder, setting, n, seed):
    likelihood, options, kernel, mean = setting
    text = run(program, "simulate", "--likelihood", likelihood, "--kernel", kernel, "--mean", mean,
               "--rows", n + TEST_ROWS, "--seed", seed, *options)
    header, *rows = csv.reader(text.splitlines())
    random.Random(seed).shuffle(rows)
    write(folder / "train.csv", header, rows[:n])
    write(folder / "test.csv", header, rows[n:])


def fit(program, folder, setting, method):
    """Seconds of inference, and -log p of the new rows."""
    likelihood, options, kernel, mean = setting
    if "--trials" in options:
        options = ["--trials", "trials"]
    model = folder / f"{method}.ggpm"
    result = json.loads(run(program, "fit", folder / "train.csv", "--target", "y", "--inputs", "x",
                            "--likelihood", likelihood, "--kernel", kernel, "--mean", mean,
                            "--no-standardize", "--no-optimize", "--inference", method, "--threads", 1,
                            "--quiet", "--json", "-o", model, *options))
    text = run(program, "predict", model, folder / "test.csv")
    nlp = -statistics.mean(float(row["log_density"]) for row in csv.DictReader(text.splitlines()))
    return model, result["seconds"], nlp


def measure(program, folder, setting, n, seed):
    """By method: errors and seconds. None where sampling itself did not converge."""
    simulate(program, folder, setting, n, seed)
    _, _, truth = fit(program, folder, setting, "mcmc")
    out, judged = {}, None
    for method in METHODS:
        try:
            model, seconds, nlp = fit(program, folder, setting, method)
        except Refused:
            continue
        out[method] = {"seconds": seconds, "nlp": nlp - truth}
        if method != "taylor" or judged is None:
            judged = model
    diagnosis = json.loads(run(program, "diagnose", judged, "--all", "--json", "--quiet"))
    if not diagnosis["sampling"]["converged"]:
        return None
    for found in diagnosis["methods"]:
        if found["inference"] not in out:
            continue
        ratios = found["latent_sd_ratio"]
        out[found["inference"]].update(
            log_marginal=found["log_marginal_error"],
            noise=diagnosis["log_marginal"]["standard_error"],
            mean=max(abs(e) for e in found["latent_mean_error"]),
            ratio=max(ratios, key=lambda r: max(r, 1 / r)))
    return {m: o for m, o in out.items() if "mean" in o}


def average(found, method, what):
    return statistics.mean(f[method][what] for f in found)


HEADER = ("| data | n | inference | log marginal | latent mean, sd | latent sd, ratio | NLP | seconds |\n"
          + "|---" * 8 + "|")


def print_rows(words, n, found):
    for method in METHODS:
        if not found or any(method not in f for f in found):
            continue
        print(f"| {words} | {n} | {method} | {average(found, method, 'log_marginal'):+.2f} ± "
              f"{average(found, method, 'noise'):.2f} | {average(found, method, 'mean'):.2f} | "
              f"{average(found, method, 'ratio'):.2f} | {average(found, method, 'nlp'):+.3f} | "
              f"{average(found, method, 'seconds'):.3f} |", flush=True)


# ---- The picture: the largest error of a latent mean, a row for each kind of data

INK = {"taylor": "#b5651d", "laplace": "#1f77b4", "ep": "#2a9d3a", "kld": "#8a4fbf", "vb": "#d1356f"}


def svg(results, path):
    left, width, step, top = 300, 460, 24, 46
    ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10]
    def at(error):
        share = math.log(min(max(error, ticks[0]), ticks[-1]) / ticks[0]) / math.log(ticks[-1] / ticks[0])
        return left + width * share
    rows = [(f"{words}, n = {n}", found) for (words, n), found in results.items() if found]
    bottom = top + step * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {bottom + 44}" '
             'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for tick in ticks:
        parts.append(f'<line x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{top - 6}" y2="{bottom}" '
                     f'stroke="#ddd"/><text x="{at(tick):.1f}" y="{bottom + 16}" '
                     f'text-anchor="middle">{tick:g}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{bottom + 36}" text-anchor="middle">largest error of a '
                 'latent mean, posterior standard deviations</text>')
    for k, method in enumerate(METHODS):
        x = left + 90 * k
        parts.append(f'<circle cx="{x}" cy="18" r="5" fill="{INK[method]}"/>'
                     f'<text x="{x + 9}" y="22">{method}</text>')
    for k, (words, found) in enumerate(rows):
        y = top + step * k + step / 2
        parts.append(f'<text x="{left - 14}" y="{y + 4}" text-anchor="end">{words}</text>')
        for method in METHODS:
            if all(method in f for f in found):
                parts.append(f'<circle cx="{at(average(found, method, "mean")):.1f}" cy="{y}" r="5" '
                             f'fill="{INK[method]}" fill-opacity="0.8"/>')
    Path(path).write_text("\n".join(parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--sizes", default="30,100")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--svg", default="")
    arguments = parser.parse_args()
    results = {}
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as name:
        for words, setting in SETTINGS.items():
            for n in map(int, arguments.sizes.split(",")):
                found = [measure(arguments.program, Path(name), setting, n, seed)
                         for seed in range(1, arguments.repeats + 1)]
                results[words, n] = [f for f in found if f]
                print_rows(words, n, results[words, n])
    if arguments.svg:
        svg(results, arguments.svg)


if __name__ == "__main__":
    main()
