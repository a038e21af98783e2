"""ggpm through its Python package."""

import ggpm
from ggpm import GeneralizedGP
from problem import kernel_text

VERSIONS = {"ggpm": ggpm.__version__}
PACKAGES = ["numpy", "scikit-learn"]


class Model:
    def __init__(self, problem):
        self.problem = problem
        self.notes = {}

    def _estimator(self, optimize):
        p = self.problem
        return GeneralizedGP(p.likelihood, kernel_text(p.variance, p.lengthscales),
                             p.case.inference, link=p.case.link, dispersion=p.dispersion,
                             standardize=False, optimize=optimize, restarts=0, threads=p.threads)

    def prepare(self):
        if hasattr(self, "model"):  # every value is a cold start
            return
        self.model = self._estimator(False).fit(self.problem.X, self.problem.y)
        self.theta = self.model.theta_

    def value_and_gradient(self):
        return self.model.log_marginal_likelihood(self.theta, eval_gradient=True)

    def fit(self):
        self.model = self._estimator(True).fit(self.problem.X, self.problem.y)
        self.notes = {"evaluations": sum(o.evaluations for o in self.model.optima_)}
        return self.model.log_marginal_likelihood_

    def predict(self, Z):
        return self.model.predict(Z, return_std=True)
