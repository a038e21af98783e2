"""The picture of the README (docs/fit.png): counts in four views."""

import matplotlib.pyplot as plt
import numpy as np

import ggpm
from ggpm import RBF, GeneralizedGP

random = np.random.default_rng(4)
x = np.sort(random.uniform(0, 10, 70))
y = random.poisson(np.exp(1.4 + 1.2 * np.sin(x)))
model = GeneralizedGP("poisson", kernel=RBF(), inference="ep", restarts=10).fit(x[:, None], y)

figure, axes = plt.subplots(2, 2, figsize=(9, 6.6))
for ax, kind in zip(axes.flat, ["fit", "latent", "marginal", "calibration"]):
    ggpm.plot(model, kind, ax=ax)
figure.tight_layout()
figure.savefig("readme_picture.png", dpi=80)
print("log marginal", round(model.log_marginal_likelihood_, 2))
