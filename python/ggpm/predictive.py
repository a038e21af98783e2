"""Predictive distributions of rows."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._inputs import doubles

__all__ = ["Predictive", "LeaveOneOut"]


def seed_of(random_state) -> int:
    """None is 1, as in the command; a whole number is itself."""
    if random_state is None:
        return 1
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise ValueError(f"random_state = {random_state}; a seed is not negative")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def _quantiles(of, q) -> np.ndarray:
    q = np.asarray(q, dtype=np.float64)
    wrong = ~((q > 0) & (q < 1))
    if np.any(wrong):
        raise ValueError(f"quantile: {q[wrong].flat[0] if q.ndim else q} is not a probability above 0 "
                         "and below 1")
    values = of(q.ravel().tolist())
    return values[:, 0] if q.ndim == 0 else values


def _interval(of, level: float) -> tuple[np.ndarray, np.ndarray]:
    if not 0 < level < 1:
        raise ValueError(f"interval: level = {level} is not above 0 and below 1")
    tail = (1 - level) / 2
    ends = of([tail, 1 - tail])
    return ends[:, 0], ends[:, 1]


class Predictive:
    """The predictive distribution of each row, in units of y (counts for the binomial).

    Made by :meth:`GeneralizedGP.predictive`. Every method answers with one number per row, unless
    it says otherwise. The answers are those of the likelihood averaged over the latent function,
    not of a normal approximation.

    Attributes
    ----------
    latent_mean, latent_variance : ndarray of shape (n,)
        Of the latent function without offset and exposure, whatever the likelihood.
    """

    def __init__(self, predictions, index=None):
        self._predictions = predictions
        self._index = index  # of the data frame that was predicted

    def __len__(self) -> int:
        return len(self._predictions)

    def __repr__(self) -> str:
        return f"<predictive distributions of {len(self)} rows>"

    @property
    def latent_mean(self) -> np.ndarray:
        return self._predictions.latent_mean

    @property
    def latent_variance(self) -> np.ndarray:
        return self._predictions.latent_variance

    def mean(self) -> np.ndarray:
        """Mean of y; NaN where it does not exist or is beyond the largest double."""
        return self._predictions.mean()

    def var(self) -> np.ndarray:
        """Variance of y; NaN where it does not exist or is beyond the largest double."""
        return self._predictions.variance()

    def std(self) -> np.ndarray:
        """Standard deviation of y; NaN where the variance is."""
        return np.sqrt(self._predictions.variance())

    def mode(self) -> np.ndarray:
        """The highest interior maximum of the density; NaN where there is none."""
        return self._predictions.mode()

    def median(self) -> np.ndarray:
        """The quantile at 1/2."""
        return self._predictions.quantile(0.5)

    def quantile(self, q) -> np.ndarray:
        """Quantiles.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities, above 0 and below 1.

        Returns
        -------
        ndarray of shape (n,), or (n, len(q)) for a sequence
        """
        return _quantiles(self._predictions.quantiles, q)

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the central interval of y with this probability."""
        return _interval(self._predictions.quantiles, level)

    def mean_quantile(self, q) -> np.ndarray:
        """Quantiles of the mean of y given the latent function: of a rate, or a probability.

        What is uncertain here is the function, not a new y: these intervals shrink with more data,
        those of :meth:`quantile` only to the scatter of y. NaN where there is no mean.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities, above 0 and below 1.

        Returns
        -------
        ndarray of shape (n,), or (n, len(q)) for a sequence
        """
        return _quantiles(self._predictions.mean_quantiles, q)

    def mean_interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end of the central interval of the mean with this probability."""
        return _interval(self._predictions.mean_quantiles, level)

    def mean_above(self, threshold: float) -> np.ndarray:
        """P(mean of y > threshold): exceedance."""
        return self._predictions.mean_above(float(threshold))

    def to_frame(self, quantiles=(0.025, 0.5, 0.975), mean_quantiles=()):
        """A pandas DataFrame as ``ggpm predict`` writes it, with the index of X where it had one.

        Parameters
        ----------
        quantiles, mean_quantiles : sequence of float
            Of y, and of its mean.

        Returns
        -------
        pandas.DataFrame
            ``mean, sd, mode, q0.025, ..., mean_q0.025, ..., latent_mean, latent_sd``
        """
        import pandas as pd

        columns = {"mean": self.mean(), "sd": self.std(), "mode": self.mode()}
        for prefix, levels, values in (("q", quantiles, self.quantile),
                                       ("mean_q", mean_quantiles, self.mean_quantile)):
            if len(levels):
                columns.update({f"{prefix}{q:g}": column for q, column in zip(levels, values(levels).T)})
        columns.update(latent_mean=self.latent_mean, latent_sd=np.sqrt(self.latent_variance))
        return pd.DataFrame(columns, index=self._index)

    def cdf(self, y) -> np.ndarray:
        """P(Y <= y), for a number or one number per row."""
        return self._predictions.cdf(self._per_row(y))

    def logpdf(self, y) -> np.ndarray:
        """Log density of y (log probability of counts), for a number or one number per row."""
        return self._predictions.log_density(self._per_row(y))

    def pdf(self, y) -> np.ndarray:
        """Density of y (probability of counts), for a number or one number per row."""
        return np.exp(self.logpdf(y))

    def survival(self, times) -> np.ndarray:
        """P(y > t) of every row at each of the times, an array of shape (n, n_times)."""
        times = np.atleast_1d(doubles(times, "times"))
        return np.column_stack([1 - self.cdf(t) for t in times])

    def sample(self, size: int = 1, random_state=None) -> np.ndarray:
        """Random draws of y, independent between rows.

        Parameters
        ----------
        size : int
            Draws per row.
        random_state : int, RandomState or None
            None: the same draws every time.

        Returns
        -------
        ndarray of shape (n, size)
        """
        return self._predictions.sample(int(size), seed_of(random_state))

    def _per_row(self, y) -> np.ndarray:
        y = doubles(y, "y")
        if y.ndim > 1 or (y.ndim == 1 and len(y) != len(self)):
            raise ValueError(f"y has shape {y.shape}; there are {len(self)} rows")
        return np.ascontiguousarray(np.broadcast_to(y, (len(self),)))


class LeaveOneOut:
    """What the model says about each training row when that row is left out, without refitting.

    Attributes
    ----------
    log_density : ndarray of shape (n,)
        Log predictive density of each y given the other rows.
    total, standard_error : float
        Of the sum of them: the higher, the better the model predicts.
    latent_mean, latent_variance : ndarray of shape (n,)
        Without offset and exposure.
    cdf_below, cdf : ndarray of shape (n,)
        P(Y < y) and P(Y <= y); equal for continuous y.
    improper : list of int
        Rows that cannot be left out of the approximation; they are scored with it.
    """

    def __init__(self, scores) -> None:
        self._scores = scores
        self.log_density: np.ndarray = scores.log_density
        self.total: float = scores.total
        self.standard_error: float = scores.standard_error
        self.latent_mean: np.ndarray = scores.latent_mean
        self.latent_variance: np.ndarray = scores.latent_variance
        self.cdf_below: np.ndarray = scores.cdf_below
        self.cdf: np.ndarray = scores.cdf
        self.improper: list = scores.improper

    def pit(self, random_state=None) -> np.ndarray:
        """Probability integral transforms: uniform if the model is right."""
        return self._scores.pit(seed_of(random_state))

    def __repr__(self) -> str:
        return f"<leave-one-out: total log density {self.total:.2f} ± {self.standard_error:.2f}>"


def scores_of(predictions, y, levels, seed: int) -> dict:
    """What ``ggpm score --json`` prints."""
    scores = _core.ScoreSum([float(level) for level in levels], seed)
    scores.add(predictions, np.asarray(y, dtype=np.float64))
    out: dict = {"n": scores.count}
    for point in ("mean", "median", "mode"):
        suffix = "" if point == "mean" else f"_{point}"
        absolute, squared = scores.errors(getattr(_core.PointEstimate, point))
        out.update({f"mae{suffix}": absolute.mean, f"mse{suffix}": squared.mean})
        if point == "mean":
            out.update(mae_standard_error=absolute.error, mse_standard_error=squared.error)
    pit = scores.pit
    if not np.isnan(scores.c_index):
        out.update(c_index=scores.c_index, censored=scores.censored)
    return {**out, "nlp": scores.nlp.mean, "nlp_standard_error": scores.nlp.error,
            "coverage": {level: covered.mean for level, covered in scores.levels},
            "pit": {name: getattr(pit, name)
                    for name in ("mean", "variance", "distance", "p_value", "histogram")}}
