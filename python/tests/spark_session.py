"""A session of Spark with a JVM of its own, for the tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import recount.spark


def start() -> SparkSession:
    """Two tasks at a time, and nothing of the web."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder: Any = SparkSession.builder
    session: SparkSession = (
        builder.master("local[2]")
        .appName("recount")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.session.timeZone", "Europe/Moscow")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    recount.spark.register(session)
    return session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = start()
    yield session
    session.stop()


def frame(spark: SparkSession, path: str | Path | list[str], **options: Any) -> DataFrame:
    """Captures as a frame."""
    reader = spark.read.format("recount")
    for name, value in options.items():
        reader = reader.option(name, str(value))
    return reader.load(path if isinstance(path, list) else str(path))


def rows(table: Any) -> list[tuple[Any, ...]]:
    """The rows of a table of Arrow, of a frame or of the command's Parquet, in a form and an order of their own: times are
    microseconds, floats their bits."""
    if isinstance(table, DataFrame):
        table = table.toArrow()
    columns = []
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        if pa.types.is_timestamp(column.type):
            column = pa.array([number // (1_000 if column.type.unit == "ns" else 1) for number in column.cast(pa.int64()).to_pylist()])
        listed = column.to_pylist()
        if pa.types.is_floating(column.type):
            listed = [None if value is None else value.hex() for value in listed]
        elif pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
            listed = [None if value is None else int(value) for value in listed]
        columns.append(listed)
    return sorted(zip(*columns), key=repr)
