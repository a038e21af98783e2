"""The theme of the site as it must be: one plain script, no file of a server's root, dark where the system is."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import mended_theme  # noqa: E402

DARK = """@media not print {
  body[data-theme="dark"] {
    --color: #fff; }
    html body[data-theme="dark"] .only-light {
      display: none !important; } }
"""


def test_a_theme_without_its_bundler_is_mended(tmp_path, monkeypatch):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "styles").mkdir()
    (tmp_path / "normal.css").write_text("html { margin: 0 }")
    monkeypatch.setattr(mended_theme, "NORMALIZE", tmp_path / "normal.css")
    (tmp_path / "scripts" / "gumshoe-patched.js").write_text("root.Gumshoe = 1;")
    (tmp_path / "scripts" / "furo.js").write_text(mended_theme.IMPORTS_SCRIPT + "\nnew Gumshoe();")
    (tmp_path / "styles" / "furo.css").write_text(mended_theme.IMPORTS_STYLE + "\n" + DARK)
    for _ in range(2):  # what is mended stays as it is
        mended_theme.mend(tmp_path)
        assert (tmp_path / "scripts" / "furo.js").read_text() == "root.Gumshoe = 1;\nnew Gumshoe();"
        style = (tmp_path / "styles" / "furo.css").read_text()
        assert style.startswith("html { margin: 0 }\n@media not print {") and "@import" not in style
        rules = style.split("@media screen and (prefers-color-scheme: dark) {\n")
        assert len(rules) == 2 and 'body:not([data-theme="light"]) {' in rules[1]
        assert rules[1].count("{") + 1 == rules[1].count("}")
