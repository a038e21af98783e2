#!/usr/bin/env python3
"""What a machine does to a command: kills, full disks, signals, other people's permissions.

    tests/hostile/faults.py build/ggpm [--quick] [--only NAME]

Nothing may be lost or half written: after a kill a model file is the old or the new one, and a
comparison that goes on gives what it would have given.
"""
import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = ""
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")


def start(words, folder, **more):
    return subprocess.Popen([COMMAND] + words, cwd=folder, stdin=subprocess.DEVNULL, env=ENVIRONMENT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def run(words, folder, **more):
    process = start(words, folder, **more)
    out, error = process.communicate()
    return process.returncode, out.decode(), error.decode()


def must(holds, what):
    if not holds:
        raise AssertionError(what)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def simulate(folder, rows):
    code, out, error = run(["simulate", "--rows", str(rows)], folder)
    must(code == 0, error)
    with open(os.path.join(folder, "d.csv"), "w", encoding="utf-8") as file:
        file.write(out)


def kill_at_random(process, longest, chance):
    time.sleep(chance.random() * longest)
    process.kill()
    process.communicate()


FIT = ["fit", "d.csv", "--target", "y", "--likelihood", "poisson", "--no-optimize", "--quiet", "-o", "m.ggpm", "--kernel"]


def kills_of_fit(folder, kills):
    simulate(folder, 40)
    model, whole, times = os.path.join(folder, "m.ggpm"), [], []
    for kernel in ["rbf", "matern32 + linear"]:
        begin = time.monotonic()
        must(run(FIT + [kernel], folder)[0] == 0, "a fit of 40 rows")
        times.append(time.monotonic() - begin)
        whole.append(contents(model))
    must(whole[0] != whole[1], "two different models")
    chance = random.Random(1)
    for k in range(kills):
        kill_at_random(start(FIT + [chance.choice(["rbf", "matern32 + linear"])], folder), 1.3 * max(times), chance)
        must(contents(model) in whole, f"after kill {k} the model is neither the old nor the new one")
        left = set(os.listdir(folder)) - {"d.csv", "m.ggpm"}
        must(len(left) <= 1, f"kill {k} left {sorted(left)}")
        for name in left:
            os.remove(os.path.join(folder, name))
    return kills


def kills_of_compare(folder, kills):
    simulate(folder, 30)
    words = ["compare", "d.csv", "--target", "y", "--likelihoods", "poisson,negative-binomial", "--splits", "3", "--no-optimize", "--json", "--quiet"]

    def plain(text):  # without what is measured by a clock
        def strip(value):
            if isinstance(value, dict):
                return {key: strip(v) for key, v in value.items() if "second" not in key}
            return [strip(v) for v in value] if isinstance(value, list) else value
        return strip(json.loads(text))

    begin = time.monotonic()
    code, out, error = run(words, folder)
    longest = time.monotonic() - begin
    must(code == 0, error)
    expected, chance = plain(out), random.Random(2)
    resume = words + ["--resume", "done.csv"]
    for k in range(kills):
        kill_at_random(start(resume, folder), 1.2 * longest, chance)
        if k % 10 != 9:
            continue
        code, out, error = run(resume, folder)
        must(code == 0, f"after kill {k}: {error}")
        must(plain(out) == expected, f"after kill {k} the comparison is another one")
        os.remove(os.path.join(folder, "done.csv"))
    return kills


def full_disk(folder, _):
    """A file that may grow to so many bytes only: the old model stays, a sentence says why."""
    simulate(folder, 40)
    model, tried = os.path.join(folder, "m.ggpm"), 0
    must(run(FIT + ["rbf"], folder)[0] == 0, "a fit")
    old = contents(model)
    for size in sorted({0, 1, 7, 8, 20, 100, len(old) - 1} | set(range(0, len(old), 512))):
        for ignored in [True, False]:  # the signal that comes with it
            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                if ignored:
                    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            code, out, error = run(FIT + ["matern32 + linear"], folder, preexec_fn=limit, restore_signals=False)
            must(code == 3 and error.startswith("ggpm: "), f"{size} bytes, ignored {ignored}: {code} {error!r}")
            must(contents(model) == old, f"{size} bytes: the old model is gone")
            must(sorted(os.listdir(folder)) == ["d.csv", "m.ggpm"], f"{size} bytes left {os.listdir(folder)}")
            tried += 1
    with open("/dev/full", "wb") as full:
        for words in [["predict", "m.ggpm", "d.csv"], ["score", "m.ggpm", "d.csv"], ["show", "m.ggpm"], ["likelihoods"], ["simulate"], ["describe", "d.csv"]]:
            done = subprocess.run([COMMAND] + words, cwd=folder, stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
            must(done.returncode == 3 and done.stderr.startswith(b"ggpm: "), f"{words} to a full device: {done.returncode} {done.stderr!r}")
            tried += 1
    return tried


def processor_time(process):
    """Of all threads, in seconds; None when it has ended."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields[0] != "Z" else None


def time_to_obey(words, folder, number, moment):
    """Processor time between a signal, sent after `moment` seconds of it, and the end: on a machine that
    is free, no less than what a person waits. None: it had ended before."""
    process = start(words, folder)
    while processor_time(process) is not None and processor_time(process) < moment:
        time.sleep(0.02)
    before = last = processor_time(process)
    if before is None:
        process.communicate()
        return None
    process.send_signal(number)
    while True:
        now = processor_time(process)
        if now is None:
            break
        last = now
        time.sleep(0.005)
    process.communicate()
    must(process.returncode in (130, 143, -15, -2), f"{words[-1]}, signal {number}: {process.returncode}")
    return last - before


def obeys(folder, shares, most):
    """The same for each inference and signal, after shares of what the whole fit takes."""
    times = []
    for inference in ["laplace", "ep"]:
        words = ["fit", "d.csv", "--target", "y", "--likelihood", "poisson", "--threads", "2", "--quiet", "-o", "m.ggpm",
                 "--inference", inference]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        must(run(words, folder)[0] == 0, "a fit without signals")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        for share in shares:
            for number in [signal.SIGINT, signal.SIGTERM]:
                taken = time_to_obey(words, folder, number, share * whole)
                must(taken is not None and taken < most, f"{inference}: {taken} s after signal {number} at {share} of {whole:.1f} s")
                times.append(taken)
    print(f"{max(times):.2f} s of processor time at most", flush=True)
    return len(times)


def signals(folder, _):
    """At n = 2,000, two threads: within a second for each."""
    simulate(folder, 2000)
    return obeys(folder, [0.2, 0.7], 2)


def signals_of_large(folder, _, rows=100000):
    """At n = 100,000, where the tree engine is taken: reading, starts, learning."""
    chance = random.Random(3)
    with open(os.path.join(folder, "d.csv"), "w", encoding="utf-8") as file:
        file.write("a,b,y\n")
        for _ in range(rows):
            a, b = chance.uniform(-3, 3), chance.uniform(-3, 3)
            file.write(f"{a:.6f},{b:.6f},{int(math.exp(math.sin(2 * a) + math.cos(b)) + chance.random())}\n")
    return obeys(folder, [0.01, 0.05, 0.2, 0.5, 0.8], 4)


def permissions(folder, _):
    """A file is as open as the user's mask says; nothing goes out to a network."""
    simulate(folder, 20)
    tried = 0
    for mask in [0o022, 0o027, 0o077]:
        path = os.path.join(folder, "m.ggpm")
        if os.path.exists(path):
            os.remove(path)
        must(run(FIT + ["rbf"], folder, preexec_fn=lambda m=mask: os.umask(m))[0] == 0, "a fit")
        must(os.stat(path).st_mode & 0o777 == 0o666 & ~mask, f"mask {mask:o}: {os.stat(path).st_mode & 0o777:o}")
        tried += 1
    if shutil.which("strace"):
        for words in [FIT + ["rbf"], ["predict", "m.ggpm", "d.csv"], ["report", "m.ggpm", "d.csv", "-o", "r.html"]]:
            trace = os.path.join(folder, "trace")
            subprocess.run(["strace", "-f", "-e", "trace=%network", "-o", trace, COMMAND] + words, cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)
            calls = [line for line in contents(trace).decode().splitlines() if "(" in line and "+++" not in line and "---" not in line]
            must(not calls, f"{words[0]} calls the network: {calls[:3]}")
            tried += 1
    return tried


JUMPS = """
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static atomic_int calls;
static long jumped(void) { return (calls++ % 3 - 1) * 315360000L; }  /* ten years back, none, ten years on */
int clock_gettime(clockid_t id, struct timespec* t) {
  const int code = (int)syscall(SYS_clock_gettime, id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += jumped();
  return code;
}
int gettimeofday(struct timeval* restrict t, void* restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
"""


def clocks(folder, _):
    """The clock on the wall jumps by ten years each time that it is asked: the same files, and nobody waits."""
    simulate(folder, 40)
    with open(os.path.join(folder, "jumps.c"), "w", encoding="utf-8") as file:
        file.write(JUMPS)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "jumps.c", "-o", "jumps.so"], cwd=folder, check=True)
    jumping = dict(ENVIRONMENT, LD_PRELOAD=os.path.join(folder, "jumps.so"))
    # That the shim is in the way at all: a program that says what year it is.
    dates = {subprocess.run([sys.executable, "-c", "import time; time.time(); print(time.gmtime(time.time()).tm_year // 5)"],
                            env=environment, capture_output=True, check=True).stdout for environment in [ENVIRONMENT, jumping]}
    must(len(dates) == 2, "the clock of a program that asks does not jump")
    tried = 0
    for words, made in [(["fit", "d.csv", "--target", "y", "--likelihood", "poisson", "--restarts", "4", "--threads", "2", "-o", "m.ggpm"], "m.ggpm"),
                        (["predict", "m.ggpm", "d.csv", "-o", "p.csv"], "p.csv"), (["report", "m.ggpm", "d.csv", "-o", "r.html"], "r.html"),
                        (["fit", "d.csv", "--target", "y", "--no-optimize", "--resume", "kept", "-o", "n.ggpm"], "n.ggpm")]:
        results = []
        for environment in [ENVIRONMENT, jumping]:
            done = subprocess.run([COMMAND] + words + ["--quiet"] * (words[0] == "fit"), cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
            must(done.returncode == 0, f"{words[0]}: {done.stderr!r}")
            results.append(contents(os.path.join(folder, made)))
        must(results[0] == results[1], f"{words[0]} gives another {made} while the clock jumps")
        tried += 1
    return tried


def memory(folder, count):
    """What a fit says that it needs, when it is refused, is what it takes."""
    shares = []
    for rows in (500, 1000) if count < 200 else (500, 1000, 2000, 4000, 8000):
        simulate(folder, rows)
        for engine in ["dense"] * (rows <= 2000) + ["tree"] * (rows >= 1000):
            words = ["fit", "d.csv", "--target", "y", "--likelihood", "poisson", "--engine", engine, "--threads", "1", "--restarts", "2",
                     "--max-evaluations", "8", "--quiet", "-o", "m.ggpm"]
            code, _, error = run(words + ["--memory-limit", "1K"], folder)
            said = re.search(r"need about (\d+) MB", error)
            must(code == 3 and said, f"{rows} rows in a kilobyte: {code} {error!r}")
            with open(os.devnull, "wb") as nowhere:
                process = subprocess.Popen([COMMAND] + words, cwd=folder, stdin=subprocess.DEVNULL, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere)
                _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            must(process.returncode == 0, f"a fit of {rows} rows: {process.returncode}")
            shares.append(usage.ru_maxrss / 1024 / int(said[1]))
            must(0.5 <= shares[-1] <= 1.2, f"{engine}, {rows} rows: {said[1]} MB were foreseen, {usage.ru_maxrss / 1024:.0f} MB taken")
    print(f"memory: {min(shares):.2f} to {max(shares):.2f} of what was foreseen", flush=True)
    return len(shares)


def current_folder(folder, _):
    """Libraries that lie where somebody works are not loaded."""
    needed = [words[-1].strip("[]") for words in (line.split() for line in subprocess.run(["readelf", "-dW", COMMAND], capture_output=True, text=True, check=True)
                                                  .stdout.splitlines()) if "(NEEDED)" in words]
    must(len(needed) > 3, f"libraries: {needed}")
    for name in needed:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("no library")
    code, _, error = run(["--version"], folder)
    must(code == 0, f"from a folder with a file {needed[0]}: {code} {error!r}")
    return len(needed)


def unreadable(folder, _):
    """What can be opened and not read."""
    simulate(folder, 20)
    must(run(FIT + ["rbf"], folder)[0] == 0, "a fit")
    tried = 0
    for path in ["/proc/self/mem", ".", "/dev/null", "no such file"]:
        for words in [["fit", path, "--target", "y"], ["show", path], ["predict", "m.ggpm", path], ["predict", path, "d.csv"], ["describe", path]]:
            code, out, error = run(words, folder)
            must(code == 3 and error.startswith("ggpm: ") and not out, f"{words}: {code} {error!r}")
            tried += 1
    return tried


def main():
    global COMMAND
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--quick", action="store_true", help="10 kills, and no signals to large fits")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    kept = tempfile.TemporaryDirectory()  # a build meanwhile changes nothing
    COMMAND = shutil.copy(arguments.command, os.path.join(kept.name, "ggpm"))
    failed = 0
    for fault in [kills_of_fit, kills_of_compare, full_disk, signals, signals_of_large, permissions, clocks, memory, current_folder, unreadable]:
        if arguments.only not in fault.__name__ or (arguments.quick and fault in (signals, signals_of_large)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{fault.__name__}: {fault(folder, 10 if arguments.quick else 200)} held", flush=True)
            except AssertionError as broken:
                failed += 1
                print(f"{fault.__name__}: {broken}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
