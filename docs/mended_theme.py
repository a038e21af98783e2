"""Debian's furo as its authors ship it: one plain script, one style sheet that needs no server, dark where the system is.

Debian builds the theme without its bundler. The script then imports another one, which browsers refuse (so the switch
between light and dark was missing, and the table of contents did not follow), the style sheet asks the root of a web
server for a file, and dark colors wait for the switch.
"""

import re
from pathlib import Path

NORMALIZE = Path("/usr/share/javascript/normalize.css/normalize.css")
IMPORTS_SCRIPT = 'import Gumshoe from "./gumshoe-patched.js";'
IMPORTS_STYLE = "@import url(/javascript/normalize.css/normalize.css);"
DARK = re.compile(r'@media not print \{\n(  body\[data-theme="dark"\].*?\} \})', re.S)


def mend(static):
    """What a furo of PyPI has already is left as it is."""
    script = static / "scripts" / "furo.js"
    text = script.read_text()
    if IMPORTS_SCRIPT in text:
        script.write_text(text.replace(IMPORTS_SCRIPT, (script.parent / "gumshoe-patched.js").read_text()))
    style = static / "styles" / "furo.css"
    text = style.read_text()
    if IMPORTS_STYLE in text:
        dark = DARK.search(text)[1].replace('body[data-theme="dark"]', 'body:not([data-theme="light"])')
        text = text.replace(IMPORTS_STYLE, NORMALIZE.read_text())
        style.write_text(f"{text}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n")
