"""Streaming over a directory in which captures appear and grow: each row once."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from recount.spark._columns import TIDY
from recount.spark._options import parse
from recount.spark._source import recipe_of
from recount.spark._stream import StreamReader

from spark_session import rows, spark

__all__ = ["spark"]


RECORD = "import recount, sys; recount.record(sys.argv[1], interval=0.1, profile='minimal')"


def run(spark: SparkSession, folder: Path, state: Path, **options: str) -> int:
    """One trigger that takes all that is there; how many batches it was."""
    reader = spark.readStream.format("recount")
    for name, value in options.items():
        reader = reader.option(name, value)
    query = (
        reader.load(str(folder))
        .writeStream.format("parquet")
        .option("path", str(state / "out"))
        .option("checkpointLocation", str(state / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(120)
    return len(query.recentProgress)


def written(spark: SparkSession, state: Path) -> list[tuple[Any, ...]]:
    return rows(spark.read.schema(TIDY).parquet(str(state / "out")))


def test_captures_appear_and_grow(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    folder, state = tmp_path / "fleet", tmp_path / "state"
    folder.mkdir()
    counters = {"counters": r"\Processor(*)\*"}
    shutil.copy(samples / "objects.blg", folder)
    (folder / "letter.blg").write_text("Dear reader")
    run(spark, folder, state, **counters, settleSeconds="0")
    seen = [len(written(spark, state))]
    log = folder / "now.rcap"
    with subprocess.Popen(
        [sys.executable, "-c", RECORD, str(log)], stderr=subprocess.PIPE
    ) as recorder:
        # Each is a query of its own: it goes on where the one before ended.
        for _ in range(2):
            time.sleep(1.5)
            run(spark, folder, state, **counters)
            seen.append(len(written(spark, state)))
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=30)
    run(spark, folder, state, **counters, settleSeconds="0")
    run(spark, folder, state, **counters, settleSeconds="0")
    assert seen == sorted(set(seen)), seen
    whole = spark.read.format("recount").options(**counters).load(str(folder))
    assert written(spark, state) == rows(whole)


def test_a_query_takes_batch_after_batch(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    folder, state = tmp_path / "fleet", tmp_path / "state"
    folder.mkdir()
    shutil.copy(samples / "objects.blg", folder)
    batches: list[int] = []
    query = (
        spark.readStream.format("recount")
        .option("settleSeconds", "0")
        .load(str(folder))
        .writeStream.option("checkpointLocation", str(state))
        .foreachBatch(lambda found, number: batches.append(found.count()))
        .trigger(processingTime="1 second")
        .start()
    )
    try:
        query.processAllAvailable()
        shutil.copy(samples / "rcap-1/closed.rcap", tmp_path)
        (tmp_path / "closed.rcap").rename(folder / "closed.rcap")
        query.processAllAvailable()
    finally:
        query.stop()
    counts = [spark.read.format("recount").load(str(folder / name)).count() for name in ("objects.blg", "closed.rcap")]
    assert [count for count in batches if count] == counts


def test_a_batch_can_be_repeated(samples: Path, tmp_path: Path) -> None:
    """Spark asks for the rows between two offsets again after a failure: they are the same, although the file has grown."""
    path = tmp_path / "one.blg"
    whole = (samples / "objects.blg").read_bytes()
    shutil.copy(samples / "objects.blg", path)
    options = parse({"path": str(tmp_path), "settleSeconds": "0"})

    def between(start: Any, end: Any) -> list[Any]:
        reader = StreamReader(options, recipe_of(options, TIDY))
        return [batch.to_pydict() for task in reader.partitions(start, end) for batch in reader.read(task)]

    reader = StreamReader(options, recipe_of(options, TIDY))
    nothing = reader.initialOffset()
    end = reader.latestOffset(nothing)
    assert list(end["files"]) == [str(path)]
    middle = {"files": {str(path): end["files"][str(path)] - 40_000_000_000}}
    first, second = between(nothing, middle), between(middle, end)
    assert sum(len(batch["time"]) for batch in first) > 0 < sum(len(batch["time"]) for batch in second)
    assert max(batch["time"][-1] for batch in first) < min(batch["time"][0] for batch in second)
    path.write_bytes(whole)
    assert between(nothing, middle) == first
    assert reader.latestOffset(end) == end and reader.partitions(end, end) == []
    # The last sample of a file that changed just now may be there in part.
    options.settle_seconds = 3600
    fresh = StreamReader(options, recipe_of(options, TIDY))
    assert fresh.latestOffset(nothing)["files"][str(path)] == end["files"][str(path)] - 1
