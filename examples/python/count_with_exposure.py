"""Counts with exposure: accidents at junctions that were watched for different times.

The mean of a count is its exposure times a rate; the rate is what depends on the inputs. The
exposure is a column of the table, so that it travels through cross-validation with its rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import ggpm
from ggpm import RBF, GeneralizedGP, Linear

random = np.random.default_rng(1)
n = 120
table = pd.DataFrame({
    "traffic": random.uniform(1, 20, n),                      # thousand cars a day
    "control": random.choice(["lights", "roundabout"], n),
    "years": random.integers(1, 8, n)})
rate = 0.15 * table["traffic"] * np.where(table["control"] == "lights", 1.0, 0.5)
accidents = random.poisson(random.gamma(4, rate * table["years"] / 4))

model = GeneralizedGP("negative-binomial", kernel=RBF(columns=["traffic"]) + Linear(),
                      exposure="years", restarts=5).fit(table, accidents)
print(f"log marginal likelihood {model.log_marginal_likelihood_:.1f}, "
      f"leave-one-out log density {model.loo_.total:.1f}")

# Accidents in ten years at a junction with 12,000 cars a day.
new = pd.DataFrame({"traffic": [12.0, 12.0], "control": ["lights", "roundabout"], "years": [10, 10]})
lower, upper = model.predictive(new).interval(0.9)
for row, mean, a, b in zip(new["control"], model.predict(new), lower, upper):
    print(f"{row}: {mean:.1f} accidents in ten years, between {a:.0f} and {b:.0f} with 90 %")

# Which likelihood predicts best?
print(ggpm.compare(table, accidents, likelihoods=["poisson", "negative-binomial"], exposure="years",
                   kernel=model.kernel, splits=3, restarts=2)[["nlp", "coverage", "rank"]].round(3))

ggpm.plot(model, column="traffic")
plt.savefig("count_with_exposure.png", dpi=120)
