"""Ingesting: only what is new, each row once, whatever happened before."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import recount
from recount.spark import _ingest, _journal, _tables, ingest

from spark_session import rows, spark

__all__ = ["spark"]

RECORD = "import recount, sys; recount.record(sys.argv[1], interval=0.1, profile='minimal')"
NAMES = ["time", "time_ns", "interval_s", "host", "object", "instance", "counter", "value", "status"]


@pytest.fixture
def fleet(samples: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "fleet"
    folder.mkdir()
    for name in ("objects.blg", "counters-dst.blg", "circular.blg", "rcap-1/closed.rcap"):
        shutil.copy(samples / name, folder)
    (folder / "letter.blg").write_text("Dear reader")
    return folder


def hive(target: Path) -> pa.Table:
    """A table of plain Parquet, as any reader of Hive's folders sees it."""
    parts = ds.partitioning(pa.schema([("host", pa.string()), ("date", pa.date32())]), flavor="hive")
    files = [str(path) for path in target.rglob("*.parquet") if "_recount" not in path.parts]
    if not files:
        return pa.table({name: pa.array([], pa.string()) for name in NAMES})
    found: pa.Table = ds.dataset(files, partitioning=parts, partition_base_dir=str(target)).to_table()
    return found


def delta(target: Path) -> pa.Table:
    table = pa.table(DeltaTable(str(target)).to_pyarrow_table())
    return table


def once(table: pa.Table) -> list[tuple[Any, ...]]:
    """Rows of a table."""
    return rows(table.select(NAMES))


def values(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    """What has to come of it: all captures, each once."""
    return rows(spark.read.format("recount").load(str(path)).select(NAMES))


READ = {"parquet": hive, "delta": delta}
FORMATS = pytest.mark.parametrize("format", ["parquet", "delta"])


@FORMATS
def test_twice_is_once(spark: SparkSession, fleet: Path, tmp_path: Path, format: Any) -> None:
    target = tmp_path / "table"
    first = ingest(spark, fleet, target, format=format, settle_seconds=0)
    expected = values(spark, fleet)
    assert once(READ[format](target)) == expected
    assert (first.num_rows, first.num_captures, first.num_held) == (len(expected), 4, 0)
    assert [Path(path).name for path in first.unreadable] == ["letter.blg"]
    # A copy under another name is the same capture.
    shutil.copy(fleet / "objects.blg", fleet / "again.blg")
    second = ingest(spark, fleet, target, format=format, settle_seconds=0)
    assert (second.num_rows, second.num_files) == (0, 0)
    assert once(READ[format](target)) == expected
    days = {path.name for path in target.glob("host=*/date=*")}
    assert "date=2013-02-20" in days
    with pytest.raises(ValueError, match="choose another folder"):
        ingest(spark, fleet, target, format="delta" if format == "parquet" else "parquet")


@FORMATS
def test_what_grows_is_added(spark: SparkSession, tmp_path: Path, format: Any) -> None:
    folder, target = tmp_path / "fleet", tmp_path / "table"
    folder.mkdir()
    log = folder / "now.rcap"
    with subprocess.Popen(
        [sys.executable, "-c", RECORD, str(log)], stderr=subprocess.PIPE
    ) as recorder:
        counts = []
        for _ in range(2):
            time.sleep(2)
            done = ingest(spark, folder, target, format=format, counters=r"\Processor(*)\*")
            assert done.num_held == 1
            counts.append(done.num_rows)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=30)
    counts.append(ingest(spark, folder, target, format=format, counters=r"\Processor(*)\*", settle_seconds=0).num_rows)
    assert all(count > 0 for count in counts), counts
    whole = spark.read.format("recount").option("counters", r"\Processor(*)\*").load(str(folder)).select(NAMES)
    assert once(READ[format](target)) == rows(whole)


def test_small_files_are_joined(spark: SparkSession, fleet: Path, tmp_path: Path) -> None:
    target = tmp_path / "table"
    for name in ("objects.blg", "circular.blg"):
        ingest(spark, fleet / name, target, settle_seconds=0, small_bytes=0, partition_by=[])
    assert len(list(target.glob("*.parquet"))) == 2
    before = once(hive(target))
    ingest(spark, fleet / "circular.blg", target, settle_seconds=0, partition_by=[])
    assert len(list(target.glob("*.parquet"))) == 1
    assert once(hive(target)) == before


class Stopped(BaseException):
    """Nothing after this point is done, as if the process had been killed there."""


def stop(patched: pytest.MonkeyPatch, owner: Any, name: str, is_behind: bool) -> None:
    """Stops at a function, before or behind it."""
    whole = getattr(owner, name)

    def step(*arguments: Any, **named: Any) -> None:
        if is_behind:
            whole(*arguments, **named)
        raise Stopped

    patched.setattr(owner, name, step)


def half(system: Any, root: str, files: list[Any]) -> None:
    """Moves the first of several files, and stops."""
    assert len(files) > 1
    MOVE(system, root, files[:1])
    raise Stopped


MOVE = _tables.move
PLACES = ["before the entry", "behind the entry", "within the change", "behind the change", "before joining"]


@FORMATS
def test_stopped_anywhere_and_repeated(
    spark: SparkSession, fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: Any
) -> None:
    expected = values(spark, fleet)
    for number, place in enumerate(PLACES):
        target = tmp_path / f"table-{number}"
        with monkeypatch.context() as patched:
            if place == "before the entry":
                stop(patched, _journal.Journal, "commit", is_behind=False)
            elif place == "behind the entry":
                stop(patched, _journal.Journal, "carry_out", is_behind=False)
            elif place == "within the change":
                patched.setattr(_tables, "move", half)
            elif place == "behind the change":
                stop(patched, _tables.HiveTable, "apply", is_behind=True)
                stop(patched, _tables.DeltaTable, "apply", is_behind=True)
            else:
                stop(patched, _ingest, "compact", is_behind=False)
                stop(patched, _tables.DeltaTable, "compact", is_behind=False)
            with pytest.raises(Stopped):
                ingest(spark, fleet, target, format=format, settle_seconds=0)
        if format == "parquet":
            assert set(once(hive(target))) <= set(expected), place
        for _ in range(2):
            ingest(spark, fleet, target, format=format, settle_seconds=0)
            assert once(READ[format](target)) == expected, place
        assert not (target / "_recount" / "staging").exists()


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from recount.spark import ingest
from spark_session import start
ingest(start(), {source!r}, {target!r}, settle_seconds=0)
"""


def test_killed_while_files_are_written(spark: SparkSession, fleet: Path, tmp_path: Path) -> None:
    target = tmp_path / "table"
    code = KILLED.format(tests=str(Path(__file__).parent), source=str(fleet), target=str(target))
    with (tmp_path / "log").open("w+") as log, subprocess.Popen(
        [sys.executable, "-c", code], stdout=log, stderr=log
    ) as process:
        while not list(target.glob("_recount/staging/*/*.parquet")):
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    ingest(spark, fleet, target, settle_seconds=0)
    assert once(hive(target)) == values(spark, fleet)


def test_joining_is_killed_and_repeated(
    spark: SparkSession, fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "table"
    for name in ("objects.blg", "circular.blg"):
        ingest(spark, fleet / name, target, settle_seconds=0, small_bytes=0, partition_by=[])
    before = once(hive(target))
    with monkeypatch.context() as patched:

        def fails(*_: Any) -> None:
            raise KeyboardInterrupt

        # The small files are gone, the joined ones not there yet.
        patched.setattr(_tables, "move", fails)
        with pytest.raises(KeyboardInterrupt):
            ingest(spark, fleet / "circular.blg", target, settle_seconds=0, partition_by=[])
    assert len(once(hive(target))) < len(before)
    ingest(spark, fleet / "circular.blg", target, settle_seconds=0, partition_by=[])
    assert once(hive(target)) == before


def test_names_of_machines_may_have_any_character(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir()
    host = "web 2/=1"
    text = f'"(PDH-CSV 4.0) (UTC)(0)","\\\\{host}\\Thing(a)\\Value"\n"11/22/2026 10:00:00.000","1.5"\n'
    (folder / "one.csv").write_text(text, encoding="utf-8")
    found = {row[0] for row in spark.read.format("recount").load(str(folder)).select("host").collect()}
    for format in ("parquet", "delta"):
        target = tmp_path / format
        ingest(spark, folder, target, format=format, settle_seconds=0)  # type: ignore[arg-type]
        table = READ[format](target)
        assert set(pc.unique(table["host"]).to_pylist()) == found
    assert rows(spark.read.parquet(str(tmp_path / "parquet")).select("host", "value")) == [(found.pop(), (1.5).hex())]


def test_another_one_at_the_same_time_is_refused(spark: SparkSession, fleet: Path, tmp_path: Path) -> None:
    target = tmp_path / "table"
    ingest(spark, fleet / "objects.blg", target, settle_seconds=0)
    store = recount._store.Store()  # type: ignore[attr-defined]
    journal = _journal.Journal(store, str(target))
    table = _tables.HiveTable(journal.system, journal.root)
    journal.recover(table)
    ingest(spark, fleet / "circular.blg", target, settle_seconds=0)
    with pytest.raises(RuntimeError, match="one at a time"):
        journal.commit(_journal.Entry(seen={"x": "y"}), table)
    assert os.listdir(target / "_recount" / "journal")


def test_a_table_by_object(spark: SparkSession, fleet: Path, tmp_path: Path) -> None:
    target = tmp_path / "table"
    ingest(spark, fleet, target, settle_seconds=0)
    schema = "capture_id string, time timestamp, time_ns bigint, interval_s double, host string, date date, object string, instance string, counter string, value double, status string"
    table = spark.read.schema(schema).parquet(str(target))
    for name in ("Process", "Processor"):
        found = recount.spark.object_table(table, name)
        read = spark.read.format("recount").option("object", name).load(str(fleet))
        columns = [column for column in read.columns if column not in ("instance_id", "object")]
        assert set(columns) <= set(found.columns)
        quoted = [f"`{column}`" for column in columns]
        assert rows(found.select(quoted)) == rows(read.select(quoted))
    named = recount.spark.object_table(table, "Process", ["Elapsed Time"])
    assert named.columns[-1] == "Elapsed Time" and named.count() > 0
