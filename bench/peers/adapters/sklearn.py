"""scikit-learn's GaussianProcessClassifier: Laplace, logit."""

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

PACKAGES = ["scikit-learn", "numpy", "scipy"]
CASES = ["bernoulli logit, laplace"]


class Model:
    def __init__(self, problem):
        self.problem = problem

    def _fitted(self, **options):
        p = self.problem
        kernel = ConstantKernel(p.variance, (1e-6, 1e6)) * RBF(p.lengthscales, (1e-4, 1e4))
        return GaussianProcessClassifier(kernel, **options).fit(p.X, p.y)

    def prepare(self):
        self.model = self._fitted(optimizer=None)
        self.theta = self.model.kernel_.theta

    def value_and_gradient(self):
        return self.model.log_marginal_likelihood(self.theta, eval_gradient=True,
                                                  clone_kernel=False)

    def fit(self):
        self.model = self._fitted()
        return self.model.log_marginal_likelihood_value_

    def predict(self, Z):
        mean = self.model.predict_proba(Z)[:, 1]
        return mean, np.sqrt(mean * (1 - mean))
