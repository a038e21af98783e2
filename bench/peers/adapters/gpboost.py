"""GPBoost without Vecchia: Laplace with dense matrices.

Its Python package gives no gradient, so the time of a value and gradient is that of the value
alone. A model object keeps the mode that it found last, so that a cold start needs a new object.
"""

import gpboost
import numpy as np

PACKAGES = ["gpboost", "numpy", "scipy"]
CASES = ["bernoulli logit, laplace", "poisson log, laplace", "gamma-shape log, laplace",
         "beta logit, laplace", "negative-binomial log, laplace"]
LIKELIHOOD = {"bernoulli": "bernoulli_logit", "poisson": "poisson", "gamma-shape": "gamma",
              "beta": "beta", "negative-binomial": "negative_binomial"}


class Model:
    def __init__(self, problem):
        p = self.problem = problem
        # Its Gaussian kernel is exp(-(d / range)^2).
        self.covariance = np.array([p.variance, *(np.sqrt(2.0) * np.array(p.lengthscales))])
        # Shape, precision, size: all 1 / dispersion.
        self.auxiliary = None if p.dispersion is None else np.array([1 / p.dispersion])

    def prepare(self):
        p = self.problem
        self.model = gpboost.GPModel(gp_coords=p.X, cov_function="gaussian_ard",
                                     likelihood=LIKELIHOOD[p.likelihood], gp_approx="none",
                                     matrix_inversion_method="cholesky",
                                     num_parallel_threads=p.threads)

    def value_and_gradient(self):
        return -self.model.neg_log_likelihood(self.covariance, self.problem.y,
                                              aux_pars=self.auxiliary), None

    def fit(self):
        self.prepare()
        start = {"init_cov_pars": self.covariance}
        if self.auxiliary is not None:
            start["init_aux_pars"] = self.auxiliary
        self.model.fit(y=self.problem.y, params=start)
        return -self.model.get_current_neg_log_likelihood()

    def predict(self, Z):
        if not self.model.model_fitted and self.auxiliary is not None:
            self.value_and_gradient()  # the only way to hand over its auxiliary parameter
        answer = self.model.predict(y=self.problem.y, gp_coords_pred=Z, cov_pars=self.covariance,
                                    predict_var=True, predict_response=True)
        return answer["mu"], np.sqrt(answer["var"])
