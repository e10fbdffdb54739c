"""A session of Spark, which the rooms that run on it share."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}
PANDAS = "PySpark does not yet fully support pandas"  # none of which is passed to Spark here


def spark_session(master: str) -> Any:
    """A session on the Spark of that master. Its workers run $PYSPARK_PYTHON, where that is not set the Python at the path
    of this one."""
    from pyspark.sql import SparkSession  # whose import takes a second

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYTHONWARNINGS", f"ignore:{PANDAS}:FutureWarning")  # of the workers
    warnings.filterwarnings("ignore", PANDAS, FutureWarning)
    builder = SparkSession.builder.master(master).appName("traincompute")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
