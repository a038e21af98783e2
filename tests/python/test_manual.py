"""Manual pages name the version, and nothing of the machine that made them: packages are the same bytes anywhere."""

import subprocess
import sys
from pathlib import Path

import ggpm

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "manual"


def test_headings_have_the_version_alone(command, tmp_path):
    subprocess.run([sys.executable, SCRIPT, command, tmp_path], check=True)
    pages = list(tmp_path.iterdir())
    assert len(pages) > 10
    for page in pages:
        text = page.read_text()
        assert f'"ggpm {ggpm.__version__}"' in text.splitlines()[0]
        assert str(Path(command).resolve().parent) not in text
