"""A Spark cluster, through joblibspark (pip install joblibspark pyspark; a Java runtime)."""

import os
import sys

import joblib
from joblibspark import register_spark
from pyspark.sql import SparkSession

from data import same_as_serial, work

if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers of this machine have the same packages
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    spark.sparkContext.addPyFile(__file__.replace("with_spark", "data"))
    register_spark()
    with joblib.parallel_backend("spark", n_jobs=2):
        numbers = work(n_jobs=2)
    same_as_serial(numbers)
