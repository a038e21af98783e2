"""make release in a clone: everything is checked before anything is changed, and a failed check leaves no trace."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACES = {"CMakeLists.txt": "project(ggpm VERSION 98.7.6 ", "CITATION.cff": "\nversion: 98.7.6\n",
          "r/DESCRIPTION": "\nVersion: 98.7.6\n", "CHANGELOG.md": "## 98.7.6, "}


@pytest.fixture
def clone(tmp_path):
    def git(*words):
        return subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=folder, text=True, check=True,
                              capture_output=True).stdout

    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    folder = tmp_path
    git("clone", "--quiet", "--shared", "--no-tags", str(ROOT), "clone")
    folder = tmp_path / "clone"
    git("config", "user.name", "Somebody")
    git("config", "user.email", "somebody@example.org")
    (folder / "scripts/release").write_text((ROOT / "scripts/release").read_text())
    changes = folder / "CHANGELOG.md"
    changes.write_text("## Later, not yet released\n\n- Something.\n\n" + changes.read_text().replace("not yet released", "2026"))
    git("commit", "--quiet", "--all", "--allow-empty", "--message", "Ready")
    return folder, git


def release(folder, *words):
    return subprocess.run(["scripts/release", *words], cwd=folder, capture_output=True, text=True)


def test_a_release_enters_the_version_and_tags(clone):
    folder, git = clone
    done = release(folder, "98.7.6", "grep -q 98.7.6 CMakeLists.txt", "echo $SOURCE_DATE_EPOCH > ../epoch; sleep 1")
    assert done.returncode == 0, done.stderr
    assert git("tag").split() == ["v98.7.6"]
    assert git("log", "-1", "--format=%s") == "Release 98.7.6\n"
    assert git("log", "-1", "--format=%ct") == (folder.parent / "epoch").read_text()  # from the tag the same bytes
    assert not git("status", "--porcelain")
    for path, text in PLACES.items():
        assert text in (folder / path).read_text(), path


@pytest.mark.parametrize("words, reason", [
    (["98.7.6", "true", "false"], "'false' failed; nothing was changed"),
    (["98.7"], "'98.7' is not a version"),
    ([], "a version is needed"),
])
def test_a_release_that_fails_changes_nothing(clone, words, reason):
    folder, git = clone
    before = git("rev-parse", "HEAD")
    done = release(folder, *words)
    assert done.returncode != 0 and reason in done.stderr
    assert (git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag")) == (before, "", "")


def test_what_is_not_committed_is_not_released(clone):
    folder, git = clone
    (folder / "README.md").write_text("changed")
    assert "not committed" in release(folder, "98.7.6").stderr


def test_a_release_that_says_nothing_is_none(clone):
    folder, git = clone
    changes = folder / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("- Something.\n", "", 1))
    git("commit", "--quiet", "--all", "--message", "Less")
    assert "says nothing" in release(folder, "98.7.6").stderr
