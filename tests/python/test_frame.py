import pickle

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
    with pytest.raises(ggpm.DataError, match="row 8, column 'age'"):
        model.predict(Z)


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
