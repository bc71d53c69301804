"""Finds rows that a table has twice, and takes them out: :func:`doctor`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from .._store import Store
from ._gone import rewrite
from ._journal import FOLDER, Entry, Gone, Journal
from ._once import nameless, twice, written_once
from ._tables import DeltaTable, HiveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


TARGET_BYTES = 256 << 20


class Double(NamedTuple):
    """Rows of a capture that another one has, too."""

    capture_id: str
    """Whose rows they are."""
    kept: str
    """The capture that has the same rows, or better ones; the same one if its rows are there twice under its id."""
    num_rows: int


class Diagnosis(NamedTuple):
    """What was found in a table."""

    num_rows: int
    """Rows that are there twice, and were taken out if that was asked for."""
    doubles: list[Double]
    differing: list[tuple[str, str]]
    """Captures of one machine that have other values at the same time: both stay."""
    is_repaired: bool


def doctor(
    spark: SparkSession,
    table: str | os.PathLike[str],
    *,
    repair: bool = False,
    storage_options: dict[str, Any] | None = None,
) -> Diagnosis:
    """Finds rows that a table of :func:`ingest` has twice, and takes them out with ``repair=True``.

    Two captures have the same rows if values of one time, machine, object, instance and counter agree wherever both have
    one: also a text or a table beside the recording that it was made from, whose times are cut to milliseconds and whose
    values may be rounded to six digits after the point. If any of them differ, they are recordings of two machines with
    one name, and nothing of them is taken out. Of two rows the one with a value stays, then the one over the shorter
    interval. Rows that are twice under one id stay once, and those under numbers go if they are there under names, too.
    Nothing else may write to the table meanwhile.
    """
    from ._ingest import absolute

    store = Store(storage_options)
    place = absolute(table)
    journal = Journal(store, place)
    path = f"{journal.root}/{FOLDER}/form.json"
    if not journal.system.exists(path):
        raise ValueError(f"{journal.root} isn't a table of recount.spark.ingest")
    form = json.loads(journal.system.cat_file(path))
    kind: HiveTable | DeltaTable = HiveTable(journal.system, journal.root)
    if form["format"] == "delta":
        settings = {name: str(value) for name, value in store.options.items()}
        kind = DeltaTable(journal.system, journal.root, place, settings, form["partition_by"])
    journal.recover(kind)
    rows = rows_of(spark, journal, kind)
    if rows is None:
        return Diagnosis(0, [], [], repair)
    cells = shared(rows)
    same, differing = verdicts(cells)
    one = of_one_recording(journal, same, differing)
    doubles, gone = losers(spark, cells, one) if one else ([], [])
    lost, of_lost = nameless(rows)
    within = [*twice(rows).items(), *lost]
    doubles = sorted([*doubles, *(Double(id, id, num) for id, num in within)])
    joined = {double.capture_id: double.kept for double in doubles if double.capture_id != double.kept}
    entry = Entry(gone=[*gone, *of_lost], joined=joined)
    if repair and entry.gone:
        commit(spark, journal, store, place, kind, entry)
    if repair and (ids := sorted(twice(rows_of(spark, journal, kind) or rows))):
        add, all_of_them = written_once(
            rows_of(spark, journal, kind) or rows, ids, store, place, form["partition_by"], TARGET_BYTES
        )
        commit(spark, journal, store, place, kind, Entry(add=add, gone=all_of_them))
    return Diagnosis(sum(double.num_rows for double in doubles), doubles, differing, repair)


def commit(
    spark: SparkSession, journal: Journal, store: Store, place: str, kind: HiveTable | DeltaTable, entry: Entry
) -> None:
    """Changes a table; plain Parquet by other files in place of those that have the rows."""
    if isinstance(kind, HiveTable):
        rewrite(spark, journal, store, place, entry.gone, entry)
        entry.gone = []
    journal.commit(entry, kind)


def rows_of(spark: SparkSession, journal: Journal, table: HiveTable | DeltaTable) -> DataFrame | None:
    """The rows of a table; ``None`` if it has none."""
    schema = (
        "capture_id string, time timestamp, time_ns bigint, interval_s double, host string, date date, object string, "
        "instance string, counter string, value double, status string"
    )
    if isinstance(table, DeltaTable):
        files = [str(file).removeprefix("file://") for file in table.table().file_uris()]
    else:
        found = journal.system.find(journal.root)
        inner = [path for path in found if path.endswith(".parquet") and f"/{FOLDER}/" not in path]
        files = [journal.system.unstrip_protocol(path) for path in inner]
    if not files:
        return None
    root = journal.system.unstrip_protocol(journal.root)
    return spark.read.schema(schema).option("basePath", root).parquet(*files)


# Texts have times cut to milliseconds.
CELL = ("host", "object", "instance", "counter", "moment")
MOMENT = "CAST(floor(time_ns / 1000000D) AS bigint)"
# One of two values may be the other, rounded to six digits as typeperf does; two rounded ones are equal or not.
AGREE = (
    "value_a = value_b OR (abs(value_a - value_b) <= 5.01e-7 "
    "AND (value_a = round(value_a, 6)) != (value_b = round(value_b, 6)))"
)


def shared(rows: DataFrame) -> DataFrame:
    """The rows at times at which a machine has several captures."""
    from pyspark.sql import functions as F

    plain = rows.select(
        "capture_id",
        "time_ns",
        "interval_s",
        F.lower(F.coalesce("host", F.lit(""))).alias("host"),
        "object",
        F.coalesce("instance", F.lit("")).alias("instance"),
        "counter",
        "value",
        "status",
        F.expr(MOMENT).alias("moment"),
    )
    times = plain.groupBy("host", "moment").agg(F.count_distinct("capture_id").alias("num")).where("num > 1")
    return plain.join(times.drop("num"), ["host", "moment"])


def pairs(cells: DataFrame) -> DataFrame:
    """Each value of a capture beside that of another."""
    from pyspark.sql import functions as F

    def named(suffix: str) -> DataFrame:
        return cells.select(*CELL, *(F.col(name).alias(f"{name}_{suffix}") for name in ("capture_id", "value", "interval_s")))

    return named("a").join(named("b"), list(CELL)).where("capture_id_a < capture_id_b")


def verdicts(cells: DataFrame) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Captures that are of one recording, and those that aren't."""
    from pyspark.sql import functions as F

    both = "value_a IS NOT NULL AND value_b IS NOT NULL"
    found = (
        pairs(cells)
        .groupBy("capture_id_a", "capture_id_b")
        .agg(
            F.count(F.expr(f"CASE WHEN {both} AND ({AGREE}) THEN 1 END")).alias("same"),
            F.count(F.expr(f"CASE WHEN {both} AND NOT ({AGREE}) THEN 1 END")).alias("other"),
        )
        .collect()
    )
    one = [(row[0], row[1]) for row in found if row["same"] and not row["other"]]
    differing = sorted((row[0], row[1]) for row in found if row["other"])
    return one, differing


def of_one_recording(
    journal: Journal, same: list[tuple[str, str]], differing: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs that agree, without those of which anything differs that is of the same recording: two machines of one name may
    agree in what is left of one of them."""
    parents: dict[str, str] = {}

    def root(id: str) -> str:
        while parents.get(id, id) != id:
            id = parents[id]
        return id

    def differ(one: str, other: str) -> bool:
        return any({root(a), root(b)} == {root(one), root(other)} for a, b in differing)

    known = [(id, part.recording) for id, part in journal.parts.items()]
    for a, b in [*known, *journal.joined]:
        if not differ(a, b):
            parents[root(a)] = root(b)
    found: list[tuple[str, str]] = []
    for a, b in sorted(same):
        if not differ(a, b):
            parents[root(a)] = root(b)
            found.append((a, b))
    return found


def losers(
    spark: SparkSession, cells: DataFrame, one: list[tuple[str, str]]
) -> tuple[list[Double], list[Gone]]:
    """Of objects of samples that two captures of a recording have, those whose rows are to go."""
    from pyspark.sql import functions as F

    session: Any = spark
    unit = ["host", "object", "moment"]
    sizes = cells.groupBy("capture_id", *unit).agg(
        F.count("*").alias("rows"),
        F.count("value").alias("values"),
        F.count(F.expr("CASE WHEN value != 0 THEN 1 END")).alias("more"),
        F.count(F.expr("CASE WHEN status != 'invalid-data' THEN 1 END")).alias("known"),
        F.max("interval_s").alias("interval_s"),
        F.collect_set("time_ns").alias("times"),
    )
    common = (
        pairs(cells)
        .join(F.broadcast(session.createDataFrame(one, "capture_id_a string, capture_id_b string")),
              ["capture_id_a", "capture_id_b"])
        .groupBy("capture_id_a", "capture_id_b", *unit)
        .agg(F.count("*").alias("common"))
    )  # fmt: skip
    for suffix in ("a", "b"):
        names = {name: f"{name}_{suffix}" for name in ("capture_id", "rows", "values", "more", "known", "interval_s", "times")}
        of_side = sizes.select(*unit, *(F.col(name).alias(to) for name, to in names.items()))
        common = common.join(of_side, [f"capture_id_{suffix}", *unit])
    long_a, long_b = (f"coalesce(interval_s_{side}, double('infinity'))" for side in ("a", "b"))
    # A mean over no operations is 0 in a text, and has no value in a recording, which says why.
    is_b_better = F.expr(
        f"more_b > more_a OR (more_b = more_a AND ({long_b} < {long_a} OR ({long_b} = {long_a} AND "
        "(values_b < values_a OR (values_b = values_a AND known_b > known_a)))))"
    )
    lost = common.select(
        *unit,
        "common",
        F.when(is_b_better, F.col("capture_id_a")).otherwise(F.col("capture_id_b")).alias("lost"),
        F.when(is_b_better, F.col("capture_id_b")).otherwise(F.col("capture_id_a")).alias("kept"),
        F.when(is_b_better, F.col("rows_a")).otherwise(F.col("rows_b")).alias("rows"),
        F.when(is_b_better, F.col("times_a")).otherwise(F.col("times_b")).alias("times"),
    ).where("rows = common")
    # Of three copies, one loses to both others, but has its rows once.
    once = lost.groupBy("lost", *unit).agg(
        F.min("kept").alias("kept"), F.max("rows").alias("rows"), F.first("times").alias("times")
    )
    once = once.persist()
    try:
        counted = once.groupBy("lost", "kept").agg(F.sum("rows").alias("rows")).orderBy("lost", "kept").collect()
        grouped = once.groupBy("lost", "host", "object").agg(
            F.sort_array(F.array_distinct(F.flatten(F.collect_list("times")))).alias("times")
        )
        gone = [Gone(row["lost"], row["host"], row["object"], list(row["times"])) for row in grouped.collect()]
    finally:
        once.unpersist()
    return [Double(row["lost"], row["kept"], int(row["rows"])) for row in counted], gone
