"""Data and fitted models that the tests share. Fits are small: the numbers of the library are tested
in C++, here it is the face."""

import os
import shutil
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
import pytest

import ggpm

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also the tests that take minutes")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes together; run by make test-all")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="slow: pytest --slow"))


@pytest.fixture(scope="session")
def command():
    """The ggpm command of the same build."""
    found = Path(ggpm._core.__file__).resolve().parents[2] / "ggpm"
    if not found.is_file():
        found = shutil.which("ggpm")
        if found is None:
            pytest.skip("the command was not built")
    return str(found)


@pytest.fixture(scope="session")
def counts():
    """X (60, 1), counts, exposure."""
    random = np.random.default_rng(1)
    X = np.sort(random.uniform(0, 10, (60, 1)), axis=0)
    exposure = random.uniform(0.5, 3, 60)
    y = random.poisson(exposure * np.exp(1 + np.sin(X[:, 0]))).astype(float)
    return X, y, exposure


@pytest.fixture(scope="session")
def poisson(counts):
    X, y, exposure = counts
    return ggpm.GeneralizedGP("poisson", restarts=3).fit(X, y, exposure=exposure)


@pytest.fixture(scope="session")
def frame():
    """A table with numbers, a category and text, and positive outputs."""
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(2)
    n = 50
    table = pd.DataFrame({
        "age": random.integers(20, 70, n), "dose (mg)": random.uniform(0, 5, n),
        "sex": pd.Categorical(random.choice(["F", "M"], n)),
        "site": random.choice(["north", "south", "west"], n)})
    mean = np.exp(0.02 * table["age"] + 0.3 * table["dose (mg)"] + 0.5 * (table["sex"] == "M"))
    return table, np.asarray(random.gamma(5, mean / 5))
