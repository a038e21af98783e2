"""The bill of materials knows the license of everything that is built in: a release needs it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_everything_that_is_linked_has_a_license(tmp_path):
    package = tmp_path / "some.deb"
    package.write_bytes(b"bytes")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "sbom", package], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert all(part["licenseConcluded"] != "NOASSERTION" for part in document["packages"])
    assert [file["fileName"] for file in document["files"]] == ["./some.deb"]


@pytest.mark.parametrize("which, there, absent", [
    ("linked", ["OpenBLAS", "Eigen", "GNU LESSER GENERAL PUBLIC LICENSE"], []),
    ("compiled-in", ["Eigen", "Vega"], ["\nOpenBLAS\n", "\nNLopt"]),
])
def test_what_is_given_away_carries_its_notices(which, there, absent):
    if not Path("/usr/share/doc/libeigen3-dev/copyright").exists():
        pytest.skip("not a Debian system with the packages that ggpm is built on")
    text = subprocess.run([sys.executable, ROOT / "scripts" / "sbom", "--notices", which], capture_output=True, text=True,
                          check=True).stdout
    assert text.startswith((ROOT / "LICENSE").read_text())
    assert all(word in text for word in there) and not any(word in text for word in absent)


def stem(package):
    """libfmt9 and libfmt-dev are one thing, zlib1g and zlib1g-dev, libopenblas0-pthread and libopenblas-dev."""
    return re.sub(r"(\d+g?)?(-dev|-pthread|-serial|-openmp)?(:\w+)?$", "", package)


def test_every_shared_library_of_the_command_is_described(command):
    if not shutil.which("dpkg-query"):
        pytest.skip("not a Debian system")
    document = json.loads(subprocess.run([sys.executable, ROOT / "scripts" / "sbom"], capture_output=True, check=True).stdout)
    described = {stem(part.get("comment", "").rpartition(" ")[2]) for part in document["packages"]}
    listed = subprocess.run(["ldd", command], capture_output=True, text=True, check=True).stdout
    libraries = [Path(path).resolve().name for path in re.findall(r"=> (/\S+)", listed)]
    assert len(libraries) > 5
    for library in libraries:
        owners = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True).stdout
        assert {stem(line.split(": ")[0].split(",")[0]) for line in owners.splitlines()} & described, library
