"""Successes of trials: seeds that germinate, a different number sown in every pot."""

import matplotlib.pyplot as plt
import numpy as np

import ggpm
from ggpm import RBF, GeneralizedGP

random = np.random.default_rng(5)
depth = np.sort(random.uniform(0, 10, 50))                   # cm
sown = random.integers(5, 30, 50)
sprouted = random.binomial(sown, 0.9 * np.exp(-((depth - 3) / 4) ** 2))
X = depth[:, None]

model = GeneralizedGP("binomial", kernel=RBF(), inference="ep", restarts=5).fit(
    X, sprouted, trials=sown)
print("probability at 2, 5, 9 cm:", model.predict([[2.0], [5.0], [9.0]]).round(3))
p = model.predictive([[5.0]], trials=40)
print(f"of 40 seeds at 5 cm: {p.mean()[0]:.1f}, most probably {p.mode()[0]:.0f}, "
      f"P(at least 20) = {1 - p.cdf(19.0)[0]:.3f}")

ggpm.plot(model)
plt.savefig("binomial.png", dpi=120)
