"""GPy: EP with the probit, Laplace for counts."""

import GPy
import numpy as np
from GPy.inference.latent_function_inference import EP, Laplace

PACKAGES = ["GPy", "paramz", "numpy", "scipy"]
CASES = ["bernoulli probit, ep", "poisson log, laplace"]
BATCH = 10_000


class Model:
    def __init__(self, problem):
        self.problem = problem

    def prepare(self):
        p = self.problem
        kernel = GPy.kern.RBF(p.X.shape[1], p.variance, p.lengthscales, ARD=True)
        bernoulli = p.likelihood == "bernoulli"
        self.model = GPy.core.GP(
            p.X, p.y[:, None], kernel,
            GPy.likelihoods.Bernoulli() if bernoulli else GPy.likelihoods.Poisson(),
            inference_method=EP(ep_mode="nested", always_reset=True) if bernoulli else Laplace())

    def value_and_gradient(self):
        self.model.parameters_changed()
        return self.model.log_likelihood(), self.model.gradient

    def fit(self):
        self.prepare()
        self.model.optimize()
        return self.model.log_likelihood()

    def predict(self, Z):
        parts = [self.model.predict(Z[i:i + BATCH]) for i in range(0, len(Z), BATCH)]
        mean = np.concatenate([m[:, 0] for m, _ in parts])
        if self.problem.likelihood == "bernoulli":  # its variance is not an array
            return mean, np.sqrt(mean * (1 - mean))
        return mean, np.sqrt(np.concatenate([v[:, 0] for _, v in parts]))
