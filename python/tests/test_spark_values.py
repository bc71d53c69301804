"""Values in Spark: those of the command's Parquet, to the bit, however a capture is cut into tasks."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import recount
from recount.spark import TIDY

from conftest import REPOSITORY, run_command, shared
from spark_session import frame, rows, spark

__all__ = ["spark"]

CAPTURES = [
    REPOSITORY / "samples/objects.blg",
    REPOSITORY / "samples/damaged.blg",
    REPOSITORY / "samples/rcap-1/closed.rcap",
    REPOSITORY / "samples/session.pcq",
    REPOSITORY / "samples/typeperf.tsv",
    shared("blg/tx-basic.blg"),
    shared("sa/recorded/rec-all.sa"),
    shared("pcp/good/20180606.meta.xz"),
    shared("atop/load-2.8.1.raw.gz"),
]

TIDY_NAMES = ["time", "interval_s", "host", "object", "instance", "counter", "value", "status"]


@pytest.fixture(params=CAPTURES, ids=lambda path: path.name)
def capture(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = request.param
    if path.suffix != ".gz":
        return path
    unpacked = tmp_path / path.stem
    unpacked.write_bytes(gzip.decompress(path.read_bytes()))
    return unpacked


def without_weight(table: Path) -> pa.Table:
    """A table of the command; Spark's has no weights (docs/spark.md)."""
    return pq.read_table(table).drop_columns("weight_s")


def of_command(capture: Path, folder: Path) -> pa.Table:
    """The command's tidy table."""
    done = run_command("convert", "--quiet", capture, "-o", folder / "tidy.parquet")
    assert done.returncode in (0, 1), done.stderr
    return without_weight(folder / "tidy.parquet")


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
def test_values_are_the_commands(spark: SparkSession, capture: Path, tmp_path: Path) -> None:
    expected = of_command(capture, tmp_path)
    whole = frame(spark, capture)
    assert whole.schema == TIDY
    table = whole.toArrow()
    assert rows(table.select(TIDY_NAMES)) == rows(expected) != []
    exact = sorted(expected["time"].cast(pa.int64()).to_pylist())
    assert sorted(table["time_ns"].to_pylist()) == exact

    cut = frame(spark, capture, splitBytes=capture.stat().st_size // 5)
    assert 1 < cut.rdd.getNumPartitions() <= 6
    assert rows(cut.toArrow()) == rows(table)


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
def test_objects_are_the_commands(spark: SparkSession, capture: Path, tmp_path: Path) -> None:
    done = run_command("convert", "--quiet", capture, "-o", f"{tmp_path / 'tables'}/")
    assert done.returncode in (0, 1), done.stderr
    found = [one.object for one in recount.open(capture).objects()]
    names = [name for name in dict.fromkeys(found) if (tmp_path / "tables" / f"{name}.parquet").exists()]
    for name in names[:2]:
        expected = without_weight(tmp_path / "tables" / f"{name}.parquet")
        table = frame(spark, capture, object=name, splitBytes=capture.stat().st_size // 3).toArrow()
        assert rows(table.select(expected.column_names)) == rows(expected) != [], name


def test_an_object_has_the_columns_of_all_files(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    shutil.copy(samples / "objects.blg", tmp_path / "a.blg")
    one = frame(spark, tmp_path, object="Processor").schema
    text = '"(PDH-CSV 4.0) (UTC)(0)","\\\\ATLANTIC\\Processor(0)\\Spins/sec"\n"11/22/2026 10:00:00.000","1.5"\n'
    (tmp_path / "b.csv").write_text(text)
    both = frame(spark, tmp_path, object="Processor")
    assert both.schema.fields[: len(one.fields)] == one.fields
    assert len(both.schema.fields) > len(one.fields)
    more = both.schema.fieldNames()[-1]
    assert both.filter("host = 'PACIFIC'").select(f"`{more}`").distinct().collect() == [(None,)]
    # A schema that is given is what is read.
    some = both.select("time", "instance", f"`{more}`").schema
    given = spark.read.format("recount").option("object", "Processor").schema(some).load(str(tmp_path))
    assert rows(given) == rows(both.select("time", "instance", f"`{more}`"))


def test_ids_are_unsigned(spark: SparkSession, samples: Path) -> None:
    found = frame(spark, samples / "objects.blg", object="Processor")
    assert found.schema["instance_id"].dataType.simpleString() == "decimal(20,0)"
