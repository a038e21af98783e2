"""The GIL is free while the library computes, and Ctrl-C is heard."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP

SLOW = {"likelihood": "poisson", "inference": "ep", "kernel": "rbf(ard=true)", "restarts": 200,
        "threads": 1}


def slow_data(n=300):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    return X, random.poisson(np.exp(np.sin(X[:, 0]) + 1)).astype(float)


class Enough(Exception):
    pass


def stop_after(seconds):
    def progress(p):
        if p.seconds > seconds:
            raise Enough

    return progress


def test_another_thread_makes_progress_during_a_fit():
    X, y = slow_data()
    ended = threading.Event()

    def fit():
        try:
            GeneralizedGP(**SLOW, progress=stop_after(1.0)).fit(X, y)
        except Enough:
            pass
        ended.set()

    worker = threading.Thread(target=fit)
    worker.start()
    ticks = 0
    while not ended.is_set():
        time.sleep(0.005)
        ticks += 1
    worker.join()
    assert ticks > 20


def test_two_fits_run_in_two_threads(counts):
    X, y, _ = counts
    expected = GeneralizedGP("poisson", restarts=2, threads=1).fit(X, y).predict(X)
    inside, together = [0], [0]
    lock = threading.Lock()
    results = {}

    def work(k):
        def progress(_):
            with lock:
                together[0] = max(together[0], inside[0])

        with lock:
            inside[0] += 1
        results[k] = GeneralizedGP("poisson", restarts=2, threads=1,
                                   progress=progress).fit(X, y).predict(X)
        with lock:
            inside[0] -= 1

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert together[0] == 2
    for result in results.values():
        np.testing.assert_allclose(result, expected, rtol=1e-8)


def test_many_threads_predict_with_one_model(counts, poisson):
    X = counts[0]
    expected = poisson.predict(X)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(poisson.predict(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def _predict_in_child(model, X):
    return model.predict(X)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_predict_works_in_a_child_process(start, counts, poisson):
    X = counts[0]
    with multiprocessing.get_context(start).Pool(1) as pool:
        child = pool.apply_async(_predict_in_child, (poisson, X)).get(timeout=60)
    np.testing.assert_array_equal(child, poisson.predict(X))


def test_progress_is_told(counts):
    X, y, _ = counts
    seen = []
    GeneralizedGP("poisson", restarts=3, progress=seen.append).fit(X, y)
    assert seen and all(isinstance(p, ggpm.FitProgress) for p in seen)
    assert seen[-1].evaluation >= seen[0].evaluation
    assert seen[-1].restart <= seen[-1].restarts


def test_an_exception_in_the_callback_ends_the_fit():
    X, y = slow_data()
    began = time.monotonic()
    with pytest.raises(Enough):
        GeneralizedGP(**SLOW, progress=stop_after(0.2)).fit(X, y)
    assert time.monotonic() - began < 20


def test_progress_bar_draws(counts, capsys):
    X, y, _ = counts
    GeneralizedGP("poisson", restarts=3, progress=True).fit(X, y)
    drawn = capsys.readouterr()
    assert drawn.out == "" and "log marginal" in drawn.err


def test_keyboard_interrupt_ends_a_long_fit():
    """Within a second on a machine that is free; the bound is loose for one that is not."""
    program = (
        "import sys, time, signal, os\n"
        f"sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}\n"
        "import threading, test_threads as t\n"
        "X, y = t.slow_data(500)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none\n"
        "sent = []\n"
        "def interrupt():\n"
        "    sent.append(time.monotonic())\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Timer(0.7, interrupt).start()\n"
        "try:\n"
        "    t.GeneralizedGP(**t.SLOW).fit(X, y)\n"
        "except KeyboardInterrupt:\n"
        "    print(time.monotonic() - sent[0])\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 5
