"""How far a fit has come."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

__all__ = ["FitProgress", "ProgressBar"]


@dataclass(frozen=True)
class FitProgress:
    """What a progress callback is told, a few times a second.

    Attributes
    ----------
    stage : str
        What is being done, e.g. ``"taylor starts"`` or ``"ep"``.
    restart, restarts : int
        Runs of this stage that are finished, and how many there are.
    evaluation : int
        Evaluations of a log marginal likelihood since the fit began.
    log_marginal : float
        The best of this stage so far.
    seconds : float
        Since the fit began.
    """

    stage: str
    restart: int
    restarts: int
    evaluation: int
    log_marginal: float
    seconds: float


class ProgressBar:
    """A progress callback that draws a bar: ``GeneralizedGP(progress=ProgressBar())``.

    On a terminal it is one line that changes; elsewhere a plain line per stage.

    Parameters
    ----------
    stream : file, optional
        Default: standard error.
    interval : float
        Seconds between two drawings.
    """

    def __init__(self, stream=None, interval: float = 0.1):
        self.stream = stream
        self.interval = interval
        self._drawn = 0.0
        self._stage = ("", 0)  # the last that was told

    def __call__(self, p: FitProgress) -> None:
        stream = self.stream or sys.stderr
        terminal = getattr(stream, "isatty", lambda: False)()
        finished = p.restart >= p.restarts
        if terminal:
            if finished or time.monotonic() - self._drawn >= self.interval:
                self._drawn = time.monotonic()
                stream.write("\r\x1b[K" + self.line(p) + ("\n" if finished else ""))
                stream.flush()
        elif finished and self._stage != (p.stage, p.restarts):
            self._stage = (p.stage, p.restarts)
            stream.write(self.line(p) + "\n")

    @staticmethod
    def line(p: FitProgress, width: int = 20) -> str:
        """The bar as text."""
        done = width * p.restart // max(p.restarts, 1)
        return (f"{p.stage:<14} [{'#' * done}{'.' * (width - done)}] {p.restart}/{p.restarts}  "
                f"log marginal {p.log_marginal:.2f}  {p.evaluation} evaluations  {p.seconds:.1f} s")


def as_callback(progress):
    """The function that the library calls, or None."""
    if progress is None or progress is False:
        return None
    show = ProgressBar() if progress is True else progress
    if not callable(show):
        raise TypeError("progress is None, True, or a function of one FitProgress")
    return lambda *values: show(FitProgress(*values))
