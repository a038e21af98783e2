"""Large n beside other programs, on data whose truth is known: `make bench-scale`.

    python bench/scale [--rows 10000,100000] [--scenes S1,S3] [--families poisson] [--programs ...]
                       [--limit SECONDS] [--again] [--table]

Every run is a process of its own with a limit of time; what was run before is kept in
bench/scale/results.jsonl and not run again, unless --again asks for it. Writes docs/scale-table.md,
docs/scale.svg and the rows of the README about large n.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench" / "peers"), str(ROOT / "bench" / "scale")]

import environment  # noqa: E402

NEEDS = {"gpboost": ["gpboost", "scipy"], "gpflow": ["tensorflow-cpu", "tf-keras", "gpflow", "scipy"],
         "gpytorch": ["gpytorch", "scipy"], "ggpm": ["numpy", "scipy"]}


def virtual(program: str) -> Path | None:
    """The interpreter for a program; R is started by that of ours."""
    name = program.split("-")[0]
    name = name if name in NEEDS else "ggpm"
    environment.TITLES[f"scale-{name}"] = name
    return environment.virtual(f"scale-{name}", NEEDS[name])


# The driver draws data itself: it goes on where NumPy is.
if (own := virtual("ggpm")) is None:
    sys.exit("bench-scale needs NumPy and SciPy, which cannot be installed here")
if Path(sys.prefix) != own.parent.parent:
    os.execv(own, [str(own), str(ROOT / "bench" / "scale"), *sys.argv[1:]])

import data  # noqa: E402
import figure  # noqa: E402
import machine  # noqa: E402
import readme  # noqa: E402

FOLDER = ROOT / "build" / "scale"
RESULTS = ROOT / "bench" / "scale" / "results.jsonl"
PROGRAMS = ("ggpm-laplace", "ggpm-fast", "ggpm-ep", "ggpm-kld", "gpboost", "gpboost-vif", "gpflow", "gpytorch",
            "bam")


def makes_sense(program: str, scene: str, family: str) -> bool:
    if program == "gpboost-vif":
        return scene == "S3"
    if family == "gaussian":
        return program not in ("ggpm-ep", "ggpm-kld")
    return True


def known() -> list[dict]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text().splitlines()]


def run(command: list, limit: float, threads: int) -> subprocess.CompletedProcess:
    """With all that it starts: none of it goes on beyond the limit."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment.variables(threads), start_new_session=True) as process:
        try:
            return subprocess.CompletedProcess(command, 0, *process.communicate(timeout=limit))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def measure(program: str, scene: str, family: str, n: int, limit: float, threads: int) -> dict:
    what = {"program": program, "scene": scene, "family": family, "n": n,
            "machine": machine.processor(), "load": round(os.getloadavg()[0], 1)}
    python = virtual(program)
    if python is None:
        return what | {"failed": "it cannot be installed here"}
    path = data.stored(FOLDER / "data", scene, family, n)
    try:
        done = run([python, ROOT / "bench" / "scale" / "worker.py", program, path, str(threads)], limit, threads)
    except subprocess.TimeoutExpired:
        return what | {"failed": f"more than {limit:g} s"}
    if not done.stdout:
        return what | {"failed": environment.last_line(done.stderr)}
    return what | json.loads(done.stdout)


def key_of(result: dict) -> tuple:
    return result["program"], result["scene"], result["family"], result["n"]


def keep(results: list[dict]) -> None:
    RESULTS.write_text("".join(json.dumps(result) + "\n" for result in sorted(results, key=figure.order)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="10000,100000")
    parser.add_argument("--scenes", default=",".join(data.SCENES))
    parser.add_argument("--families", default=",".join(data.FAMILIES))
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--limit", type=float, default=0, help="seconds; 0: 600, a million rows 1800")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="also what was run before")
    parser.add_argument("--table", action="store_true", help="write the page from what was run")
    given = parser.parse_args()
    results = {key_of(result): result for result in known()}
    done = set() if given.again else set(results)
    for n in [] if given.table else [int(float(n)) for n in given.rows.split(",")]:
        limit = given.limit or (1800 if n >= 1_000_000 else 600)
        for scene in given.scenes.split(","):
            for family in given.families.split(","):
                for program in given.programs.split(","):
                    key = (program, scene, family, n)
                    if key in done or not makes_sense(program, scene, family):
                        continue
                    results[key] = measure(*key, limit, given.threads)
                    keep(list(results.values()))
                    environment.say(figure.line(results[key]))
    (ROOT / "docs" / "scale-table.md").write_text(figure.page(list(results.values())))
    readme.renew()
    (ROOT / "docs" / "scale.svg").write_text(figure.picture(list(results.values())))


if __name__ == "__main__":
    main()
