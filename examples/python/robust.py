"""Real outputs with outliers: Student-t noise does not follow them."""

import matplotlib.pyplot as plt
import numpy as np

import ggpm
from ggpm import RBF, GeneralizedGP

random = np.random.default_rng(6)
x = np.sort(random.uniform(0, 10, 70))
truth = np.sin(x) + 0.3 * x
y = truth + 0.15 * random.normal(size=70)
broken = random.choice(70, 7, replace=False)
y[broken] += random.choice([-6, 6], 7)
X = x[:, None]

gaussian = GeneralizedGP("gaussian", kernel=RBF(), inference="exact", restarts=5).fit(X, y)
robust = GeneralizedGP("student-t", kernel=RBF(), inference="ep", df=4, restarts=5).fit(X, y)
for name, model in (("gaussian", gaussian), ("student-t", robust)):
    error = np.sqrt(np.mean((model.predict_latent(X) - truth) ** 2))
    print(f"{name}: error {error:.3f}, log marginal likelihood {model.log_marginal_likelihood_:.1f}, "
          f"leave-one-out {model.loo_.total:.1f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, constrained_layout=True)
for ax, model in zip(axes, (gaussian, robust)):
    ggpm.plot(model, ax=ax)
figure.savefig("robust.png", dpi=120)
