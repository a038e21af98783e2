"""Targets of make that pages, workflows and .ci/run name are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = set(re.findall(r"\S+", re.search(r"^\.PHONY: (build .*)$", (ROOT / "Makefile").read_text(), re.M)[1]))
PLACES = [ROOT / ".ci/run", *sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted(ROOT.glob("*.md")),
          *sorted((ROOT / "docs").glob("*.md"))]


def named(text):
    """`make a`, a line of code that begins so (words may follow that say what it does), `target: [a, b]` of a workflow."""
    out = set(re.findall(r"(?:`|&& |run: |^    |^(?=make [a-z-]+$))make ([a-z][a-z0-9-]*)", text, re.M))
    for listed in re.findall(r"target: \[(.*?)\]", text):
        out |= set(listed.split(", "))
    return out


@pytest.mark.parametrize("place", [str(path.relative_to(ROOT)) for path in PLACES])
def test_what_is_named_is_a_target(place):
    assert named((ROOT / place).read_text()) <= TARGETS


def test_names_are_found():
    text = "    make deb and more\n`make docs`, - run: make test\n{target: [lint, fuzz]}\nmake sense of it\nmake coverage\n"
    assert named(text) == {"deb", "docs", "test", "lint", "fuzz", "coverage"}
    everywhere = set().union(*(named(path.read_text()) for path in PLACES))
    assert {"test", "docs", "wheel", "lint-python", "coverage"} <= everywhere
