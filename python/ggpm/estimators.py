"""Estimators with scikit-learn's conventions: arrays in, one call, attributes out."""

from __future__ import annotations

import json
import os
import re
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from . import _core, _inputs
from .kernel import Expression, kernel_text
from .predictive import LeaveOneOut, Predictive, seed_of
from .progress import as_callback

__all__ = ["GeneralizedGP", "GeneralizedGPClassifier", "Optimum"]

# Likelihoods that "auto" takes, by the domain of y.
AUTOMATIC = {
    "real": "gaussian", "positive": "gamma-shape", "count": "negative-binomial",
    "fraction_of_trials": "binomial", "binary": "bernoulli", "proportion": "beta",
}


class Optimum(NamedTuple):
    """A local maximum of the log marginal likelihood that learning found."""

    log_marginal: float
    hyperparameters: dict
    inference: str
    converged: bool
    evaluations: int


class _Base(BaseEstimator):
    """What the regressor and the classifier share: options in, a fitted model out."""

    # ---- Options

    def _specification(self, likelihood: str) -> _core.Specification:
        s = _core.Specification()
        s.likelihood = likelihood
        s.link = self.link or ""
        s.kernel = kernel_text(self.kernel)
        s.mean = "zero" if self.mean is None else self.mean
        s.inference = self._inference(likelihood)
        s.expansion.point = getattr(_core.ExpansionPoint, _one_of(
            "expansion", {"auto": "automatic", "exact": "exact", "canonical": "canonical",
                          "agnostic": "agnostic"}, self.expansion))
        return s

    def _inference(self, likelihood: str) -> str:
        if self.inference != "auto":
            return self.inference
        if likelihood == "gaussian" and self.link in (None, "identity"):
            return "exact"
        return "ep" if likelihood in ("laplace", "student-t") else "laplace"

    def _options(self) -> _core.FitOptions:
        o = _core.FitOptions()
        o.optimize = bool(self.optimize)
        o.restarts = _whole("restarts", self.restarts, 0)
        o.keep = _whole("keep", self.keep, 1)
        o.seed = seed_of(self.random_state)
        o.threads = _whole("threads", 0 if self.threads is None else self.threads, 0)
        o.tolerance = float(self.tolerance)
        o.max_evaluations = _whole("max_evaluations", self.max_evaluations, 1)
        o.inference_iterations = _whole("max_iterations", self.max_iterations, 1)
        o.fixed = [self.fixed] if isinstance(self.fixed, str) else list(self.fixed or ())
        o.priors = {name: _prior(text) for name, text in (self.priors or {}).items()}
        o.memory_limit = _whole("memory_limit", self.memory_limit or 0, 0)
        return o

    def _column_roles(self) -> dict:
        return {role: getattr(self, role, None) for role in _inputs.ROLES}

    # ---- Data

    def _read(self, X, y=None, *, reset=False, y_numeric=True):
        """The table of inputs, y, and the columns of X that have a role."""
        roles = self._column_roles()
        if not reset:
            check_is_fitted(self)
        frame = _inputs.needs_frame(X, roles)
        if not frame and any(roles.values()):
            role, column = next((r, c) for r, c in roles.items() if c is not None)
            raise _core.UsageError(f"{role} = {column!r} names a column, but X is not a pandas "
                                   f"DataFrame; give the numbers to fit and predict instead")
        if not frame:
            names = None
            if not reset:
                names = self._input_names
            elif _inputs.is_frame(X):
                names = _inputs.frame_names(X)
            table, y = _inputs.read_array(self, X, y, reset=reset, names=names, y_numeric=y_numeric)
            if reset:
                self._input_names = table.names
            return table, y, {}
        table, found = _inputs.read_frame(self, X, reset=reset, roles=roles)
        if reset:
            self._input_names = table.names
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y "
                                 "is None")
        if y is not None:
            y = _check_y(y, y_numeric=True) if y_numeric else column_or_1d(y, warn=True)
            _inputs.same_length(table, y)
        return table, y, found

    @staticmethod
    def _per_row(table, found: dict, given: dict) -> dict:
        """Exposure, offset and trials: what was given, otherwise what a column of X says."""
        return {role: _inputs.read_per_row(found.get(role) if given.get(role) is None
                                           else given[role], role, table.rows)
                for role in _inputs.ROLES}

    def _fit_model(self, table, y, specification, per_row: dict, roles=None, provenance=None):
        provenance = {"interface": "python", **(provenance or {})}
        names = getattr(self, "feature_names_in_", None)
        provenance["inputs"] = "array" if names is None else json.dumps(list(names))
        model = _core.fit(table, np.ascontiguousarray(y, dtype=np.float64), per_row.get("trials"),
                          per_row.get("exposure"), per_row.get("offset"), specification,
                          self._options(), bool(self.standardize), roles or _core.ColumnRoles(),
                          provenance, as_callback(self.progress))
        if not model.converged:
            warnings.warn(model.detail or "the fit did not converge", ConvergenceWarning,
                          stacklevel=3)
        return model

    def _publish(self) -> None:
        """Attributes of the fitted model."""
        model = self._model
        self.kernel_ = Expression(model.kernel)
        self.likelihood_ = model.likelihood
        self.link_ = model.link
        self.inference_ = model.inference
        self.hyperparameters_ = {p.name: p.value for p in model.parameters}
        self.log_marginal_likelihood_ = model.log_marginal
        self.converged_ = model.converged
        names = list(self.hyperparameters_)
        self.optima_ = [Optimum(o.log_marginal, dict(zip(names, o.values)), o.inference,
                                o.converged, o.evaluations) for o in model.optima]
        self.warnings_ = list(model.notes) + list(model.warnings)
        self.fit_seconds_ = model.seconds

    # ---- The fitted model

    def _one_model(self):
        check_is_fitted(self)
        return self._model

    @property
    def theta_(self) -> np.ndarray:
        """The learned hyperparameters, positive ones as logarithms; order of `hyperparameters_`."""
        return np.array([np.log(p.value) if p.positive else p.value
                         for p in self._one_model().parameters])

    def log_marginal_likelihood(self, theta=None, eval_gradient: bool = False):
        """The log marginal likelihood, as the inference method approximates it.

        Parameters
        ----------
        theta : array-like of shape (n_hyperparameters,), optional
            As `theta_`: positive hyperparameters as logarithms, in the order of
            `hyperparameters_`. Default: those of the fitted model.
        eval_gradient : bool
            Also return the gradient with respect to theta.

        Returns
        -------
        float, or (float, ndarray of shape (n_hyperparameters,))
        """
        model = self._one_model()
        if theta is None:
            return (model.log_marginal, model.gradient) if eval_gradient else model.log_marginal
        value, gradient = model.log_marginal_at(np.ascontiguousarray(theta, dtype=np.float64),
                                                bool(eval_gradient))
        return (value, gradient) if eval_gradient else value

    @property
    def loo_(self) -> LeaveOneOut:
        """Leave-one-out predictive densities of the training rows, without refitting."""
        return LeaveOneOut(self._one_model().loo())

    def standard_errors(self) -> dict:
        """Standard errors of `theta_` by name, from the curvature of the log marginal likelihood.

        NaN where the hyperparameter is fixed, at a bound, or the likelihood is flat in it.
        """
        errors = self._one_model().standard_errors(self.threads or 0)
        return dict(zip(self.hyperparameters_, errors))

    def profile_interval(self, parameter: str, level: float = 0.95) -> tuple[float, float]:
        """Interval of a hyperparameter from its profile likelihood."""
        lower, upper, _, _ = self._one_model().profile_interval(parameter, level)
        return lower, upper

    def predict_latent(self, X, return_std: bool = False, return_cov: bool = False, *,
                       exposure=None, offset=None):
        """The latent function: mean, and its standard deviation or covariance if wanted.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        return_std, return_cov : bool
        exposure, offset : array-like of shape (n,), optional
            The mean includes the offset and, under a log link, the logarithm of the exposure.

        Returns
        -------
        ndarray of shape (n,), or a pair with the deviations (n,) or the covariance (n, n)
        """
        table, _, found = self._read(X)
        rows = self._per_row(table, found, {"exposure": exposure, "offset": offset})
        mean, variance = self._one_model().latent(table, rows["offset"], rows["exposure"])
        if return_cov:
            return mean, self._model.latent_covariance(table)
        return (mean, np.sqrt(variance)) if return_std else mean

    # ---- Files

    def save(self, path) -> None:
        """Write the model file, atomically. The command reads it too: ``ggpm predict``."""
        self._one_model().save(os.fspath(path))

    @classmethod
    def load(cls, path):
        """An estimator from a model file, of Python or of the command.

        The file holds no code; a damaged or foreign one is refused with a ``ggpm.DataError``.
        """
        return cls._of_model(_core.Model.load(os.fspath(path)))

    @classmethod
    def _of_model(cls, model):
        self = cls(**cls._params_of(model))
        self._restore(model)
        return self

    @classmethod
    def _params_of(cls, model) -> dict:
        s = model.specification
        return {
            "kernel": s.kernel, "inference": s.inference, "link": s.link or None, "mean": s.mean,
            "expansion": {"automatic": "auto"}.get(s.expansion.point.name, s.expansion.point.name),
            "random_state": model.seed,
        }

    def _restore(self, model) -> None:
        self._model = model
        columns = model.design
        names = model.columns if columns is None else [c.name for c in columns]
        self._input_names = names
        found = [column for column in self._column_roles().values() if column is not None]
        stored = model.provenance.get("inputs", "null")  # null: of the command
        if stored != "array":
            self.feature_names_in_ = np.array(json.loads(stored) or names + found, dtype=object)
        self.n_features_in_ = len(names) + len(found)
        self._publish()


class GeneralizedGP(RegressorMixin, _Base):
    """Gaussian process regression for outputs that need not be real numbers.

    A Gaussian process prior on a latent function, a likelihood of the exponential family (or
    Student-t, Laplace), a link between them. Answers are full predictive distributions.

    Parameters
    ----------
    likelihood : str
        ``"gaussian"``, ``"poisson"``, ``"negative-binomial"``, ``"binomial"``, ``"beta"``,
        ``"gamma-shape"``, ``"student-t"``, ... (``ggpm.likelihoods()`` lists them), the path of a
        formula (``"my.toml"``), or ``"auto"``: chosen by the domain of y.
    kernel : Kernel or str, optional
        ``RBF(ard=True) + Linear()``, or its text ``"rbf(ard=true) + linear"``. Default: ``RBF()``.
    inference : str
        ``"laplace"``, ``"ep"``, ``"kld"``, ``"taylor"``, ``"exact"`` (Gaussian), or ``"auto"``.
    link : str, optional
        E.g. ``"log"``, ``"probit"``. Default: the likelihood's own.
    mean : str
        Prior mean of the latent function: ``"zero"``, ``"constant"``, ``"linear"``.
    dispersion : float, optional
        Where learning starts; with ``fixed="dispersion"`` it stays there.
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
    exposure, offset, trials : str, optional
        Columns of the data frame X that have this part and are not inputs. This is how they pass
        through ``cross_val_score`` and ``GridSearchCV``. Otherwise give them to `fit` and `predict`.
    standardize : bool
        Centre and scale numeric inputs.
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
    tolerance : float
        Of the log marginal likelihood, at which an optimisation stops.
    max_evaluations : int
        Of the log marginal likelihood in each optimisation.
    max_iterations : int
        Sweeps of the final inference.
    random_state : int, RandomState or None
        Seed of the random starts. None is 1, the command's default, so that fits are reproducible.
    threads : int
        Optimisations side by side; 0: as many as BLAS uses. The same seed and threads give the
        same bits.
    memory_limit : int, optional
        Bytes; a fit that needs more is refused.
    progress : bool or callable, optional
        True: a bar on standard error. A function is called with a :class:`FitProgress`.

    Attributes
    ----------
    log_marginal_likelihood_ : float
    hyperparameters_ : dict
        Learned value by name.
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
    converged_ : bool
    warnings_ : list of str
        What a person should know about the fit.
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

    def __init__(self, likelihood="gaussian", kernel=None, inference="laplace", *, link=None,
                 mean="zero", dispersion=None, df=4.0, learn_df=False, expansion="auto",
                 expansion_offset=None, warp=None, exposure=None, offset=None, trials=None,
                 standardize=True, optimize=True, restarts=50, keep=3, fixed=(), priors=None,
                 tolerance=1e-5, max_evaluations=200, max_iterations=500, random_state=None,
                 threads=0, memory_limit=None, progress=None):
        self.likelihood = likelihood
        self.kernel = kernel
        self.inference = inference
        self.link = link
        self.mean = mean
        self.dispersion = dispersion
        self.df = df
        self.learn_df = learn_df
        self.expansion = expansion
        self.expansion_offset = expansion_offset
        self.warp = warp
        self.exposure = exposure
        self.offset = offset
        self.trials = trials
        self.standardize = standardize
        self.optimize = optimize
        self.restarts = restarts
        self.keep = keep
        self.fixed = fixed
        self.priors = priors
        self.tolerance = tolerance
        self.max_evaluations = max_evaluations
        self.max_iterations = max_iterations
        self.random_state = random_state
        self.threads = threads
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y, *, exposure=None, offset=None, trials=None):
        """Learn the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            A data frame's text and categorical columns become one input of 0 and 1 a level.
        y : array-like of shape (n,)
            In the domain of the likelihood. For the binomial: numbers of successes, or fractions.
        exposure : array-like of shape (n,), optional
            Multiplies the mean of counts: time at risk, area searched, ...
        offset : array-like of shape (n,), optional
            Added to the latent function.
        trials : array-like of shape (n,), optional
            Of the binomial.

        Returns
        -------
        self
        """
        target = _name_of(y)
        table, y, found = self._read(X, y, reset=True)
        per_row = self._per_row(table, found,
                                {"exposure": exposure, "offset": offset, "trials": trials})
        likelihood = self._chosen_likelihood(y, per_row["trials"])
        roles = _core.ColumnRoles()
        roles.target = target
        for role, column in self._column_roles().items():
            setattr(roles, role, "" if column is None else str(column))
        roles.fractions = _are_fractions(y, per_row["trials"])
        specification = self._specification(likelihood)
        specification.likelihood_options.dispersion = (
            -1.0 if self.dispersion is None else float(self.dispersion))
        specification.likelihood_options.df = float(self.df)
        specification.likelihood_options.learn_df = bool(self.learn_df)
        specification.expansion.offset = (
            -1.0 if self.expansion_offset is None else float(self.expansion_offset))
        specification.warp = self.warp or ""
        self._fractions = roles.fractions
        self._model = self._fit_model(table, self._successes(y, per_row["trials"]), specification,
                                      per_row, roles)
        self._publish()
        return self

    def _chosen_likelihood(self, y, trials) -> str:
        if self.likelihood != "auto":
            return self.likelihood
        domain, _ = _core.recognise_domain(np.asarray(y, dtype=np.float64), trials is not None)
        return AUTOMATIC[domain.name]

    def _successes(self, y, trials):
        """Fractions of trials as numbers of successes; anything else as it is."""
        if y is None or not self._fractions or trials is None:
            return y
        successes = np.round(y * trials)
        bad = np.flatnonzero(np.abs(y * trials - successes) > 1e-6 * trials)
        if len(bad):
            raise _core.DataError(f"row {bad[0] + 1}: y = {y[bad[0]]} of {trials[bad[0]]} trials is "
                                  "not a whole number of successes")
        return successes

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
            With ``mean, std, mode, quantile, cdf, logpdf, interval, sample``.
        """
        return self._predictive(X, None, exposure, offset, trials)[0]

    def _predictive(self, X, y, exposure, offset, trials):
        table, _, found = self._read(X)
        rows = self._per_row(table, found,
                             {"exposure": exposure, "offset": offset, "trials": trials})
        predictive = Predictive(self._model.predictive(
            table, rows["offset"], rows["exposure"], rows["trials"], self.threads or 0))
        if y is not None:
            y = _check_y(y, y_numeric=True)
            _inputs.same_length(table, y)
            y = self._successes(np.asarray(y, dtype=np.float64), rows["trials"])
        return predictive, y

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
        return (p.mean(), p.std()) if return_std else p.mean()

    def predict_quantiles(self, X, quantiles=(0.025, 0.5, 0.975), *, exposure=None, offset=None,
                          trials=None) -> np.ndarray:
        """Quantiles of the predictive distribution, an array of shape (n, n_quantiles)."""
        return self.predictive(X, exposure=exposure, offset=offset, trials=trials).quantile(
            np.atleast_1d(quantiles))

    def log_predictive_density(self, X, y, *, exposure=None, offset=None, trials=None) -> np.ndarray:
        """Log density (log probability of counts) of each y under its prediction."""
        predictive, y = self._predictive(X, y, exposure, offset, trials)
        return predictive.logpdf(y)

    def score(self, X, y, sample_weight=None, *, exposure=None, offset=None, trials=None) -> float:
        """R² of the predicted means. For densities use ``scoring=ggpm.log_density_score``."""
        predictive, y = self._predictive(X, y, exposure, offset, trials)
        return r2_score(y, predictive.mean(), sample_weight=sample_weight)

    @classmethod
    def _params_of(cls, model) -> dict:
        s, o = model.specification, model.specification.likelihood_options
        return {
            **super()._params_of(model), "likelihood": s.likelihood,
            "dispersion": o.dispersion if o.dispersion >= 0 else None, "df": o.df,
            "learn_df": o.learn_df, "warp": s.warp or None,
            "expansion_offset": s.expansion.offset if s.expansion.offset >= 0 else None,
            **{role: getattr(model.roles, role) or None for role in _inputs.ROLES},
        }

    def _restore(self, model) -> None:
        self._fractions = model.roles.fractions
        super()._restore(model)


class GeneralizedGPClassifier(ClassifierMixin, _Base):
    """Gaussian process classification: the Bernoulli likelihood.

    Two classes are one model. More are one model per class against the rest, whose probabilities
    are scaled to sum to 1.

    Parameters
    ----------
    kernel : Kernel or str, optional
        Default: ``RBF()``.
    inference : str
        ``"laplace"``, ``"ep"``, ``"kld"``, ``"taylor"``, or ``"auto"``.
    link : str, optional
        ``"logit"`` (default), ``"probit"``, ``"cloglog"``.
    mean, expansion, standardize, optimize, restarts, keep, fixed, priors, tolerance, \
max_evaluations, max_iterations, random_state, threads, memory_limit, progress
        As in :class:`GeneralizedGP`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of GeneralizedGP
        One per class against the rest, for more than two classes.
    log_marginal_likelihood_ : float
        For more than two classes, the sum of the models'.
    hyperparameters_, theta_, kernel_, optima_, loo_, converged_, warnings_
        As in :class:`GeneralizedGP`, for two classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ggpm import GeneralizedGPClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GeneralizedGPClassifier(restarts=5).fit(X[:100], y[:100])
    >>> model.predict_proba(X[100:]).shape
    (469, 2)
    """

    def __init__(self, kernel=None, inference="laplace", *, link=None, mean="zero",
                 expansion="auto", standardize=True, optimize=True, restarts=50, keep=3, fixed=(),
                 priors=None, tolerance=1e-5, max_evaluations=200, max_iterations=500,
                 random_state=None, threads=0, memory_limit=None, progress=None):
        self.kernel = kernel
        self.inference = inference
        self.link = link
        self.mean = mean
        self.expansion = expansion
        self.standardize = standardize
        self.optimize = optimize
        self.restarts = restarts
        self.keep = keep
        self.fixed = fixed
        self.priors = priors
        self.tolerance = tolerance
        self.max_evaluations = max_evaluations
        self.max_iterations = max_iterations
        self.random_state = random_state
        self.threads = threads
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y):
        """Learn the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        y : array-like of shape (n,)
            Labels of any kind.

        Returns
        -------
        self
        """
        roles = _core.ColumnRoles()
        roles.target = _name_of(y)
        table, y, _ = self._read(X, y, reset=True, y_numeric=False)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 classes; y has only one class, "
                             f"{self.classes_[0]!r}")
        specification = self._specification("bernoulli")
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self._models = []
        for k in positive:
            labels = _labels(self.classes_, k)
            roles.levels = [str(label) for label in labels]
            self._models.append(self._fit_model(table, codes == k, specification, {}, roles,
                                                {"classes": json.dumps(labels)}))
        self._publish_classes()
        return self

    def _publish_classes(self) -> None:
        if len(self._models) == 1:
            self._model = self._models[0]
            self._publish()
            return
        self.log_marginal_likelihood_ = sum(m.log_marginal for m in self._models)
        self.converged_ = all(m.converged for m in self._models)
        self.likelihood_, self.link_ = "bernoulli", self._models[0].link
        self.inference_ = self._models[0].inference
        self.warnings_ = [f"class {c}: {w}" for c, m in zip(self.classes_, self._models)
                          for w in m.warnings]
        self.fit_seconds_ = sum(m.seconds for m in self._models)

    @property
    def estimators_(self) -> list:
        check_is_fitted(self)
        return [GeneralizedGP._of_model(m) for m in self._models]

    def _one_model(self):
        check_is_fitted(self)
        if len(self._models) > 1:
            raise _core.UsageError(f"there is one model for each of the {len(self._models)} classes; "
                                   "ask those of estimators_")
        return self._models[0]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of each class, an array of shape (n, n_classes) in the order of `classes_`."""
        table, _, _ = self._read(X)
        p = np.column_stack([m.predictive(table, None, None, None, self.threads or 0).mean()
                             for m in self._models])
        if p.shape[1] == 1:
            return np.column_stack([1 - p[:, 0], p[:, 0]])
        return p / p.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def predict(self, X) -> np.ndarray:
        """The most probable class of each row."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most_probable]

    @classmethod
    def _params_of(cls, model) -> dict:
        if model.likelihood != "bernoulli":
            raise _core.UsageError(f"the file holds a {model.likelihood} model; load it with "
                                   "GeneralizedGP.load")
        return super()._params_of(model)

    def _restore(self, model) -> None:
        self._models = [model]
        stored = model.provenance.get("classes")
        self.classes_ = np.array(json.loads(stored) if stored else model.roles.levels or [0, 1])
        super()._restore(model)


# ---- Small checks

def _name_of(y) -> str:
    """Of a pandas Series, so that the command finds the target in a table."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else ""


def _whole(name: str, value, lowest: int) -> int:
    if isinstance(value, bool) or int(value) != value or value < lowest:
        raise _core.UsageError(f"{name} = {value!r}; a whole number of at least {lowest} is needed")
    return int(value)


def _one_of(name: str, choices: dict, value):
    if value not in choices:
        raise _core.UsageError(f"{name} = {value!r}; there are {', '.join(choices)}")
    return choices[value]


def _prior(text: str) -> _core.Prior:
    """``gamma(2, 1)``"""
    found = re.fullmatch(r"\s*(normal|lognormal|gamma|inverse_gamma)\s*\(([^,()]+),([^,()]+)\)\s*",
                         text)
    try:
        return _core.Prior(getattr(_core.Prior.Kind, found[1]), float(found[2]), float(found[3]))
    except (TypeError, ValueError):
        raise _core.UsageError(
            f"prior {text!r}; a prior is normal(mean, sd), lognormal(mean, sd), gamma(shape, rate) "
            "or inverse_gamma(shape, scale)") from None


def _are_fractions(y, trials) -> bool:
    return trials is not None and bool(np.any(y != np.floor(y)) and np.max(y) <= 1)


def _labels(classes, positive: int) -> list:
    """The two classes of a model as JSON can hold them: the rest, and the one."""
    plain = [c.item() if isinstance(c, np.generic) else c for c in classes]
    if len(plain) > 2:
        plain = [f"not {plain[positive]}", plain[positive]]
    return [c if isinstance(c, (int, float, str, bool)) else str(c) for c in plain]
