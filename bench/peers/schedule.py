"""Which measurements there are, in which order, and which would take too long."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from problem import CASES

SIZES = (200, 500, 1000, 2000, 4000, 8000)
QUICK_SIZES = (100, 200)
PREDICT_SIZES = (1000,)
SMALL = 500
# Two threads are asked for from this size on: below, programs differ by start-up alone.
TWO_THREADS_FROM = 1000
# Seconds that a measurement may be expected to take, from its last size. What takes longer than
# PATIENCE times that is ended.
LIMIT = {"value": 8.0, "fit": 20.0, "predict": 25.0}
PATIENCE = 3
OURS = "ggpm"
OUR_VALUES = 9  # our own growth is followed further than that of peers


@dataclass(frozen=True)
class Task:
    what: str  # value, fit, predict
    n: int
    threads: int
    case: str
    peer: str

    @property
    def series(self) -> tuple:
        return self.what, self.threads, self.case, self.peer


@dataclass(frozen=True)
class Plan:
    """What a program can do."""

    cases: list[str]
    what: list[str]


def read_plan(adapter: Path) -> Plan:
    """CASES and WHAT of an adapter, read without importing what it imports; by default, all."""
    said = {node.targets[0].id: ast.literal_eval(node.value)
            for node in ast.parse(adapter.read_text()).body if isinstance(node, ast.Assign)
            and getattr(node.targets[0], "id", None) in ("CASES", "WHAT")}
    return Plan(said.get("CASES", [case.label for case in CASES]), said.get("WHAT", list(LIMIT)))


def tasks(plans: dict[str, Plan], quick: bool, sizes: tuple = ()) -> list[Task]:
    """Small ones first: when time is up, what is missing is large for everyone."""
    out = []
    for n in sizes or (QUICK_SIZES if quick else SIZES):
        for what in LIMIT:
            if what == "predict" and n not in (QUICK_SIZES[-1:] if quick else PREDICT_SIZES):
                continue
            for threads in (1, 2):
                if threads > 1 and n < TWO_THREADS_FROM:
                    continue
                out += [Task(what, n, threads, case, peer)
                        for case in plans[OURS].cases
                        for peer, plan in plans.items()
                        if case in plan.cases and what in plan.what]
    return out


def limit(task: Task) -> float:
    return LIMIT[task.what] * (OUR_VALUES if (task.peer, task.what) == (OURS, "value") else 1)


class Results:
    """Measurements by task, kept as lines of JSON so that an interrupted run goes on."""

    def __init__(self, path: Path | None = None, fresh: bool = False):
        self.path = path
        self.by_task: dict[Task, dict] = {}
        if path is None or not path.exists():
            return
        if fresh:
            path.unlink()
            return
        for line in path.read_text().splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # the last line of a run that was killed
                continue
            self.by_task[Task(**record["task"])] = record["result"]

    def add(self, task: Task, result: dict) -> None:
        self.by_task[task] = result
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps({"task": asdict(task), "result": result}) + "\n")

    def sizes(self, series: tuple) -> dict[int, dict]:
        return {task.n: result for task, result in sorted(
            self.by_task.items(), key=lambda item: item[0].n) if task.series == series}

    def seconds(self, series: tuple) -> dict[int, float]:
        return {n: r["seconds"] for n, r in self.sizes(series).items() if "seconds" in r}

    def get(self, what: str, n: int, threads: int, case: str, peer: str) -> dict | None:
        return self.by_task.get(Task(what, n, threads, case, peer))


def reason_to_skip(task: Task, results: Results) -> str | None:
    """Growth from the largest smaller size says whether a size is worth starting."""
    before = [(n, r) for n, r in results.sizes(task.series).items() if n < task.n]
    if not before:
        # One thread has shown what a second one cannot mend.
        if task.threads > 1:
            return reason_to_skip(Task(task.what, task.n, 1, task.case, task.peer), results)
        return None
    n, last = before[-1]
    if "seconds" not in last:
        return f"n = {n}: {last.get('error', 'failed')}"
    growth = 2 if task.n <= SMALL else 3  # start-up still counts in small ones
    if last["seconds"] * (task.n / n) ** growth > limit(task):
        return f"n = {n} took {last['seconds']:.3g} s"
    return None
