"""Pictures of a fit, with matplotlib."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from .predictive import Predictive

__all__ = ["plot"]

INK = "#1f3b57"      # lines and words
BAND = "#4c8cbf"     # predictive bands
POINT = "#c44e3b"    # data


def _shades(count: int) -> list:
    """From pale to full: the outermost band first."""
    from matplotlib.colors import to_rgb

    full = np.array(to_rgb(BAND))
    return [tuple(1 - (1 - full) * weight) for weight in np.linspace(0.2, 0.65, count)]


def plot(model, kind: str = "fit", *, ax=None, column=None, levels=(0.95, 0.8, 0.5), heatmap=None,
         points: bool = True, resolution: int = 200, parameters=None, span: float = 2.0):
    """Draw a fitted model.

    Parameters
    ----------
    model : GeneralizedGP or GeneralizedGPClassifier
        Fitted. A classifier with more than two classes: one of its `estimators_`.
    kind : str
        ``"fit"``: predictive distribution and data along one input; counts as a map of their
        probabilities. ``"latent"``: the latent function. ``"marginal"``: contours of the log
        marginal likelihood over two hyperparameters, with the optima that were found.
        ``"calibration"``: leave-one-out probability integral transforms, a flat histogram if the
        model is right. ``"all"``: the four together.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.
    column : str or int, optional
        The input along which to draw (a number counts from 0); the others stay at their median or
        commonest level. Default: the first.
    levels : sequence of float
        Probabilities of the central bands.
    heatmap : bool, optional
        Draw the density as a map. Default: for counts.
    points : bool
        Draw the training data.
    resolution : int
        Places along the input, and along each side of the contours' square is an eighth of it.
    parameters : pair of str, optional
        Hyperparameters of the contours. Default: the first two that were learned.
    span : float
        How far the contours reach to each side, in units of log(parameter).

    Returns
    -------
    Axes, or an array of four for ``"all"``
    """
    import matplotlib.pyplot as plt

    check_is_fitted(model)
    drawings = {"fit": _fit, "latent": _latent, "marginal": _marginal, "calibration": _calibration}
    options = {"column": column, "levels": levels, "heatmap": heatmap, "points": points,
               "resolution": resolution, "parameters": parameters, "span": span}
    if kind == "all":
        figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), constrained_layout=True)
        for place, draw in zip(axes.flat, drawings.values()):
            draw(model, place, **options)
        return axes
    if kind not in drawings:
        raise _core.UsageError(f"kind = {kind!r}; there are {', '.join(drawings)}, all")
    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4.2), constrained_layout=True)[1]
    drawings[kind](model, ax, **options)
    return ax


# ---- The line along which is drawn

class _Line:
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
            raw.append(np.argmax(block, axis=1) if c.levels else block[:, 0] * c.scale + c.centre)
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
        self.trials = float(np.median(core.trials))
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
        return Predictive(self.core.predictive(
            self.table, np.full(n, self.shift), np.full(n, self.exposure) if self.exposed else None,
            np.full(n, self.trials)))

    def latent(self):
        return self.core.latent(self.table, np.full(len(self.grid), self.shift), None)

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
        _plain(ax)


def _title(model) -> str:
    core = model._one_model()
    name = core.specification.warp and f"{core.specification.warp}-warped {core.likelihood}"
    return f"{name or core.likelihood} ({core.link} link, {core.inference})"


def _plain(ax) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=8)


# ---- The pictures

def _fit(model, ax, *, column, levels, heatmap, points, resolution, **_) -> None:
    line = _Line(model, column, resolution)
    predictive = line.predictive()
    domain = line.core.domain.name
    counts = domain in ("count", "fraction_of_trials")
    if heatmap is None:
        heatmap = counts and not line.levels
    mean = predictive.mean()
    if line.levels:
        lower, upper = predictive.interval(max(levels))
        ax.vlines(line.grid, lower, upper, color=_shades(2)[1], lw=8,
                  label=f"{100 * max(levels):g} %")
        ax.plot(line.grid, mean, "o", color=INK, ms=5, label="mean")
    elif heatmap:
        _density_map(ax, line, predictive, counts)
        ax.plot(line.grid, mean, color="white", lw=3)
        ax.plot(line.grid, mean, color=INK, lw=1.6, label="mean")
    elif domain == "binary":
        _probability_bands(ax, line, levels)
        ax.plot(line.grid, mean, color=INK, lw=1.8, label="mean")
    else:
        for level, shade in zip(sorted(levels, reverse=True), _shades(len(levels))):
            ax.fill_between(line.grid, *predictive.interval(level), color=shade, lw=0,
                            label=f"{100 * level:g} %")
        ax.plot(line.grid, mean, color=INK, lw=1.8, label="mean")
    if points:
        x, y = line.x, line.scaled_y()
        if line.levels:
            x = x + np.random.default_rng(0).uniform(-0.12, 0.12, len(x))
        ax.plot(x, y, "o", ms=3.5, mfc=POINT, mec="white", mew=0.4, ls="none", label="data",
                alpha=0.9 if len(x) < 500 else 0.4)
    line.finish(ax, _label_of_y(line))
    if counts and not line.levels:
        ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set_title("predictive: " + _title(model), fontsize=9)
    ax.legend(fontsize=8, frameon=heatmap, framealpha=0.85, edgecolor="none", loc="best")


def _label_of_y(line) -> str:
    roles, domain = line.core.roles, line.core.domain.name
    if domain == "binary":
        return f"probability of {roles.levels[1] if roles.levels else roles.target or 1}"
    name = roles.target or {"count": "count", "fraction_of_trials": "successes"}.get(domain, "y")
    if domain == "fraction_of_trials":
        name += f" of {line.trials:g}"
    return name + (f" (exposure {line.exposure:.3g})" if line.exposed else "")


def _density_map(ax, line, predictive, counts: bool) -> None:
    """Probability of each count (or density) at each place: white most probable, black least."""
    y = line.scaled_y()
    lowest, highest = predictive.interval(0.99)
    low = 0 if counts else min(lowest.min(), y.min())
    high = max(np.percentile(highest, 98), y.max()) * 1.05
    if counts:
        step = max(1, int(np.ceil((high + 1) / 250)))
        last = line.trials if line.core.domain.name == "fraction_of_trials" else np.ceil(high)
        values = np.arange(0, last + 1, step)
    else:
        values = np.linspace(low, high, 150)
    density = np.array([predictive.pdf(v) for v in values])
    # Places with a wide distribution would be uniformly dark on a linear scale.
    image = ax.pcolormesh(line.grid, values, np.sqrt(density), cmap="gray", shading="nearest",
                          rasterized=True)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30)
    top = np.sqrt(density.max())
    ticks = np.linspace(0, top, 5)
    bar.set_ticks(ticks, labels=[f"{t * t:.2g}" for t in ticks])
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)
    bar.set_label("probability" if counts else "density", fontsize=8)
    ax.set_ylim(values[0] - (0.5 if counts else 0), values[-1])


def _probability_bands(ax, line, levels) -> None:
    """Bands of the probability itself, from the latent function through the link."""
    from scipy.stats import norm

    mean, variance = line.latent()
    inverse = {"logit": lambda t: 1 / (1 + np.exp(-t)), "probit": norm.cdf,
               "cloglog": lambda t: -np.expm1(-np.exp(t))}.get(line.core.link)
    if inverse is None:
        return
    for level, shade in zip(sorted(levels, reverse=True), _shades(len(levels))):
        reach = norm.ppf(0.5 + level / 2) * np.sqrt(variance)
        ax.fill_between(line.grid, inverse(mean - reach), inverse(mean + reach), color=shade, lw=0,
                        label=f"{100 * level:g} %")


def _latent(model, ax, *, column, levels, resolution, **_) -> None:
    line = _Line(model, column, resolution)
    mean, variance = line.latent()
    sd = np.sqrt(variance)
    if line.levels:
        ax.errorbar(line.grid, mean, 2 * sd, fmt="o", color=INK, ecolor=BAND, elinewidth=4,
                    label="mean ± 2 sd")
        ax.margins(y=0.25)
    else:
        for k, shade in zip((2, 1), _shades(2)):
            ax.fill_between(line.grid, mean - k * sd, mean + k * sd, color=shade, lw=0,
                            label=f"± {k} sd")
        ax.plot(line.grid, mean, color=INK, lw=1.8, label="mean")
    line.finish(ax, "latent function η")
    ax.set_title("latent function", fontsize=9)
    ax.legend(fontsize=8, frameon=False, loc="best")


def _marginal(model, ax, *, parameters, span, resolution, **_) -> None:
    core = model._one_model()
    all_parameters = core.parameters
    names = [p.name for p in all_parameters]
    learned = [p.name for p in all_parameters if not p.fixed]
    chosen = list(parameters or learned[:2])
    if len(chosen) != 2:
        raise _core.UsageError("contours need two hyperparameters that were learned; there is "
                               f"{', '.join(learned) or 'none'}")
    for name in chosen:
        if name not in names:
            raise _core.UsageError(f"hyperparameter {name!r}; there are {', '.join(names)}")
    i, j = (names.index(name) for name in chosen)
    theta = model.theta_
    side = max(9, resolution // 8)

    def axis(k):
        p = all_parameters[k]
        low, high = theta[k] - span, theta[k] + span
        if p.positive:
            bounds = np.log(max(p.lower, 1e-300)), np.log(min(p.upper, 1e300))
        else:
            bounds = p.lower, p.upper
        return np.linspace(max(low, bounds[0]), min(high, bounds[1]), side)

    a, b = axis(i), axis(j)
    Z = np.full((side, side), np.nan)
    for r, vb in enumerate(b):
        for c, va in enumerate(a):
            at = theta.copy()
            at[i], at[j] = va, vb
            try:
                Z[r, c] = core.log_marginal_at(at, False)[0]
            except _core.NumericalError:
                pass
    best = core.log_marginal
    steps = np.array([50, 30, 20, 12, 8, 5, 3, 2, 1, 0.5])
    shown = [np.exp(v) if all_parameters[k].positive else v for k, v in ((i, a), (j, b))]
    ax.contourf(*shown, Z - best, levels=np.append(-steps, 0.5), colors=_shades(len(steps)))
    lines = ax.contour(*shown, Z - best, levels=-steps, colors=INK, linewidths=0.5,
                       linestyles="solid")
    ax.clabel(lines, fontsize=7, fmt="%g")
    method = core.inference
    optima = np.array([[o.values[i], o.values[j]] for o in core.optima
                       if o.inference == method and o.log_marginal > best - 50]).reshape(-1, 2)
    inside = ((optima >= [s[0] for s in shown]) & (optima <= [s[-1] for s in shown])).all(axis=1)
    ax.plot(*optima[inside].T, "x", color=POINT, ms=6, label="optima found")
    ax.plot(core.values[i], core.values[j], "*", color=POINT, mec="white", ms=13, label="chosen")
    for k, scale in ((i, ax.set_xscale), (j, ax.set_yscale)):
        if all_parameters[k].positive:
            scale("log")
    ax.set_xlabel(chosen[0])
    ax.set_ylabel(chosen[1])
    ax.set_title(f"log marginal likelihood ({method}), relative to {best:.1f}", fontsize=9)
    ax.legend(fontsize=8, framealpha=0.85, edgecolor="none", loc="lower right")
    _plain(ax)


def _calibration(model, ax, **_) -> None:
    from scipy.stats import binom, kstest

    scores = model.loo_
    pit = scores.pit()
    n = len(pit)
    bins = int(np.clip(np.sqrt(n), 5, 20))
    low, high = binom.ppf([0.025, 0.975], n, 1 / bins)
    ax.hist(pit, bins=np.linspace(0, 1, bins + 1), color=_shades(2)[1], edgecolor="white")
    ax.axhline(n / bins, color=INK, lw=1, ls="--", label="if the model is right, ± 95 %")
    ax.axhspan(low, high, color=INK, alpha=0.12, lw=0)
    ax.set_ylim(0, 1.3 * max(high, ax.get_ylim()[1] / 1.05))
    ax.set_xlim(0, 1)
    ax.set_xlabel("leave-one-out PIT")
    ax.set_ylabel("rows")
    p = kstest(pit, "uniform").pvalue
    ax.set_title(f"leave-one-out: log density {scores.total:.1f} ± {scores.standard_error:.1f}, "
                 f"uniform p = {p:.2g}", fontsize=9)
    ax.legend(fontsize=8, frameon=False, loc="upper center")
    _plain(ax)
