"""A Ray cluster: ray.init(address="auto") joins one that is there."""

import joblib
import ray
from ray.util.joblib import register_ray

from data import same_as_serial, work

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    with joblib.parallel_backend("ray"):
        numbers = work(n_jobs=2)
    same_as_serial(numbers)
