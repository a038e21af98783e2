"""The tutorial scripts run, and everything public is documented."""

import ast
import runpy
from pathlib import Path

import pytest

import ggpm

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_tutorials_run(script, tmp_path, monkeypatch, capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script))
    plt.close("all")
    assert capsys.readouterr().out.strip()
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 5000


def test_there_is_a_tutorial_for_every_kind_of_output():
    assert {path.stem for path in SCRIPTS} >= {
        "binary", "binomial", "count_with_exposure", "positive", "proportion", "robust"}


def test_everything_public_has_a_docstring():
    for name in ggpm.__all__:
        thing = getattr(ggpm, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        for attribute, member in vars(thing).items() if isinstance(thing, type) else ():
            if not attribute.startswith("_") and callable(member):
                assert member.__doc__, f"{name}.{attribute}"


def test_the_stub_names_what_the_module_has():
    stub = ast.parse((ROOT / "python" / "ggpm" / "_core.pyi").read_text())
    declared = {node.name: node for node in stub.body
                if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(declared) == {name for name in vars(ggpm._core) if not name.startswith("_")}
    for name, node in declared.items():
        if isinstance(node, ast.ClassDef):
            members_are_equal(node, getattr(ggpm._core, name))


def members_are_equal(node, cls):
    nested = [n for n in node.body if isinstance(n, ast.ClassDef)]
    declared = {n.name for n in node.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    declared |= {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
    public = {name for name in vars(cls) if not name.startswith("_")}
    if hasattr(cls, "__members__"):  # an enumeration: its values, and their name
        public = set(cls.__members__) | {"name"}
    assert {name for name in declared if not name.startswith("_")} == public, node.name
    for inner in nested:
        members_are_equal(inner, getattr(cls, inner.name))
