"""A fleet of captures on Spark: recount reads, Spark does the rest. It needs the extra ``recount[spark]``.

.. code-block:: python

    recount.spark.register(spark)
    df = spark.read.format("recount").option("counters", "Processor Time").load("captures/")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._binary import from_binary
from ._columns import TIDY
from ._doctor import Diagnosis, Double, doctor
from ._health import HEALTH, HealthSource
from ._ingest import Ingested, ingest
from ._objects import object_table
from ._report import FINDINGS, report
from ._source import DataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "FINDINGS",
    "HEALTH",
    "TIDY",
    "DataSource",
    "Diagnosis",
    "Double",
    "HealthSource",
    "Ingested",
    "doctor",
    "from_binary",
    "ingest",
    "object_table",
    "register",
    "report",
]


def register(spark: SparkSession) -> None:
    """Registers the sources ``recount`` and ``recount-health`` with a session, and lets filters reach them."""
    check_workers(spark)
    for source in (DataSource, HealthSource):
        spark.dataSource.register(source)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")


def check_workers(spark: SparkSession) -> None:
    """Raises an error if the tasks of a session on this machine run a Python that doesn't have the package: that of the path, where the
    environment isn't activated."""
    import shutil
    import subprocess
    import sys

    # Sessions elsewhere, and those of Spark Connect, have no context here, or workers that can't be asked.
    context: Any = getattr(spark, "_sc", None)
    if context is None or not str(context.master).startswith("local"):
        return
    name = str(context.pythonExec)
    python = shutil.which(name) or name
    if python == sys.executable:
        return
    try:
        found = subprocess.run([python, "-c", "import recount"], capture_output=True, timeout=60, check=False)
        is_there = found.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        is_there = False
    if not is_there:
        text = (
            f"Spark's tasks run {python}, which doesn't have recount: activate the environment of {sys.executable}, or set the "
            "environment variable PYSPARK_PYTHON to it, before the session is made"
        )
        raise RuntimeError(text)
