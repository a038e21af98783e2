"""The line along which a picture is drawn, and the style of pictures."""

from __future__ import annotations

import numpy as np

from . import _core
from .predictive import Predictive

INK = "#1f3b57"      # lines and words
BAND = "#4c8cbf"     # predictive bands
POINT = "#c44e3b"    # data


def shades(count: int) -> list:
    """From pale to full: the outermost band first."""
    from matplotlib.colors import to_rgb

    full = np.array(to_rgb(BAND))
    return [tuple(1 - (1 - full) * weight) for weight in np.linspace(0.2, 0.65, count)]


def plain(ax) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=8)


def legend(ax, place: str = "best") -> None:
    ax.legend(fontsize=8, framealpha=0.85, edgecolor="none", loc=place)


class Line:
    """Places along one input, the others held; and the training data as seen from there."""

    def __init__(self, model, column, resolution: int):
        core = model._one_model()
        self.core = core
        design = core.design
        if design is None:
            raise _core.UsageError("this model was fitted without names of columns; predict from it")
        names = [c.name for c in design]
        place = self._place(names, column)
        raw, first = [], 0
        for c in design:  # the training inputs, in the units they were given in
            block = core.inputs[:, first:first + max(len(c.levels), 1)]
            raw.append(np.argmax(block, axis=1) if c.levels else block[:, 0] * c.scale + c.center)
            first += block.shape[1]
        chosen = design[place]
        self.name, self.levels = chosen.name, chosen.levels
        self.x = raw[place]
        self.others = len(design) - 1
        if self.levels:
            self.grid = np.arange(len(self.levels))
        else:
            low, high = self.x.min(), self.x.max()
            margin = 0.05 * (high - low) or 1.0
            self.grid = np.linspace(low - margin, high + margin, resolution)
        self.table = _core.Table()
        for j, c in enumerate(design):
            if c.levels:
                codes = self.grid if j == place else np.full(
                    len(self.grid), np.bincount(raw[j]).argmax())
                self.table.add_text(c.name, [c.levels[k] for k in codes])
            else:
                self.table.add_numbers(c.name, self.grid if j == place else np.full(
                    len(self.grid), np.median(raw[j])))
        self.trials = float(np.ceil(np.median(core.trials)))  # a whole number, also between two
        self.exposure = float(np.median(core.exposure))
        self.exposed = bool(np.any(core.exposure != 1))
        self.shift = float(np.median(core.offset)) if len(core.offset) else 0.0

    @staticmethod
    def _place(names: list, column) -> int:
        if column is None:
            return 0
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
        if column in names:
            return names.index(column)
        raise _core.UsageError(f"column = {column!r}; there are {', '.join(names)}")

    def predictive(self) -> Predictive:
        n = len(self.grid)
        return Predictive(self.core.predictive(self.table, _core.Observations(
            offset=np.full(n, self.shift), trials=np.full(n, self.trials),
            exposure=np.full(n, self.exposure) if self.exposed else None)))

    def latent(self):
        return self.core.latent(
            self.table, _core.Observations(offset=np.full(len(self.grid), self.shift)))

    def scaled_y(self) -> np.ndarray:
        """y of the training data as if all had the median exposure and number of trials."""
        scale = self.exposure / self.core.exposure * self.trials / self.core.trials
        return self.core.y * scale

    def finish(self, ax, ylabel: str) -> None:
        held = f" ({self.others} other input{'s' * (self.others > 1)} held)" if self.others else ""
        ax.set_xlabel(self.name + held)
        ax.set_ylabel(ylabel)
        if self.levels:
            ax.set_xticks(self.grid, self.levels)
            ax.set_xlim(-0.5, len(self.levels) - 0.5)
        else:
            ax.set_xlim(self.grid[0], self.grid[-1])
        plain(ax)
