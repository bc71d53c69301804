"""Tables with a column per counter, made of those with a row per value: :func:`object_table`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

KEYS = ("path", "capture_id", "time", "time_ns", "interval_s", "host", "date", "instance")


def object_table(rows: DataFrame, object: str, counters: Iterable[str] | None = None) -> DataFrame:
    """The counters of one object side by side: a row per sample and instance, a column (double) per counter.

    ``rows`` has a row per value: a table that :func:`ingest` wrote, or what the source reads. Where ``counters`` aren't named,
    the rows are read once to find their names; the columns are in their order. Counters of one instance that cover other
    intervals are in separate rows, as in `formats/tables.md`. The reason for a null is in the column ``status`` of ``rows``.
    """
    from pyspark.sql import functions as f

    of_object = rows.where(f.col("object") == object)
    names: list[Any]
    if counters is None:
        names = sorted(row[0] for row in of_object.select("counter").distinct().collect())
    else:
        names = list(counters)
    keys = [name for name in KEYS if name in rows.columns]
    values = of_object.groupBy(*keys).pivot("counter", names).agg(f.first("value"))
    return values.toDF(*keys, *(unused(name, keys) for name in names))


def unused(name: str, keys: list[str]) -> str:
    """The name of a counter's column: another one where a column of the key has it."""
    return f"{name} (2)" if name in keys else name
