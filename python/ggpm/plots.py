"""Pictures of a fit, with matplotlib."""

from __future__ import annotations

from typing import Callable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._line import BAND, INK, POINT, Line, Plane, legend, plain, shades

__all__ = ["plot"]

def plot(model, kind: str = "fit", *, ax=None, column=None, levels=(0.95, 0.8, 0.5), heatmap=None,
         points: bool = True, resolution: int = 200, parameters=None, span: float = 2.0,
         columns=None, value: str = "mean"):
    """Draw a fitted model.

    Parameters
    ----------
    model : GeneralizedGP or GeneralizedGPClassifier
        Fitted. A classifier with more than two classes: one of its `estimators_`.
    kind : str
        ``"fit"``: predictive distribution and data along one input; counts as a map of their
        probabilities. ``"map"``: the mean (or `value`) over two inputs, and the data. ``"latent"``:
        the latent function. ``"marginal"``: contours of the log
        marginal likelihood over two hyperparameters, with the optima that were found.
        ``"calibration"``: leave-one-out probability integral transforms, a flat histogram if the
        model is right. ``"all"``: four of them together, all but the map.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.
    column : str or int, optional
        The input along which to draw (a number counts from 0); the others stay at their median or
        most frequent level. Default: the first.
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
    columns : pair of str or int, optional
        The two inputs of the map. Default: the first two that are numbers.
    value : str
        What the map shows: ``"mean"``, or ``"sd"``, the standard deviation of a new y.

    Returns
    -------
    Axes, or an array of four for ``"all"``
    """
    import matplotlib.pyplot as plt

    check_is_fitted(model)
    together: dict[str, Callable] = {"fit": _fit, "latent": _latent, "marginal": _marginal,
                                     "calibration": _calibration}
    drawings = {**together, "map": _map}
    options = {"column": column, "levels": levels, "heatmap": heatmap, "points": points,
               "resolution": resolution, "parameters": parameters, "span": span,
               "columns": columns, "value": value}
    if kind == "all":
        figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), constrained_layout=True)
        for place, draw in zip(axes.flat, together.values()):
            draw(model, place, **options)
        return axes
    if kind not in drawings:
        raise _core.UsageError(f"kind = {kind!r}; there are {', '.join(drawings)}, all")
    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4.2), constrained_layout=True)[1]
    drawings[kind](model, ax, **options)
    return ax


def _title(model) -> str:
    core = model._one_model()
    name = core.option("warp") and f"{core.option('warp')}-warped {core.likelihood}"
    return f"{name or core.likelihood} ({core.link} link, {core.inference})"


# ---- The pictures

def _fit(model, ax, *, column, levels, heatmap, points, resolution, **_) -> None:
    line = Line(model, column, resolution)
    predictive = line.predictive()
    domain = line.core.domain.name
    counts = domain in ("count", "fraction_of_trials", "ordinal")
    if heatmap is None:
        heatmap = counts and not line.levels
    mean = predictive.mean()
    bands = _mean_bands if domain == "binary" else _bands
    if line.levels:
        level, lower, upper = bands(line, predictive, levels)[0]
        ax.vlines(line.grid, lower, upper, color=shades(2)[1], lw=8, label=f"{100 * level:g} %")
        ax.plot(line.grid, mean, "o", color=INK, ms=5, label="mean")
    elif heatmap:
        _density_map(ax, line, predictive, counts)
        ax.plot(line.grid, mean, color="white", lw=3)
        ax.plot(line.grid, mean, color=INK, lw=1.6, label="mean")
    else:
        for (level, lower, upper), shade in zip(bands(line, predictive, levels),
                                                shades(len(levels))):
            ax.fill_between(line.grid, lower, upper, color=shade, lw=0, label=f"{100 * level:g} %")
        ax.plot(line.grid, mean, color=INK, lw=1.8, label="mean")
    if points:
        x, y = line.x, line.scaled_y()
        if line.levels:
            x = x + np.random.default_rng(0).uniform(-0.12, 0.12, len(x))
        style = {"ms": 3.5, "ls": "none", "alpha": 0.9 if len(x) < 500 else 0.4}
        none = np.zeros(len(x))
        censored = line.core.censored if len(line.core.censored) else none
        upper = line.scaled(line.core.upper if len(line.core.upper) else none * np.nan)
        interval = np.isfinite(upper)
        seen = (censored == 0) & ~interval
        ax.plot(x[seen], y[seen], "o", mfc=POINT, mec="white", mew=0.4, label="data", **style)
        if interval.any():
            ax.vlines(x[interval], y[interval], upper[interval], color=POINT, lw=1, alpha=style["alpha"],
                      label="known to be between")
        for code, marker, name in ((1, "^", "known to be larger"), (-1, "v", "known to be smaller")):
            bound = (censored == code) & ~interval
            if bound.any():
                ax.plot(x[bound], y[bound], marker, mfc="none", mec=POINT, label=name, **style)
    line.finish(ax, _label_of_y(line))
    names = line.core.roles.levels if domain == "ordinal" else []
    if names:
        ax.set_yticks(range(1, len(names) + 1), names)
    elif counts and not line.levels:
        ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set_title("predictive: " + _title(model), fontsize=9)
    legend(ax)


def _map(model, ax, *, columns, value, points, resolution, **_) -> None:
    if value not in ("mean", "sd"):
        raise _core.UsageError(f"value = {value!r}; there are mean, sd")
    plane = Plane(model, columns, max(20, resolution // 4))
    predictive = plane.predictive()
    shown = (predictive.mean() if value == "mean" else predictive.std()).reshape(plane.shape)
    data = plane.scaled_y()
    low, high = np.nanmin(shown), np.nanmax(shown)
    image = ax.pcolormesh(*plane.grid, shown, cmap="viridis", shading="nearest", rasterized=True,
                          vmin=low, vmax=high)
    if high > low:
        ax.contour(*plane.grid, shown, levels=8, colors="white", linewidths=0.5, alpha=0.6)
    if points:  # in the colors of the map, so that a point that differs from it stands out
        colors = {"c": data, "cmap": "viridis", "vmin": low, "vmax": high} if value == "mean" else {
            "color": POINT}
        ax.scatter(plane.x, plane.y, s=16, edgecolors="white", linewidths=0.6, **colors)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30)
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)
    bar.set_label(("" if value == "mean" else "sd of ") + _label_of_y(plane), fontsize=8)
    held = f" ({plane.others} other input{'s' * (plane.others > 1)} held)" if plane.others else ""
    ax.set_xlabel(plane.axes[0] + held)
    ax.set_ylabel(plane.axes[1])
    for axis, grid in ((ax.set_xlim, plane.grid[0]), (ax.set_ylim, plane.grid[1])):
        axis(grid[0], grid[-1])
    ax.set_title(f"predictive {value}: " + _title(model), fontsize=9)
    plain(ax)


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
    lowest, highest = predictive.interval(0.9)
    low = min(lowest.min(), y.min())
    high = max(highest.max(), y.max()) * 1.05
    if counts:
        step = max(1, int(np.ceil((high + 1) / 250)))
        domain = line.core.domain.name
        last = {"fraction_of_trials": line.trials, "ordinal": y.max()}.get(domain, np.ceil(high))
        values = np.arange(domain == "ordinal", last + 1, step)
    else:
        values = np.linspace(low, high, 150)
    density = np.array([predictive.pdf(v) for v in values])
    # Places with a wide distribution would be uniformly dark on a linear scale, and so would all
    # others beside a few cells of high probability.
    root = np.sqrt(density)
    top = np.quantile(root, 0.995)
    image = ax.pcolormesh(line.grid, values, root, cmap="gray", shading="nearest", rasterized=True,
                          vmin=0, vmax=top)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30, extend="max")
    ticks = np.linspace(0, top, 5)
    bar.set_ticks(ticks, labels=[f"{t * t:.2g}" for t in ticks])
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)
    bar.set_label("probability" if counts else "density", fontsize=8)
    edge = (values[1] - values[0]) / 2 if len(values) > 1 else 0.5  # cells lie around their values
    ax.set_ylim(values[0] - edge, values[-1] + edge)


def _bands(line, predictive, levels) -> list:
    """(level, lower, upper), the widest first."""
    return [(level, *predictive.interval(level)) for level in sorted(levels, reverse=True)]


def _mean_bands(line, predictive, levels) -> list:
    """Bands of the probability itself: those of a y that is 0 or 1 would say nothing."""
    return [(level, *predictive.mean_interval(level)) for level in sorted(levels, reverse=True)]


def _latent(model, ax, *, column, levels, resolution, **_) -> None:
    line = Line(model, column, resolution)
    mean, variance = line.latent()
    sd = np.sqrt(variance)
    if line.levels:
        ax.errorbar(line.grid, mean, 2 * sd, fmt="o", color=INK, ecolor=BAND, elinewidth=4,
                    label="mean ± 2 sd")
        ax.margins(y=0.25)
    else:
        for k, shade in zip((2, 1), shades(2)):
            ax.fill_between(line.grid, mean - k * sd, mean + k * sd, color=shade, lw=0,
                            label=f"± {k} sd")
        ax.plot(line.grid, mean, color=INK, lw=1.8, label="mean")
    line.finish(ax, "latent function η")
    ax.set_title("latent function", fontsize=9)
    legend(ax)


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

    def reach(k):
        p = all_parameters[k]
        low, high = theta[k] - span, theta[k] + span
        if p.positive:
            bounds = np.log(max(p.lower, 1e-300)), np.log(min(p.upper, 1e300))
        else:
            bounds = p.lower, p.upper
        return np.linspace(max(low, bounds[0]), min(high, bounds[1]), side)

    a, b = reach(i), reach(j)
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
    ax.contourf(*shown, Z - best, levels=np.append(-steps, 0.5), extend="min",
                colors=shades(len(steps) + 1))
    if np.nanmin(Z) < best - steps[-1]:  # otherwise it is flat
        lines = ax.contour(*shown, Z - best, levels=-steps, colors=INK, linewidths=0.5,
                           linestyles="solid")
        ax.clabel(lines, fontsize=7, fmt="%g")
    method = core.inference
    optima = np.array([[o.values[i], o.values[j]] for o in core.optima[1:]
                       if o.inference == method and o.log_marginal > best - 50]).reshape(-1, 2)
    inside = ((optima >= [s[0] for s in shown]) & (optima <= [s[-1] for s in shown])).all(axis=1)
    if inside.any():
        ax.plot(*optima[inside].T, "x", color=POINT, ms=6, ls="none", label="other optima")
    ax.plot(core.values[i], core.values[j], "*", color=POINT, mec="white", ms=13, ls="none",
            clip_on=False, label="chosen")
    for k, axis, scale in ((i, ax.xaxis, ax.set_xscale), (j, ax.yaxis, ax.set_yscale)):
        if all_parameters[k].positive:
            scale("log")
            _plain_decades(axis)
    ax.set_xlabel(chosen[0])
    ax.set_ylabel(chosen[1])
    ax.set_title(f"log marginal likelihood ({method}), relative to {best:.1f}", fontsize=9)
    legend(ax, "lower right")
    plain(ax)


def _plain_decades(axis) -> None:
    """1, 2 and 5 of every decade as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())


def _calibration(model, ax, **_) -> None:
    from scipy.stats import binom, kstest

    scores = model.loo_
    pit = scores.pit()
    n = len(pit)
    bins = int(np.clip(np.sqrt(n), 5, 20))
    low, high = binom.ppf([0.025, 0.975], n, 1 / bins)
    ax.axhspan(low, high, color="0.9", lw=0, zorder=0)
    ax.hist(pit, bins=np.linspace(0, 1, bins + 1), color=shades(2)[1], edgecolor="white")
    ax.axhline(n / bins, color=INK, lw=1, ls="--", label="if the model is right, ± 95 %")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(0, 1.3 * max(high, ax.get_ylim()[1] / 1.05))
    ax.set_xlim(0, 1)
    ax.set_xlabel("leave-one-out PIT")
    ax.set_ylabel("rows")
    p = kstest(pit, "uniform").pvalue
    ax.set_title(f"leave-one-out: log density {scores.total:.1f} ± {scores.standard_error:.1f}, "
                 f"uniform p = {p:.2g}", fontsize=9)
    legend(ax, "upper center")
    plain(ax)
