"""Two classes: a probability instead of a decision."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

import ggpm
from ggpm import RBF, GeneralizedGPClassifier

random = np.random.default_rng(4)
temperature = np.sort(random.uniform(10, 30, 80))
failed = np.where(random.uniform(size=80) < 1 / (1 + np.exp(temperature - 19)), "fails", "works")
X = temperature[:, None]

model = GeneralizedGPClassifier(kernel=RBF(), inference="ep", link="probit", restarts=5).fit(X, failed)
for t, row in zip((14, 19, 26), model.predict_proba([[14.0], [19.0], [26.0]])):
    print(f"{t} °C: " + ", ".join(f"P({c}) = {p:.2f}" for c, p in zip(model.classes_, row)))

scores = cross_val_score(GeneralizedGPClassifier(restarts=2), X, failed, cv=3,
                         scoring="neg_log_loss")
print("log loss", (-scores).round(3))

ggpm.plot(model)
plt.savefig("binary.png", dpi=120)
