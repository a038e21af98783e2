"""The table and the figure: how far the NLP is above that of the true model, against seconds."""

from __future__ import annotations

import math

COLORS = {"ggpm-laplace": "#1b6ca8", "ggpm-fast": "#7fb7be", "ggpm-ep": "#0b3c5d", "ggpm-kld": "#5fa8d3",
          "gpboost": "#d1495b", "gpboost-vif": "#8d2f3c", "bam": "#3a7d44", "gpflow": "#edae49",
          "gpytorch": "#7d5ba6"}
TITLES = {"ggpm-laplace": "ggpm Laplace", "ggpm-fast": "ggpm Laplace, fast", "ggpm-ep": "ggpm EP",
          "ggpm-kld": "ggpm KLD",
          "gpboost": "GPBoost Vecchia", "gpboost-vif": "GPBoost VIF", "bam": "mgcv bam",
          "gpflow": "GPflow SVGP", "gpytorch": "GPyTorch SVGP"}
HEAD = ["data", "n", "program", "fit, s", "predict, s", "processor, s", "peak, GB",
        "NLP above the truth", "in the hole", "near cuts", "CRPS", "latent RMSE", "near cuts", "50 %", "95 %",
        "near cuts"]


def order(result: dict):
    return result["scene"], result["family"], result["n"], list(TITLES).index(result["program"])


def cells(result: dict) -> list[str]:
    head = [f"{result['scene']} {result['family']}", f"{result['n']:,}", TITLES[result["program"]]]
    if "failed" in result:
        return head + [result["failed"]] + ["–"] * (len(HEAD) - 4)
    near, far, cut = result["near"], result["far"], result.get("cut")

    def at_cuts(what: str, digits: int) -> str:
        return f"{cut[what]:.{digits}f}" if cut else "–"

    return head + [f"{result['seconds']['fit']:.1f}", f"{result['seconds']['predict']:.1f}",
                   f"{result['processor']:.0f}", f"{result['peak_gb']:.2f}",
                   f"{near['above_truth']:.4f}", f"{far['above_truth']:.4f}", at_cuts("above_truth", 4),
                   f"{near['crps']:.4f}", f"{near['rmse']:.3f}", at_cuts("rmse", 3),
                   f"{near['within_50']:.2f}", f"{near['within_95']:.2f}", at_cuts("within_95", 2)]


def line(result: dict) -> str:
    return "  ".join(cells(result))


def page(results: list[dict]) -> str:
    rows = [HEAD, ["---"] * len(HEAD)] + [cells(result) for result in sorted(results, key=order)]
    machines = ", ".join(dict.fromkeys(result["machine"] for result in results if "machine" in result))
    return ("# Large n beside other programs\n\nWritten by `make bench-scale`; [scale](scale.md) explains it. "
            f"Processor: {machines}. Seconds of ggpm (processes that read and write their files) and of bam begin "
            "with the table on disk, those of programs in Python with arrays.\n\n") + "\n".join(
        "| " + " | ".join(row) + " |" for row in rows) + "\n"


def picture(results: list[dict]) -> str:
    """One panel for each scene, family and n; seconds and NLP on logarithmic axes."""
    good = [r for r in sorted(results, key=order) if "failed" not in r]
    panels = list(dict.fromkeys((r["scene"], r["family"], r["n"]) for r in good))
    across, width, height = min(3, max(1, len(panels))), 300, 220
    down = math.ceil(len(panels) / across) if panels else 1
    programs = [name for name in TITLES if any(r["program"] == name for r in good)]
    legend = 24 * math.ceil(len(programs) / 3) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across * width} '
           f'{down * height + legend}" font-family="sans-serif" font-size="11">',
           f'<rect width="{across * width}" height="{down * height + legend}" fill="white"/>']
    for k, name in enumerate(programs):
        x, y = 20 + (k % 3) * width * across / 3, 18 + 24 * (k // 3)
        out.append(f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{COLORS[name]}"/>'
                   f'<text x="{x + 10}" y="{y}">{TITLES[name]}</text>')
    for k, panel in enumerate(panels):
        of = [r for r in good if (r["scene"], r["family"], r["n"]) == panel]
        out.append(draw_panel(panel, of, (k % across) * width, legend + (k // across) * height,
                              width, height))
    return "\n".join([*out, "</svg>"]) + "\n"


def draw_panel(panel, results, left, top, width, height) -> str:
    def seconds(r):
        return r["seconds"]["fit"] + r["seconds"]["predict"]

    def above(r):
        return max(r["near"]["above_truth"], 1e-5)

    def axis(values):
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return low, max(high, low + 1)

    (x0, x1), (y0, y1) = axis([seconds(r) for r in results]), axis([above(r) for r in results])
    l, r, t, b = left + 66, left + width - 20, top + 22, top + height - 40

    def place(result):
        return (l + (math.log10(seconds(result)) - x0) / (x1 - x0) * (r - l),
                b - (math.log10(above(result)) - y0) / (y1 - y0) * (b - t))

    scene, family, n = panel
    out = [f'<text x="{l}" y="{t - 8}" font-weight="bold">{scene} {family}, n = {n:,}</text>',
           f'<rect x="{l}" y="{t}" width="{r - l}" height="{b - t}" fill="none" stroke="#999"/>']
    for p in range(x0, x1 + 1):
        x = l + (p - x0) / (x1 - x0) * (r - l)
        out.append(f'<text x="{x}" y="{b + 14}" text-anchor="middle">{10.0**p:g}</text>')
    for p in range(y0, y1 + 1):
        y = b - (p - y0) / (y1 - y0) * (b - t)
        out.append(f'<text x="{l - 5}" y="{y + 4}" text-anchor="end">{10.0**p:g}</text>')
    out.append(f'<text x="{(l + r) / 2}" y="{b + 29}" text-anchor="middle">seconds, fit and predict'
               '</text>')
    out.append(f'<text transform="translate({left + 12},{(t + b) / 2}) rotate(-90)" '
               'text-anchor="middle">NLP above the truth</text>')
    for result in results:
        x, y = place(result)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{COLORS[result["program"]]}"/>')
    return "\n".join(out)
