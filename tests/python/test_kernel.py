import pickle

import numpy as np
import pytest
from sklearn.base import clone

import ggpm
from ggpm import (RBF, RQ, Constant, Expression, Linear, Matern12, Matern32, Matern52, Parameter,
                  Periodic, Poly, White, Group, bounded, fixed)

LEAVES = [RBF, RQ, Constant, Linear, Matern12, Matern32, Matern52, Periodic, Poly, White, Group]


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_kernel_is_known_to_the_library(leaf):
    names = [info.name for info in ggpm._core.kernels()]
    assert leaf._text_name in names
    assert ggpm._core.kernel_text(str(leaf()))
    assert leaf.__doc__


@pytest.mark.parametrize("kernel, text", [
    (RBF(), "rbf"),
    (RBF(2, 0.5), "rbf(variance=2, lengthscale=0.5)"),
    (RBF(lengthscale=[1, 2.5], columns=["year", "sepal length"]),
     "rbf(lengthscale=[1, 2.5], columns=['year', 'sepal length'])"),
    (RBF(ard=True) + Linear(columns=2), "rbf(ard=true) + linear(columns=[2])"),
    ((RBF() + Linear()) * Periodic(period=12), "(rbf + linear) * periodic(period=12)"),
    (RBF() * Linear() + White(0.1), "rbf * linear + white(variance=0.1)"),
    (2.5 * RBF(), "constant(variance=2.5) * rbf"),
    (RBF() + "linear", "rbf + linear"),
    (fixed(RBF() + Linear()), "fixed(rbf + linear)"),
    (RBF(variance=fixed(1)), "rbf(variance=fixed(1))"),
    (RBF(lengthscale=bounded(2, 0.1, 10)), "rbf(lengthscale=2 in [0.1, 10])"),
    (RBF(lengthscale=Parameter(2, prior="gamma(2, 1)")), "rbf(lengthscale=2 ~ gamma(2, 1))"),
    (RBF(lengthscale=[1, fixed(2)]), "rbf(lengthscale=[1, fixed(2)])"),
    (Poly(degree=3), "poly(degree=3)"),
    (Expression("rbf + linear") * RBF(), "(rbf + linear) * rbf"),
])
def test_text_form(kernel, text):
    assert str(kernel) == text
    assert ggpm._core.kernel_text(text)


def test_quotes_in_names_survive():
    kernel = RBF(columns=["it's \\ odd"])
    assert kernel.hyperparameters == {"rbf.variance": 1.0, "rbf.lengthscale": 1.0}


def test_repr_is_python_that_makes_the_kernel_again():
    kernel = (RBF(lengthscale=2.0) + Linear(columns=["a"])) * RQ(alpha=fixed(0.5)) + White(0.1)
    again = eval(repr(kernel), vars(ggpm))
    assert again == kernel and hash(again) == hash(kernel)
    assert again != kernel + White()


def test_kernels_clone_pickle_and_take_nested_parameters():
    kernel = RBF(lengthscale=[1.0, 2.0]) + Linear() * Periodic()
    assert clone(kernel) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel.get_params()["k2__k2__period"] == 1.0
    kernel.set_params(k2__k2__period=7.0, k1__ard=True)
    assert "period=7" in str(kernel) and "ard=true" in str(kernel)
    with pytest.raises(ValueError, match="no parameter 'lenght'"):
        RBF().set_params(lenght=2)


def test_evaluation_equals_the_formula():
    X = np.random.default_rng(0).normal(size=(7, 2))
    Z = X[:3] + 0.5
    r2 = ((X[:, None] - X[None]) ** 2).sum(-1)
    np.testing.assert_allclose(RBF(2.0, 0.7)(X), 2 * np.exp(-r2 / (2 * 0.49)), rtol=1e-12)
    np.testing.assert_allclose((RBF() * Linear(3.0))(X, Z),
                               np.exp(-((X[:, None] - Z[None]) ** 2).sum(-1) / 2) * 3 * (X @ Z.T),
                               rtol=1e-12)
    np.testing.assert_allclose((RBF() + White(0.5)).diag(X), np.full(7, 1.5))


def test_mistakes_are_pointed_at():
    with pytest.raises(ggpm.UsageError, match="lenghtscale"):
        _ = Expression("rbf(lenghtscale=2)").hyperparameters
    with pytest.raises(TypeError, match="kernel is an object"):
        RBF() + [1, 2]
    with pytest.raises(ValueError, match="both bounds"):
        str(Parameter(1, lower=0.5))


def test_every_kernel_of_the_library_has_a_class():
    classes = {getattr(ggpm, name)._text_name: getattr(ggpm, name)
               for name in ggpm.covariances.__all__}
    assert set(classes) == set(ggpm.kernels().index)
    for name, parameters in ggpm.kernels()["parameters"].items():
        assert tuple(classes[name]().get_params())[:len(parameters)] == parameters


def test_a_kernel_that_is_only_in_the_table_becomes_a_class():
    from types import SimpleNamespace

    made = ggpm.covariances._leaf_class(SimpleNamespace(
        name="rq", parameters=["variance", "lengthscale", "alpha"], formula="v (1 + r^2 / ...)"))
    assert made.__name__ == "Rq"
    assert str(made()) == "rq"
    assert str(made(2.0, alpha=0.5, ard=True)) == str(ggpm.RQ(2.0, alpha=0.5, ard=True))
    with pytest.raises(TypeError):
        made(lenght=2)
