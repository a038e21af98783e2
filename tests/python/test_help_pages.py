"""The help pages of R as a page of the site: all of them, without R's markup."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from help_pages import help_pages


def test_every_function_that_r_exports_is_explained():
    exported = re.findall(r"^export\((.*)\)$", (ROOT / "r" / "NAMESPACE").read_text(), re.M)
    page = help_pages()
    for name in ", ".join(exported).split(", "):
        assert re.search(rf"^{name}\(", page, re.M), name


def test_markup_becomes_markdown(tmp_path):
    for name in ("predict.ggpm", "ggpm-methods"):
        (tmp_path / f"{name}.Rd").write_text(f"\\name{{{name}}}\\alias{{{name}}}\\title{{T}}")
    (tmp_path / "ggpm.Rd").write_text(r"""\name{ggpm}\alias{ggpm}\title{Fits}
\description{As \code{\link{predict.ggpm}()} of \pkg{mgcv}, 95 \% of a*b.}
\usage{\method{print}{ggpm}(x)}
\arguments{\item{x, y}{Two
  \code{a_b}.}}
\examples{f <- function() { 1 }
\donttest{f()}}
""")
    assert help_pages(tmp_path).split("\n(help-")[0] == r"""(help-ggpm)=
## `ggpm`: Fits

As [`predict.ggpm()`](help-predict.ggpm) of *mgcv*, 95 % of a\*b.

```r
## S3 method for class 'ggpm'
print(x)
```

### Arguments

- `x`, `y`: Two `a_b`.

### Examples

```r
f <- function() { 1 }
f()
```
"""


@pytest.mark.parametrize("text", [r"\description{\emph{x}}", r"\usage{\dots}", r"\description{\code{\link{nowhere}}}"])
def test_what_is_not_known_is_refused(text, tmp_path):
    for name in ("ggpm", "predict.ggpm", "ggpm-methods"):
        (tmp_path / f"{name}.Rd").write_text(f"\\alias{{{name}}}\\title{{T}}{text}")
    with pytest.raises(ValueError, match="ggpm.Rd: .* is not known"):
        help_pages(tmp_path)
