#!/usr/bin/env python3
"""Which inference? Every method beside sampling on simulated data: what is off, by how much, at what cost.

    python3 bench/which_inference.py build/ggpm run --results FILE [--sizes 30,100,300] [--repeats 3]
                                                    [--minutes 25]
    python3 bench/which_inference.py build/ggpm show --results FILE [--svg FILE] > tables.md

`run` adds one line to the file for each data set, and skips those that it has: it can be stopped and
called again, and asked for more. Every kind of data comes once before any comes twice. Hyperparameters
are those that the data were drawn with. Errors are those of `ggpm diagnose`: of the log marginal (± the
standard error of annealing), of latent means in posterior standard deviations (the largest of any
row), the ratio of latent standard deviations (the farthest from 1), and of the negative log density
of 50 new rows against the same by mcmc. Seconds are of one inference on one thread.
"""

import argparse
import csv
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

METHODS = ("taylor", "laplace", "ep", "kld", "vb")
TEST_ROWS = 50


def kind(likelihood, *options, kernel="rbf(1, 1.5)", mean="zero"):
    return likelihood, list(options), kernel, mean


SETTINGS = {
    "gaussian, log link": kind("gaussian", "--link", "log", "--dispersion", 0.1),
    "poisson, few counts (mean 0.4)": kind("poisson", mean="constant(-1)"),
    "poisson, some counts (mean 2)": kind("poisson", mean="constant(0.5)"),
    "poisson, many counts (mean 20)": kind("poisson", mean="constant(3)"),
    "com-poisson, nu 0.5": kind("com-poisson", "--dispersion", 0.5),
    "com-poisson, nu 2": kind("com-poisson", "--dispersion", 2),
    "negative-binomial, alpha 0.2": kind("negative-binomial", "--dispersion", 0.2),
    "negative-binomial, alpha 2": kind("negative-binomial", "--dispersion", 2),
    "zero-inflated-poisson, zero 0.2": kind("zero-inflated-poisson", "--dispersion", 0.2, mean="constant(1)"),
    "zero-inflated-poisson, zero 0.6": kind("zero-inflated-poisson", "--dispersion", 0.6, mean="constant(1)"),
    "zero-inflated-negative-binomial, zero 0.3": kind("zero-inflated-negative-binomial", "--parameter",
                                                      "dispersion=0.5,zero=0.3", mean="constant(1)"),
    "hurdle-poisson, zero 0.4": kind("hurdle-poisson", "--dispersion", 0.4, mean="constant(1)"),
    "bernoulli, classes overlap": kind("bernoulli"),
    "bernoulli, separable": kind("bernoulli", kernel="rbf(36, 2.5)"),
    "bernoulli, probit, rare": kind("bernoulli", "--link", "probit", mean="constant(-1.5)"),
    "binomial, 2 trials": kind("binomial", "--trials", 2),
    "binomial, 30 trials": kind("binomial", "--trials", 30),
    "beta-binomial, 12 trials, rho 0.05": kind("beta-binomial", "--trials", 12, "--dispersion", 0.05),
    "beta-binomial, 12 trials, rho 0.4": kind("beta-binomial", "--trials", 12, "--dispersion", 0.4),
    "ordinal, 3 levels": kind("ordinal"),
    "gamma-shape, dispersion 0.1": kind("gamma-shape", "--dispersion", 0.1),
    "gamma-shape, dispersion 0.5": kind("gamma-shape", "--dispersion", 0.5),
    "gamma-shape, dispersion 2": kind("gamma-shape", "--dispersion", 2),
    "gamma-scale, scale 0.5": kind("gamma-scale", "--dispersion", 0.5),
    "inverse-gaussian, dispersion 0.2": kind("inverse-gaussian", "--link", "log", "--dispersion", 0.2),
    "inverse-gaussian, dispersion 2": kind("inverse-gaussian", "--link", "log", "--dispersion", 2),
    "exponential": kind("exponential"),
    "weibull, 1/shape 0.5": kind("weibull", "--dispersion", 0.5),
    "weibull, 1/shape 2": kind("weibull", "--dispersion", 2),
    "log-logistic, scale 0.4": kind("log-logistic", "--dispersion", 0.4),
    "log-normal, variance 0.3": kind("log-normal", "--dispersion", 0.3),
    "tweedie, phi 0.5": kind("tweedie", "--dispersion", 0.5),
    "tweedie, phi 2 (many zeros)": kind("tweedie", "--dispersion", 2),
    "beta, dispersion 0.1": kind("beta", "--dispersion", 0.1),
    "beta, dispersion 1": kind("beta", "--dispersion", 1),
    "laplace, scale 0.3": kind("laplace", "--dispersion", 0.3),
    "laplace, scale 1": kind("laplace", "--dispersion", 1),
    "student-t, few outliers (df 4)": kind("student-t", "--dispersion", 0.3),
    "student-t, outliers (df 1.5)": kind("student-t", "--dispersion", 0.3, "--df", 1.5),
}


class Refused(Exception):
    pass


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
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
    """The model, seconds of inference, and -log p of the new rows."""
    likelihood, options, kernel, mean = setting
    if "--trials" in options:
        place = options.index("--trials")
        options = options[:place] + ["--trials", "trials"] + options[place + 2:]
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
    _, sampling, truth = fit(program, folder, setting, "mcmc")
    out, judged = {}, None
    for method in METHODS:
        try:
            model, seconds, nlp = fit(program, folder, setting, method)
        except Refused:
            continue
        out[method] = {"seconds": seconds, "nlp": nlp - truth}
        if method in ("ep", "laplace") or judged is None:
            judged = model
    diagnosis = json.loads(run(program, "diagnose", judged, "--all", "--json", "--quiet", "--threads", 1))
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
    out = {m: o for m, o in out.items() if "mean" in o}
    out["mcmc"] = {"seconds": sampling}
    return out


def kept(path):
    if not Path(path).exists():
        return {}
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return {(line["data"], line["n"], line["seed"]): line for line in lines}


def run_study(arguments):
    done = kept(arguments.results)
    sizes = [int(n) for n in arguments.sizes.split(",")]
    end = time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory() as name, open(arguments.results, "a") as file:
        for seed in range(1, arguments.repeats + 1):
            for n in sizes:
                for words, setting in SETTINGS.items():
                    if (words, n, seed) in done:
                        continue
                    if time.monotonic() > end:
                        print("out of time: call again for the rest", file=sys.stderr)
                        return
                    try:
                        found, problem = measure(arguments.program, Path(name), setting, n, seed), ""
                    except Refused as refused:
                        found, problem = None, str(refused)
                    if found is None:
                        print(f"{words}, n = {n}, seed {seed}: {problem or 'chains disagree'}",
                              file=sys.stderr, flush=True)
                    file.write(json.dumps({"data": words, "n": n, "seed": seed, "methods": found,
                                           "problem": problem}) + "\n")
                    file.flush()


# ---- What was found

def by_cell(lines):
    """(data, n) -> results of its data sets, in the order of SETTINGS."""
    out = {}
    sizes = sorted({n for _, n, _ in lines})
    for words in SETTINGS:
        for n in sizes:
            found = [line["methods"] for (w, m, _), line in sorted(lines.items()) if (w, m) == (words, n)]
            if any(found):
                out[words, n] = [f for f in found if f]
    return out


def average(found, method, what):
    return statistics.mean(f[method][what] for f in found)


def has(found, method):
    return all(method in f for f in found)


HEADER = ("| data | n | sets | inference | log marginal | latent mean, sd | latent sd, ratio | NLP |\n"
          + "|---" * 8 + "|")


def print_rows(words, n, found):
    for method in METHODS:
        if has(found, method):
            print(f"| {words} | {n} | {len(found)} | {method} | {average(found, method, 'log_marginal'):+.2f} ± "
                  f"{average(found, method, 'noise'):.2f} | {average(found, method, 'mean'):.2f} | "
                  f"{average(found, method, 'ratio'):.2f} | {average(found, method, 'nlp'):+.3f} |")


def share(values, limit):
    return f"{100 * sum(v <= limit for v in values) / len(values):.0f} %"


def print_summary(cells):
    """Over all data sets: how often a method is good enough, and what it costs beside Laplace."""
    print("| inference | n | data sets | latent means within 0.1 sd | within 0.3 sd | median error of the log "
          "marginal | largest | NLP: median, worst | seconds, median |\n" + "|---" * 9 + "|")
    for method in (*METHODS, "mcmc"):
        for n in sorted({n for _, n in cells}):
            found = [f[method] for (_, m), sets in cells.items() if m == n for f in sets if method in f]
            if not found:
                continue
            known = [f["seconds"] for f in found if "seconds" in f]
            seconds = f"{statistics.median(known):.3f}" if known else "–"
            if method == "mcmc":
                print(f"| mcmc | {n} | {len(found)} | | | | | | {seconds} |")
                continue
            errors = [abs(f["log_marginal"]) for f in found]
            nlp = [f["nlp"] for f in found]
            means = [f["mean"] for f in found]
            print(f"| {method} | {n} | {len(found)} | {share(means, 0.1)} | {share(means, 0.3)} | "
                  f"{statistics.median(errors):.2f} | {max(errors):.1f} | {statistics.median(nlp):+.4f}, "
                  f"{max(nlp):+.3f} | {seconds} |")


INK = {"taylor": "#b5651d", "laplace": "#1f77b4", "ep": "#2a9d3a", "kld": "#8a4fbf", "vb": "#d1356f"}


def svg(cells, path):
    """The largest error of a latent mean: a row for each kind of data, a dot for each method and n."""
    left, width, step, top = 320, 480, 22, 46
    ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10]
    sizes = sorted({n for _, n in cells})

    def at(error):
        part = math.log(min(max(error, ticks[0]), ticks[-1]) / ticks[0]) / math.log(ticks[-1] / ticks[0])
        return left + width * part

    rows = [words for words in SETTINGS if any(w == words for w, _ in cells)]
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
        x = left + 72 * k
        parts.append(f'<circle cx="{x}" cy="18" r="5" fill="{INK[method]}"/>'
                     f'<text x="{x + 9}" y="22">{method}</text>')
    words_of_sizes = ", ".join(f"{n}" for n in sizes)
    parts.append(f'<text x="{left - 14}" y="22" text-anchor="end">dots grow with n = {words_of_sizes}</text>')
    for k, words in enumerate(rows):
        y = top + step * k + step / 2
        if k % 2 == 0:
            parts.append(f'<rect x="0" y="{y - step / 2}" width="{left + width + 30}" height="{step}" '
                         'fill="#000" fill-opacity="0.03"/>')
        parts.append(f'<text x="{left - 14}" y="{y + 4}" text-anchor="end">{words}</text>')
        for method in METHODS:
            for size, n in enumerate(sizes):
                found = cells.get((words, n), [])
                if found and has(found, method):
                    parts.append(f'<circle cx="{at(average(found, method, "mean")):.1f}" cy="{y}" '
                                 f'r="{2.5 + 1.3 * size:.1f}" fill="{INK[method]}" fill-opacity="0.7"/>')
    Path(path).write_text("\n".join(parts) + "\n</svg>\n")


def show(arguments):
    lines = kept(arguments.results)
    cells = by_cell(lines)
    print_summary(cells)
    print()
    print(HEADER)
    for (words, n), found in cells.items():
        print_rows(words, n, found)
    failed = [line for line in lines.values() if line["methods"] is None]
    print(f"\n{len(lines)} data sets; in {len(failed)} the chains did not agree or a method failed.")
    for line in failed:
        print(f"- {line['data']}, n = {line['n']}: {line['problem'] or 'chains disagree'}")
    if arguments.svg:
        svg(cells, arguments.svg)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("what", choices=["run", "show"])
    parser.add_argument("--results", required=True)
    parser.add_argument("--sizes", default="30,100,300")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--svg", default="")
    arguments = parser.parse_args()
    {"run": run_study, "show": show}[arguments.what](arguments)


if __name__ == "__main__":
    main()
