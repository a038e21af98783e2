#!/usr/bin/env python3
"""A Slurm of this one machine, in a temporary folder: fits by srun on four ranks, and the job array of
examples/cluster. Needs root; make test-slurm builds and installs what it takes.

    tests/mpi/slurm.py build/ggpm
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ranks
from ranks import check

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation={folder}
SlurmdSpoolDir={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def start(folder):
    """Its two daemons, which put their words into the folder."""
    host = socket.gethostname().split(".")[0]
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, folder=folder))
    os.environ["SLURM_CONF"] = str(configuration)
    daemons = []
    for words in (["slurmctld"], ["slurmd", "-N", host]):
        with open(folder / f"{words[0]}.log", "w") as log:
            daemons.append(subprocess.Popen([*words, "-D", "-f", configuration], stdout=log, stderr=log))
    for _ in range(60):
        state = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True).stdout.strip()
        if state == "idle":
            return daemons
        time.sleep(0.5)
    logs = "".join((folder / name).read_text() for name in ("slurmctld.log", "slurmd.log"))
    raise SystemExit(f"Slurm has not come up ({state}):\n{logs}")


def fits(command, folder):
    fit = ["fit", "table.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", "--kernel", "matern32", "--restarts", "1", "--json"]

    def run(*words):
        return subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=300)

    on_four = ["srun", "--mpi=pmix", "-n", "4", command]
    alone = run(command, *fit)
    four = run(*on_four, *fit)
    check("srun starts four ranks", "4 ranks on 1 machine" in four.stderr, four.stderr)
    check("their fit has the bits of one process",
          four.returncode == 0 and ranks.without_times(four.stdout) == ranks.without_times(alone.stdout), four.stderr)

    keep = [*fit, "--quiet", "--resume", "lost.part", "-o", "lost.ggpm"]
    job = subprocess.Popen([*on_four, *keep], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while job.poll() is None and not (folder / "lost.part").exists():
        time.sleep(0.01)
    mine = [pid for pid in pathlib.Path("/proc").glob("[0-9]*") if is_rank(pid, command)]
    os.kill(int(mine[-1].name), signal.SIGKILL)
    began = time.time()
    _, error = job.communicate(timeout=60)
    check("a rank that is killed ends all within seconds, told with its task",
          job.returncode != 0 and "task" in error and time.time() - began < 20, error)
    again = run(*on_four, *keep)
    check("the same command goes on to the same optimum", again.returncode == 0 and
          ranks.same_optimum(ranks.json.loads(again.stdout), ranks.json.loads(alone.stdout)), again.stderr)


def is_rank(pid, command):
    try:
        return (pid / "exe").resolve() == pathlib.Path(command) and b"lost.part" in (pid / "cmdline").read_bytes()
    except OSError:  # it has ended
        return False


def comparison(command, folder):
    """The example as it is, with fewer parts and splits, which this machine has time for."""
    os.environ["PATH"] = f"{pathlib.Path(command).parent}:{os.environ['PATH']}"
    (folder / "counts.csv").write_bytes((REPOSITORY / "examples/counts.csv").read_bytes())
    for name in ("array.sbatch", "merge.sh"):
        text = (REPOSITORY / "examples/cluster" / name).read_text()
        for old, new in (("--array=1-20", "--array=1-3"), ("--cpus-per-task=4", "--cpus-per-task=1"),
                         ("--splits 20", "--splits 2")):
            text = text.replace(old, new)
        (folder / name).write_text(text)

    compare = ["compare", "counts.csv", "--target", "n", "--inferences", "laplace,ep", "--splits", "2", "--seed", "7"]

    def table(*words):
        answer = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=300)
        return answer.returncode, re.sub(r" +[0-9.]+$", "", answer.stdout, flags=re.MULTILINE)  # but for seconds

    subprocess.run(["sbatch", "--wait", "array.sbatch"], cwd=folder, check=True, timeout=300, stdout=subprocess.DEVNULL)
    merged = table("bash", "merge.sh")
    serial = table(command, *compare)
    check("a job array and its merge are the comparison of one process",
          serial[0] == 0 and "laplace" in serial[1] and merged == serial, f"{merged[1]}\n{serial[1]}")


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ |= {"GGPM_MPI_LIBRARY": str(pathlib.Path(command).with_name("libggpm_mpi.so")), "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ranks.write_table(folder / "table.csv", 3000, 2, 1)
        daemons = start(folder)
        try:
            fits(command, folder)
            comparison(command, folder)
        finally:
            for daemon in daemons:
                daemon.terminate()
                daemon.wait(30)
    print(f"{ranks.failures} failures")
    return min(ranks.failures, 1)


if __name__ == "__main__":
    sys.exit(main())
