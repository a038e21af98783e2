#!/usr/bin/env python3
"""What default fits of the tables of GGPM_DATA_DIR cost and reach: 50 starts, inference chosen by auto.

    python3 bench/fits.py OLD/ggpm [build/ggpm] [--only NAME,NAME] [--keep FILE]
    python3 bench/fits.py build/ggpm --sizes      # wall seconds at 1,000, 2,000 and 4,000 rows x 4 inputs

With two commands it shows what changed: seconds of processor time, evaluations, log marginal (higher is
better) and the mean leave-one-out -log p(y) (lower is better). Results in FILE are not computed again.
"""

import argparse
import json
import math
import os
import random
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ARD = "rbf(ard=true) + constant"
CASES = [
    ("tokyo_rainfall", "rain", "binomial", ["--trials", "trials"]),
    ("auto_mpg", "mpg", "gamma-shape", ["--inputs", "cylinders,displacement,horsepower,weight,"
                                        "acceleration,model_year,origin"]),
    ("auto_mpg", "mpg", "gamma-shape", ["--inputs", "cylinders,displacement,horsepower,weight,"
                                        "acceleration,model_year,origin", "--kernel", ARD]),
    ("horseshoe_crabs", "satellites", "negative-binomial", []),
    ("yacht_resistance", "resistance", "gamma-shape", ["--kernel", ARD]),
    ("housing", "medv", "gamma-shape", []),
    ("housing", "medv", "gamma-shape", ["--kernel", ARD]),
    ("pima", "diabetes", "bernoulli", ["--inputs", "npreg,glu,bp,skin,bmi,ped,age"]),
    ("pima", "diabetes", "bernoulli", ["--inputs", "npreg,glu,bp,skin,bmi,ped,age", "--kernel", ARD]),
    ("bike_sharing_day", "cnt", "negative-binomial",
     ["--inputs", "season,yr,mnth,holiday,weekday,workingday,weathersit,temp,hum,windspeed"]),
    ("bike_sharing_day", "cnt", "auto",
     ["--inputs", "season,yr,mnth,holiday,weekday,workingday,weathersit,temp,hum,windspeed",
      "--kernel", ARD]),
    ("concrete_strength", "strength", "gamma-shape", []),
    ("concrete_strength", "strength", "gamma-shape", ["--kernel", ARD]),
    ("fertility_german", "children", "poisson", []),
    ("fertility_german", "children", "auto", []),
    ("airfoil_noise", "spl", "gaussian", ["--kernel", ARD]),
    ("airfoil_noise", "spl", "gamma-shape", []),
    ("airfoil_noise", "spl", "gamma-shape", ["--kernel", ARD]),
    ("ucsd_left", "count", "poisson", ["--inputs", "f1,f2,f3,f4,f5,f6,f7,f8"]),
    ("abalone", "rings", "poisson", []),
    ("abalone", "rings", "negative-binomial", ["--kernel", ARD]),
]


def run(command, folder, case):
    table, target, likelihood, options = case
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([command, "fit", str(folder / f"{table}.csv"), "--target", target,
                           "--likelihood", likelihood, *options, "--json", "--quiet"],
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return {"error": done.stderr.strip()[-200:]}
    out = json.loads(done.stdout)
    return {"n": out["n"], "d": out["d"], "likelihood": out["likelihood"],
            "inference": out["inference"], "engine": out["engine"]["name"],
            "log_marginal": out["log_marginal"], "converged": out["converged"],
            "evaluations": out["evaluations"], "optima": len(out["optima"]),
            "nlp": -out["loo"]["log_density"] / out["n"] if out.get("loo") else None,
            "seconds": out["seconds"],
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def poisson_draw(generator, mean):
    product, count = generator.random(), 0
    while product > math.exp(-mean):
        product *= generator.random()
        count += 1
    return count


def simulate(folder, likelihood, rows):
    generator = random.Random(rows)
    lines = ["a,b,c,d,y"]
    draw = {"poisson": lambda eta: poisson_draw(generator, math.exp(eta)),
            "bernoulli": lambda eta: int(generator.random() < 1 / (1 + math.exp(-2 * eta))),
            "gamma-shape": lambda eta: generator.gammavariate(3, math.exp(eta) / 3)}[likelihood]
    for _ in range(rows):
        x = [generator.uniform(-2, 2) for _ in range(4)]
        eta = math.sin(1.5 * x[0]) + 0.5 * x[1] * math.cos(x[2]) + 0.3 * x[3]
        y = draw(eta)
        lines.append(",".join(f"{v:.6g}" for v in [*x, y]))
    (folder / f"{likelihood}_{rows}.csv").write_text("\n".join(lines) + "\n")
    return f"{likelihood}_{rows}", "y", likelihood, []


def measure_sizes(commands, sizes):
    """Whole commands, from the table to the printed model."""
    with tempfile.TemporaryDirectory() as name:
        for rows in sizes:
            for likelihood in ("poisson", "bernoulli", "gamma-shape"):
                case = simulate(Path(name), likelihood, rows)
                for command in commands:
                    began = time.time()
                    one = run(command, Path(name), case)
                    wall = time.time() - began
                    if "error" in one:
                        raise SystemExit(one["error"])
                    print(f"| {rows} | {likelihood}, {one['inference']} | {command} | {wall:.2f} | "
                          f"{one['processor']:.2f} | {one['evaluations']} | {one['log_marginal']:.4f} | "
                          f"{one['nlp']:.5f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--sizes", nargs="?", const="1000,2000,4000", help="rows of simulated tables")
    a = parser.parse_args()
    if a.sizes:
        measure_sizes(a.commands, [int(rows) for rows in a.sizes.split(",")])
        return
    folder = Path(os.environ.get("GGPM_DATA_DIR", "../shared/data"))
    known = json.loads(a.keep.read_text()) if a.keep and a.keep.exists() else {}
    only = [name for name in a.only.split(",") if name]
    for case in CASES:
        if only and case[0] not in only:
            continue
        found = []
        for command in a.commands:
            key = " ".join([command, case[0], case[2], *case[3]])
            if key not in known:
                known[key] = run(command, folder, case)
                if a.keep:
                    a.keep.write_text(json.dumps(known, indent=1))
            found.append(known[key])
        label = f"{case[0]}, {case[2]}{', ard' if ARD in case[3] else ''}"
        if any("error" in one for one in found):
            print(f"| {label} | {[one.get('error', '') for one in found]} |", flush=True)
            continue
        first, last = found[0], found[-1]
        cells = [f"{last['n']} × {last['d']}, {last['inference']}",
                 " → ".join(f"{one['processor']:.1f}" for one in found),
                 " → ".join(f"{one['evaluations']}" for one in found),
                 f"{last['log_marginal']:.3f}",
                 f"{last['log_marginal'] - first['log_marginal']:+.4f}",
                 f"{last['nlp'] - first['nlp']:+.5f}" if last["nlp"] is not None else "–"]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
