"""SVGP of GPflow: 500 inducing points, batches of 1024, natural gradients and Adam."""

import gpflow
import numpy as np
import tensorflow as tf
import tf_keras  # the optimizers that GPflow's own examples use; those of Keras 3 have no minimize()

POINTS, BATCH, EPOCHS = 500, 1024, 100
ENOUGH = 1e-4  # relative gain of the bound in an epoch at which it stops


def run(scene, threads, clock):
    rng = np.random.default_rng(1)
    X, y = scene.X, scene.y[:, None]
    scales = np.full(X.shape[1], 0.2)
    kernel = (gpflow.kernels.RBF(lengthscales=scales) if scene.name == "S3" else
              gpflow.kernels.Matern32(lengthscales=scales)) + gpflow.kernels.Constant()
    likelihood = {"bernoulli": lambda: gpflow.likelihoods.Bernoulli(invlink=tf.sigmoid),
                  "poisson": gpflow.likelihoods.Poisson,
                  "gamma": lambda: gpflow.likelihoods.Gamma(shape=2.0),
                  "gaussian": gpflow.likelihoods.Gaussian}[scene.family]()
    model = gpflow.models.SVGP(kernel, likelihood, X[rng.permutation(len(X))[:POINTS]],
                               num_data=len(X))
    gpflow.set_trainable(model.q_mu, False)
    gpflow.set_trainable(model.q_sqrt, False)
    batches = tf.data.Dataset.from_tensor_slices((X, y)).shuffle(len(X), seed=1).batch(BATCH)
    natural, adam = gpflow.optimizers.NaturalGradient(0.1), tf_keras.optimizers.Adam(0.01)

    @tf.function
    def step(batch):
        def loss():
            return -model.elbo(batch)

        natural.minimize(loss, [(model.q_mu, model.q_sqrt)])
        adam.minimize(loss, model.trainable_variables)
        return model.elbo(batch)

    def fit():
        before = -np.inf
        for _ in range(EPOCHS):
            total = np.mean([step(batch).numpy() for batch in batches])
            if total - before < ENOUGH * abs(total):
                return
            before = total

    clock("fit", fit)
    mean, variance = clock("predict", lambda: model.predict_f(scene.Z))
    return mean.numpy()[:, 0], np.sqrt(variance.numpy()[:, 0]), {}
