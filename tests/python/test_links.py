"""Every link within the repository leads somewhere: to a file that is there, and to a heading that it has."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.S | re.M)
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()]*\))?)\)|\b(?:src|href)=\"([^\"]+)\"")


def pages():
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    return sorted(listed.stdout.split()) or [str(p.relative_to(ROOT)) for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]


def headings(text):
    """As GitHub and MyST make anchors of them."""
    out = set(re.findall(r"^\(([\w.-]+)\)=$", text, re.M))
    for line in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        out.add(slug if slug not in out else f"{slug}-1")
    return out


def broken(page):
    text = (ROOT / page).read_text()
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target) or target.startswith("help-"):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        if not file.exists():
            yield f"{target}: there is no such file"
        elif anchor and file.suffix == ".md" and anchor not in headings(file.read_text()):
            yield f"{target}: there is no such heading"


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page):
    assert not list(broken(page))


def test_a_broken_link_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# A `title`, of two\n")
    (tmp_path / "page.md").write_text("[a](other.md#a-title-of-two) [b](other.md#none) [c](none.md) `[d](none)`\n")
    assert list(broken("page.md")) == ["other.md#none: there is no such heading", "none.md: there is no such file"]
