"""R's mgcv: a smooth of the same kernel, of rank 200 at most, with its length-scales given.

Not the same model (low rank, an intercept, only the variance is learned), so that times of a fit
and of predictions are all that can be compared, and it has no log marginal here.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
from problem import LENGTHSCALES

PACKAGES = []
CASES = ["bernoulli logit, laplace", "poisson log, laplace", "gamma-shape log, laplace",
         "beta logit, laplace", "negative-binomial log, laplace"]
WHAT = ["fit", "predict"]
FAMILY = {"bernoulli": "binomial()", "poisson": "poisson()", "gamma-shape": 'Gamma(link="log")',
          "beta": "betar()", "negative-binomial": "nb()"}
RANK = 200


class Model:
    def __init__(self, problem):
        self.problem = problem
        self.notes = {}

    def _run(self, predicted):
        p = self.problem
        rows = np.column_stack([p.X / np.array(LENGTHSCALES), p.y])
        words = ["Rscript", "--vanilla", Path(__file__).with_name("mgcv.R"), FAMILY[p.likelihood],
                 min(RANK, len(rows) // 2), p.threads, predicted, *(4 / np.array(LENGTHSCALES))]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              input="\n".join(",".join(map(repr, map(float, row))) for row in rows))
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        self.notes = {"versions": {"R": answer["R"], "mgcv": answer["mgcv"]},
                      "peak_megabytes": answer["peak"], "import_megabytes": answer["start"]}
        self.elapsed = answer["predict" if predicted else "fit"]
        return answer

    def prepare(self):
        pass

    def fit(self):
        self._run(0)
        return None

    def predict(self, Z):
        answer = self._run(len(Z))
        return np.array([answer["mean"]]), np.array([answer["deviation"]])
