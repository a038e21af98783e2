"""One measurement in a process of its own, in the environment of the program that is measured.

    python worker.py '{"peer": "gpboost", "case": "poisson log, laplace", "n": 500, ...}'

Prints one line of JSON: seconds, log marginal, peak memory, versions.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import math
import os
import sys
import time
import warnings

import problem as problems


def limit_threads(threads: int) -> None:
    """As many cores as threads: no library can take more, whatever it thinks of its settings."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, cores)


def peak_megabytes() -> float:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def best_of(work, enough: float, most: int, reset=lambda: None) -> tuple[float, object]:
    """Seconds of the fastest repetition: until `enough` seconds have passed, at most `most`.

    reset: what makes every repetition a cold start, not counted.
    """
    best, spent, result = float("inf"), 0.0, None
    for _ in range(most):
        reset()
        began = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - began
        best, spent = min(best, seconds), spent + seconds
        if spent > enough:
            break
    return best, result


def predict(model, Z, limit: float) -> dict:
    """Rows are predicted one like the other: what would be too long is told from one in fifty."""
    some = len(Z) // 50
    seconds, answer = best_of(lambda: model.predict(Z[:some]), enough=10, most=2)
    seconds = getattr(model, "elapsed", seconds)
    extrapolated = seconds * 50 > limit
    if extrapolated:
        seconds *= 50
    else:
        seconds, answer = best_of(lambda: model.predict(Z), enough=5, most=2)
        seconds = getattr(model, "elapsed", seconds)
    mean, deviation = answer
    return {"seconds": seconds, "extrapolated": extrapolated, "mean": float(mean.mean()),
            "deviation": float(deviation.mean())}


def measure(task: dict) -> dict:
    limit_threads(task["threads"])
    adapter = importlib.import_module(f"adapters.{task['peer']}")
    case = problems.Case.parse(task["case"])
    fits = task["what"] == "fit"
    problem = problems.load(task["table"], case, task["n"], task["threads"], start=fits)
    out = {"versions": getattr(adapter, "VERSIONS", {}) |
           {name: importlib.metadata.version(name) for name in adapter.PACKAGES}}
    before = peak_megabytes()
    if task["what"] == "value":
        model = adapter.Model(problem)
        # The first call of some programs compiles: the best of several is what a fit pays.
        seconds, (value, _) = best_of(model.value_and_gradient, enough=4, most=5,
                                      reset=model.prepare)
    elif fits:
        def fit():
            fitted = adapter.Model(problem)
            return fitted, fitted.fit()
        seconds, (model, value) = best_of(fit, enough=1, most=3)
        seconds = getattr(model, "elapsed", seconds)  # of a program that runs elsewhere
    else:
        model = adapter.Model(problem)
        model.prepare()
        value = None
        out |= predict(model, problems.new_inputs(task["rows"]), task["limit"])
        seconds = out["seconds"]
    if value is not None and not math.isfinite(value):  # the time of no answer says nothing
        return {"error": "the log marginal is not a number"}
    out |= {"seconds": seconds, "value": None if value is None else float(value),
            "peak_megabytes": peak_megabytes(), "import_megabytes": before}
    return out | getattr(model, "notes", {})


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    print("\n" + json.dumps(measure(json.loads(sys.argv[1]))))
