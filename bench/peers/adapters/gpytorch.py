"""GPyTorch's variational GP with every row as inducing input: the same bound as ggpm's KLD.

A value at given hyperparameters needs the best q there, by its natural gradient descent; a fit is
L-BFGS over q and hyperparameters at once. Quadrature of 20 points, double precision.
"""

import gpytorch
import numpy as np
import torch
from gpytorch.variational import (CholeskyVariationalDistribution, NaturalVariationalDistribution,
                                  VariationalStrategy)

PACKAGES = ["gpytorch", "torch", "numpy"]
CASES = ["bernoulli probit, kld"]
BATCH = 2_000
RATE, TOLERANCE, MOST_STEPS = 0.8, 1e-6, 200

torch.set_default_dtype(torch.float64)


class Process(gpytorch.models.ApproximateGP):
    def __init__(self, X, problem, distribution):
        super().__init__(VariationalStrategy(self, X, distribution(len(X)),
                                             learn_inducing_locations=False))
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1]))
        self.covar_module.outputscale = problem.variance
        self.covar_module.base_kernel.lengthscale = torch.tensor(problem.lengthscales)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x),
                                                         self.covar_module(x))


class Model:
    def __init__(self, problem):
        self.problem = problem
        torch.set_num_threads(problem.threads)
        self.X, self.y = torch.tensor(problem.X), torch.tensor(problem.y)
        self.notes = {}

    def _build(self, distribution):
        self.likelihood = gpytorch.likelihoods.BernoulliLikelihood()
        self.process = Process(self.X, self.problem, distribution)
        self.bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.process, len(self.y))
        self.process.train()
        # Its default switches to conjugate gradients and stochastic traces beyond 800 rows, which
        # would not give the same number.
        self.exact = gpytorch.settings.fast_computations(False, False, False)

    def _elbo(self):
        return self.bound(self.process(self.X), self.y) * len(self.y)

    def prepare(self):
        self._build(NaturalVariationalDistribution)

    def value_and_gradient(self):
        natural = gpytorch.optim.NGD(self.process.variational_parameters(),
                                     num_data=len(self.y), lr=RATE)
        hyperparameters = list(self.process.hyperparameters())
        last = -np.inf
        with self.exact:
            for count in range(1, MOST_STEPS + 1):
                self.process.zero_grad()
                elbo = self._elbo()
                (-elbo / len(self.y)).backward()
                if abs(elbo.item() - last) < TOLERANCE:
                    break
                last = elbo.item()
                natural.step()
        self.notes["steps"] = count
        return elbo.item(), [h.grad for h in hyperparameters]

    def fit(self):
        self._build(CholeskyVariationalDistribution)
        optimizer = torch.optim.LBFGS(self.process.parameters(), max_iter=1000, history_size=10,
                                      tolerance_change=1e-9, line_search_fn="strong_wolfe")

        def loss():
            optimizer.zero_grad()
            value = -self._elbo()
            value.backward()
            return value

        with self.exact:
            optimizer.step(loss)
            return self._elbo().item()

    def predict(self, Z):
        if self.process.training:
            self.value_and_gradient()  # the best q
            self.process.eval()
        Z = torch.tensor(Z)
        with torch.no_grad(), self.exact:
            parts = [self.likelihood(self.process(Z[i:i + BATCH]))
                     for i in range(0, len(Z), BATCH)]
            return (torch.cat([p.mean for p in parts]).numpy(),
                    torch.cat([p.variance for p in parts]).sqrt().numpy())
