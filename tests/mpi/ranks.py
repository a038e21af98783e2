#!/usr/bin/env python3
"""Fits on several ranks: the same bits as on one, and sentences where something goes wrong.

    tests/mpi/ranks.py COMMAND [--quick] [--mpirun mpirun.openmpi] [--component libggpm_mpi.so]

--quick: what is worth its seconds in every run of the tests. Exit code 77: there is no MPI here.
"""
import argparse
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

failures = 0


def check(claim, holds, detail=""):
    global failures
    print(("ok    " if holds else "FAIL  ") + claim, flush=True)
    if not holds:
        failures += 1
        print(detail, flush=True)


class Tester:
    def __init__(self, arguments, folder):
        self.command, self.folder = str(pathlib.Path(arguments.command).resolve()), folder
        self.mpirun = arguments.mpirun
        # Root, more ranks than cores: in containers and on two cores. MPICH has no such objections.
        self.environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
                            "OMPI_MCA_btl_base_warn_component_unused": "0"}
        if arguments.component:
            self.environment["GGPM_MPI_LIBRARY"] = str(pathlib.Path(arguments.component).resolve())
        version = subprocess.run([self.mpirun, "--version"], capture_output=True, text=True,
                                 env=self.environment).stdout
        self.open_mpi = "Open MPI" in version or "OpenRTE" in version

    def words(self, ranks, *words):
        if ranks == 0:
            return [self.command, *words]
        bind = ["--bind-to", "none"] if self.open_mpi else []
        return [self.mpirun, "-n", str(ranks), *bind, self.command, *words]

    def run(self, ranks, *words, stdin="", environment=None, timeout=300):
        return subprocess.run(self.words(ranks, *words), capture_output=True, text=True,
                              cwd=self.folder, input=stdin, timeout=timeout,
                              env={**self.environment, **(environment or {})})

    def answer(self, ranks, *words):
        result = self.run(ranks, *words)
        if result.returncode != 0:
            raise SystemExit(f"{ranks} ranks, {' '.join(words)}: {result.returncode}\n{result.stderr}")
        return result.stdout


def write_table(path, rows, inputs, seed):
    draw = random.Random(seed)
    lines = [",".join([f"x{j}" for j in range(inputs)] + ["n", "p"])]
    for _ in range(rows):
        x = [draw.random() for _ in range(inputs)]
        eta = math.sin(6 * x[0]) + math.cos(5 * x[-1]) + 0.3 * x[0]
        n = sum(1 for _ in range(20) if draw.random() < 0.1 * math.exp(eta))
        lines.append(",".join([repr(v) for v in x] + [str(n), str(int(draw.random() < 1 / (1 + math.exp(-eta))))]))
    path.write_text("\n".join(lines) + "\n")


def without_times(text):
    out = json.loads(text)
    out.pop("seconds", None)
    return out


KERNEL = ["--kernel", "matern32(1, 0.3)", "--mean", "constant"]


def same_bits(t, sizes, quick):
    cases = [("two.csv", "poisson", "laplace", "two inputs"), ("two.csv", "bernoulli", "ep", "two inputs")]
    if not quick:
        cases += [("two.csv", "negative-binomial", "kld", "two inputs"),
                  ("two.csv", "poisson", "taylor", "two inputs"),
                  ("five.csv", "poisson", "laplace", "global points")]
    for table, likelihood, inference, what in cases:
        target, other = ("p", "n") if likelihood == "bernoulli" else ("n", "p")
        inputs = ["--inputs", ",".join(f"x{j}" for j in range(5 if table == "five.csv" else 2))]
        fit = ["fit", table, "--target", target, *inputs, "--likelihood", likelihood, "--inference", inference,
               *KERNEL, "--engine", "tree", "--accuracy", "fast", "--no-optimize", "--json"]
        alone = without_times(t.answer(0, *fit))
        for ranks in sizes:
            there = without_times(t.answer(ranks, *fit))
            check(f"{likelihood}, {inference}, {what}: log marginal, gradient, latents on {ranks} ranks",
                  there == alone, {k: (alone[k], there[k]) for k in ("log_marginal", "gradient")})


def learning_and_prediction(t, sizes):
    fit = ["fit", "two.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", "--kernel", "matern32", "--restarts", "2", "--json"]
    ask = ["new.csv", "--latent", "--samples", "2", "--draws", "2"]
    alone = without_times(t.answer(0, *fit, "-o", "alone.ggpm"))
    predicted = t.answer(0, "predict", "alone.ggpm", *ask)
    scored = t.answer(0, "score", "alone.ggpm", "new.csv", "--json")
    for ranks in sizes:
        there = without_times(t.answer(ranks, *fit, "-o", "there.ggpm"))
        check(f"a fit that learns, {ranks} ranks", there == alone,
              {k: (alone[k], there[k]) for k in ("log_marginal", "hyperparameters", "iterations")})
        check(f"a model that {ranks} ranks saved predicts the same alone",
              t.answer(0, "predict", "there.ggpm", *ask) == predicted)
        check(f"predictions, {ranks} ranks", t.answer(ranks, "predict", "alone.ggpm", *ask) == predicted)
        check(f"scores, {ranks} ranks", t.answer(ranks, "score", "alone.ggpm", "new.csv", "--json") == scored)


def sentences(t):
    fit = ["fit", "two.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", *KERNEL, "--no-optimize"]
    piped = t.run(3, "fit", "-", *fit[2:], "--json", stdin=(t.folder / "two.csv").read_text())
    check("standard input reaches all ranks",
          without_times(piped.stdout) == without_times(t.answer(0, *fit, "--json")), piped.stderr)
    noted = t.run(3, *fit, environment={"OPENBLAS_NUM_THREADS": "2"})
    check("ranks and threads are shown, once",
          noted.stderr.count("3 ranks on 1 machine, 2 threads each") == 1, noted.stderr)

    def fails(claim, code, text, *words, count=1, **more):
        began = time.time()
        result = t.run(*words, **more)
        check(claim, result.returncode == code and result.stderr.count(text) == count and time.time() - began < 30,
              f"{result.returncode}, {time.time() - began:.1f} s\n{result.stderr}")

    fails("a wrong option is told once", 2, "unknown option '--nonsense'", 3, "fit", "two.csv", "--nonsense")
    fails("a file that is not there is told once", 3, "none.csv: cannot be opened", 3, "fit", "none.csv", "--target", "n")
    fails("bad data is told once", 3, "ggpm: ", 3, "fit", "two.csv", "--target", "x0", "--likelihood", "poisson")
    fails("a full disk on the first rank ends all", 3, "rank 0 on ", 3, *fit, "-o", "/dev/full")
    fails("a subcommand of one process says so", 2, "is done by one process", 2, "compare", "two.csv", "--target", "n")
    elsewhere = shutil.copy(t.command, t.folder / "ggpm-without")
    result = subprocess.run([t.mpirun, "-n", "2", elsewhere, *fit], capture_output=True, text=True, cwd=t.folder,
                            env={k: v for k, v in t.environment.items() if k != "GGPM_MPI_LIBRARY"}, timeout=60)
    check("without the component nobody does everything twice",
          result.returncode == 2 and "has no component for MPI" in result.stderr, result.stderr)
    if t.open_mpi:
        bind = ["--bind-to", "none"]
        mixed = [t.mpirun, *bind, "-n", "1", "env", "OPENBLAS_CORETYPE=Haswell", t.command, *fit,
                 ":", "-n", "1", "env", "OPENBLAS_CORETYPE=Prescott", t.command, *fit]
        result = subprocess.run(mixed, capture_output=True, text=True, cwd=t.folder, env=t.environment, timeout=60)
        check("ranks with other programs or processors are refused, with rank and host",
              result.returncode != 0 and "rank 1 on " in result.stderr and "OPENBLAS_CORETYPE" in result.stderr,
              result.stderr)


def children_of(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *children_of(int(child))]
    return found


def killed(t, times):
    """A rank that is killed ends the job within seconds, and no file is half written."""
    fit = ["fit", "two.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", "--kernel", "matern32", "--restarts", "20", "--quiet", "-o", "killed.ggpm"]
    draw = random.Random(5)
    for _ in range(times):
        (t.folder / "killed.ggpm").unlink(missing_ok=True)
        job = subprocess.Popen(t.words(4, *fit), cwd=t.folder, env=t.environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5 + 2 * draw.random())
        ranks = [p for p in children_of(job.pid)
                 if pathlib.Path(f"/proc/{p}/exe").resolve() == pathlib.Path(t.command)]
        if not ranks or job.poll() is not None:
            job.communicate()
            continue
        victim = draw.choice(ranks)
        os.kill(victim, signal.SIGKILL)
        began = time.time()
        _, error = job.communicate(timeout=60)
        check("a killed rank ends the job", job.returncode != 0 and time.time() - began < 20 and
              not (t.folder / "killed.ggpm").exists(), f"{job.returncode} {time.time() - began:.1f} s\n{error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--component", default="")
    parser.add_argument("--kills", type=int, default=3)
    arguments = parser.parse_args()
    if shutil.which(arguments.mpirun) is None:
        print(f"{arguments.mpirun} is not there")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_table(folder / "two.csv", 1500 if arguments.quick else 3000, 2, 1)
        write_table(folder / "five.csv", 2000, 5, 2)
        write_table(folder / "new.csv", 1200, 2, 3)
        tester = Tester(arguments, folder)
        same_bits(tester, [2, 3] if arguments.quick else [1, 2, 3, 4, 8], arguments.quick)
        if not arguments.quick:
            learning_and_prediction(tester, [2, 4])
            sentences(tester)
            killed(tester, arguments.kills)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
