#!/usr/bin/env python3
"""What the right family is worth: mean negative log density of held-back rows, with families that
were there before and with the one that the data ask for. Prints the table of docs/likelihoods.md.

    bench/families.py GGPM [DATA_DIR]
    bench/families.py GGPM --times      processor time of a value with its gradient, 400 rows, beside Poisson's

GGPM is the command; DATA_DIR has the real data sets (GGPM_DATA_DIR of CONTRIBUTING.md).
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

REAL = [  # file, target and more, inputs, families before, family after
    ("seeds.csv", ["--target", "germinated", "--trials", "n"], "seed,root", "binomial", "beta-binomial"),
    ("horseshoe_crabs.csv", ["--target", "satellites"], "color,spine,width,weight",
     "poisson,negative-binomial", "zero-inflated-negative-binomial"),
    ("horseshoe_crabs.csv", ["--target", "satellites"], "color,spine,width,weight",
     "poisson,negative-binomial", "hurdle-poisson"),
    ("quine.csv", ["--target", "days"], "eth,sex,age,lrn", "poisson,negative-binomial",
     "zero-inflated-negative-binomial"),
    ("takeover_bids.csv", ["--target", "numbids"],
     "leglrest,rearest,finrest,whtknght,bidprem,insthold,size,regulatn", "poisson,negative-binomial",
     "zero-inflated-poisson"),
    ("servo.csv", ["--target", "rise_time"], "motor,screw,pgain,vgain", "gamma-shape,inverse-gaussian",
     "log-logistic"),
]
SIMULATED = [  # truth, its parameters, families before; the family after is the truth
    ("beta-binomial", ["--dispersion", "0.2", "--trials", "12"], "binomial"),
    ("zero-inflated-poisson", ["--dispersion", "0.35"], "poisson,negative-binomial"),
    ("zero-inflated-negative-binomial", ["--dispersion", "0.5"], "poisson,negative-binomial"),
    ("hurdle-poisson", ["--dispersion", "0.4"], "poisson,negative-binomial"),
    ("weibull", ["--dispersion", "0.5"], "gamma-shape,inverse-gaussian"),
    ("log-logistic", ["--dispersion", "0.4"], "gamma-shape,inverse-gaussian"),
    ("tweedie", ["--dispersion", "1"], "gamma-shape,log-normal"),  # of what is not 0: two_parts
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def nlp(ggpm, data, more, inputs, before, after):
    """Mean negative log density and its standard error over folds, by family."""
    out = json.loads(run(ggpm, "compare", data, *more, "--inputs", inputs, "--likelihoods",
                         f"{before},{after}", "--folds", "10", "--splits", "1", "--restarts", "5", "--json", "--quiet"))
    return {row["candidate"].split(",")[0]: row["nlp"] for row in out["candidates"]}


def two_parts(ggpm, data, inputs, positive):
    """Of amounts with zeros, by two models: is there any, and how much of it. A density of a real y, as Gaussian has it,
    says nothing beside a probability of 0. As nlp()."""
    with open(data) as file:
        header, *rows = [row.strip().split(",") for row in file]
    at = header.index("y")
    with tempfile.TemporaryDirectory() as folder:
        any_of, rest = os.path.join(folder, "any.csv"), os.path.join(folder, "rest.csv")
        for path, chosen in ((any_of, [[*row[:at], str(int(float(row[at]) > 0)), *row[at + 1:]] for row in rows]),
                             (rest, [row for row in rows if float(row[at]) > 0])):
            with open(path, "w") as file:
                file.writelines(",".join(row) + "\n" for row in [header, *chosen])
        share = len(chosen) / len(rows)
        zero = nlp(ggpm, any_of, ["--target", "y"], inputs, "bernoulli", "bernoulli-probit")["bernoulli"]
        amounts = nlp(ggpm, rest, ["--target", "y"], inputs, *positive.split(","))
    return {f"bernoulli` and `{family}": mean_of(zero) + share * mean_of(score) for family, score in amounts.items()}


def mean_of(score):
    return score["mean"] if isinstance(score, dict) else score


def line(name, scores, before, after):
    def best(families):
        return min((mean_of(scores[f]), f) for f in families if f in scores)
    old, family = best(before)
    new, _ = best([after])
    print(f"| {name} | `{family}` {old:.3f} | `{after}` {new:.3f} | {new - old:+.3f} |", flush=True)


def processor_time(command):
    """Of a command, or None where it is refused."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return None if done.returncode else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(ggpm, data, family, method, more):
    """One evaluation of log marginal and gradient from a cold start: a fit that learns nothing, less what
    reading the table takes; the quickest of three."""
    fit = [ggpm, "fit", data, "--target", "y", "--likelihood", family, "--inference", method, "--kernel",
           "rbf(1, 2) + constant(1)", "--no-optimize", "--json", "--quiet", "--threads", "1", *more]
    taken = [processor_time(fit) for _ in range(3)]
    read = [processor_time([ggpm, "describe", data, "--target", "y"]) for _ in range(3)]
    return None if None in taken else max(min(taken) - min(read), 1e-3)


def print_times(ggpm):
    print("| family | laplace | ep | kld |\n|---|---|---|---|")
    unit = {}
    names = [row["name"] for row in json.loads(run(ggpm, "likelihoods", "--json"))]
    with tempfile.TemporaryDirectory() as folder:
        for family in ["poisson", *(name for name in names if name != "poisson")]:
            path = os.path.join(folder, family + ".csv")
            trials = ["--trials", "12"] if "binomial" in family and "negative" not in family else []
            run(ggpm, "simulate", "--likelihood", family, *trials, "--kernel", "rbf(1, 2) + constant(1)",
                "--rows", "400", "--seed", "3", "-o", path)
            cells = []
            for method in ("laplace", "ep", "kld"):
                took = seconds(ggpm, path, family, method, ["--trials", "trials"] if trials else [])
                unit.setdefault(method, took)
                cells.append("–" if took is None else f"{1000 * took:.0f} ms, {took / unit[method]:.1f} ×")
            print(f"| `{family}` | {' | '.join(cells)} |", flush=True)


def main():
    ggpm = sys.argv[1]
    if "--times" in sys.argv:
        return print_times(ggpm)
    print("| data | best of the families before | the family for it | difference |\n|---|---|---|---|")
    if len(sys.argv) > 2:
        for file, more, inputs, before, after in REAL:
            path = os.path.join(sys.argv[2], file)
            line(file[:-4], nlp(ggpm, path, more, inputs, before, after), before.split(","), after)
    with tempfile.TemporaryDirectory() as folder:
        for truth, parameters, before in SIMULATED:
            path = os.path.join(folder, truth + ".csv")
            run(ggpm, "simulate", "--likelihood", truth, *parameters, "--kernel",
                "rbf(1, 2) + constant(1)", "--rows", "200", "--seed", "3", "-o", path)
            more = ["--target", "y"] + (["--trials", "trials"] if "--trials" in parameters else [])
            if truth == "tweedie":
                old = two_parts(ggpm, path, "x", before)
                scores = {**old, **nlp(ggpm, path, more, "x", truth, truth)}
            else:
                scores = nlp(ggpm, path, more, "x", before, truth)
                old = before.split(",")
            line(f"simulated {truth}", scores, list(old), truth)


if __name__ == "__main__":
    main()
