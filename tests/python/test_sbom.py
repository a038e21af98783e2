"""The bill of materials knows the license of everything that is built in: a release needs it."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_everything_that_is_linked_has_a_license(tmp_path):
    package = tmp_path / "some.deb"
    package.write_bytes(b"bytes")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "sbom", package], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert all(part["licenseConcluded"] != "NOASSERTION" for part in document["packages"])
    assert [file["fileName"] for file in document["files"]] == ["./some.deb"]
