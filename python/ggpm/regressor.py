"""GeneralizedGP: regression for outputs of any kind."""

from __future__ import annotations

from typing import Optional, Sequence, Union

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_y

from . import _core, _inputs
from ._base import Base
from ._missing import complete_rows
from ._options import parameters_of, request_of
from .kernel import Kernel
from .predictive import Predictive, scores_of, seed_of

__all__ = ["GeneralizedGP"]

# Likelihoods whose outputs may be words.
BINARY = ("auto", "bernoulli", "bernoulli-probit")
LEVELS = (*BINARY, "ordinal")


def _has_levels(model) -> bool:
    return model._one_model().domain.name in ("binary", "ordinal")


class GeneralizedGP(RegressorMixin, Base):
    """Gaussian process regression for outputs that need not be real numbers.

    A Gaussian process prior on a latent function, a likelihood of the exponential family (or
    Student-t, Laplace), a link between them. Answers are full predictive distributions.

    Parameters
    ----------
    likelihood : str
        ``"gaussian"``, ``"poisson"``, ``"negative-binomial"``, ``"binomial"``, ``"beta"``,
        ``"gamma-shape"``, ``"student-t"``, ... (``ggpm.likelihoods()`` lists them), a formula or
        its path (``"my.toml"``), or ``"auto"``: those for the domain of y are fitted to at most 300
        rows, and the simplest is taken whose leave-one-out density is within one standard error
        of the best; `choice_` says why.
    kernel : Kernel or str, optional
        ``RBF(ard=True) + Linear()``, or its text ``"rbf(ard=true) + linear"``. Default:
        ``"rbf + constant"``, a smooth function and an intercept. A length-scale or period is in units
        of its column; that of several columns which are standardized one by one is in standard
        deviations.
    inference : str
        ``"auto"``: exact where possible, otherwise ep up to 1000 rows, laplace beyond. Or one of
        ``ggpm.inferences()``: ``"exact"`` (Gaussian), ``"laplace"``, ``"ep"``, ``"kld"``, ``"mcmc"``
        (sampling), ...
    link : str, optional
        E.g. ``"log"``, ``"probit"``. Default: the likelihood's own.
    mean : str
        Prior mean of the latent function: ``"zero"``, ``"constant"``, ``"linear"``.
    dispersion : float or str, optional
        Where learning starts; ``"fixed(0.5)"`` holds it there.
    parameter : dict of str to float or str, optional
        The same for any dispersion by its name: ``{"zero": 0.2, "power": "fixed(1.5)"}``.
    df : float
        Degrees of freedom of student-t.
    learn_df : bool
        Learn them.
    expansion : str
        Expansion point of Taylor inference: ``"auto"``, ``"exact"``, ``"canonical"``,
        ``"agnostic"``.
    expansion_offset : float, optional
        Added to counts there. Default: 0.5 if any count is 0, otherwise 0.
    warp : str, optional
        A Gaussian process on transformed outputs: ``"log"``, ``"logit"``, ``"arctanh"``,
        ``"tanh:3"``. Needs the Gaussian likelihood.
    engine : str
        How the prior is held in memory: ``"dense"``, ``"tree"``, or ``"auto"``, what suits the
        number of rows; ``"variational"`` is a bound for ``inference="kld"``.
    accuracy : str
        How near an engine that approximates comes to the dense one: ``"fast"``, ``"normal"``,
        ``"high"``.
    inducing : int
        Points that all rows look at; 0: as many as the accuracy asks for.
    exposure, offset, trials : str, optional
        Columns of the data frame X that have this part and are not inputs. This is how they pass
        through ``cross_val_score`` and ``GridSearchCV``. Otherwise give them to `fit` and `predict`.
    squeeze : bool
        For beta with exact 0 or 1: move y from [0, 1] into (0, 1) by (y (n - 1) + 1/2) / n.
    factors : str or sequence of str
        Columns whose numbers are names of levels, as text and categories are.
    coordinates : str or sequence of str
        Columns that are places in one space and scaled together. Default: longitude and latitude,
        or easting and northing, by their names; ``"none"``: none.
    standardize : bool
        Center and scale numeric inputs.
    missing : str
        Rows with missing cells: ``"error"``, or ``"drop"``, which leaves them out of `fit` and
        `scores`.
    optimize : bool
        False: use the hyperparameters as given.
    restarts : int
        Random starts of learning, by fast Taylor inference. 0: only from the given values.
    keep : int
        Distinct optima of the starts from which the inference method itself continues.
    fixed : str or sequence of str
        Names of hyperparameters that are held: ``"dispersion"``, ``"rbf.variance"``.
    priors : dict of str to str, optional
        ``{"rbf.lengthscale": "gamma(2, 1)"}``.
    hyperparameters : str
        ``"optimum"``: the most likely ones are taken for known. ``"integrate"``: answers are
        averages over some tens of them, which is what few rows want; `integrated_` has them.
    tolerance : float
        Of the log marginal likelihood, at which an optimization stops.
    max_evaluations : int
        Of the log marginal likelihood in each optimization.
    max_iterations : int
        Sweeps of the final inference.
    intervals : bool
        Compute those of the hyperparameters in `fit` (up to 1000 rows): `intervals_`.
    refit_folds : int
        Cross-validate in so many parts with models that learn again; `refitted_` has the result.
    random_state : int, RandomState or None
        Seed of the random starts. None is 1, the command's default, so that fits are reproducible.
    threads : int
        Optimizations side by side; 0: as many as BLAS uses. The same seed and threads give the
        same bits.
    memory_limit : int or str, optional
        Bytes, or ``"2G"``; a fit that needs more is refused.
    resume : str, optional
        A file in which a long fit keeps how far it has come; the same fit goes on from there.
    progress : bool or callable, optional
        True: a bar on standard error. A function is called with a :class:`FitProgress`.

    Attributes
    ----------
    log_marginal_likelihood_ : float
    hyperparameters_ : dict
        Learned value by name, length-scales in units of the columns: ``"rbf.lengthscale[year]"``.
    intervals_ : dict
        By name: 95 % intervals of hyperparameters, (lower, upper); None where there is none.
    refitted_ : dict or None
        Of `refit_folds`: ``folds``, the sum of log densities ``log_density``, its
        ``standard_error``.
    integrated_ : dict or None
        Of ``hyperparameters="integrate"``: ``weights`` of the points, their ``hyperparameters`` by
        name, ``log_marginals``, and the ``log_evidence``.
    theta_ : ndarray
        The same as one vector, positive ones as logarithms.
    kernel_ : Kernel
        With learned values.
    optima_ : list of Optimum
        All local maxima that were found, best first.
    loo_ : LeaveOneOut
        Leave-one-out scores, without refitting.
    likelihood_, link_, inference_ : str
        What was used.
    choice_ : str
        What ``"auto"`` took, and why; empty if nothing was left to it.
    converged_ : bool
    warnings_ : list of str
        What a person should know about the fit.
    classes_ : ndarray of shape (n_levels,)
        If y was two words: predictions are of the probability of the second. If it was an ordered
        categorical: its levels, in their order.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.

    Examples
    --------
    >>> import numpy as np
    >>> from ggpm import GeneralizedGP, RBF
    >>> x = np.linspace(0, 10, 40)[:, None]
    >>> y = np.random.default_rng(0).poisson(np.exp(1 + np.sin(x[:, 0])))
    >>> model = GeneralizedGP(likelihood="poisson", kernel=RBF(), inference="ep").fit(x, y)
    >>> lower, upper = model.predictive(x).interval(0.9)
    """

    def __init__(self, likelihood: str = "gaussian", kernel: Union[Kernel, str, None] = None,
                 inference: str = "auto", *, link: Optional[str] = None, mean: str = "zero",
                 dispersion: Union[float, str, None] = None, parameter: Optional[dict] = None,
                 df: float = 4.0, learn_df: bool = False,
                 expansion: str = "auto", expansion_offset: Optional[float] = None,
                 warp: Optional[str] = None, engine: str = "auto", accuracy: str = "normal",
                 inducing: int = 0, exposure: Optional[str] = None,
                 offset: Optional[str] = None, trials: Optional[str] = None, squeeze: bool = False,
                 factors: Union[str, Sequence[str]] = (),
                 coordinates: Union[str, Sequence[str]] = (),
                 standardize: bool = True, missing: str = "error", optimize: bool = True,
                 restarts: int = 50, keep: int = 3,
                 fixed: Union[str, Sequence[str]] = (), priors: Optional[dict] = None,
                 hyperparameters: str = "optimum",
                 tolerance: float = 1e-5, max_evaluations: int = 200, max_iterations: int = 500,
                 intervals: bool = True, refit_folds: int = 0,
                 random_state=None, threads: int = 0,
                 memory_limit: Union[int, str, None] = None, resume: Optional[str] = None,
                 progress=None):
        self._store(locals())

    def fit(self, X, y, sample_weight=None, *, exposure=None, offset=None, trials=None, event=None,
            upper=None):
        """Learn the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            A data frame's text and categorical columns become one input of 0 and 1 a level, its
            dates one input in days.
        y : array-like of shape (n,)
            In the domain of the likelihood. For the binomial: numbers of successes, or fractions of
            the trials, which are not all whole. For the Bernoulli: 0 and 1, or two words, of which
            the later in the alphabet is 1 (`classes_`). For the ordinal: an ordered pandas
            Categorical, or levels 1, 2, 3, ... A structured array of an event and a time, as
            scikit-survival has them, says the `event`, too.
        sample_weight : array-like of shape (n,), optional
            A row of weight 3 counts as three rows.
        exposure : array-like of shape (n,), optional
            Multiplies the mean of counts: time at risk, area searched, ...
        offset : array-like of shape (n,), optional
            Added to the latent function.
        trials : array-like of shape (n,), optional
            Of the binomial.
        event : array-like of shape (n,), optional
            True (1) where y was observed, False (0) where the output is only known to be larger, -1
            where it is known to be smaller.
        upper : array-like of shape (n,), optional
            The output is between y and this; NaN where it is not an interval.

        Returns
        -------
        self
        """
        y, censored = _inputs.read_outputs(y, event)
        table, observed, roles = self._observe(
            X, y, {"exposure": exposure, "offset": offset, "trials": trials,
                   "weight": sample_weight, "censored": censored, "upper": upper})
        self._model = self._fit_model(table, observed, request_of(self), roles)
        self._publish()
        return self

    @classmethod
    def from_formula(cls, formula: str, data, *, sample_weight=None, event=None, upper=None,
                     trials=None, **params):
        """A model in one line, fitted to a data frame.

        Parameters
        ----------
        formula : str
            ``"deaths ~ rbf(lon, lat) + linear(smoking) + group(district) + offset(log(expected))"``:
            the target, and a sum of kernels that name their columns; ``offset(a)`` is added to the
            latent function, ``offset(log(a))`` and ``exposure(a)`` multiply the mean.
        data : DataFrame
        sample_weight, event, upper, trials : array-like of shape (n,), optional
            As in `fit`.
        **params
            Of the estimator: ``likelihood="poisson"``.

        Returns
        -------
        GeneralizedGP
            It finds its columns by name in the frames that it predicts; they may have others.
        """
        data = _inputs.as_frame(data)
        parts = _core.parse_model_formula(formula)
        roles = {role: getattr(parts, role) for role in ("offset", "exposure") if getattr(parts, role)}
        known = (parts.target, *roles.values())
        columns = parts.inputs or [name for name in data.columns if name not in known]
        for name in [parts.target, *columns, *roles.values()]:
            if name not in data.columns:
                raise _core.DataError(f"formula: there is no column {name!r} in the data; there are: "
                                      f"{', '.join(map(str, data.columns))}")
        model = cls(kernel=parts.kernel, **roles, **params)
        model._formula = formula
        return model.fit(data[[*columns, *roles.values()]], data[parts.target], sample_weight,
                         event=event, upper=upper, trials=trials)

    def _observe(self, X, y, given: dict):
        """The table of X, what was observed, and which columns have a role."""
        roles = _core.ColumnRoles()
        roles.target = _inputs.name_of(y)
        X, y, given = complete_rows(self.missing, X, y, given)
        if hasattr(self, "classes_"):
            del self.classes_
        y, roles.levels = self._read_levels(y)
        table, y, found = self._read(X, y, reset=True)
        for role, column in found.items():
            setattr(roles, role, column)
        return table, self._observations(table, y, **given), roles

    def _read_levels(self, y):
        """Outputs that are words as numbers from 0, and the words; others as they are."""
        levels = _inputs.ordered_levels(y) if self.likelihood in LEVELS else None
        if levels is not None and (len(levels) == 2 or self.likelihood not in BINARY[1:]):
            self.classes_, words = levels, [str(level) for level in levels]
            return _inputs.codes_of(y, words), words
        if self.likelihood == "ordinal" and _inputs.is_words(y):
            raise _core.UsageError("y is words; name their order, the lowest first: "
                                   "pandas.Categorical(y, [...], ordered=True)")
        if not _inputs.is_words(y):
            return y, []
        if self.likelihood not in BINARY:
            return _inputs.doubles(y, "y"), []
        self.classes_, y = _inputs.two_classes(y)
        return y, [str(c) for c in self.classes_]

    def predictive(self, X, *, exposure=None, offset=None, trials=None) -> Predictive:
        """The predictive distribution of every row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        exposure, offset, trials : array-like of shape (n,) or float, optional
            As in `fit`. Default: exposure 1, offset 0, one trial.

        Returns
        -------
        Predictive
            With ``mean, std, mode, quantile, cdf, logpdf, interval, sample``, and ``mean_quantile,
            mean_interval, mean_above`` of the mean itself.
        """
        return self._predictive(X, None, exposure, offset, trials)[0]

    def _predictive(self, X, y, exposure, offset, trials, censored=None, upper=None):
        table, _, _ = self._read(X)
        if y is not None:
            _inputs.same_length(table, y)
            y = self._numbers(y)
        observed = self._model.interpret(table, self._observations(
            table, y, exposure=exposure, offset=offset, trials=trials, censored=censored,
            upper=upper))
        predictions = self._model.predictive(table, observed, self.threads or 0)
        return Predictive(predictions, getattr(X, "index", None)), observed.y

    def _numbers(self, y) -> np.ndarray:
        """Outputs of new rows as numbers."""
        levels = self._model.roles.levels
        if levels and (_inputs.is_words(y) or self._model.domain.name == "ordinal"):
            return _inputs.codes_of(y, levels)
        return _check_y(y, y_numeric=True)

    def predict(self, X, return_std: bool = False, *, exposure=None, offset=None, trials=None):
        """Mean of the predictive distribution, in units of y.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        return_std : bool
            Also return the standard deviation of y.
        exposure, offset, trials : array-like of shape (n,) or float, optional
            As in `fit`.

        Returns
        -------
        ndarray of shape (n,), or a pair of them
        """
        p = self.predictive(X, exposure=exposure, offset=offset, trials=trials)
        mean = self._as_output(p.mean(), X, "mean")
        return (mean, self._as_output(p.std(), X, "sd")) if return_std else mean

    def predict_quantiles(self, X, quantiles=(0.025, 0.5, 0.975), *, exposure=None, offset=None,
                          trials=None) -> np.ndarray:
        """Quantiles of the predictive distribution, an array of shape (n, n_quantiles)."""
        quantiles = np.atleast_1d(quantiles)
        p = self.predictive(X, exposure=exposure, offset=offset, trials=trials)
        return self._as_output(p.quantile(quantiles), X, [f"q{q:g}" for q in quantiles])

    @available_if(_has_levels)
    def predict_proba(self, X) -> np.ndarray:
        """Probability of each level of an ordinal or binary y, an array of shape (n, n_levels).

        In the order of `classes_`, or of the numbers that were levels.
        """
        model = self._one_model()
        p = self.predictive(X)
        if model.domain.name == "binary":
            mean, names = p.mean(), model.roles.levels or [0, 1]
            return self._as_output(np.column_stack([1 - mean, mean]), X, names)
        count = 1 + sum(name.startswith("cut[") for name in self.hyperparameters_)
        numbers = np.arange(1, count + 1)
        return self._as_output(np.column_stack([p.pdf(k) for k in numbers]), X,
                               model.roles.levels or numbers)

    def predict_mean_interval(self, X, level: float = 0.95, *, exposure=None, offset=None,
                              trials=None) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the interval of the mean (a rate, a probability), not of new y."""
        p = self.predictive(X, exposure=exposure, offset=offset, trials=trials)
        lower, upper = p.mean_interval(level)
        return self._as_output(lower, X, "lower"), self._as_output(upper, X, "upper")

    def exceedance(self, X, threshold: float, *, exposure=None, offset=None,
                   trials=None) -> np.ndarray:
        """The probability that the mean of each row is above the threshold."""
        p = self.predictive(X, exposure=exposure, offset=offset, trials=trials)
        return self._as_output(p.mean_above(threshold), X, "exceedance")

    def sample_y(self, X, n_samples: int = 1, random_state=None, *, exposure=None, offset=None,
                 trials=None) -> np.ndarray:
        """Outputs at functions drawn from the posterior, as of scikit-learn's Gaussian process: an
        array of shape (n, n_samples) whose rows belong together. :meth:`draw` has the functions."""
        return self.draw(X, n_samples, "outcome", random_state=random_state, exposure=exposure,
                         offset=offset, trials=trials)

    def log_predictive_density(self, X, y, *, exposure=None, offset=None, trials=None, event=None,
                               upper=None) -> np.ndarray:
        """Log density (log probability of counts) of each y under its prediction.

        Of a censored row, as in `fit`: of what is known of it.
        """
        y, censored = _inputs.read_outputs(y, event)
        predictive, y = self._predictive(X, y, exposure, offset, trials, censored, upper)
        return predictive.logpdf(y)

    def score(self, X, y, sample_weight=None, *, exposure=None, offset=None, trials=None) -> float:
        """R² of the predicted means. For densities use ``scoring=ggpm.log_density_score``.

        Of a structured array with an event: R² of the rows that were observed.
        """
        y, censored = _inputs.read_outputs(y)
        predictive, y = self._predictive(X, y, exposure, offset, trials)
        seen = slice(None) if censored is None else censored == 0
        weight = None if sample_weight is None else np.asarray(sample_weight)[seen]
        return r2_score(y[seen], predictive.mean()[seen], sample_weight=weight)

    def scores(self, X, y, *, levels=(0.5, 0.8, 0.95), random_state=None, exposure=None,
               offset=None, trials=None, event=None, upper=None) -> dict:
        """How good predictions of known y are: ``ggpm score`` of the command.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        y : array-like of shape (n,)
        levels : sequence of float
            Of the central intervals.
        random_state : int, RandomState or None
            Of the PIT of discrete y.
        exposure, offset, trials : array-like of shape (n,) or float, optional
            As in `fit`.

        Returns
        -------
        dict
            Mean absolute and squared errors of the predictive mean, median and mode, the mean
            negative log density `nlp`, standard errors of these, the `coverage` by level, and the
            `pit`: mean, variance, histogram, distance from uniform and its p-value. Of survival
            times, or where rows are censored as in `fit`, also the `c_index`; errors and coverage
            are then those of the rows that were observed.
        """
        y, censored = _inputs.read_outputs(y, event)
        given = {"exposure": exposure, "offset": offset, "trials": trials, "censored": censored,
                 "upper": upper}
        X, y, given = complete_rows(self.missing, X, y, given)
        predictive, y = self._predictive(X, y, **given)
        return scores_of(predictive._predictions, y, levels, seed_of(random_state))

    @classmethod
    def _params_of(cls, model) -> dict:
        return {**parameters_of(model),
                **{role: getattr(model.roles, role) or None for role in _inputs.ROLES}}
