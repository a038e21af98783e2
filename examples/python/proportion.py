"""Proportions between 0 and 1 that are not counts of trials: the part of a leaf that is infected."""

import matplotlib.pyplot as plt
import numpy as np

import ggpm
from ggpm import GeneralizedGP, Matern52

random = np.random.default_rng(3)
humidity = np.sort(random.uniform(30, 100, 70))
mean = 1 / (1 + np.exp(-(humidity - 70) / 8))
infected = random.beta(10 * mean, 10 * (1 - mean)).clip(1e-4, 1 - 1e-4)
X = humidity[:, None]

model = GeneralizedGP("beta", kernel=Matern52(), restarts=5).fit(X, infected)
lower, upper = model.predictive([[60.0], [85.0]]).interval(0.8)
for h, m, a, b in zip((60, 85), model.predict([[60.0], [85.0]]), lower, upper):
    print(f"humidity {h} %: {m:.2f} of the leaf, between {a:.2f} and {b:.2f} with 80 %")

# Beside a standard Gaussian process on logit(y), which is another model of the same data:
warped = GeneralizedGP(warp="logit", inference="exact", kernel=Matern52(), restarts=5).fit(X, infected)
print(f"leave-one-out log density: beta {model.loo_.total:.1f}, warped {warped.loo_.total:.1f}")

ggpm.plot(model)
plt.savefig("proportion.png", dpi=120)
