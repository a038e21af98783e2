"""The machine and its BLAS, as a table of the report says them."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory_gigabytes() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def blas() -> str:
    try:
        library = ctypes.CDLL("libopenblas.so.0")
        library.openblas_get_config.restype = ctypes.c_char_p
        return library.openblas_get_config().decode().strip()
    except (OSError, AttributeError):
        return "unknown"


def describe() -> dict[str, str]:
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return {"processor": processor(), "cores": str(os.cpu_count()),
            "memory": f"{memory_gigabytes():.0f} GB", "system": system,
            "BLAS of ggpm": blas(), "Python": platform.python_version(),
            "load when the run began": f"{os.getloadavg()[0]:.1f}"}
