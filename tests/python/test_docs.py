"""Every block of sh, python and toml in the documentation runs, page by page, in a folder with examples/.

Blocks of R are run by tests/r/blocks.R, those of C++ are compiled by tests/install. What is shown of other programs
(`py`, `s`) is not run.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(sh|python|toml)\n(.*?)^```$", re.S | re.M)
PAGES = {page.stem: blocks for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
         if (blocks := BLOCK.findall(page.read_text()))}
# A likelihood as formulas is one that data can be drawn from and a model be fitted with.
TRY_LIKELIHOOD = """ggpm simulate --likelihood my.toml --rows 30 -o drawn.csv
ggpm fit drawn.csv --target y --likelihood my.toml --restarts 0 --quiet"""


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, command, tmp_path, monkeypatch):
    if page != "python":
        pytest.importorskip("pandas")
    plt = pytest.importorskip("matplotlib.pyplot")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(Path(command).parent), os.environ["PATH"]])
    names = {}
    for language, code in PAGES[page]:
        if language == "python":
            exec(compile(code, f"docs/{page}.md", "exec"), names)
            continue
        if language == "toml":
            Path("my.toml").write_text(code)
            code = TRY_LIKELIHOOD
        done = subprocess.run(["sh", "-eu", "-c", code], env=os.environ | {"PATH": path},
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{code}\n{done.stderr}"
    plt.close("all")


# What stands indented is shown and not run: other machines, data that are not here, forms with words for values.
NOT_RUN = {"cluster": "ranks", "command": "reproduce --data"}


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "docs").glob("*.md")))
def test_commands_stand_in_blocks_that_run(page):
    text = (ROOT / "docs" / f"{page}.md").read_text()
    shown = re.findall(r"^    (ggpm [a-z]+ .*\.(?:csv|ggpm)\b.*)$", text, re.M)
    assert page in NOT_RUN or not shown, shown


def test_the_pages_for_newcomers_have_blocks():
    assert {"start", "recipes", "kernels", "which-likelihood", "coming-from", "python", "likelihoods", "README"} <= set(PAGES)
