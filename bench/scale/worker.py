"""One program on one scene, in a process of its own: prints one line of JSON.

    python worker.py PROGRAM SCENE.npz THREADS
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cuts
import data
import numpy as np
from scores import score

ROOT = Path(__file__).resolve().parents[2]
WAYS = {"ggpm-laplace": ["laplace"], "ggpm-fast": ["laplace", "--accuracy", "fast"], "ggpm-ep": ["ep"],
        "ggpm-kld": ["kld"]}
GGPM = {"bernoulli": ["bernoulli"], "poisson": ["poisson"], "gaussian": ["gaussian"],
        "gamma": ["gamma-shape", "--dispersion", str(1 / data.SHAPE)]}
SHAPE_OF = {"S1": "matern32", "S2": "matern32", "S3": "rbf", "S4": "matern32"}


def table(path: Path, X, y=None) -> None:
    head = [f"x{j + 1}" for j in range(X.shape[1])] + (["y"] if y is not None else [])
    rows = X if y is None else np.column_stack([X, y])
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows.tolist())


class Clock:
    def __init__(self):
        self.seconds = {}

    def __call__(self, what, work):
        began = time.perf_counter()
        out = work()
        self.seconds[what] = time.perf_counter() - began
        return out


def kernel(scene) -> str:
    """As a user would write it, with the shape that is known and a length-scale for each input."""
    text = f"{SHAPE_OF[scene.name]}(ard=true) + constant"
    return text + " + periodic(1, 1, fixed(0.01))" if scene.name == "S4" else text


def ggpm(program, scene, threads, clock):
    way = list(WAYS[program])
    if scene.family == "gaussian":
        way[0] = "exact"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table(folder / "train.csv", scene.X, scene.y)
        table(folder / "test.csv", scene.Z)

        def run(*words):
            return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                                  text=True).stdout

        def fit():
            return json.loads(run(ROOT / "build" / "ggpm", "fit", folder / "train.csv", "--target",
                                  "y", "--likelihood", *GGPM[scene.family], "--inference",
                                  *way, "--kernel", kernel(scene), "--json", "--quiet", "-o",
                                  folder / "model.ggpm"))

        def predict():
            return run(ROOT / "build" / "ggpm", "predict", folder / "model.ggpm",
                       folder / "test.csv", "--latent")

        report = clock("fit", fit)
        lines = list(csv.DictReader(clock("predict", predict).splitlines()))
        to_cut = cuts.distances(folder / "model.ggpm", scene.Z)
    mean = np.array([float(line["latent_mean"]) for line in lines])
    sd = np.array([float(line["latent_sd"]) for line in lines])
    return mean, sd, {"engine": report["engine"], "converged": report["converged"],
                      "fit_alone": report["seconds"], "to_cut": to_cut}


def gpboost(program, scene, threads, clock):
    import gpboost as gpb

    family = {"bernoulli": "bernoulli_logit", "poisson": "poisson", "gamma": "gamma",
              "gaussian": "gaussian"}[scene.family]
    settings = {"gp_approx": "vif"} if program == "gpboost-vif" else {
        "gp_approx": "vecchia", "num_neighbors": 20}
    shape = {"cov_function": "gaussian_ard"} if SHAPE_OF[scene.name] == "rbf" else {
        "cov_function": "matern_ard", "cov_fct_shape": 1.5}
    model = gpb.GPModel(gp_coords=scene.X, likelihood=family, num_parallel_threads=threads,
                        **shape, **settings)
    ones, new = np.ones((len(scene.X), 1)), np.ones((len(scene.Z), 1))
    clock("fit", lambda: model.fit(y=scene.y, X=ones))
    answer = clock("predict", lambda: model.predict(
        gp_coords_pred=scene.Z, X_pred=new, predict_var=True, predict_response=False))
    return answer["mu"], np.sqrt(answer["var"]), {}


def bam(program, scene, threads, clock):
    family = {"bernoulli": "binomial()", "poisson": "poisson()", "gamma": 'Gamma(link = "log")',
              "gaussian": "gaussian()"}[scene.family]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table(folder / "train.csv", scene.X, scene.y)
        table(folder / "test.csv", scene.Z)
        done = subprocess.run(["Rscript", Path(__file__).with_name("bam.R"), folder, family,
                               str(threads)], check=True, capture_output=True, text=True)
        answer = json.loads(done.stdout)
        values = np.loadtxt(folder / "answer.csv", delimiter=",", skiprows=1)
    clock.seconds |= {"fit": answer["fit"], "predict": answer["predict"]}
    return values[:, 0], values[:, 1], {"read": answer["read"]}


def gpytorch(program, scene, threads, clock):
    from svgp_gpytorch import run
    return run(scene, threads, clock)


def gpflow(program, scene, threads, clock):
    from svgp_gpflow import run
    return run(scene, threads, clock)


PROGRAMS = {**dict.fromkeys(WAYS, ggpm), "gpboost": gpboost, "gpboost-vif": gpboost,
            "bam": bam, "gpytorch": gpytorch, "gpflow": gpflow}


def main() -> None:
    program, path, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    scene, clock = data.load(path), Clock()
    mean, sd, more = PROGRAMS[program](program, scene, threads, clock)
    # All programs are judged at the cuts of the same tree.
    kept = path.with_suffix(".cuts.npy")
    if (to_cut := more.pop("to_cut", None)) is not None and not kept.exists():
        np.save(kept, to_cut)
    to_cut = np.load(kept) if kept.exists() else None
    peak = max(resource.getrusage(who).ru_maxrss
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1e6
    processor = sum(sum(resource.getrusage(who)[:2])
                    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"program": program, "scene": scene.name, "family": scene.family,
                      "n": len(scene.y), "seconds": clock.seconds, "processor": processor,
                      "peak_gb": peak, **score(scene, np.asarray(mean), np.asarray(sd), to_cut),
                      **more}))


if __name__ == "__main__":
    main()
