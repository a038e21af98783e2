"""The documentation as a site: `make docs` builds it into build/docs; warnings are errors."""

import logging
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from help_pages import help_pages

project = "ggpm"
author = "the ggpm developers"
project_file = (Path(__file__).parent.parent / "CMakeLists.txt").read_text()
release = re.search(r"project\([^)]*?VERSION ([\d.]+)", project_file).group(1)

extensions = ["myst_parser", "sphinx_tabs.tabs", "sphinx_copybutton", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# The interfaces are read from what was built: the module of Python, the headers as Doxygen sees them.
build = Path(__file__).parent.parent / "build"
sys.path.insert(0, str(build / "python"))
breathe_projects = {"ggpm": str(build / "doxygen" / "xml")}
breathe_default_project = "ggpm"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_rtype = False
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["README.md", "schema"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
html_theme = "furo"
html_title = f"ggpm {release}"
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_dark_style = "github-dark"
breathe_show_include = False  # the heading has the header's name, with its folder
highlight_language = "none"


def outside(app, env, node, text):
    """Links to files of the repository that are not pages work where it is shown; here they are plain text."""
    return text if node["reftarget"].startswith("../") else None


def opened_once(record):
    """Every header opens the namespace again, which Sphinx takes for a second declaration of it."""
    return "Declaration is '.. cpp:type:: ggpm'." not in record.getMessage()


logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(opened_once)


def add_help_pages(app, page, source):
    if page == "api/r":
        source[0] += help_pages()


def setup(app):
    app.connect("missing-reference", outside)
    app.connect("source-read", add_help_pages)
