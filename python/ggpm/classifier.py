"""GeneralizedGPClassifier: two classes, one against the rest, or all of them jointly."""

from __future__ import annotations

import json
import os
from inspect import Parameter, Signature, signature

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core, _inputs
from ._archive import as_json, is_archive, models_of_archive, models_to_archive
from ._base import Base
from ._missing import complete_rows
from ._options import parameters_of, request_of
from .regressor import GeneralizedGP

__all__ = ["GeneralizedGPClassifier"]


def parameters_of_regressor(without, **more):
    """Gives __init__ the parameters of GeneralizedGP but for some, so that they are written once,
    and more with these defaults."""
    def decorate(init):
        init.__signature__ = Signature([p for name, p in signature(GeneralizedGP.__init__).parameters.items()
                                        if name not in without] +
                                       [Parameter(name, Parameter.KEYWORD_ONLY, default=default)
                                        for name, default in more.items()])
        return init
    return decorate


class GeneralizedGPClassifier(ClassifierMixin, Base):
    """Gaussian process classification: the Bernoulli likelihood.

    Two classes are one model. More are one model per class against the rest, whose probabilities
    are scaled to sum to 1; or, with ``multi_class="softmax"``, one joint model with a latent
    function for each class, whose probabilities sum to 1 by themselves.

    Parameters
    ----------
    kernel : Kernel or str, optional
        Default: ``"rbf + constant"``.
    inference : str
        ``"auto"``, ``"laplace"``, ``"ep"``, ``"kld"``, ``"taylor"``.
    link : str, optional
        ``"logit"`` (default), ``"probit"``, ``"cloglog"``.
    multi_class : {"one_vs_rest", "softmax"}
        More than two classes: one against the rest, or jointly (inference ``"laplace"`` or
        ``"kld"``, and no link).
    mean, expansion, standardize, missing, optimize, restarts, ...
        Learning, as in :class:`GeneralizedGP`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of GeneralizedGP
        One per class against the rest, for more than two classes.
    log_marginal_likelihood_ : float
        For more than two classes, the sum of the models'.
    hyperparameters_, theta_, kernel_, optima_, loo_, converged_, choice_, warnings_
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

    @parameters_of_regressor(without=("likelihood", "dispersion", "parameter", "df", "learn_df", "warp", "squeeze",
                                      "expansion_offset", "exposure", "offset", "trials"),
                             multi_class="one_vs_rest")
    def __init__(self, *given, **named):
        bound = type(self).__init__.__signature__.bind(self, *given, **named)
        bound.apply_defaults()
        self._store(bound.arguments)

    def fit(self, X, y, sample_weight=None):
        """Learn the hyperparameters and condition on the data.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
        y : array-like of shape (n,)
            Labels of any kind.
        sample_weight : array-like of shape (n,), optional
            A row of weight 3 counts as three rows.

        Returns
        -------
        self
        """
        roles = _core.ColumnRoles()
        roles.target = _inputs.name_of(y)
        X, y, given = complete_rows(self.missing, X, y, {"weight": sample_weight})
        table, y, _ = self._read(X, y, reset=True, y_numeric=False)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 classes; y has only one class, "
                             f"{self.classes_[0]!r}")
        if self.multi_class not in ("one_vs_rest", "softmax"):
            raise _core.UsageError(f"multi_class = {self.multi_class!r}; there are one_vs_rest, softmax")
        if self.multi_class == "softmax" and len(self.classes_) > 2:
            plain = [as_json(c) for c in self.classes_]
            roles.levels = [str(label) for label in plain]
            self._models = [self._fit_model(table, self._observations(table, codes, **given),
                                            request_of(self, likelihood="softmax"), roles,
                                            {"classes": json.dumps(plain)})]
            self._publish_classes()
            return self
        request = request_of(self, likelihood="bernoulli")
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self._models = []
        for k in positive:
            labels = _labels(self.classes_, k)
            roles.levels = [str(label) for label in labels]
            self._models.append(self._fit_model(table, self._observations(table, codes == k, **given),
                                                request, roles,
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
        self.choice_ = self._models[0].provenance.get("choice", "")
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

    def _any_model(self):
        return self._models[0]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of each class, an array of shape (n, n_classes) in the order of `classes_`."""
        table, _, _ = self._read(X)
        predictions = [m.predictive(table, _core.Observations(), self.threads or 0)
                       for m in self._models]
        if self._models[0].likelihood == "softmax":
            return self._as_output(predictions[0].level_probabilities(), X, self.classes_)
        p = np.column_stack([p.mean() for p in predictions])
        p = (np.column_stack([1 - p[:, 0], p[:, 0]]) if p.shape[1] == 1
             else p / p.sum(axis=1, keepdims=True))
        return self._as_output(p, X, self.classes_)

    def _numbers(self, y) -> np.ndarray:
        if self._models[0].likelihood == "softmax":
            return np.searchsorted(self.classes_, np.asarray(y)).astype(np.float64)
        return (np.asarray(y) == self.classes_[1]).astype(np.float64)

    def predict_log_proba(self, X) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def predict(self, X) -> np.ndarray:
        """The most probable class of each row."""
        most_probable = np.argmax(np.asarray(self.predict_proba(X)), axis=1)
        return self._as_output(self.classes_[most_probable], X, "class")

    # ---- Files: one model is a model file; several are an archive of them.

    def save(self, path) -> None:
        """Write the model file, atomically; of several models, each a class against the rest, an
        archive (zip) of them."""
        check_is_fitted(self)
        if len(self._models) == 1:
            return super().save(path)
        _core.write_file(os.fspath(path), models_to_archive(self._models, self.classes_))

    @classmethod
    def load(cls, path):
        """A classifier from what `save` wrote, or ``ggpm fit`` for classes.

        It holds no code; a damaged or foreign file is refused with a ``ggpm.DataError``.
        """
        if not is_archive(path):
            return super().load(path)
        models, classes = models_of_archive(path)
        self = cls(**cls._params_of(models[0]))
        Base._restore(self, models[0])
        self._models, self.classes_ = models, classes
        del self._model
        self._publish_classes()
        return self

    @classmethod
    def _params_of(cls, model) -> dict:
        if model.likelihood not in ("bernoulli", "softmax"):
            raise _core.UsageError(f"the file holds a {model.likelihood} model; load it with "
                                   "GeneralizedGP.load")
        kept = parameters_of(model)
        if model.likelihood == "softmax":
            kept["multi_class"] = "softmax"
        return {name: kept[name] for name in cls._get_param_names() if name in kept}

    def _restore(self, model) -> None:
        self._models = [model]
        stored = model.provenance.get("classes")
        self.classes_ = np.array(json.loads(stored) if stored else model.roles.levels or [0, 1])
        super()._restore(model)


def _labels(classes, positive: int) -> list:
    """The two classes of a model as JSON can hold them: the rest, and the one."""
    plain = [c.item() if isinstance(c, np.generic) else c for c in classes]
    if len(plain) > 2:
        plain = [f"not {plain[positive]}", plain[positive]]
    return [as_json(c) for c in plain]
