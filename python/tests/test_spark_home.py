"""Spark: wrong selections, columns by choice, the file of a row, an environment that isn't activated, and streams of many files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import recount
import recount.spark
from recount.spark._columns import TIDY
from recount.spark._options import parse
from recount.spark._source import DataSource, Reader, recipe_of
from recount.spark._stream import StreamReader

from spark_session import frame, rows, spark

__all__ = ["spark"]


def plan(**options: str) -> Any:
    return Reader(parse(options), TIDY).partitions()


def test_counters_that_no_file_has_are_an_error(samples: Path, tmp_path: Path) -> None:
    path = str(samples / "objects.blg")
    with pytest.raises(recount.SelectionError, match="no counter matches .*there is an object Processor"):
        plan(path=path, counters=r"\Procesor(*)\*")
    for number in range(10):
        shutil.copy(path, tmp_path / f"{number}.blg")
    # One file of a fleet that has them is enough.
    shutil.copy(samples / "counters-dst.blg", tmp_path / "3.blg")
    name = recount.open(samples / "counters-dst.blg").counters()[0].path.rsplit("\\", 1)[1]
    assert plan(path=str(tmp_path), counters=name)
    (tmp_path / "3.blg").unlink()
    with pytest.warns(recount.SelectionWarning, match="the first 8 of 9 files have none of the counters"):
        assert plan(path=str(tmp_path), counters=r"\Procesor(*)\*")


def test_counters_that_no_file_has_make_no_table(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    path, table = samples / "objects.blg", tmp_path / "table"
    with pytest.raises(recount.SelectionError, match="there is an object Processor"):
        recount.spark.ingest(spark, path, table, counters=r"\Procesor(*)\*")
    # Nothing is left of it that the right counters would contradict.
    assert recount.spark.ingest(spark, path, table, counters=r"\Processor(*)\% User Time").num_rows == 24


def test_columns_are_chosen(spark: SparkSession, samples: Path) -> None:
    path = samples / "objects.blg"
    for layout in ({}, {"object": "Processor"}):
        whole = frame(spark, path, **layout)
        names = ["instance", "time", "path", "capture_id"]
        some = frame(spark, path, **layout, columns=",".join(names))
        assert some.columns == names
        assert rows(some.select("instance", "time")) == rows(whole.select("instance", "time"))
        assert {tuple(row) for row in some.select("path", "capture_id").distinct().collect()} == {(str(path), recount.open(path).id)}
    with pytest.raises(ValueError, match="no column is called 'valeu'"):
        DataSource({"path": str(path), "columns": "valeu"}).schema()
    given = spark.read.format("recount").schema("value double, path string").load(str(path))
    assert given.select("path").distinct().count() == 1 and given.count() == frame(spark, path).count()


def test_columns_that_are_not_chosen_are_not_read(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recount.spark._read import Recipe

    asked: list[Any] = []
    stream = Recipe.stream
    monkeypatch.setattr(Recipe, "stream", lambda self, capture, columns, *rest: asked.append(columns) or stream(self, capture, columns, *rest))
    options = {"path": str(samples / "objects.blg"), "object": "Processor", "columns": "time,% User Time"}
    reader = DataSource(options).reader(DataSource(options).schema())
    batches = [batch for task in reader.partitions() for batch in reader.read(task)]
    # Once, and without a reading of everything before it.
    assert asked == [["time", "% User Time"]] and batches[0].schema.names == ["time", "% User Time"]


def test_an_environment_that_is_not_activated_gets_a_sentence(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recount.spark.check_workers(spark)
    other = tmp_path / "python3"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -I "$@"\n')
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    assert subprocess.run([other, "-c", "import recount"], capture_output=True, check=False).returncode != 0
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(other))
    with pytest.raises(RuntimeError, match="which doesn't have recount: activate the environment"):
        recount.spark.register(spark)


def test_an_offset_of_a_stream_is_a_number(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    folder, state = tmp_path / "fleet", tmp_path / "state"
    folder.mkdir()
    options = parse({"path": str(folder), "settleSeconds": "0", "stateLocation": str(state)})

    def rows_between(start: Any, end: Any) -> int:
        reader = StreamReader(options, recipe_of(options, TIDY))
        return sum(batch.num_rows for task in reader.partitions(start, end) for batch in reader.read(task))

    reader = StreamReader(options, recipe_of(options, TIDY))
    nothing = reader.initialOffset()
    assert reader.latestOffset(nothing) == nothing == {"number": 0}
    offsets = [nothing]
    for name in ("objects.blg", "counters-dst.blg"):
        shutil.copy(samples / name, folder)
        offsets.append(reader.latestOffset(offsets[-1]))
    assert offsets[1:] == [{"number": 1}, {"number": 2}] and reader.latestOffset(offsets[-1]) == offsets[-1]
    counts = [frame(spark, samples / name).count() for name in ("objects.blg", "counters-dst.blg")]
    # In another process, and again: the same rows.
    for _ in range(2):
        assert [rows_between(*pair) for pair in zip(offsets, offsets[1:])] == counts
    assert rows_between(nothing, offsets[2]) == sum(counts)
    # What another has added, and what was only begun.
    (state / "00000003.json.partial").write_text("{")
    fresh = StreamReader(options, recipe_of(options, TIDY))
    assert fresh.latestOffset(offsets[-1]) == offsets[-1]
    assert sorted(os.listdir(state)) == ["00000001.json", "00000002.json", "00000003.json.partial"]


def test_a_stream_with_state_has_each_row_once(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "fleet", tmp_path / "out"
    folder.mkdir()
    for name in ("objects.blg", "counters-dst.blg"):
        shutil.copy(samples / name, folder)
        query = (
            spark.readStream.format("recount")
            .option("settleSeconds", "0")
            .option("stateLocation", str(tmp_path / "state"))
            .load(str(folder))
            .writeStream.format("parquet")
            .option("path", str(out))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
    assert rows(spark.read.schema(TIDY).parquet(str(out))) == rows(frame(spark, folder))
