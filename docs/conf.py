"""The documentation as a site: `make docs` builds it into build/docs; warnings are errors."""

import logging
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import family_pictures
from command_help import command_help
from help_pages import help_pages
from mended_theme import mend

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
html_static_path = ["site.css"]
html_css_files = ["site.css"]
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


def add_what_is_made(app, page, source):
    if page == "api/r":
        source[0] += help_pages()
    if page == "api/command":
        source[0] += command_help()
    if page == "which-likelihood":
        source[0] += family_pictures.section()


def finish_static_files(app, error):
    if app.builder.name == "html" and error is None:
        static = Path(app.outdir) / "_static"
        mend(static)
        family_pictures.draw(static)


def setup(app):
    app.connect("build-finished", finish_static_files)
    app.connect("missing-reference", outside)
    app.connect("source-read", add_what_is_made)
