import pickle
import subprocess
import sys

import numpy as np
import pytest

import ggpm
from ggpm import RBF, GeneralizedGP, GeneralizedGPClassifier, Linear

pd = pytest.importorskip("pandas")


def test_named_and_categorical_columns(tmp_path, frame):
    X, y = frame
    kernel = RBF(columns=["age", "dose (mg)"]) + Linear(columns=["sex=F", "sex=M"])
    model = GeneralizedGP("gamma-shape", kernel, restarts=0).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model._model.columns == ["age", "dose (mg)", "sex=F", "sex=M", "site=north",
                                    "site=south", "site=west"]
    model.save(tmp_path / "m.ggpm")
    for other in (pickle.loads(pickle.dumps(model)), GeneralizedGP.load(tmp_path / "m.ggpm")):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert list(other.feature_names_in_) == list(X.columns)
    assert any("sex" in warning for warning in model.warnings_)


def test_a_categorical_column_in_a_kernel_means_all_its_levels(frame):
    X, y = frame
    by_level, by_name = (
        GeneralizedGP("gamma-shape", RBF(columns=["age"]) + Linear(columns=columns), restarts=0)
        .fit(X, y) for columns in (["site=north", "site=south", "site=west"], "site"))
    np.testing.assert_array_equal(by_name.predict(X), by_level.predict(X))
    assert str(by_name.kernel_) == str(by_level.kernel_)
    with pytest.raises(ggpm.UsageError, match=r"unknown input 'species'; known are age, dose \(mg\), "
                                              "sex, site"):
        GeneralizedGP(kernel=RBF(columns="species")).fit(X, y)


def test_a_frame_of_numbers_equals_the_array(frame):
    X, y = frame
    X = X[["age", "dose (mg)"]]
    a = GeneralizedGP(restarts=0).fit(X, y)
    b = GeneralizedGP(restarts=0).fit(X.to_numpy(float), y)
    np.testing.assert_array_equal(a.predict(X), b.predict(X.to_numpy(float)))
    with pytest.raises(ValueError, match="feature names"):
        a.predict(X[["dose (mg)", "age"]])


def test_new_levels_and_missing_cells_are_named(frame):
    X, y = frame
    model = GeneralizedGP(restarts=0, optimize=False).fit(X, y)
    Z = X.copy()
    Z.loc[3, "site"] = "east"
    with pytest.raises(ggpm.DataError, match="row 4, column 'site'.*'east'"):
        model.predict(Z)
    Z = X.copy()
    Z.loc[5, "site"] = None
    with pytest.raises(ggpm.DataError, match="row 6, column 'site'.*missing"):
        model.predict(Z)
    Z = X.astype({"age": float})
    Z.loc[7, "age"] = np.nan
    with pytest.raises(ggpm.DataError, match="row 8, column 'age'") as caught:
        model.predict(Z)
    assert (caught.value.source, caught.value.row, caught.value.column) == ("X", 8, "age")


def test_columns_with_a_role_pass_through_cross_validation(counts):
    from sklearn.model_selection import cross_val_score

    X, y, exposure = counts
    table = pd.DataFrame({"x": X[:, 0], "time": exposure})
    by_column = GeneralizedGP("poisson", exposure="time", restarts=0).fit(table, y)
    by_keyword = GeneralizedGP("poisson", restarts=0).fit(table[["x"]], y, exposure=exposure)
    np.testing.assert_array_equal(by_column.predict(table),
                                  by_keyword.predict(table[["x"]], exposure=exposure))
    assert by_column.hyperparameters_ == by_keyword.hyperparameters_
    scores = cross_val_score(by_column, table, y, cv=3, scoring=ggpm.log_density_score)
    assert np.all(np.isfinite(scores))
    with pytest.raises(ggpm.DataError, match="no column 'tiem'"):
        GeneralizedGP("poisson", exposure="tiem").fit(table, y)


def test_a_file_with_a_role_loads_with_it(tmp_path, counts):
    X, y, exposure = counts
    table = pd.DataFrame({"x": X[:, 0], "time": exposure})
    model = GeneralizedGP("poisson", exposure="time", restarts=0).fit(table, y)
    model.save(tmp_path / "m.ggpm")
    loaded = GeneralizedGP.load(tmp_path / "m.ggpm")
    assert loaded.exposure == "time"
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))


def test_classifier_takes_frames(frame):
    X, y = frame
    model = GeneralizedGPClassifier(restarts=0).fit(X, pd.Series(y > np.median(y)))
    assert model.predict(X).dtype == bool
    assert model.score(X, y > np.median(y)) > 0.6


def test_registries_are_frames():
    assert "poisson" in ggpm.likelihoods().index
    assert "rbf" in ggpm.kernels().index
    assert ggpm.recognize_domain([0, 3, 5])[0] == "count"


@pytest.mark.parametrize("cells", [["1,5", "2,5", "3,5"], ["1'000", "2'000", "3'000"],
                                   ["0x1", "0x2", "0x3"], ["١٢", "١٣", "١٤"]])
def test_numbers_written_in_another_way_are_no_categories(cells):
    X = pd.DataFrame({"x": cells})
    with pytest.raises(ggpm.DataError, match="column 'x': .* is not a number"):
        ggpm.GeneralizedGP(restarts=0).fit(X, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", ["y", "trials", "exposure"])
def test_whole_numbers_that_no_double_is_are_refused(name):
    numbers = np.array([1, 2, 2**53 + 1])
    model = ggpm.GeneralizedGP(likelihood="binomial" if name == "trials" else "poisson",
                               optimize=False)
    given = {} if name == "y" else {name: numbers}
    y = numbers if name == "y" else np.array([1, 1, 1])
    with pytest.raises(ggpm.DataError, match=f"row 3: {name} = 9007199254740993 has more digits"):
        model.fit(np.arange(3.0).reshape(-1, 1), y, **given)


def test_short_memory_is_an_exception():
    code = """
import resource, numpy, ggpm
pages = int(open('/proc/self/statm').read().split()[0])
limit = pages * resource.getpagesize() + (100 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    ggpm.GeneralizedGP(restarts=0).fit(numpy.arange(9.0).reshape(-1, 1), numpy.arange(9.0))
except MemoryError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "not enough memory" in done.stdout, done.stderr
