"""docs/performance.md and the short table of the README, from measurements alone."""

from __future__ import annotations

from environment import TITLES
from figures import exponent, matrices, ratio, table, write_number, write_ratio
from schedule import LIMIT, OUR_VALUES, OURS, Results, Task, reason_to_skip

INTRODUCTION = """# Performance

Written by `make bench-peers`; every figure is of one run on one machine.

"""
SETTING = """
Four inputs uniform in [0, 4], an ARD squared exponential kernel, data drawn by `ggpm simulate`.
Every measurement is a process of its own that may use as many cores as it has threads. All programs
get the same rows and the same hyperparameters; a fit starts at the same point with one start, and
each program's own stopping rule. (3.2×) means 3.2 times as long as ggpm with the same inference and
the same number of threads.
"""
VALUE = """
## One log marginal and its gradient

Seconds at the hyperparameters of the simulation, from a cold start. GPBoost's package gives no
gradient: its time is that of the value alone. For GPflow and GPyTorch it is the time to the best
variational distribution by natural gradients and one gradient. Growth: the exponent of n fitted
from n = 500 on.
"""
AGREEMENT = """
### Do they compute the same?

Log marginal at the same hyperparameters, largest n that both have. GPflow's probit is bent by 10⁻³
at its ends and its K has 10⁻⁶ on the diagonal, GPyTorch's K has more.
"""
FIT = """
## A fit

Seconds from the same start to where the program stops, and log marginals there (a higher one is
better). For GPflow and GPyTorch: L-BFGS over variational parameters and hyperparameters at once.
"""
PREDICT = """
## Prediction of 100,000 rows

Seconds for mean and standard deviation of y, given the model; ≈: extrapolated from 2,000 rows,
whose averages are then shown. mgcv gives the standard error of the mean instead of the deviation of
y.
"""
MEMORY = """
## Peak memory

Of one value and gradient with one thread, beyond the program and its data, in n × n matrices of
doubles at the largest n that the program was run at.
"""


def peers_of(results: Results, case: str) -> list[str]:
    """ggpm first, then the others in the order of TITLES."""
    there = {task.peer for task in results.by_task if task.case == case}
    return [peer for peer in TITLES if peer in there]


def cases_of(results: Results, what: str) -> list[str]:
    """Cases in the order in which they were measured."""
    return list(dict.fromkeys(task.case for task in results.by_task if task.what == what))


def sizes_of(results: Results, what: str) -> list[int]:
    return sorted({task.n for task in results.by_task if task.what == what})


def cell(results: Results, what: str, n: int, threads: int, case: str, peer: str) -> str:
    """Seconds, with the ratio to ggpm; or why there are none."""
    result = results.get(what, n, threads, case, peer)
    if result is None:
        before = [m for m in results.sizes((what, threads, case, peer)) if m < n]
        skip = reason_to_skip(Task(what, n, threads, case, peer), results) if before else None
        return "too long" if skip else "–"
    if "seconds" not in result:
        return "fails" if "not done" not in result["error"] else "too long"
    ours = results.get(what, n, threads, case, OURS) or {}
    shown = ("≈ " if result.get("extrapolated") else "") + write_number(result["seconds"])
    if peer == OURS:
        return shown
    return f"{shown} ({write_ratio(ratio(result['seconds'], ours.get('seconds')))})"


def timings(results: Results, what: str, case: str) -> str:
    sizes = sizes_of(results, what)
    rows = []
    for peer in peers_of(results, case):
        for threads in (1, 2):
            seconds = results.seconds((what, threads, case, peer))
            if not seconds:
                continue
            growth = exponent(seconds)
            rows.append([TITLES[peer], str(threads),
                         *(cell(results, what, n, threads, case, peer) for n in sizes),
                         "–" if growth is None else f"{growth:.1f}"])
    return f"\n**{case}**\n\n" + table(
        ["program", "threads", *(f"n = {n}" for n in sizes), "growth"], rows)


def pairs(results: Results, what: str):
    """(case, peer, largest n that ggpm and the peer both have, ours, theirs), one thread."""
    for case in cases_of(results, what):
        ours = results.sizes((what, 1, case, OURS))
        for peer in peers_of(results, case)[1:]:
            theirs = results.sizes((what, 1, case, peer))
            both = [n for n in theirs
                    if "seconds" in theirs[n] and "seconds" in ours.get(n, {})]
            if both:
                yield case, peer, max(both), ours[max(both)], theirs[max(both)]


def log_marginals(results: Results, what: str) -> str:
    rows = []
    for case, peer, n, ours, theirs in pairs(results, what):
        if ours["value"] is None or theirs["value"] is None:
            continue
        rows.append([case, TITLES[peer], str(n), f"{ours['value']:.4f}", f"{theirs['value']:.4f}",
                     f"{theirs['value'] - ours['value']:+.1e}"])
    return "\n" + table(["model", "program", "n", "ggpm", "program's", "difference"], rows)


def predictions(results: Results) -> str:
    rows = []
    for case in cases_of(results, "predict"):
        for peer in peers_of(results, case):
            cells = [cell(results, "predict", n, threads, case, peer)
                     for n in sizes_of(results, "predict") for threads in (1, 2)]
            first = next((r for task, r in results.by_task.items() if "mean" in r and
                          (task.what, task.case, task.peer) == ("predict", case, peer)), None)
            if first is not None:
                rows.append([case, TITLES[peer], *cells, f"{first['mean']:.5f}",
                             f"{first['deviation']:.5f}"])
    heads = [f"n = {n}, {threads} thread{'s' * (threads > 1)}"
             for n in sizes_of(results, "predict") for threads in (1, 2)]
    return "\n" + table(["model", "program", *heads, "average mean", "average sd"], rows)


def memory(results: Results) -> str:
    rows = []
    for case in cases_of(results, "value"):
        for peer in peers_of(results, case):
            measured = {n: r for n, r in results.sizes(("value", 1, case, peer)).items()
                        if r.get("peak_megabytes")}
            if not measured:
                continue
            n = max(measured)
            beyond = measured[n]["peak_megabytes"] - measured[n]["import_megabytes"]
            rows.append([case, TITLES[peer], str(n), write_number(beyond),
                         f"{matrices(beyond, n):.1f}"])
    return "\n" + table(["model", "program", "n", "megabytes", "n × n matrices"], rows)


def versions(results: Results) -> str:
    found: dict[str, dict[str, str]] = {}
    for task, result in results.by_task.items():
        found.setdefault(task.peer, {}).update(result.get("versions", {}))
    return "\n" + table(["program", "versions"], [
        [TITLES[peer], ", ".join(f"{name} {version}" for name, version in found[peer].items())]
        for peer in TITLES if found.get(peer)])


def failures(results: Results) -> str:
    rows = [[TITLES[task.peer], task.case, f"{task.what}, n = {task.n}, {task.threads} thread(s)",
             result["error"].replace("|", "/")]
            for task, result in results.by_task.items() if "error" in result]
    if not rows:
        return ""
    return "\n## What did not run\n\n" + table(["program", "model", "measurement", "message"], rows)


def write(results: Results, machine: dict[str, str], cholesky: str) -> str:
    limits = ", ".join(f"{seconds:.0f} s ({what})" for what, seconds in LIMIT.items())
    parts = [INTRODUCTION, table(["machine", ""], [[k, v] for k, v in machine.items()]),
             versions(results), SETTING,
             f"\n*too long*: expected to take more than {limits}, by cubic growth from the last "
             "size (quadratic up to n = 500), or ended after three times that; ggpm's own values are "
             f"followed {OUR_VALUES} times as far.\n", VALUE]
    parts += [timings(results, "value", case) for case in cases_of(results, "value")]
    parts += [AGREEMENT, log_marginals(results, "value"), FIT]
    parts += [timings(results, "fit", case) for case in cases_of(results, "fit")]
    parts += ["\n### Where they stop\n", log_marginals(results, "fit"),
              PREDICT, predictions(results), MEMORY, memory(results), failures(results)]
    if cholesky:
        parts += ["\n## Close to the machine's limit\n\n", cholesky]
    return "".join(parts)


def readme_table(results: Results) -> str:
    """Ratios at the largest n that both have, one thread."""
    rows: dict[tuple, dict] = {}
    for what in ("value", "fit", "predict"):
        for case, peer, n, ours, theirs in pairs(results, what):
            times = write_ratio(ratio(theirs["seconds"], ours["seconds"]))
            rows.setdefault((peer, case), {})[what] = f"{times} (n = {n})"
    return table(["program", "model", "log marginal + gradient", "fit", "100,000 predictions"], [
        [TITLES[peer], case, *(found.get(what, "–") for what in ("value", "fit", "predict"))]
        for (peer, case), found in rows.items()])
