"""make bench-peers: measure ggpm and its peers on this machine, write docs/performance.md.

    python3 bench/peers                   the whole run; what was measured before is kept
    python3 bench/peers --fresh           measure everything again
    python3 bench/peers --quick           small sizes, prints the report instead
    python3 bench/peers --environments    only install the peers and draw the data
    python3 bench/peers --readme          print the short table of the README
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

import machine
import problem
import report
from environment import ROOT, TITLES, last_line, prepare, say, variables
from schedule import PATIENCE, SIZES, Results, Task, limit, read_plan, reason_to_skip, tasks

HERE = Path(__file__).resolve().parent
WORK = ROOT / "build" / "peers"
PROGRAM = ROOT / "build" / "ggpm"


def run(task: Task, python: Path, table: Path, rows: int) -> dict:
    order = asdict(task) | {"table": str(table), "rows": rows, "limit": limit(task)}
    patience = PATIENCE * limit(task) + 30  # imports and data
    try:
        done = subprocess.run([str(python), str(HERE / "worker.py"), json.dumps(order)],
                              capture_output=True, text=True, timeout=patience,
                              env=variables(task.threads))
    except subprocess.TimeoutExpired:
        return {"error": f"not done in {patience:.0f} s"}
    if done.returncode != 0:
        return {"error": last_line(done.stderr)}
    return json.loads(done.stdout.strip().splitlines()[-1])


def simulate(rows: int) -> dict[str, Path]:
    return {likelihood: problem.simulate(PROGRAM, WORK / "data", likelihood, rows)
            for likelihood in problem.DISPERSION}


def measure(results: Results, interpreters: dict[str, Path], quick: bool, minutes: float,
            sizes: tuple = ()) -> None:
    plans = {peer: read_plan(HERE / "adapters" / f"{peer}.py")
             for peer in TITLES if peer in interpreters}
    todo = tasks(plans, quick, sizes)
    tables = simulate(max(task.n for task in todo))
    began = time.monotonic()
    for count, task in enumerate(todo, 1):
        if task in results.by_task or reason_to_skip(task, results) is not None:
            continue
        if time.monotonic() - began > 60 * minutes:
            say(f"{minutes:.0f} minutes are over: {len(todo) - count + 1} measurements were not "
                "looked at; run again to go on")
            return
        likelihood = problem.Case.parse(task.case).likelihood
        result = run(task, interpreters[task.peer], tables[likelihood],
                     problem.PREDICTED_ROWS if not quick else 2000)
        results.add(task, result)
        shown = (f"{result['seconds']:.4g} s" if "seconds" in result else result["error"])
        say(f"[{count}/{len(todo)}] {task.peer}: {task.what}, {task.case}, n = {task.n}, "
            f"{task.threads} thread(s): {shown}")


def cholesky_table(quick: bool) -> str:
    """What bench/inference.cpp prints: cost in Cholesky factorizations."""
    program = ROOT / "build" / "bench" / "bench_inference"
    words = [str(program)] + (["--quick"] if quick else [])
    return subprocess.run(words, check=True, capture_output=True, text=True,
                          env=variables(1)).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, report on the screen")
    parser.add_argument("--fresh", action="store_true", help="forget earlier measurements")
    parser.add_argument("--environments", action="store_true", help="only install the peers and draw the data")
    parser.add_argument("--readme", action="store_true", help="print the table of the README")
    parser.add_argument("--minutes", type=float, default=20, help="stop measuring after (20)")
    parser.add_argument("--sizes", default="", help="numbers of rows, e.g. 500,1000 (all)")
    options = parser.parse_args()

    path = WORK / ("quick.jsonl" if options.quick else "results.jsonl")
    if options.readme:
        print(report.readme_table(Results(path)))
        return
    interpreters = prepare()
    if options.environments:
        if PROGRAM.exists():
            simulate(max(SIZES))
        say("ready: " + ", ".join(TITLES[name] for name in interpreters))
        return
    this_machine = machine.describe()
    results = Results(path, fresh=options.fresh)
    sizes = tuple(int(size) for size in options.sizes.split(",") if size)
    measure(results, interpreters, options.quick, options.minutes, sizes)
    text = report.write(results, this_machine, cholesky_table(options.quick))
    if options.quick:
        print(text)
        return
    out = ROOT / "docs" / "performance.md"
    out.write_text(text)
    say(f"wrote {out.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
