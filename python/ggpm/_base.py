"""What the estimators share: data in, a fitted model out, with scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from . import _core, _inputs
from ._archive import is_archive
from .kernel import Expression
from .predictive import LeaveOneOut, seed_of
from .progress import as_callback
from .trust import PosteriorDraws


class Optimum(NamedTuple):
    """A local maximum of the log marginal likelihood that learning found."""

    log_marginal: float
    hyperparameters: dict
    inference: str
    converged: bool
    evaluations: int


class Coefficient(NamedTuple):
    """The slope of the latent function along an input, or a level of it (``"intercept"``)."""

    term: str
    input: str
    estimate: float
    standard_error: float
    lower: float
    upper: float


class Base(BaseEstimator):
    """What the regressor and the classifier share: options in, a fitted model out."""

    def _store(self, given: dict) -> None:
        """Parameters as they were given to the constructor; they are looked at in fit."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    # ---- Answers as pandas objects

    def set_output(self, *, transform=None):
        """What predictions are: ``"pandas"``: Series and DataFrames with the index of X, ``"default"``:
        arrays. The keyword is that of scikit-learn's transformers."""
        if transform not in (None, "default", "pandas"):
            raise _core.UsageError(f"transform = {transform!r}; there are default, pandas")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # which clone() copies
        return self

    def _as_output(self, values, X, names):
        """An array as it is, or as a Series (one name) or DataFrame (several)."""
        if getattr(self, "_sklearn_output_config", {}).get("transform", "default") == "default":
            return values
        import pandas as pd

        index = getattr(X, "index", None)
        if values.ndim == 1:
            return pd.Series(values, index=index, name=names)
        return pd.DataFrame(values, index=index, columns=names)

    # ---- Data

    def _column_roles(self) -> dict:
        return {role: getattr(self, role, None) for role in _inputs.ROLES}

    def _read(self, X, y=None, *, reset=False, y_numeric=True):
        """The table of X, y, and the names in the table of columns that have a role, by role."""
        table, y, found = self._read_table(X, y, reset=reset, y_numeric=y_numeric)
        if not reset:
            for note in self._any_model().unseen(table):
                warnings.warn(note, UserWarning, stacklevel=4)
        return table, y, found

    def _read_table(self, X, y, *, reset, y_numeric):
        roles = self._column_roles()
        X = _inputs.as_frame(X)
        if not reset:
            check_is_fitted(self)
            X = self._columns_of_formula(X)
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
            self._input_names = [name for name in table.names if name not in found.values()]
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y "
                                 "is None")
        if y is not None:
            y = _check_y(y, y_numeric=True) if y_numeric else column_or_1d(y, warn=True)
            _inputs.same_length(table, y)
        return table, y, found

    def _columns_of_formula(self, X):
        """A formula names its columns, so a frame may have others beside them."""
        names = list(getattr(self, "feature_names_in_", ()))
        if getattr(self, "_formula", None) is None or not names or not _inputs.is_frame(X):
            return X
        for name in names:
            if name not in X.columns:
                raise _core.DataError(f"X: there is no column {name!r}, which the model of the "
                                      f"formula {self._formula!r} needs")
        return X[names]

    @staticmethod
    def _observations(table, y=None, **given):
        """What was given for each row; columns of the table with a role are found by the library."""
        if y is not None:
            y = np.ascontiguousarray(_inputs.doubles(y, "y"))
        called = {"weight": "sample_weight", "censored": "event"}
        return _core.Observations(y, **{
            role: _inputs.read_per_row(values, called.get(role, role), table.rows)
            for role, values in given.items()})

    def _fit_model(self, table, observed, request, roles, provenance=None):
        provenance = {"interface": "python", **(provenance or {})}
        names = getattr(self, "feature_names_in_", None)
        if getattr(self, "_formula", None) is not None:
            provenance["formula"] = self._formula
        provenance["inputs"] = "array" if names is None else json.dumps(list(names))
        model = _core.fit(table, observed, request, roles,
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
        self.choice_ = model.provenance.get("choice", "")
        self.hyperparameters_ = {p.name: p.value for p in model.parameters}
        self.intervals_ = {p.name: p.interval for p in model.parameters}
        self.refitted_ = model.refitted
        self.integrated_ = self._integrated(model)
        self.log_marginal_likelihood_ = model.log_marginal
        self.converged_ = model.converged
        names = list(self.hyperparameters_)
        self.optima_ = [Optimum(o.log_marginal, dict(zip(names, o.values)), o.inference,
                                o.converged, o.evaluations) for o in model.optima]
        self.warnings_ = list(model.notes) + list(model.warnings)
        self.fit_seconds_ = model.seconds

    def _integrated(self, model) -> Optional[dict]:
        found = model.integrated
        if found is None:
            return None
        values = np.array(found["values"])
        return {"weights": np.array(found["weights"]),
                "log_marginals": np.array(found["log_marginals"]),
                "hyperparameters": dict(zip(self.hyperparameters_, values.T)),
                "log_evidence": found["log_evidence"]}

    # ---- The fitted model

    def _one_model(self):
        check_is_fitted(self)
        return self._model

    def _any_model(self):
        """Of those that share their inputs."""
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

        Those of a positive hyperparameter are errors of its logarithm: its 95 % interval is from
        ``value * exp(-1.96 * error)`` to ``value * exp(1.96 * error)``. NaN where the
        hyperparameter is fixed, at a bound, or the likelihood is flat in it. Costs two evaluations
        for each.
        """
        errors = self._one_model().standard_errors(self.threads or 0)
        return dict(zip(self.hyperparameters_, errors))

    def profile_interval(self, parameter: str, level: float = 0.95) -> tuple[float, float]:
        """Interval of a hyperparameter from its profile likelihood."""
        lower, upper, _, _ = self._one_model().profile_interval(parameter, level)
        return lower, upper

    def predict_latent(self, X, return_std: bool = False, return_cov: bool = False):
        """The latent function: mean, and its standard deviation or covariance if wanted.

        It is that of X alone, without offset and exposure, whatever the likelihood.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        return_std, return_cov : bool

        Returns
        -------
        ndarray of shape (n,), or a pair with the deviations (n,) or the covariance (n, n)
        """
        table, _, _ = self._read(X)
        mean, variance = self._one_model().latent(table)
        mean = self._as_output(mean, X, "latent_mean")
        if return_cov:
            return mean, self._one_model().latent_covariance(table)
        return (mean, self._as_output(np.sqrt(variance), X, "latent_sd")) if return_std else mean

    def predict_terms(self, X) -> dict:
        """What each summand of the kernel contributes to the latent function.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)

        Returns
        -------
        dict
            By name (``"rbf"``, ``"linear"``, ``"rbf#2"``; ``"prior"`` for the prior mean): the mean
            and the standard deviation, arrays of shape (n,). The means add up to `predict_latent`.
        """
        table, _, _ = self._read(X)
        return {name: (self._as_output(mean, X, name), self._as_output(np.sqrt(variance), X, name))
                for name, mean, variance in self._one_model().terms(table)}

    def coefficients(self, level: float = 0.95) -> list:
        """The weights of linear terms, in units of the columns: kernel ``linear``, mean ``linear``.

        Parameters
        ----------
        level : float
            Of the intervals.

        Returns
        -------
        list of Coefficient
            ``term, input, estimate, standard_error, lower, upper``; a table is
            ``pandas.DataFrame(model.coefficients())``. Empty if nothing is linear.
        """
        return [Coefficient(c.term, c.input, c.estimate, c.standard_error, c.lower, c.upper)
                for c in self._one_model().coefficients(level)]

    def draw(self, X, size: int = 1, of: str = "mean", *, random_state=None, exposure=None,
             offset=None, trials=None) -> np.ndarray:
        """Functions drawn from the posterior: the rows of a draw belong together.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        size : int
            Number of functions.
        of : str
            ``"mean"``: the mean of y given the latent function, ``"latent"``: that function without
            offset and exposure, ``"outcome"``: outputs.
        random_state : int, RandomState or None
            None: the same draws every time.
        exposure, offset, trials : array-like of shape (n,) or float, optional
            As in `fit`.

        Returns
        -------
        ndarray of shape (n, size)
        """
        kinds = _core.Drawn.__members__
        if of not in kinds:
            raise _core.UsageError(f"of = {of!r}; there are {', '.join(kinds)}")
        table, _, _ = self._read(X)
        observed = self._observations(table, exposure=exposure, offset=offset, trials=trials)
        model = self._one_model()
        drawn = model.draw(table, model.interpret(table, observed), int(size),
                           seed_of(random_state), kinds[of])
        return self._as_output(drawn, X, None)

    def check_gradient(self) -> dict:
        """The gradient of the log marginal likelihood beside central differences.

        Returns
        -------
        dict
            By name of a hyperparameter: the derivative as computed, and by differences.
        """
        check = self._one_model().check_gradient()
        return dict(zip(check.names, zip(check.gradient, check.differences)))

    def simulate(self, X, *, exposure=None, offset=None, trials=None, random_state=None,
                 return_latent: bool = False):
        """Outputs drawn from the prior of the fitted model, at its learned hyperparameters.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        exposure, offset, trials : array-like of shape (n,) or float, optional
        random_state : int, RandomState or None
        return_latent : bool
            Also return the function that was drawn.

        Returns
        -------
        ndarray of shape (n,), or a pair of them
        """
        table, _, _ = self._read(X)
        observed = self._observations(table, exposure=exposure, offset=offset, trials=trials)
        model = self._one_model()
        y, latent = model.simulate(table, model.interpret(table, observed), seed_of(random_state))
        return (y, latent) if return_latent else y

    def report(self, path, X=None, y=None, *, figures=(), contour=(), grid=None, diagnose=False,
               random_state=None, exposure=None, offset=None, trials=None) -> None:
        """Write a page with pictures of the fit, and what to think of it: ``ggpm report``.

        Parameters
        ----------
        path : path-like
            Of the page, one HTML file.
        X, y : array-like, optional
            Rows to judge the model with. Default: each training row, left out.
        figures : sequence of path-like
            Also write figures, by the names of these files: ``"fit.svg"``, ``"pit.svg"``.
        contour : pair of str
            Hyperparameters of the contours. Default: the first two that were learned.
        grid : int, optional
            Points to a side of the contours; 0: none. Default: by the number of rows.
        diagnose : bool
            A section about the approximation, against sampling: `diagnose()`.
        random_state : int, RandomState or None
            Of the PIT of discrete y.
        exposure, offset, trials : array-like of shape (n,) or float, optional
            Of the rows of X.
        """
        options = _core.ReportOptions()
        options.contour, options.grid = list(contour), -1 if grid is None else int(grid)
        options.threads, options.seed = self.threads or 0, seed_of(random_state)
        options.diagnose = bool(diagnose)
        model = self._one_model()
        if X is None:
            page = model.report(options)
        else:
            table, _, _ = self._read(X)
            if y is not None:
                _inputs.same_length(table, y)
                y = self._numbers(y)
            observed = self._observations(table, y, exposure=exposure, offset=offset, trials=trials)
            page = model.report_on(table, model.interpret(table, observed), options)
        for figure in map(Path, figures):
            _core.write_file(os.fspath(figure), page.svg(figure.stem))
        _core.write_file(os.fspath(path), page.html())

    def summary(self) -> str:
        """What was fitted, as text for a person: ``ggpm show`` of the command."""
        return self._one_model().summary()

    # ---- Trust

    def sample_posterior(self, draws: int = 1000, *, chains: int = 4, warmup: int = 200,
                         thin: int = 0, random_state=None) -> PosteriorDraws:
        """The posterior over the latents of the training rows by Markov chains.

        Elliptical slice sampling in which the Gaussian is the fitted approximation, made wider
        until the chains agree. Hyperparameters are those of the model.

        Parameters
        ----------
        draws, chains, warmup : int
            Draws of each chain that are kept, chains, steps of each that are thrown away.
        thin : int
            Steps between kept draws. 0: until the chains agree, at most 32.
        random_state : int, RandomState or None
            Chain k of a seed is the same for any number of chains and threads, at the same `thin`
            and `share`, which may be chosen by looking at all of them.

        Returns
        -------
        PosteriorDraws
        """
        sample = _core.sample_posterior(self._one_model(), draws, chains, warmup, thin,
                                        seed_of(random_state), self.threads or 0)
        return PosteriorDraws(sample)

    def diagnose(self, *, all: bool = False, seconds: float | None = None, draws: int = 1000,
                 chains: int = 4, random_state=None):
        """How far to trust the approximation of this fit, against sampling: ``ggpm diagnose``.

        Parameters
        ----------
        all : bool
            The other methods of inference, too, at the same hyperparameters.
        seconds : float, optional
            Fewer draws rather than longer than this. Default: no limit.
        draws, chains : int
            Of sampling.
        random_state : int, RandomState or None

        Returns
        -------
        Diagnosis
            ``verdict`` (one sentence), ``trust`` ("good", "fair", "poor", "unknown"), ``methods``
            (that of the model first: ``mean_error`` and ``sd_ratio`` of each row,
            ``log_marginal_error``, ``pareto_k``, and the effects ``mean``, ``interval``,
            ``log_density`` on predictions), ``truth`` (sampling), ``marginal`` (the log marginal
            with its standard error), ``pit_p_value``, ``seconds``.
        """
        return _core.diagnose(self._one_model(), bool(all), 0.0 if seconds is None else seconds,
                              draws, chains, seed_of(random_state), self.threads or 0)

    # ---- Files

    def save(self, path) -> None:
        """Write the model file, atomically. The command reads it too: ``ggpm predict``."""
        self._one_model().save(os.fspath(path))

    @classmethod
    def load(cls, path):
        """An estimator from a model file, of Python or of the command.

        The file holds no code; a damaged or foreign one is refused with a ``ggpm.DataError``.
        """
        if is_archive(path):
            raise _core.UsageError(f"{path}: the models of several classes; load it with "
                                   "GeneralizedGPClassifier.load")
        return cls._of_model(_core.Model.load(os.fspath(path)))

    @classmethod
    def _of_model(cls, model):
        self = cls(**cls._params_of(model))
        self._restore(model)
        return self

    def _restore(self, model) -> None:
        self._model = model
        self._formula = model.provenance.get("formula")
        columns = model.design
        names = model.columns if columns is None else [c.name for c in columns]
        self._input_names = names
        found = [column for column in self._column_roles().values() if column is not None]
        stored = model.provenance.get("inputs", "null")  # null: of the command
        if stored != "array":
            self.feature_names_in_ = np.array(json.loads(stored) or names + found, dtype=object)
        self.n_features_in_ = len(names) + len(found)
        if model.roles.levels:
            self.classes_ = np.array(model.roles.levels)
        self._publish()
