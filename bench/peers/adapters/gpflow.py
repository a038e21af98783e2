"""GPflow's VGP: the variational Gaussian approximation, ggpm's KLD.

A value at given hyperparameters needs the best q there, found by natural gradients, the quickest
way that GPflow has. A fit is GPflow's own recipe: L-BFGS over q and hyperparameters at once.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import gpflow  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

PACKAGES = ["gpflow", "tensorflow-cpu", "numpy"]
CASES = ["bernoulli probit, kld", "poisson log, kld", "gamma-shape log, kld", "beta logit, kld"]
BATCH = 10_000
TOLERANCE, MOST_STEPS = 1e-6, 200


class MinusLogShape(gpflow.functions.MeanFunction):
    """GPflow's gamma has scale e^f, ours mean e^f: the prior mean of f makes them the same."""

    def __init__(self, likelihood):
        super().__init__()
        self.likelihood = likelihood

    def __call__(self, X):
        return -tf.math.log(self.likelihood.shape) * tf.ones([tf.shape(X)[0], 1], X.dtype)


def likelihood_of(problem):
    if problem.likelihood == "bernoulli":
        return gpflow.likelihoods.Bernoulli(), None
    if problem.likelihood == "poisson":
        return gpflow.likelihoods.Poisson(), None
    if problem.likelihood == "gamma-shape":
        gamma = gpflow.likelihoods.Gamma(shape=1 / problem.dispersion)
        return gamma, MinusLogShape(gamma)
    return gpflow.likelihoods.Beta(invlink=tf.sigmoid, scale=1 / problem.dispersion), None


class Model:
    def __init__(self, problem):
        p = self.problem = problem
        tf.config.threading.set_intra_op_parallelism_threads(p.threads)
        tf.config.threading.set_inter_op_parallelism_threads(p.threads)
        likelihood, mean = likelihood_of(p)
        kernel = gpflow.kernels.SquaredExponential(p.variance, p.lengthscales)
        self.model = gpflow.models.VGP((p.X, p.y[:, None]), kernel, likelihood, mean)
        self.predict_batch = tf.function(self.model.predict_y)
        self.notes = {}

    def prepare(self):
        if hasattr(self, "step"):  # compiled before
            return
        m = self.model
        natural = gpflow.optimizers.NaturalGradient(gamma=1.0)
        self.start = m.q_mu.numpy(), m.q_sqrt.numpy()

        @tf.function
        def step():
            natural.minimize(m.training_loss, [(m.q_mu, m.q_sqrt)])
            return m.elbo()

        hyperparameters = m.kernel.trainable_variables + m.likelihood.trainable_variables

        @tf.function
        def gradient():
            with tf.GradientTape() as tape:
                elbo = m.elbo()
            return elbo, tape.gradient(elbo, hyperparameters)

        self.step, self.gradient = step, gradient
        self._converge()

    def _converge(self):
        self.model.q_mu.assign(self.start[0])
        self.model.q_sqrt.assign(self.start[1])
        last = -np.inf
        for count in range(1, MOST_STEPS + 1):
            elbo = float(self.step())
            if abs(elbo - last) < TOLERANCE:
                break
            last = elbo
        self.notes["steps"] = count

    def value_and_gradient(self):
        self._converge()
        elbo, gradient = self.gradient()
        return float(elbo), gradient

    def fit(self):
        gpflow.optimizers.Scipy().minimize(self.model.training_loss, self.model.trainable_variables,
                                           options={"maxiter": 1000})
        return float(self.model.elbo())

    def predict(self, Z):
        parts = [self.predict_batch(Z[i:i + BATCH]) for i in range(0, len(Z), BATCH)]
        return tuple(np.concatenate([np.asarray(part[k])[:, 0] for part in parts]) ** power
                     for k, power in ((0, 1), (1, 0.5)))
