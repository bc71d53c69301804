"""The source: partitions, what reaches the reader, damage, catalogues, and places that aren't this machine."""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import recount
from recount.spark import from_binary
from recount.spark._health import HealthSource
from recount.spark._options import parse
from recount.spark._source import DataSource, PushingReader, Reader
from recount.spark._columns import TIDY

from spark_session import frame, rows, spark

__all__ = ["spark"]


@pytest.fixture
def fleet(samples: Path, tmp_path: Path) -> Path:
    """Five files, of which one isn't a capture and one is damaged."""
    folder = tmp_path / "fleet"
    (folder / "below").mkdir(parents=True)
    for name in ("objects.blg", "damaged.blg", "rcap-1/closed.rcap"):
        shutil.copy(samples / name, folder)
    shutil.copy(samples / "counters-dst.blg", folder / "below")
    (folder / "letter.blg").write_text("Dear reader")
    (folder / "_hidden.blg").write_text("not looked at")
    return folder


def plan(path: Path, **options: str) -> list[list[str]]:
    """The files of each task."""
    reader = Reader(parse({"path": str(path), **options}), TIDY)
    return [[stretch.path for stretch in task.stretches] for task in reader.partitions()]


def test_tasks_are_files_or_several_small_ones(fleet: Path) -> None:
    assert len(plan(fleet)) == 1 and len(plan(fleet)[0]) == 5
    assert sorted(map(len, plan(fleet, packBytes="0"))) == [1] * 5
    assert sorted(sum(plan(fleet / "*.blg"), [])) == sorted(str(path) for path in fleet.glob("[a-z]*.blg"))
    with pytest.raises(FileNotFoundError):
        plan(fleet / "*.none")


def test_damage_fails_no_job(spark: SparkSession, fleet: Path) -> None:
    hosts = {row[0] for row in frame(spark, fleet).select("host").distinct().collect()}
    assert len(hosts) >= 1 and frame(spark, fleet / "letter.blg").count() == 0
    health = spark.read.format("recount-health").load(str(fleet))
    found = {(Path(row.path).name, row.is_readable): row for row in health.collect()}
    letter = found.pop(("letter.blg", False))
    assert (letter.kind, letter.offset, letter.is_complete) == ("unreadable", 0, False)
    damaged = [row for row in health.collect() if row.path.endswith("damaged.blg")]
    command = recount.open(fleet / "damaged.blg").read()
    with pytest.warns(recount.DamageWarning):
        list(command)
    assert command.health is not None
    assert [(row.kind, row.offset, row.what) for row in damaged] == [
        (one.kind, one.offset, one.what) for one in command.health.findings
    ]
    assert not any(row.path.endswith("objects.blg") for row in health.collect())


def test_filters_reach_the_reader(spark: SparkSession, fleet: Path) -> None:
    whole = frame(spark, fleet / "objects.blg").cache()
    lazy = frame(spark, fleet / "objects.blg", pushdown="true")
    time = sorted(row[0] for row in whole.select("time").distinct().collect())[3]
    some = [
        F.col("time") >= time,
        F.col("time") > time,
        F.col("time") < time,
        F.col("time").between(time, time + datetime.timedelta(seconds=20)),
        F.col("time") == time,
        F.col("counter") == "% User Time",
        F.col("counter").isin("% User Time", "% Idle Time") & (F.col("object") == "Processor"),
        F.col("instance") == "_Total",
        (F.col("host") == "PACIFIC") & (F.col("value") > 5),
        F.col("host") == "ATLANTIC",
        F.col("instance").isNull(),
        F.col("counter").startswith("% U"),
        (F.col("counter") == "% User Time") | (F.col("value") > 90),
        ~(F.col("counter") == "% User Time"),
    ]
    for condition in some:
        assert rows(lazy.filter(condition)) == rows(whole.filter(condition)), condition
    # Spark doesn't repeat what the reader does.
    for condition in some[:8]:
        assert "Filter (" not in physical(lazy.filter(condition)), condition
    assert "Filter (" in physical(lazy.filter(some[8])) and "value" in physical(lazy.filter(some[8]))


def test_a_frame_has_all_its_rows_after_a_filter(spark: SparkSession, fleet: Path) -> None:
    found = frame(spark, fleet / "objects.blg")
    assert found.filter("host = 'NONE'").count() == 0 < found.count()


def physical(found: DataFrame) -> str:
    plan: Any = found._jdf
    text: str = plan.queryExecution().executedPlan().toString()
    return text.replace("+- Filter isnotnull", "+- isnotnull")


def test_only_what_is_asked_for_is_decoded(fleet: Path) -> None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual, LessThan, StringContains

    reader = PushingReader(parse({"path": str(fleet / "objects.blg")}), TIDY)
    every = sum(batch.num_rows for task in reader.partitions() for batch in reader.read(task))
    capture = recount.open(fleet / "objects.blg")
    third = capture._capture.times[2]
    begin = datetime.datetime.fromtimestamp(third / 1e9, datetime.timezone.utc)
    end = begin + datetime.timedelta(seconds=1)
    rest = StringContains(("status",), "ok")
    filters: list[Any] = [GreaterThanOrEqual(("time",), begin), LessThan(("time",), end), EqualTo(("counter",), "% User Time")]
    assert list(reader.pushFilters([*filters, rest])) == [rest]
    some = [batch for task in reader.partitions() for batch in reader.read(task)]
    assert {name for batch in some for name in batch.column("counter").to_pylist()} == {"% User Time"}
    assert {time for batch in some for time in batch.column("time_ns").to_pylist()} == {third}
    assert 0 < sum(batch.num_rows for batch in some) < every / 8


def test_columns_that_are_not_wanted_are_not_read(fleet: Path) -> None:
    from pyspark.sql.types import StructType

    schema = StructType([TIDY["value"], TIDY["time"]])
    reader = Reader(parse({"path": str(fleet / "objects.blg")}), schema)
    batch = next(iter(reader.read(reader.partitions()[0])))
    assert batch.schema.names == ["value", "time"] and batch.schema.field("time").type == pa.timestamp("us", "UTC")


def test_a_catalogue_leaves_files_closed(fleet: Path, tmp_path: Path) -> None:
    listed = []
    for path in [fleet / "objects.blg", fleet / "below/counters-dst.blg", fleet / "closed.rcap"]:
        capture = recount.open(path)._capture
        begin, end = capture.times[0] // 1_000, capture.times[-1] // 1_000
        listed.append({"path": str(path), "size": path.stat().st_size, "host": capture.hosts[0], "begin": begin, "end": end})
    table = pa.Table.from_pylist(listed)
    for name in ("begin", "end"):
        table = table.set_column(table.column_names.index(name), name, table[name].cast(pa.timestamp("us", "UTC")))
    pq.write_table(table, tmp_path / "catalogue.parquet")

    def needed(*filters: Any) -> set[str]:
        options = {"path": str(fleet), "catalogue": str(tmp_path / "catalogue.parquet")}
        reader = PushingReader(parse(options), TIDY)
        reader.pushFilters(list(filters))
        return {Path(stretch.path).name for task in reader.partitions() for stretch in task.stretches}

    from pyspark.sql.datasource import EqualTo, GreaterThan, LessThanOrEqual

    unknown = {"damaged.blg", "letter.blg"}
    assert needed() == unknown | {"objects.blg", "counters-dst.blg", "closed.rcap"}
    assert needed(EqualTo(("host",), listed[0]["host"])) >= unknown | {"objects.blg"}
    assert "objects.blg" not in needed(EqualTo(("host",), "ELSEWHERE"))
    last = datetime.datetime(2013, 2, 20, 10, 1, 45, tzinfo=datetime.timezone.utc)
    assert "objects.blg" in needed(LessThanOrEqual(("time",), last))
    assert "objects.blg" not in needed(GreaterThan(("time",), last + datetime.timedelta(days=1)))
    # A file that has grown since isn't judged by its row.
    with (fleet / "objects.blg").open("ab") as file:
        file.write(b"\0")
    assert "objects.blg" in needed(EqualTo(("host",), "ELSEWHERE"))


def moments(path: Path) -> list[datetime.datetime]:
    """The times of a capture's samples, to the microsecond before."""
    epoch = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
    return [epoch + datetime.timedelta(microseconds=time // 1_000) for time in recount.open(path)._capture.times]


def test_options_choose_times_and_machines(spark: SparkSession, fleet: Path) -> None:
    path = fleet / "objects.blg"
    times = moments(path)
    span = {"begin": times[2].isoformat(), "end": times[5].isoformat().replace("+00:00", "Z")}
    for layout in ({}, {"object": "Processor"}):
        whole = frame(spark, path, **layout)
        lazy = frame(spark, path, **layout, **span)
        expected = whole.filter(F.col("time").between(times[2], times[5]))
        assert rows(lazy) == rows(expected) and 0 < lazy.count() < whole.count()
        # Nothing of one query is left for the next, and filters come on top.
        assert lazy.filter(F.col("time") > times[3]).count() < lazy.count() == expected.count()
        assert rows(frame(spark, path, **layout, host="PACIFIC")) == rows(whole)
    some = frame(spark, fleet, host=json.dumps(["PACIFIC", "BERLIN"]))
    assert rows(some) == rows(frame(spark, fleet).filter(F.col("host").isin("PACIFIC", "BERLIN")))
    assert {row[0] for row in some.select("host").distinct().collect()} == {"PACIFIC", "BERLIN"}
    assert frame(spark, path, host="ELSEWHERE").count() == 0
    assert frame(spark, path, begin="2026-11-23T10:00:00+03:00").count() == 0


def test_a_catalogue_leaves_files_closed_for_all_sources(fleet: Path, tmp_path: Path) -> None:
    listed = str(tmp_path / "catalogue.parquet")
    with pytest.warns(recount.DamageWarning):
        times = moments(fleet / "damaged.blg")
    recount.catalogue(fleet, listed)
    # Whoever opens it would find that it is no capture any more.
    closed = fleet / "objects.blg"
    closed.write_bytes(bytes(closed.stat().st_size))
    berlin = moments(fleet / "below/counters-dst.blg")
    for options in ({"host": "BERLIN"}, {"begin": berlin[0].isoformat(), "end": berlin[-1].isoformat()}):
        given = {"path": str(fleet), "catalogue": listed, **options}
        health = HealthSource(given).reader(HealthSource(given).schema())
        found = {Path(row[0]).name for task in health.partitions() for row in health.read(task) if row[3] == "unreadable"}
        assert found == {"letter.blg"}, options
        planned = plan(fleet, catalogue=listed, **options)
        assert str(closed) not in sum(planned, []) and str(fleet / "below/counters-dst.blg") in sum(planned, [])
        of_object = DataSource({**given, "object": "Memory"}).schema().fieldNames()
        assert of_object == DataSource({"path": str(fleet / "below"), "object": "Memory"}).schema().fieldNames()
    assert times and str(fleet / "damaged.blg") in sum(plan(fleet, catalogue=listed, end=times[0].isoformat()), [])


def test_mistakes_are_told(spark: SparkSession, fleet: Path) -> None:
    for options, text in [
        ({"countres": "x"}, "there is no option"),
        ({"splitBytes": "1 MB"}, "splitBytes"),
        ({"object": "Nonsense"}, "no file has the object"),
        ({"object": "Processor", "counters": "x"}, "exclude each other"),
        ({"begin": "2026-11-23T10:00:00"}, "with its zone"),
        ({"end": "+5m"}, "with its zone"),
        ({"begin": "2026-11-23T10:00:00Z", "end": "2026-11-23T09:00:00Z"}, "is after end"),
    ]:
        with pytest.raises(Exception, match=text):
            frame(spark, fleet, **options).count()
    with pytest.raises(Exception, match="must be double"):
        spark.read.format("recount").schema("value STRING").load(str(fleet)).count()
    with pytest.raises(Exception, match="from_binary"):
        frame(spark, "hdfs-of-another-kind://captures/x").count()


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """An S3 server on this machine, with an empty bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    keys = {"key": "test", "secret": "test"}
    client = boto3.client(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
    )
    client.create_bucket(Bucket="captures")
    yield {"storage": json.dumps({**keys, "client_kwargs": {"endpoint_url": address, "region_name": "us-east-1"}}), "address": address}
    server.stop()


def test_captures_are_read_from_s3(spark: SparkSession, fleet: Path, bucket: dict[str, str]) -> None:
    import fsspec

    system = fsspec.filesystem("s3", **json.loads(bucket["storage"]))
    system.put(str(fleet), "captures/fleet", recursive=True)
    local = rows(frame(spark, fleet))
    for path in ("s3://captures/fleet", "s3a://captures/fleet"):
        assert rows(frame(spark, path, storageOptions=bucket["storage"])) == local
    assert rows(frame(spark, "s3://captures/fleet/obj*.blg", storageOptions=bucket["storage"])) == rows(
        frame(spark, fleet / "objects.blg")
    )
    health = spark.read.format("recount-health").option("storageOptions", bucket["storage"]).load("s3://captures/fleet")
    assert {row.path for row in health.filter("not is_readable").collect()} == {"s3://captures/fleet/letter.blg"}


def test_captures_that_spark_has_read(spark: SparkSession, fleet: Path) -> None:
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(str(fleet))
    assert rows(from_binary(files)) == rows(frame(spark, fleet))
