#!/usr/bin/env python3
"""Fits on several ranks: the same bits as on one, and sentences where something goes wrong.

    tests/mpi/ranks.py COMMAND [--quick] [--mpirun mpirun.openmpi] [--component libggpm_mpi.so]
                       [--only kills --kills 50]

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

    def answer(self, ranks, *words, **more):
        result = self.run(ranks, *words, **more)
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


def awkward_tables(seed):
    """Texts that are hard to cut, and the words of a fit to them."""
    draw = random.Random(seed)

    def lines(rows, cells):
        return [cells(i, draw.random()) for i in range(rows)]

    def date(i):
        return f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}"

    everything = ["x,when,group,answer"] + lines(60, lambda i, u: ",".join([
        "NA" if i % 13 == 5 else repr(u), "" if i % 17 == 3 else date(i),
        ['"one, ""1""\r\ntwo"', "late" if i > 50 else "b", '"\n\n"'][i % 3], "yes" if draw.random() < 0.4 + 0.3 * u else "no"]))
    bernoulli = ["--target", "answer", "--likelihood", "bernoulli", "--missing", "drop"]
    count = ["--target", "n", "--likelihood", "poisson"]
    counts = lines(40, lambda i, u: f"{u!r},{int(5 * u)}")
    text = '"' + 'said ""no"", then\n' * 2000 + '"'
    return {
        "everything": ("\ufeff" + "\r\n".join(everything), bernoulli),
        "few": ("x,n\n1,2\n2,0\n4,1\n", count),
        "quoted": ("\n".join(["x,n,text"] + [line + "," + (text if i in (3, 30) else "t") for i, line in enumerate(counts)]),
                   [*count, "--inputs", "x"]),
        "long": ("\n".join(["x,n,text"] + [line + "," + "z" * (100000 if i == 20 else 1) for i, line in enumerate(counts)]),
                 [*count, "--inputs", "x"]),
        "a late word": ("\n".join(["x,n,id"] + [f"{line},00{i % 3}" for i, line in enumerate(counts)]) + "\n1,2,A7\n", count),
        "header": ("x,n\n", count),
        "ragged": ("\n".join(["x,n", *counts, "1", *counts]), count),
        "a quote": ("\n".join(["x,n", *counts, '1,2"3', *counts]), count),
        "open": ("\n".join(["x,n", *counts, '1,"2', *counts]), count),
        "no count": ("\n".join(["x,n", *counts, *counts, "0.5,-2", *counts]), count),
        "missing": ("\n".join(["x,n", *counts, *counts, "NA,2", *counts]), count),
    }


def sentence_of(stderr):
    return [line for line in stderr.splitlines() if line.startswith("ggpm: ")]


def reading(t, sizes, quick):
    """Ranks that read a part of the file each have the numbers and the sentences of one."""
    for name, (text, words) in awkward_tables(7).items():
        if quick and name not in ("everything", "ragged"):
            continue
        (t.folder / "awkward.csv").write_text(text, newline="")
        fit = ["fit", "awkward.csv", *words, "--no-optimize", "--json"]
        alone = t.run(0, *fit, "-o", "awkward.ggpm")
        for ranks in sizes:
            there = t.run(ranks, *fit)
            same = there.returncode == alone.returncode and sentence_of(there.stderr) == sentence_of(alone.stderr)
            if alone.returncode == 0:
                same = same and without_times(there.stdout) == without_times(alone.stdout)
            else:
                same = same and len(sentence_of(alone.stderr)) == 1
            check(f"a table that is hard to cut ({name}), read by {ranks} ranks", same and "for all" not in there.stderr,
                  f"{alone.returncode} {alone.stderr}\n{there.returncode} {there.stderr}")
        if alone.returncode == 0 and name in ("quoted", "few"):
            keep = ["--keep", "text"] if name == "quoted" else []
            for ask in (["predict", "awkward.ggpm", "awkward.csv", "--samples", "1", *keep],
                        ["score", "awkward.ggpm", "awkward.csv"]):
                want = t.answer(0, *ask)
                for ranks in sizes:
                    check(f"{ask[0]} of it on {ranks} ranks", t.answer(ranks, *ask) == want)


def near(a, b, path=""):
    """The largest difference of two answers, of the order of one or relative, and where it is."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return max((near(a[k], b[k], f"{path}/{k}") for k in a), default=(0, path))
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max((near(x, y, path) for x, y in zip(a, b)), default=(0, path))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) / max(1, abs(a)), path
    return (0 if a == b else math.inf), path


def cells(text):
    head, *lines = [line.split(",") for line in text.splitlines()]
    return {name: [float(line[j]) for line in lines] for j, name in enumerate(head)}


def scalapack(t, sizes):
    """A dense K that ranks share, by ScaLAPACK, has the numbers of one process."""
    share = {"GGPM_SCALAPACK_ROWS": "300"}
    cases = [("n", "poisson", "laplace", "matern32(1, 0.3) + white(0.1)"), ("p", "bernoulli", "ep", "rbf(1, 0.5)"),
             ("n", "negative-binomial", "kld", "rq + linear")]
    numbers = {}
    for target, likelihood, inference, kernel in cases:
        fit = ["fit", "dense.csv", "--target", target, "--inputs", "x0,x1", "--likelihood", likelihood, "--inference",
               inference, "--kernel", kernel, "--mean", "constant", "--engine", "dense", "--no-optimize", "--json"]
        alone = without_times(t.answer(0, *fit, "-o", "dense.ggpm"))
        for ranks in sizes:
            there = without_times(t.answer(ranks, *fit, "-o", "shared.ggpm", environment=share))
            numbers[likelihood, ranks] = there["latent"]
            worst = near(alone, there)
            check(f"{likelihood}, {inference}, dense over {ranks} ranks: log marginal, gradient, latents to {worst[0]:.0e}",
                  worst[0] < 1e-8, worst)
        ask = ["predict", "dense.ggpm", "new.csv", "--latent", "--terms"]
        alone = cells(t.answer(0, *ask))
        for ranks in sizes:
            worst = near(alone, cells(t.answer(ranks, *ask, environment=share)))
            check(f"{likelihood}: predictions over {ranks} ranks to {worst[0]:.0e}", worst[0] < 1e-8, worst)
    check("and not the same bits: ranks did share it", numbers["poisson", sizes[0]] != numbers["poisson", sizes[-1]])
    # Draws take the root of a covariance that is singular but for rounding.
    draws = ["predict", "dense.ggpm", "dense.csv", "--draws", "2"]
    worst = near(cells(t.answer(0, *draws)), cells(t.answer(2, *draws, environment=share)))
    check(f"draws at all rows over 2 ranks to {worst[0]:.0e}", worst[0] < 1e-4, worst)
    lines = [f"{i / 40},{50 if i % 20 == 7 else math.sin(i / 40)}" for i in range(400)]
    (t.folder / "outliers.csv").write_text("x,y\n" + "\n".join(lines) + "\n")
    result = t.run(2, "fit", "outliers.csv", "--target", "y", "--likelihood", "student-t", "--kernel", "rbf",
                   "--inference", "laplace", "--engine", "dense", "--no-optimize", environment=share)
    check("outputs whose log density is not concave are refused with a sentence", result.returncode == 4 and
          "log density is concave" in result.stderr, f"{result.returncode}\n{result.stderr}")


def sentences(t):
    fit = ["fit", "two.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", *KERNEL, "--no-optimize"]
    alone = without_times(t.answer(0, *fit, "--json"))
    if t.open_mpi:
        piped = t.run(3, "fit", "-", *fit[2:], "--json", stdin=(t.folder / "two.csv").read_text())
        check("standard input reaches all ranks", without_times(piped.stdout) == alone, piped.stderr)
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
    if not t.open_mpi:
        few = "\n".join((t.folder / "two.csv").read_text().splitlines()[:50]) + "\n"
        fails("standard input, which this launcher may lose, is refused", 2, "standard input: MPICH's launcher loses",
              2, "fit", "-", *fit[2:], stdin=few)
        many = t.run(3, "fit", "-", *fit[2:], "-o", "lost.ggpm", stdin=(t.folder / "two.csv").read_text())
        check("a large one makes no model of its beginning",
              many.returncode != 0 and not (t.folder / "lost.ggpm").exists(), many.stderr)
    fails("bad data is told once", 3, "ggpm: ", 3, "fit", "two.csv", "--target", "x0", "--likelihood", "poisson")
    fails("a full disk on the first rank ends all", 3, "rank 0 on ", 3, *fit, "-o", "/dev/full")
    fails("a subcommand of one process says so", 2, "is done by one process", 2, "compare", "two.csv", "--target", "n")
    elsewhere = shutil.copy(t.command, t.folder / "ggpm-without")
    result = subprocess.run([t.mpirun, "-n", "2", elsewhere, *fit], capture_output=True, text=True, cwd=t.folder,
                            env={k: v for k, v in t.environment.items() if k != "GGPM_MPI_LIBRARY"}, timeout=60)
    check("without the component nobody does everything twice",
          result.returncode == 2 and "has no component for MPI" in result.stderr, result.stderr)
    different_ranks(t, fit, alone)
    full_disk(t, fit)


def side_by_side(t, *programs):
    """A rank for each: a program, its folder, variables."""
    words = [t.mpirun, *(["--bind-to", "none"] if t.open_mpi else [])]
    for program, folder, variables in programs:
        words += [":"] if len(words) > 3 else []
        words += ["-n", "1", "-wdir", str(folder), "env", *variables, *program]
    return subprocess.run(words, capture_output=True, text=True, cwd=t.folder, env=t.environment, timeout=120)


def different_ranks(t, fit, alone):
    def refused(claim, result, *texts):
        check(claim, result.returncode != 0 and all(text in result.stderr for text in texts),
              f"{result.returncode}\n{result.stderr}")

    here, empty = t.folder, t.folder / "empty"
    empty.mkdir()
    program = [t.command, *fit, "--json"]
    result = side_by_side(t, (program, here, []), (program, empty, []))
    told = f"rank 1 on {os.uname().nodename}: two.csv: "
    check("a file that only the first rank can read is enough, and said",
          result.returncode == 0 and without_times(result.stdout) == alone and
          result.stderr.count(told + "cannot be opened: No such file or directory; rank 0 reads it for all") == 1,
          result.stderr)
    elsewhere = t.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "two.csv").write_text((here / "two.csv").read_text().replace("1", "2"))
    result = side_by_side(t, (program, here, []), (program, elsewhere, []))
    check("a rank that has another file of that name is told, and the first rank's counts",
          result.returncode == 0 and without_times(result.stdout) == alone and
          result.stderr.count(told + "is another file than rank 0 has; rank 0 reads it for all") == 1, result.stderr)
    refused("a file that the first rank cannot read is told", side_by_side(t, (program, empty, []), (program, here, [])),
            "two.csv: cannot be opened")
    refused("ranks with other processors are refused, with rank and host",
            side_by_side(t, (program, here, ["OPENBLAS_CORETYPE=Haswell"]),
                         (program, here, ["OPENBLAS_CORETYPE=Prescott"])),
            f"rank 1 on {os.uname().nodename}", "OPENBLAS_CORETYPE")
    other = here / "ggpm-other"
    version = subprocess.run([t.command, "--version"], capture_output=True, text=True).stdout.split()[1]
    another = version[:-1] + ("8" if version[-1] != "8" else "7")
    other.write_bytes(pathlib.Path(t.command).read_bytes().replace(version.encode(), another.encode()))
    other.chmod(0o755)
    component = t.environment.get("GGPM_MPI_LIBRARY") or pathlib.Path(t.command).with_name("libggpm_mpi.so")
    refused("ranks with other versions are refused, with rank and host",
            side_by_side(t, (program, here, []), ([str(other), *fit], here, [f"GGPM_MPI_LIBRARY={component}"])),
            f"rank 1 on {os.uname().nodename}: this rank has ggpm {another}", f"rank 0 has ggpm {version}")
    launcher = "mpirun.mpich" if t.open_mpi else "mpirun.openmpi"
    if shutil.which(launcher):
        result = subprocess.run([launcher, "-n", "2", t.command, *fit], capture_output=True, text=True, cwd=here,
                                env={**t.environment, "GGPM_MPI_LIBRARY": str(component)}, timeout=120)
        refused("the launcher of another MPI is refused", result, "is of another MPI")


def full_disk(t, fit):
    """Only the first rank writes: the model, and how far a fit has come."""
    small = t.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True).returncode != 0:
        print("skip  a disk that is full half way: nothing may be mounted here")
        return
    try:
        learn = [word for word in fit if word != "--no-optimize"]
        result = t.run(3, *learn, "--resume", "small/part", "--restarts", "1")
        check("a disk that is full half way is told with rank and host, and ends all", result.returncode == 3 and
              f"rank 0 on {os.uname().nodename}: small/part: cannot be" in result.stderr, result.stderr)
    finally:
        subprocess.run(["umount", small], check=True)


def children_of(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *children_of(int(child))]
    return found


def rank_of(pid):
    variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return next((int(v.split(b"=")[1]) for v in variables if v.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK="))), None)


def ranks_of(job, command):
    """Its processes by rank, as far as they have begun."""
    found = {}
    for pid in children_of(job.pid):
        try:
            if pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(command):
                found[rank_of(pid)] = pid
        except OSError:  # it has ended
            pass
    return found


def killed(t, times, seed):
    """A rank that is killed at any moment ends the job within seconds and leaves no half of a model; the fit goes on
    from what it has kept, on any number of ranks, and ends where one ends that nobody disturbs."""
    fit = ["fit", "few.csv", "--target", "n", "--inputs", "x0,x1", "--likelihood", "poisson", "--engine", "tree",
           "--accuracy", "fast", "--inference", "laplace", "--kernel", "matern32", "--restarts", "1", "--keep", "1",
           "--json", "--quiet"]
    part, model = t.folder / "killed.part", t.folder / "killed.ggpm"
    keep = [*fit, "--resume", part.name, "-o", model.name]
    began = time.time()
    whole = json.loads(t.answer(3, *fit))
    lasts = time.time() - began
    draw = random.Random(seed)
    went_on = done = 0
    while done < times:
        part.unlink(missing_ok=True)
        model.unlink(missing_ok=True)
        job = subprocess.Popen(t.words(3, *keep), cwd=t.folder, env=t.environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(lasts * draw.uniform(0.05, 1))
        ranks = ranks_of(job, t.command)
        if len(ranks) < 3 or job.poll() is not None:  # it had not begun, or was faster than before
            job.terminate()
            job.communicate()
            continue
        victim = draw.choice(sorted(ranks))
        os.kill(ranks[victim], signal.SIGKILL)
        began = time.time()
        output, error = job.communicate(timeout=60)
        error += output
        if job.returncode == 0:  # it was over
            continue
        done += 1
        # MPICH's launcher tells the host, and the number of a process that need not be the first to end.
        names = (f"rank {victim} " if t.open_mpi else "RUNNING AT") in error and os.uname().nodename in error
        check(f"kill {done}: the end of rank {victim} is the end of all, told with its host",
              names and time.time() - began < 20, f"{job.returncode} {time.time() - began:.1f} s\n{error}")
        if model.exists():
            check(f"kill {done}: the model is whole", t.run(0, "show", model.name).returncode == 0)
        went_on += part.exists()
        alone = None
        if part.exists() and done <= 3:
            shutil.copy(part, t.folder / "alone.part")
            alone = without_times(t.answer(0, *fit, "--resume", "alone.part"))
        ranks = draw.choice([2, 3, 4])
        there = json.loads(t.answer(ranks, *keep))
        check(f"kill {done}: {ranks} ranks go on to the same optimum", same_optimum(there, whole) and model.exists(),
              {k: (whole[k], there[k]) for k in ("log_marginal", "hyperparameters", "iterations")})
        if alone:
            check(f"kill {done}: with the bits of one process that goes on", without_times(json.dumps(there)) == alone)
    print(f"      {went_on} of {done} had something to go on from")


def same_optimum(a, b):
    """Both ends are within the tolerance of the optimizer."""
    return a["converged"] and b["converged"] and abs(a["log_marginal"] - b["log_marginal"]) < 0.01


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--component", default="")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=5, help="of victims and moments")
    parser.add_argument("--only", default="", choices=["", "bits", "reading", "learning", "scalapack", "sentences", "kills"])
    parser.add_argument("--scalapack", default="", help="the component, where it is not beside that for MPI")
    arguments = parser.parse_args()
    if shutil.which(arguments.mpirun) is None:
        print(f"{arguments.mpirun} is not there")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_table(folder / "two.csv", 1500 if arguments.quick else 3000, 2, 1)
        write_table(folder / "five.csv", 2000, 5, 2)
        write_table(folder / "new.csv", 1200, 2, 3)
        write_table(folder / "few.csv", 1000, 2, 4)
        write_table(folder / "dense.csv", 400, 2, 5)
        tester = Tester(arguments, folder)
        if arguments.only in ("", "bits"):
            same_bits(tester, [2, 3] if arguments.quick else [1, 2, 3, 4, 8], arguments.quick)
        if arguments.only in ("", "reading"):
            reading(tester, [2, 3] if arguments.quick else [1, 2, 4, 8], arguments.quick)
        if not arguments.quick and arguments.only in ("", "learning"):
            learning_and_prediction(tester, [2, 4])
        if arguments.scalapack:
            tester.environment["GGPM_SCALAPACK_LIBRARY"] = str(pathlib.Path(arguments.scalapack).resolve())
        if not arguments.quick and arguments.only in ("", "scalapack"):
            beside = pathlib.Path(arguments.component or tester.command).with_name("libggpm_scalapack.so")
            if arguments.scalapack or beside.exists():
                scalapack(tester, [2, 4])
            else:
                print("skip  ScaLAPACK: it is not built")
        if not arguments.quick and arguments.only in ("", "sentences"):
            sentences(tester)
        if not arguments.quick and arguments.only in ("", "kills"):
            killed(tester, arguments.kills, arguments.seed)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
