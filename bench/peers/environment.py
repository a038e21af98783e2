"""A throw-away virtual environment for every peer, so that their pins do not meet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "peers-env"

PACKAGES = {
    "sklearn": ["scikit-learn"],
    "gpboost": ["gpboost"],
    "gpy": ["GPy"],
    "gpflow": ["tensorflow-cpu", "gpflow"],
    "gpytorch": ["gpytorch"],
}
TITLES = {"ggpm": "ggpm", "sklearn": "scikit-learn", "gpboost": "GPBoost", "gpy": "GPy",
          "gpflow": "GPflow VGP", "gpytorch": "GPyTorch", "mgcv": "mgcv"}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else "no message"


def virtual(name: str, packages: list[str]) -> Path | None:
    """The interpreter that has the packages, or None if they cannot be installed."""
    folder = HOME / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    say(f"{TITLES[name]}: installing {' '.join(packages)}")
    for command in ([sys.executable, "-m", "venv", folder],
                    [python, "-m", "pip", "install", "--quiet", *packages]):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            say(f"{TITLES[name]} is skipped: {last_line(done.stderr)}")
            return None
    ready.touch()
    return python


def mgcv() -> Path | None:
    """R has mgcv among Debian's packages; the adapter starts Rscript."""
    done = subprocess.run([ROOT / "scripts" / "dependencies", "peers"], capture_output=True,
                          text=True)
    if shutil.which("Rscript") is None or subprocess.run(
            ["Rscript", "-e", "library(mgcv)"], capture_output=True).returncode != 0:
        say(f"mgcv is skipped: {last_line(done.stderr)}")
        return None
    return Path(sys.executable)


def prepare() -> dict[str, Path]:
    """The interpreter of everything that can be measured here."""
    found = {"ggpm": Path(sys.executable), "mgcv": mgcv()}
    found |= {name: virtual(name, packages) for name, packages in PACKAGES.items()}
    return {name: python for name, python in found.items() if python is not None}


def kernels() -> dict[str, str]:
    """Debian's OpenBLAS, which R computes with, takes a newer processor for one of 2004. ggpm corrects that by
    itself; others shall not be measured with it."""
    if "OPENBLAS_CORETYPE" in os.environ or not Path("/proc/cpuinfo").exists():
        return {}
    flags = Path("/proc/cpuinfo").read_text().split()
    for flag, core in (("avx512vl", "SkylakeX"), ("avx2", "Haswell")):
        if flag in flags:
            return {"OPENBLAS_CORETYPE": core}
    return {}


def variables(threads: int) -> dict[str, str]:
    """The environment of a worker: our module, and as many threads as asked for."""
    names = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "TF_NUM_INTRAOP", "TF_NUM_INTEROP")
    return os.environ | kernels() | {"PYTHONPATH": str(ROOT / "build" / "python"),
                         "CUDA_VISIBLE_DEVICES": "",
                         **{f"{name}_{'' if 'TF' in name else 'NUM_'}THREADS": str(threads)
                            for name in names}}
