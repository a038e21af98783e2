"""Room for BLAS where the address space is limited (``ulimit -v``).

OpenBLAS takes 128 MB of address space for a product, and for each of its threads when it is loaded.
Where the system gives it none it asks again, for ever, deaf to signals. So it is loaded with one
thread where there is no room for more, and makes its first buffer while there is room; products of
numpy use it afterwards. A limit that is set later, or numpy imported before, is out of our hands.
"""

import os
import sys

_BUFFER = 128 << 20
_LIBRARIES = 512 << 20  # numpy, scipy, scikit-learn and pandas with theirs


def _room():
    """Bytes of address space that are left; None without a limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit - used


def _limit_threads():
    """One thread where there is no room for the buffers of all."""
    room = _room()
    threads = os.cpu_count() or 1
    if room is not None and room < _LIBRARIES + 2 * (threads + 1) * _BUFFER:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"


def reserve():
    """A buffer for products, or MemoryError where there is no room for it."""
    room = _room()
    if room is None:
        return
    if room < _BUFFER + (_BUFFER >> 3):
        raise MemoryError(
            "ggpm: there is not enough memory: BLAS needs 128 MB of address space for itself and for "
            "each of its threads; raise the limit (ulimit -v), or set OPENBLAS_NUM_THREADS=1 before "
            "numpy is imported")
    import numpy

    square = numpy.ones((128, 128))
    square @ square


if "numpy" not in sys.modules:
    _limit_threads()
