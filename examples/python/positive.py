"""Positive outputs: times until repair, whose spread grows with their mean."""

import matplotlib.pyplot as plt
import numpy as np

import ggpm
from ggpm import RBF, GeneralizedGP

random = np.random.default_rng(2)
age = np.sort(random.uniform(0, 12, 80))
hours = random.gamma(4, np.exp(1 + 0.6 * np.sin(age / 2)) / 4)
X = age[:, None]

# A normal distribution would give negative hours; the gamma distribution cannot.
model = GeneralizedGP("gamma-shape", kernel=RBF(), restarts=5).fit(X, hours)
p = model.predictive([[3.0], [9.0]])
print("mean", p.mean().round(2), "standard deviation", p.std().round(2))
print("P(more than 10 hours)", (1 - p.cdf(10.0)).round(3))
print("2.5 % quantiles", p.quantile(0.025).round(2))

table = ggpm.compare(X, hours, likelihoods=["gamma-shape", "inverse-gaussian", "gaussian"], splits=3,
                     restarts=2)
print(table[["nlp", "nlp_sd", "coverage", "rank"]].round(3))

ggpm.plot(model)
plt.savefig("positive.png", dpi=120)
