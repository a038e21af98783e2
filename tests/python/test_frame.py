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
    assert model._model.columns == ["age", "dose (mg)", "sex=F", "sex=M", "sex=(new)", "site=north",
                                    "site=south", "site=west", "site=(new)"]
    model.save(tmp_path / "m.ggpm")
    for other in (pickle.loads(pickle.dumps(model)), GeneralizedGP.load(tmp_path / "m.ggpm")):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert list(other.feature_names_in_) == list(X.columns)
    assert any("sex" in warning for warning in model.warnings_)


def test_a_categorical_column_in_a_kernel_means_all_its_levels(frame):
    X, y = frame
    by_level, by_name = (
        GeneralizedGP("gamma-shape", RBF(columns=["age"]) + Linear(columns=columns), restarts=0)
        .fit(X, y) for columns in (["site=north", "site=south", "site=west", "site=(new)"], "site"))
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


def test_a_new_level_has_the_prior_of_its_effect(frame):
    X, y = frame
    model = GeneralizedGP(kernel="linear(columns=[site])", optimize=False).fit(X, y)
    Z = X.astype({"site": object})
    Z.loc[3, "site"] = "east"
    with pytest.warns(UserWarning, match="column 'site': east was not there when the model"):
        mean, sd = model.predict_latent(Z, return_std=True)
    assert mean[3] == 0 and sd[3] == pytest.approx(1)
    known = model.predict_latent(X)
    np.testing.assert_array_equal(np.delete(mean, 3), np.delete(known, 3))


def test_levels_of_a_category_may_be_absent_from_a_fold(frame):
    from sklearn.model_selection import cross_val_score

    X, y = frame
    X = pd.DataFrame({"age": X["age"], "row": pd.Categorical([f"r{i // 5}" for i in range(len(X))])})
    model = GeneralizedGP(restarts=0)
    with pytest.warns(UserWarning, match="were? not there when the model"):
        assert np.all(np.isfinite(cross_val_score(model, X, y, cv=4, scoring=ggpm.log_density_score)))


def test_numbers_that_are_names(frame):
    X, y = frame
    ward = np.arange(len(X)) % 7
    given = [pd.DataFrame({"ward": pd.Categorical(ward)}), pd.DataFrame({"ward": ward.astype(str)}),
             pd.DataFrame({"ward": ward})]
    models = [GeneralizedGP(restarts=0, factors=["ward"] if k == 2 else ()).fit(table, y)
              for k, table in enumerate(given)]
    for model, table in zip(models, given):
        assert model._model.columns == [f"ward={k}" for k in range(7)] + ["ward=(new)"]
        np.testing.assert_allclose(model.predict(table), models[0].predict(given[0]), rtol=1e-9)


def test_dates_are_one_input_in_days():
    day = pd.date_range("2024-02-01", periods=30, freq="D")
    y = np.sin(np.arange(30) / 4)
    model = GeneralizedGP(restarts=2).fit(pd.DataFrame({"day": day}), y)
    assert model._model.columns == ["day"]
    assert any("holds dates" in note for note in model.warnings_)
    assert 1 < model.hyperparameters_["rbf.lengthscale"] < 30
    later = pd.DataFrame({"day": [pd.Timestamp("2024-02-15 12:00")]})
    assert model.predict(later)[0] == pytest.approx(np.sin(14.5 / 4), abs=0.1)
    zoned = pd.DataFrame({"day": day.tz_localize("UTC").tz_convert("Europe/Vienna")})
    again = GeneralizedGP(restarts=2).fit(zoned, y)
    assert again.predict(zoned) == pytest.approx(model.predict(pd.DataFrame({"day": day})), rel=1e-9)
    since = pd.DataFrame({"day": day - day[0]})  # durations: days, too
    assert GeneralizedGP(restarts=2).fit(since, y).hyperparameters_["rbf.lengthscale"] == (
        pytest.approx(model.hyperparameters_["rbf.lengthscale"], rel=1e-3))


def test_intervals_and_refitted_scores_are_kept(tmp_path, frame):
    X, y = frame
    model = GeneralizedGP(restarts=1, refit_folds=3, random_state=2).fit(X[["age"]], y)
    assert model.refitted_["folds"] == 3 and np.isfinite(model.refitted_["log_density"])
    low, high = model.intervals_["dispersion"]
    assert low < model.hyperparameters_["dispersion"] < high
    model.save(tmp_path / "m.ggpm")
    loaded = GeneralizedGP.load(tmp_path / "m.ggpm")
    assert loaded.refitted_ == model.refitted_ and loaded.intervals_ == model.intervals_


def test_missing_cells_are_named(frame):
    X, y = frame
    model = GeneralizedGP(restarts=0, optimize=False).fit(X, y)
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


@pytest.mark.parametrize("megabytes", [150, 300, 450, 600, 900])
def test_a_short_address_space_is_refused_or_enough(megabytes):
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))
try:
    import ggpm, numpy
    model = ggpm.GeneralizedGP(restarts=0).fit(numpy.arange(9.0).reshape(-1, 1), numpy.arange(9.0))
    print(numpy.ones((300, 300)) @ numpy.ones(300), model.log_marginal_likelihood_)
except (MemoryError, ImportError) as error:
    print("refused:", error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout, done.stderr
    if megabytes == 900:
        assert "refused" not in done.stdout


class Exchanged:
    """A frame of a library that offers the interchange protocol and nothing else."""

    def __init__(self, frame):
        self.__dataframe__ = frame.__dataframe__


def test_tables_of_other_libraries_are_read_as_frames(frame):
    X, y = frame
    known = GeneralizedGP("gamma-shape", restarts=0).fit(X, y)
    other = GeneralizedGP("gamma-shape", restarts=0).fit(Exchanged(X), y)
    assert list(other.feature_names_in_) == list(X.columns)
    np.testing.assert_allclose(other.predict(Exchanged(X)), known.predict(X), rtol=1e-8)


def test_arrow_tables_are_read_as_frames(frame):
    pyarrow = pytest.importorskip("pyarrow")
    X, y = frame
    known = GeneralizedGP("gamma-shape", restarts=0).fit(X, y)
    table = pyarrow.Table.from_pandas(X)
    other = GeneralizedGP("gamma-shape", restarts=0).fit(table, pyarrow.array(y))
    assert list(other.feature_names_in_) == list(X.columns)
    np.testing.assert_allclose(other.predict(table), known.predict(X), rtol=1e-8)


def test_levels_with_unsigned_codes_are_levels():
    """As polars has them."""
    pyarrow = pytest.importorskip("pyarrow")
    x, site = np.linspace(0, 5, 20), ["b", "a"] * 10
    codes = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1] * 10, pyarrow.uint32()), ["b", "a"])
    table = pyarrow.table({"x": x, "site": codes})
    counts = np.arange(20) % 7
    known = GeneralizedGP("poisson", restarts=0).fit(pd.DataFrame({"x": x, "site": site}), counts)
    other = GeneralizedGP("poisson", restarts=0).fit(table, counts)
    np.testing.assert_allclose(other.predict(table), known.predict(pd.DataFrame({"x": x, "site": site})), rtol=1e-12)
