"""Every family of the registry with every inference: what can be asked of a model answers, and what
cannot is refused in a sentence. `pytest --slow` walks the whole matrix, otherwise a part of it."""

import csv
import json
import subprocess

import numpy as np
import pytest

import ggpm
from ggpm import GeneralizedGP

pd = pytest.importorskip("pandas")

ROWS = 24
# Those that stand for the others where time is short: one of each kind of output.
QUICK = {("gaussian", "exact"), ("poisson", "taylor"), ("zero-inflated-poisson", "laplace"),
         ("weibull", "ep"), ("beta", "kld"), ("laplace", "vb"), ("ordinal", "laplace"),
         ("tweedie", "laplace"), ("softmax", "laplace"), ("softmax", "ep"), ("laplace", "laplace")}


def families():
    return list(ggpm.likelihoods().index)


def can(family, inference):
    """As docs/likelihoods.md has it."""
    if family == "softmax":
        return inference in ("laplace", "kld")
    if inference == "exact":
        return family == "gaussian"
    if inference in ("taylor", "laplace"):
        return family != "laplace"
    if inference == "vb":
        return family in ("gaussian", "log-normal", "bernoulli", "binomial", "laplace", "student-t")
    return True


CELLS = [pytest.param(family, inference, id=f"{family}-{inference}",
                      marks=[] if (family, inference) in QUICK else pytest.mark.slow)
         for family in families() for inference in ggpm.inferences().index]


@pytest.fixture(scope="module")
def drawn():
    """Of a family: X, y, trials, drawn from it; kept, since every inference asks for the same."""
    made = {}

    def draw(family):
        if family not in made:
            X = pd.DataFrame({"x": np.linspace(0, 5, ROWS), "z": np.tile([0.2, 1.0, -0.5], ROWS // 3)})
            trials = np.full(ROWS, 12.0) if "trials" in ggpm.likelihoods().domain[family] else None
            y = ggpm.simulate(X, family, "rbf(1, 1.5)", random_state=7, trials=trials)
            made[family] = X, np.asarray(y), trials
        return made[family]

    return draw


def levels_without_order(family):
    return family == "softmax"


def rows_of(trials):
    return {} if trials is None else {"trials": trials}


@pytest.mark.parametrize("family, inference", CELLS)
def test_python_answers_or_refuses(family, inference, drawn, tmp_path):
    X, y, trials = drawn(family)
    given = rows_of(trials)
    model = GeneralizedGP(family, inference=inference, restarts=0, threads=1)
    if not can(family, inference):
        with pytest.raises(ggpm.UsageError) as refused:
            model.fit(X, y, **given)
        assert refused.value.args[0].strip() and "\n" not in refused.value.args[0]
        return
    model.fit(X, y, **given)
    assert np.isfinite(model.log_marginal_likelihood())
    levels = levels_without_order(family)
    p = model.predictive(X, **given)
    if not levels:
        quantiles = p.quantile([0.025, 0.5, 0.975])
        assert np.all(np.isfinite(quantiles)) and np.all(np.diff(quantiles, axis=-1) >= 0)
        assert np.all(np.isfinite(p.mean())) or family == "student-t"
    assert np.all(np.isfinite(p.logpdf(y)))
    assert np.all(np.isfinite(model.loo_.log_density))
    pit = model.loo_.pit(random_state=1)
    assert np.all((pit >= 0) & (pit <= 1))
    scores = model.scores(X, y, **given)
    assert np.isfinite(scores["nlp"]) and 0 <= scores["coverage"][0.95] <= 1
    assert len(model.simulate(X, random_state=3, **given)) == ROWS
    assert "likelihood" in model.summary()
    model.report(tmp_path / "r.html", grid=0)
    assert "<html" in (tmp_path / "r.html").read_text()[:200]
    model.save(tmp_path / "m.ggpm")
    again = GeneralizedGP.load(tmp_path / "m.ggpm")
    np.testing.assert_array_equal(again.predictive(X, **given).logpdf(y), p.logpdf(y))


def run(command, *arguments, code=0):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.mark.parametrize("family, inference", CELLS)
def test_the_command_answers_or_refuses(family, inference, drawn, tmp_path, command):
    X, y, trials = drawn(family)
    table = X.assign(y=y)
    more = []
    if trials is not None:
        table, more = table.assign(trials=trials), ["--trials", "trials"]
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", tmp_path / "t.csv", "--target", "y", "--likelihood", family, "--inference", inference,
           "--restarts", 0, "--threads", 1, "--quiet", "--json", "-o", tmp_path / "m.ggpm", *more]
    if not can(family, inference):
        assert run(command, *fit, code=2).count("\n") == 1
        return
    result = json.loads(run(command, *fit))
    assert np.isfinite(result["log_marginal"])
    text = run(command, "predict", tmp_path / "m.ggpm", tmp_path / "t.csv")
    answers = list(csv.DictReader(text.splitlines()))
    assert len(answers) == ROWS and all(np.isfinite(float(row["log_density"])) for row in answers)
    if levels_without_order(family):  # nothing is above a class
        above = run(command, "predict", tmp_path / "m.ggpm", tmp_path / "t.csv", "--survival", 2, code=2)
        assert "no order" in above
    scores = json.loads(run(command, "score", tmp_path / "m.ggpm", tmp_path / "t.csv", "--json"))
    assert np.isfinite(scores["nlp"])
    assert family in run(command, "show", tmp_path / "m.ggpm")
    run(command, "report", tmp_path / "m.ggpm", "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"{'an' if family[0] in 'aeiou' else 'a'} {family} likelihood" in page
    assert not levels_without_order(family) or "(classes)" in page
    diagnose = ["diagnose", tmp_path / "m.ggpm", "--seconds", 2, "--draws", 100, "--json", "--quiet"]
    if family == "softmax" or inference == "mcmc":  # no scalar Gaussian to be judged
        assert run(command, *diagnose, code=2).count("\n") == 1
    else:
        assert "verdict" in run(command, *diagnose)


@pytest.mark.parametrize("family", [pytest.param(f, marks=[] if f in ("weibull", "ordinal", "softmax")
                                                 else pytest.mark.slow) for f in families()])
def test_compare_takes_it(family, drawn):
    X, y, trials = drawn(family)
    table = ggpm.compare(X, y, likelihoods=[family], splits=2, train=0.7, restarts=0, threads=1,
                         inferences=["ep"] if family == "laplace" else None, **rows_of(trials))
    assert table["failures"].iloc[0] == 0, table["failure"].iloc[0]
    assert np.isfinite(table["nlp"].iloc[0])


def test_softmax_has_a_kernel_for_each_class():
    X = np.random.default_rng(3).normal(size=(30, 2))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)]
    kernel = ggpm.classes(ggpm.RBF() + ggpm.Constant())
    assert str(kernel) == "classes(rbf + constant)"
    model = ggpm.GeneralizedGPClassifier(kernel, multi_class="softmax", restarts=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, atol=1e-12)
    assert model.score(X, y) > 0.8
    with pytest.raises(ggpm.UsageError, match="2 kernels for 3 classes"):
        model.set_params(kernel=ggpm.classes(ggpm.RBF(), ggpm.Linear())).fit(X, y)
