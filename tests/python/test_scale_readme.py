"""The large rows of the README are those of the table that `make bench-scale` has written."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "scale"))
import readme  # noqa: E402

TABLE = """| data | n | program | fit, s | predict, s | NLP above the truth | 95 % |
| --- | --- | --- | --- | --- | --- | --- |
| S1 poisson | 100,000 | ggpm Laplace, fast | 40.2 | 3.5 | 0.0062 | 0.95 |
| S1 poisson | 100,000 | GPBoost Vecchia | more than 330 s | – | – | – |
| S1 poisson | 100,000 | ggpm EP | 1.0 | 1.0 | 0.0 | 1.0 |
| S1 poisson | 10,000 | ggpm Laplace | 1.0 | 1.0 | 0.0 | 1.0 |
| S2 poisson | 100,000 | ggpm Laplace | 1.0 | 1.0 | 0.0 | 1.0 |
"""


def test_large_rows_of_one_scene_are_taken():
    assert readme.readme_rows(TABLE).splitlines()[2:] == [
        "| 100,000 | ggpm `--accuracy fast` | 44 s | 0.0062 | 95 % |",
        "| 100,000 | GPBoost Vecchia | more than 330 s | – | – |"]


def test_rows_of_the_readme_are_renewed():
    old = f"before\n\n{readme.HEADING}\n| --- |\n| 1 | old |\n\nafter\n"
    assert readme.renewed(old, TABLE) == f"before\n\n{readme.readme_rows(TABLE)}\n\nafter\n"


def test_the_readme_has_the_rows_of_the_table():
    rows = readme.readme_rows(readme.TABLE.read_text())
    assert rows in (ROOT / "README.md").read_text(), "run python3 bench/scale/readme.py"
