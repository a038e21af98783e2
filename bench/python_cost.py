"""What does Python add to a fit, and do two fits in two threads run side by side?

    PYTHONPATH=build/python python3 bench/python_cost.py [--rows 1000] [--repeats 3]

Beside each fit from Python, the same fit runs from C++: the command, on the same table with the same
seed, whose log marginal must be the same to the last bit. What Python adds is measured in two ways:

  within     the time of GeneralizedGP.fit, without that of the library's fit inside of it. Both are
             read from the same run, so other programs on the machine hardly matter.
  outside    the library's fit as Python calls it (GIL, progress, interrupts) against the library's
             fit as the command calls it: two runs, so a quiet machine is needed. The smallest of
             the repeats is taken.

Two threads are right when CPU / wall is near 2 and neither fit takes longer than alone.
"""

import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before the library is loaded

import numpy as np

import ggpm
from ggpm import GeneralizedGP

COMMAND = Path(ggpm._core.__file__).resolve().parents[2] / "ggpm"
SAME = {"likelihood": "poisson", "kernel": "rbf(ard=true)", "inference": "laplace", "restarts": 0,
        "threads": 1, "random_state": 1}


def counts(rows: int):
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 4))
    return X, random.poisson(np.exp(1 + np.sin(X[:, 0]) + 0.5 * X[:, 1])).astype(float)


def timed(call):
    """What it returns, wall seconds, CPU seconds of all threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def from_command(table: str) -> tuple[float, float]:
    done = subprocess.run(
        [COMMAND, "fit", table, "--target", "y", "--likelihood", SAME["likelihood"], "--kernel",
         SAME["kernel"], "--inference", SAME["inference"], "--restarts", "0", "--threads", "1",
         "--seed", "1", "--json", "--quiet"], check=True, capture_output=True, text=True)
    out = json.loads(done.stdout)
    return out["seconds"], out["log_marginal"]


def one_fit(X, y, repeats: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "t.csv")
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header="x1,x2,x3,x4,y", comments="",
                   fmt="%.17g")
        within, inside, command = [], [], []
        for _ in range(repeats):
            model, wall, cpu = timed(lambda: GeneralizedGP(**SAME).fit(X, y))
            seconds, log_marginal = from_command(table)
            assert log_marginal == model.log_marginal_likelihood_, "not the same fit"
            within.append(wall - model.fit_seconds_)
            inside.append(model.fit_seconds_)
            command.append(seconds)
    print(f"fit of {len(y)} rows from C++      {min(command):8.3f} s")
    print(f"the same fit inside of Python  {min(inside):8.3f} s   outside: "
          f"{100 * (min(inside) / min(command) - 1):+.2f} %")
    print(f"what Python adds around it     {min(within):8.4f} s   within:  "
          f"{100 * min(within) / min(inside):+.2f} %")
    return min(inside)


def two_fits(X, y) -> None:
    _, alone, cpu = timed(lambda: GeneralizedGP(**SAME).fit(X, y))

    def both():
        threads = [threading.Thread(target=lambda: GeneralizedGP(**SAME).fit(X, y))
                   for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    _, together, cpu_together = timed(both)
    print(f"one fit                        {alone:8.3f} s   CPU / wall {cpu / alone:.2f}")
    print(f"two fits in two threads        {together:8.3f} s   CPU / wall "
          f"{cpu_together / together:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    X, y = counts(given.rows)
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    one_fit(X, y, given.repeats)
    two_fits(X, y)


if __name__ == "__main__":
    main()
