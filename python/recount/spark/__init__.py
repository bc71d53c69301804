"""A fleet of captures on Spark: recount reads, Spark does the rest. It needs the extra ``recount[spark]``.

.. code-block:: python

    recount.spark.register(spark)
    df = spark.read.format("recount").option("counters", "Processor Time").load("captures/")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._binary import from_binary
from ._columns import TIDY
from ._doctor import Diagnosis, Double, doctor
from ._health import HEALTH, HealthSource
from ._ingest import Ingested, ingest
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
    "register",
    "report",
]


def register(spark: SparkSession) -> None:
    """Registers the sources ``recount`` and ``recount-health`` with a session, and lets filters reach them."""
    for source in (DataSource, HealthSource):
        spark.dataSource.register(source)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
