"""SVGP of GPyTorch: 500 inducing points, batches of 1024, natural gradients and Adam."""

import gpytorch
import numpy as np
import torch

POINTS, BATCH, EPOCHS = 500, 1024, 100
ENOUGH = 1e-4  # relative gain of the bound in an epoch at which it stops


class Model(gpytorch.models.ApproximateGP):
    def __init__(self, Z, smooth):
        q = gpytorch.variational.NaturalVariationalDistribution(len(Z))
        super().__init__(gpytorch.variational.VariationalStrategy(self, Z, q))
        self.mean_module = gpytorch.means.ConstantMean()
        base = (gpytorch.kernels.RBFKernel(ard_num_dims=Z.shape[1]) if smooth else
                gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=Z.shape[1]))
        self.covar_module = gpytorch.kernels.ScaleKernel(base)
        self.covar_module.base_kernel.lengthscale = 0.2

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Gamma(gpytorch.likelihoods._OneDimensionalLikelihood):
    def forward(self, eta):
        shape = torch.tensor(2.0)
        return torch.distributions.Gamma(shape, shape * torch.exp(-eta))


class Poisson(gpytorch.likelihoods._OneDimensionalLikelihood):
    def forward(self, eta):
        return torch.distributions.Poisson(torch.exp(eta))


class Bernoulli(gpytorch.likelihoods._OneDimensionalLikelihood):
    def forward(self, eta):
        return torch.distributions.Bernoulli(logits=eta)


def run(scene, threads, clock):
    torch.set_num_threads(threads)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    X, y = torch.tensor(scene.X), torch.tensor(scene.y)
    model = Model(X[torch.randperm(len(X))[:POINTS]], scene.name == "S3")
    likelihood = {"bernoulli": Bernoulli, "poisson": Poisson, "gamma": Gamma,
                  "gaussian": gpytorch.likelihoods.GaussianLikelihood}[scene.family]()
    natural = gpytorch.optim.NGD(model.variational_parameters(), num_data=len(y), lr=0.1)
    adam = torch.optim.Adam([*model.hyperparameters(), *likelihood.parameters()], lr=0.01)
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(y))
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), BATCH, shuffle=True)

    def fit():
        before = -np.inf
        for _ in range(EPOCHS):
            total = 0.0
            for x, target in batches:
                natural.zero_grad()
                adam.zero_grad()
                loss = -bound(model(x), target)
                loss.backward()
                natural.step()
                adam.step()
                total -= float(loss) * len(target) / len(y)
            if total - before < ENOUGH * abs(total):
                return
            before = total

    clock("fit", fit)
    model.eval()
    with torch.no_grad():
        answer = clock("predict", lambda: model(torch.tensor(scene.Z)))
        return answer.mean.numpy(), answer.variance.sqrt().numpy(), {}
