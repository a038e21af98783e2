"""A Dask cluster: here two processes of this machine; Client("scheduler:8786") is any other.

On Slurm: dask_jobqueue.SLURMCluster(cores=1, memory="2GB", walltime="01:00:00").scale(jobs=20)
"""

import joblib
from dask.distributed import Client, LocalCluster

from data import same_as_serial, work

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.upload_file(__file__.replace("with_dask", "data"))  # workers import it
            with joblib.parallel_backend("dask"):
                numbers = work(n_jobs=-1)
    same_as_serial(numbers)
