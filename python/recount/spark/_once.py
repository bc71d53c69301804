"""Rows that a table has twice under one ``capture_id``: earlier versions added a table beside the log that it was made from, and a
log that lost its names beside the whole one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._arrow import pa, pc
from ._journal import File, Gone
from ._written import NAMES, Files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from .._store import Store

CELL = ("capture_id", "host", "object", "instance", "counter", "time_ns")
NUMBER = "^[0-9]+$"


def twice(rows: DataFrame) -> dict[str, int]:
    """How many rows of each capture are there once more."""
    from pyspark.sql import functions as F

    more = rows.groupBy(*CELL).agg((F.count("*") - 1).alias("more")).where("more > 0")
    return {row[0]: int(row[1]) for row in more.groupBy("capture_id").agg(F.sum("more")).collect()}


def written_once(
    rows: DataFrame, ids: Iterable[str], store: Store, target: str, partition_by: list[str], target_bytes: int
) -> tuple[list[File], list[Gone]]:
    """Writes the rows of captures once, and says that all that the table has of them is to go."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    def write(batches: Iterable[Any]) -> Iterator[Any]:
        system, root = store.system(target)
        files = Files(system, root.rstrip("/"), partition_by, target_bytes)
        for batch in batches:
            table = pa.table(batch)
            for id in pc.unique(table.column("capture_id")).to_pylist():
                part = stored(table.filter(pc.equal(table.column("capture_id"), id)))
                for one in part.combine_chunks().to_batches():
                    files.write(id, one)
        texts = [json.dumps(vars(file)) for file in files.finish()]
        yield pa.RecordBatch.from_pydict({"found": pa.array(texts, pa.string())})

    # A mean over no operations is 0 in a text, which says of no null why it is one.
    rank = F.expr(
        "CASE WHEN value != 0 THEN 0 WHEN status = 'no-operations' THEN 1 WHEN value = 0 THEN 2 "
        "WHEN status != 'invalid-data' THEN 3 ELSE 4 END"
    )
    best = Window.partitionBy(*CELL).orderBy(rank, F.col("interval_s").asc_nulls_last())
    of_them = rows.where(F.col("capture_id").isin(*ids))
    once: Any = of_them.withColumn("place", F.row_number().over(best)).where("place = 1").drop("place")
    sorted_rows = once.repartition("host", "date").sortWithinPartitions("capture_id", "time_ns")
    found = sorted_rows.mapInArrow(write, "found string").collect()
    return [File(**json.loads(row[0])) for row in found], [Gone(id, "", "", []) for id in ids]


def stored(table: Any) -> Any:
    """Columns in the types in which files are written."""
    columns = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = column.cast(pa.string()).dictionary_encode().cast(NAMES)
        elif pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", "UTC"))
        columns[name] = column
    return pa.table(columns)


def nameless(rows: DataFrame) -> tuple[list[tuple[str, int]], list[Gone]]:
    """Rows under numbers that the same capture has under names, too: how many of each capture, and which."""
    from pyspark.sql import functions as F

    unit = ("capture_id", "host", "time_ns")
    host = F.lower(F.coalesce("host", F.lit(""))).alias("host")
    plain = rows.select("capture_id", host, "time_ns", "object", "value", F.col("object").rlike(NUMBER).alias("lost"))
    some = plain.where("lost").select("capture_id").distinct()
    sums = (
        plain.join(some, ["capture_id"])
        .groupBy(*unit, "object", "lost")
        .agg(F.count("*").alias("rows"), F.count("value").alias("values"), F.sum("value").alias("sum"))
    )
    numbers = sums.where("lost").drop("lost")
    named = sums.where("NOT lost").drop("lost").withColumnsRenamed({"object": "name", "sum": "sum_of_name"})
    same = "sum IS NULL AND sum_of_name IS NULL OR abs(sum - sum_of_name) <= 1e-9 * abs(sum)"
    pairs = numbers.join(named, [*unit, "rows", "values"]).where(same)
    times = numbers.groupBy("capture_id", "host", "object").agg(
        F.count("*").alias("num"), F.sum("rows").alias("rows"), F.sort_array(F.collect_set("time_ns")).alias("times")
    )
    # Under one name all the time: other objects may have the same values for a moment.
    found = (
        pairs.groupBy("capture_id", "host", "object", "name")
        .agg(F.count("*").alias("same"))
        .groupBy("capture_id", "host", "object")
        .agg(F.max("same").alias("same"))
        .join(times, ["capture_id", "host", "object"])
        .where("same = num")
        .collect()
    )
    numbers_of = [(row["capture_id"], int(row["rows"])) for row in found]
    return numbers_of, [Gone(row["capture_id"], row["host"], row["object"], list(row["times"])) for row in found]
