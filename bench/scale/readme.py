"""Renews the rows of the README about large n, out of docs/scale-table.md: `python3 bench/scale/readme.py`.

`make bench-scale` does so itself.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "scale-table.md"
HEADING = "| rows | program | fit and predict | loss above that of the truth | 95 % intervals hold |"
SCENE = "S1 poisson"
SIZES = ("100,000", "1,000,000")
NAMES = {"ggpm Laplace": "ggpm", "ggpm Laplace, fast": "ggpm `--accuracy fast`", "mgcv bam": "mgcv `bam`"}
OURS_AS_WELL = ("ggpm EP", "ggpm KLD")  # as quick and as near; docs/scale.md has them


def measured(text):
    """The rows of the table as dictionaries by its heading."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]


def percent(share):
    return share if share == "–" else f"{100 * float(share):.0f} %"


def seconds(row):
    return row["fit, s"] if row["predict, s"] == "–" else f"{float(row['fit, s']) + float(row['predict, s']):.0f} s"


def readme_rows(text):
    out = [HEADING, "| --- | --- | --- | --- | --- |"]
    for row in measured(text):
        if row["data"] == SCENE and row["n"] in SIZES and row["program"] not in OURS_AS_WELL:
            cells = [row["n"], NAMES.get(row["program"], row["program"]), seconds(row), row["NLP above the truth"],
                     percent(row["95 %"])]
            out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def renewed(readme, table):
    return re.sub(rf"^{re.escape(HEADING)}\n(\|.*\n)*", lambda _: readme_rows(table) + "\n", readme, flags=re.M)


def renew():
    page = ROOT / "README.md"
    page.write_text(renewed(page.read_text(), TABLE.read_text()))


if __name__ == "__main__":
    renew()
