"""Values through every library, compared with the command's Parquet."""

from __future__ import annotations

import gzip
import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recount

from conftest import REPOSITORY, run_command, shared

CAPTURES = [
    REPOSITORY / "samples/objects.blg",
    REPOSITORY / "samples/counters-dst.blg",
    REPOSITORY / "samples/damaged.blg",
    REPOSITORY / "samples/rcap-1/closed.rcap",
    REPOSITORY / "samples/session.pcq",
    REPOSITORY / "samples/typeperf.tsv",
    REPOSITORY / "samples/relog-german.csv",
    REPOSITORY / "samples/big-endian.bin",
    shared("blg/tx-basic.blg"),
    shared("sa/recorded/rec-all.sa"),
    shared("pcp/good/20180606.meta.xz"),
    shared("atop/load-2.8.1.raw.gz"),
]

Rows = list[tuple[Any, ...]]


def bits(rows: Rows) -> Rows:
    """Rows in which not-a-number equals itself, and times are nanoseconds."""

    def plain(value: Any) -> Any:
        return "NaN" if isinstance(value, float) and math.isnan(value) else value

    return [tuple(map(plain, row)) for row in rows]


def of_arrow(table: pa.Table) -> Rows:
    columns = []
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.int64())
        columns.append(column.to_pylist())
    return bits(list(zip(*columns)))


def of_polars(frame: pl.DataFrame) -> Rows:
    plain = frame.with_columns(
        pl.col(pl.Categorical).cast(pl.String), pl.col(pl.Datetime).to_physical()
    )
    return bits(plain.rows())


def of_pandas(frame: pd.DataFrame) -> Rows:
    return of_arrow(pa.Table.from_pandas(frame, preserve_index=False))


@pytest.fixture(params=CAPTURES, ids=lambda path: path.name)
def capture(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = request.param
    if path.suffix != ".gz":
        return path
    unpacked = tmp_path / path.stem
    unpacked.write_bytes(gzip.decompress(path.read_bytes()))
    return unpacked


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
def test_every_library_has_the_commands_values(capture: Path, tmp_path: Path) -> None:
    done = run_command("convert", "--quiet", capture, "-o", tmp_path / "tidy.parquet")
    assert done.returncode in (0, 1), done.stderr
    expected = of_arrow(pq.read_table(tmp_path / "tidy.parquet"))
    assert expected

    cap = recount.open(capture)
    values = cap.read()
    assert of_polars(pl.DataFrame(values)) == expected
    assert of_arrow(pa.table(values)) == expected
    assert of_pandas(pd.DataFrame.from_arrow(values)) == expected
    asked = duckdb.sql("SELECT * REPLACE (epoch_ns(time) AS time) FROM \"values\"").fetchall()
    assert bits(asked) == expected
    batches = [pa.record_batch(batch) for batch in values]
    assert of_arrow(pa.Table.from_batches([unified(batch) for batch in batches])) == expected


def unified(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Every batch has dictionaries of its own."""
    plain = [c.cast(pa.string()) if pa.types.is_dictionary(c.type) else c for c in batch.columns]
    return pa.RecordBatch.from_arrays(plain, names=batch.schema.names)


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
def test_every_object_has_the_commands_table(capture: Path, tmp_path: Path) -> None:
    done = run_command("convert", "--quiet", capture, "-o", f"{tmp_path / 'tables'}/")
    assert done.returncode in (0, 1), done.stderr
    cap = recount.open(capture)
    named = {found.object for found in cap.objects()}
    for name in sorted(named):
        file = tmp_path / "tables" / f"{name}.parquet"
        if not file.exists():  # percent-encoded, or without rows
            continue
        expected = pq.read_table(file)
        table = pa.table(cap.read(object=name))
        # The library's table has columns of instances in any case.
        assert of_arrow(table.select(expected.column_names)) == of_arrow(expected), name


def test_types_are_those_of_the_tables(samples: Path) -> None:
    schema = pa.table(recount.open(samples / "objects.blg").read()).schema
    text = pa.dictionary(pa.int32(), pa.string())
    assert dict(zip(schema.names, schema.types)) == {
        "time": pa.timestamp("ns", "UTC"),
        "interval_s": pa.float64(),
        "weight_s": pa.float64(),
        "host": text,
        "object": text,
        "instance": text,
        "counter": text,
        "value": pa.float64(),
        "status": text,
    }
    raw = pa.table(recount.open(samples / "objects.blg").read(raw=True)).schema
    assert raw.names[-2:] == ["first", "second"] and raw.types[-1] == pa.uint64()


def test_samples_are_selected_as_by_the_command(samples: Path, tmp_path: Path) -> None:
    path = samples / "objects.blg"
    run_command("convert", "--quiet", path, "--begin", "+20s", "--end", "+50s", "-o", tmp_path / "part.parquet")
    expected = of_arrow(pq.read_table(tmp_path / "part.parquet"))
    cap = recount.open(path)
    begin = cap.info.begin
    assert begin is not None and isinstance(begin, datetime)
    for first, last in [
        ("+20s", "+50s"),
        (timedelta(seconds=20), timedelta(seconds=50)),
        (begin + timedelta(seconds=20), begin + timedelta(seconds=50)),
    ]:
        assert of_arrow(pa.table(cap.read(begin=first, end=last))) == expected, first
    assert cap.read(end=cap.info.end) and len(pa.table(cap.read(end=cap.info.end))) == len(pa.table(cap.read()))


def test_columns_are_kept_in_the_order_asked_for(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    whole = pa.table(cap.read(object="Processor"))
    some = ["% User Time", "instance", "time"]
    assert of_arrow(pa.table(cap.read(object="Processor", columns=some))) == of_arrow(whole.select(some))
    assert pa.table(cap.read(columns=["value", "time"])).column_names == ["value", "time"]


def test_a_scan_takes_patterns_from_an_iterator(samples: Path) -> None:
    frame = recount.scan(samples / "objects.blg", counters=iter([r"\Processor(*)\% User Time"]))
    assert [frame.collect().height for _ in range(2)] == [24, 24]


def test_a_reading_can_be_repeated_and_left(samples: Path) -> None:
    values = recount.open(samples / "objects.blg").read()
    next(iter(values))
    num_rows = sum(map(len, values))
    assert num_rows == len(pl.DataFrame(values)) == len(pa.table(values)) > 0
    # DuckDB asks objects of Arrow by name.
    assert duckdb.sql("SELECT count(*) FROM \"values\"").fetchall() == [(num_rows,)]
