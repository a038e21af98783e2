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


class Places:
    """Rows that differ in some inputs only, the others held; and the training data."""

    def __init__(self, model):
        core = model._one_model()
        self.core, self.design = core, core.design
        if self.design is None:
            raise _core.UsageError("this model was fitted without names of columns; predict from it")
        self.names = [c.name for c in self.design]
        self.raw, first = [], 0
        for c in self.design:  # the training inputs, in the units they were given in
            block = core.inputs[:, first:first + c.width]
            self.raw.append(np.argmax(block, axis=1) if c.levels
                            else block[:, 0] * c.scale + c.center)
            first += block.shape[1]
        self.trials = float(np.ceil(np.median(core.trials)))  # a whole number, also between two
        self.exposure = float(np.median(core.exposure))
        self.exposed = bool(np.any(core.exposure != 1))
        self.shift = float(np.median(core.offset)) if len(core.offset) else 0.0

    def place(self, column) -> int:
        if column is None:
            return 0
        if isinstance(column, (int, np.integer)) and 0 <= column < len(self.names):
            return int(column)
        if column in self.names:
            return self.names.index(column)
        raise _core.UsageError(f"column = {column!r}; there are {', '.join(self.names)}")

    def span(self, j: int, resolution: int) -> np.ndarray:
        """Places along an input: its levels, or its range and a little more."""
        if self.design[j].levels:
            return np.arange(len(self.design[j].levels))
        low, high = self.raw[j].min(), self.raw[j].max()
        margin = 0.05 * (high - low) or 1.0
        return np.linspace(low - margin, high + margin, resolution)

    def set_rows(self, moved: dict) -> None:
        """Rows at these places of these inputs (by number)."""
        self.rows = len(next(iter(moved.values())))
        self.table = _core.Table()
        for j, c in enumerate(self.design):
            if c.levels:
                codes = moved.get(j, np.full(self.rows, np.bincount(self.raw[j]).argmax()))
                self.table.add_text(c.name, [c.levels[k] for k in codes])
            else:
                self.table.add_numbers(c.name, moved.get(j, np.full(self.rows,
                                                                    np.median(self.raw[j]))))

    def predictive(self) -> Predictive:
        n = self.rows
        return Predictive(self.core.predictive(self.table, _core.Observations(
            offset=np.full(n, self.shift), trials=np.full(n, self.trials),
            exposure=np.full(n, self.exposure) if self.exposed else None)))

    def latent(self):
        return self.core.latent(self.table)

    def scaled(self, outputs: np.ndarray) -> np.ndarray:
        """Outputs of the training data as if all had the median exposure and number of trials."""
        return outputs * (self.exposure / self.core.exposure * self.trials / self.core.trials)

    def scaled_y(self) -> np.ndarray:
        return self.scaled(self.core.y)


class Line(Places):
    """Places along one input, the others held; and the training data as seen from there."""

    def __init__(self, model, column, resolution: int):
        super().__init__(model)
        place = self.place(column)
        self.name, self.levels = self.design[place].name, self.design[place].levels
        self.x = self.raw[place]
        self.others = len(self.design) - 1
        self.grid = self.span(place, resolution)
        self.set_rows({place: self.grid})

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


class Plane(Places):
    """A grid over two numeric inputs, the others held."""

    def __init__(self, model, columns, resolution: int):
        super().__init__(model)
        numeric = [j for j, c in enumerate(self.design) if not c.levels]
        chosen = [self.place(c) for c in columns] if columns is not None else numeric[:2]
        if len(set(chosen)) != 2 or not set(chosen) <= set(numeric):
            raise _core.UsageError("a map needs two inputs that are numbers; there are "
                                   f"{', '.join(self.names[j] for j in numeric) or 'none'}")
        self.axes = [self.names[j] for j in chosen]
        self.x, self.y = (self.raw[j] for j in chosen)
        self.grid = [self.span(j, resolution) for j in chosen]
        a, b = np.meshgrid(*self.grid)
        self.shape = a.shape
        self.others = len(self.design) - 2
        self.set_rows({chosen[0]: a.ravel(), chosen[1]: b.ravel()})
