"""Every equation and erratum that the code cites is on a page of docs/."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = [path for folder in ("src", "include", "cli", "experiments", "tests", "python", "bench")
        for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".py")]
PAPER = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def cited(pattern):
    return sorted({(found, str(path.relative_to(ROOT)))
                   for path in CODE if path.name != Path(__file__).name
                   for found in re.findall(pattern, path.read_text(encoding="utf-8"))})


@pytest.mark.parametrize("label, place", cited(r"\b(?:eqn|tab):\w+(?::\w+)*"))
def test_a_label_has_its_printed_number(label, place):
    assert f"`{label}`" in PAPER, f"{place} cites {label}"


@pytest.mark.parametrize("number, place", cited(r"\berrata (\d+(?:\.\d+)?)"))
def test_an_erratum_is_on_the_page(number, place):
    heading = rf"\*\*{re.escape(number)} " if "." in number else rf"## {number}\. "
    section = rf"### {re.escape(number)} "
    assert re.search(heading, ERRATA) or re.search(section, ERRATA), f"{place} cites errata {number}"


@pytest.mark.parametrize("file", sorted(set(re.findall(r"\| `([\w/.]+/[\w.]*)", PAPER))))
def test_the_files_of_the_table_exist(file):
    assert (ROOT / "src" / file).exists() or (ROOT / file).exists()
