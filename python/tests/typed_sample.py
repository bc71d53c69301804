"""What users write, for type checkers: the types of results are asserted, and mistakes are errors."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
from typing_extensions import assert_type

import recount


def look(path: Path) -> None:
    cap = recount.open(path, zone="+03:00", names="en")
    assert_type(cap.info.begin, datetime | None)
    assert_type(cap.info.hosts, list[str])
    assert_type(cap.health.findings[0].offset, int | None)
    assert_type([found.num_instances for found in cap.objects()], list[int | None])
    assert_type(cap.counters("Memory")[0].unit, str)
    assert_type(cap.marks[0].text, str)


def read(path: str) -> None:
    cap = recount.open(path)
    values = cap.read(counters=[r"\Memory\*"], begin="+5m", end=timedelta(minutes=10), columns=["time", "value"])
    assert_type(values, recount.Batches)
    frame = pl.DataFrame(values)
    assert_type(frame, pl.DataFrame)
    for batch in values:
        assert_type(batch, recount.Batch)
        assert_type(len(batch), int)
    assert_type(recount.scan([path], object="Process").collect_schema(), pl.Schema)
    assert_type(cap.stats(by="5m").rows(), list[recount.StatsRow])
    assert_type(cap.stats().rows()[0]["mean"], float | None)
    assert_type(cap.wide("Memory", every="1m").to_polars(), pl.DataFrame)
    assert_type(recount.open([path, "b.blg"], zone=ZoneInfo("UTC")).info.tz, str | None)
    with recount.open(path, storage_options={"anon": True}) as opened:
        assert_type(opened, recount.Capture)
    assert_type(cap.report("x.html", rules=["disk"]).findings[0].spans[0].begin, datetime)
    assert_type(cap.chart("Processor Time").html, str)
    assert_type(recount.diff(cap, path).changes, list[recount.Change])
    assert_type(recount.diff(cap, base="..+1m", new=("+1m", None)).changes, list[recount.Change])
    assert_type(cap.moved("14:00..14:10", against=(None, "13:00")).sentences, list[str])
    assert_type(len(cap.changes()), int)
    assert_type(cap.baseline("base.parquet", known=["old.parquet"]).hours, float)
    assert_type(recount.convert(cap, "x.parquet", partition_by=["host"]).num_rows, int)
    assert_type(recount.record(duration=60).files, list[str])
    found = recount.catalogue([path], "catalogue.parquet")
    assert_type(found, recount.Catalogue)
    assert_type([entry.begin for entry in found], list[datetime | None])
    assert_type(found.entries()[0].hosts, list[str])


def mistakes(cap: recount.Capture) -> None:
    cap.read(counters=7)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    cap.read(object=b"Process")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    recount.convert(cap, "x", layout="wide")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
