"""Sampling as truth: draws of the latent function at the training rows."""

from __future__ import annotations

import numpy as np

__all__ = ["PosteriorDraws"]


class PosteriorDraws:
    """Draws of the posterior over the latents of the training rows, at the model's hyperparameters.

    Made by :meth:`GeneralizedGP.sample_posterior`.

    Attributes
    ----------
    latent : ndarray of shape (chains, draws, n)
    mean, sd, mean_error : ndarray of shape (n,)
        Of the latents; the last is the Monte Carlo standard error of the mean.
    r_hat, bulk_ess, tail_ess : ndarray of shape (n,)
        Rank-normalized split R-hat and effective sample sizes (Vehtari et al. 2021).
    converged : bool
        Every R-hat is below 1.01, and each chain is worth at least 100 independent draws.
    detail : str
        One sentence, empty if all went well.
    """

    r_hat: np.ndarray

    def __init__(self, sample):
        n, columns = sample.draws.shape
        self.latent = np.ascontiguousarray(
            sample.draws.T.reshape(sample.chains, columns // sample.chains, n))
        for name in ("mean", "sd", "mean_error", "r_hat", "bulk_ess", "tail_ess", "converged",
                     "detail", "thin", "share"):
            setattr(self, name, getattr(sample, name))

    def __repr__(self) -> str:
        chains, draws, n = self.latent.shape
        return (f"<{chains} chains of {draws} draws of {n} latents, R-hat at most "
                f"{np.max(self.r_hat):.4f}>")

    def to_dict(self) -> dict:
        """The draws by name, each of shape (chains, draws, ...), as ``arviz.from_dict`` takes them."""
        return {"latent": self.latent}

    def to_arviz(self):
        """The draws as an ``arviz.InferenceData``; needs ArviZ."""
        import arviz  # not needed otherwise

        return arviz.from_dict(posterior=self.to_dict(), dims={"latent": ["row"]})
