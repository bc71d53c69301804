"""The lazy frame: what queries ask for reaches the reader, and values are those of the whole."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import recount
from recount import _recount, _scan

from conftest import shared


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the extension module was asked for, reading by reading."""
    calls: list[tuple[Any, ...]] = []
    inside = _scan.inside

    class Spy:
        def __init__(self, capture: _recount.Capture) -> None:
            self.capture = capture

        def read(self, *arguments: Any) -> Any:
            calls.append(arguments)
            return self.capture.read(*arguments)

    monkeypatch.setattr(_scan, "inside", lambda capture: Spy(inside(capture)))
    return calls


def whole(path: Path, **options: Any) -> pl.DataFrame:
    return pl.DataFrame(recount.open(path).read(**options))


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert_frame_equal(one, other, check_exact=True, categorical_as_str=True)


@pytest.mark.parametrize("name", ["objects.blg", "rcap-1/closed.rcap", "session.pcq", "typeperf.tsv", "circular.blg"])
@pytest.mark.parametrize("begin", range(8))
def test_times_have_the_values_of_the_whole(samples: Path, name: str, begin: int) -> None:
    path = samples / name
    frame = whole(path)
    times = frame["time"].unique().sort()
    first = times[min(begin, len(times) - 1)]
    last = times[min(begin + 2, len(times) - 1)]
    for predicate in [pl.col("time") >= first, pl.col("time") > first, pl.col("time").is_between(first, last)]:
        same(recount.scan(path).filter(predicate).collect(), frame.filter(predicate))


def test_a_long_capture_is_read_in_part(asked: list[tuple[Any, ...]]) -> None:
    path = shared("blg/tx-basic.blg")
    frame = whole(path)
    first = frame["time"].min() + timedelta(minutes=5)  # type: ignore[operator]
    predicate = (pl.col("time") >= first) & (pl.col("time") < first + timedelta(minutes=1))
    same(recount.scan(path).filter(predicate).collect(), frame.filter(predicate))
    begin, end = asked[-1][4]
    assert end - begin == 60 * 10**9 or end - begin == 60 * 10**9 - 1 or 0 <= end - begin <= 60 * 10**9 + 999


def test_counters_reach_the_reader(samples: Path, asked: list[tuple[Any, ...]]) -> None:
    path = samples / "objects.blg"
    frame = whole(path)
    name = "% User Time"
    for predicate, patterns in [
        (pl.col("counter") == name, {r"\*\% User Time"}),
        (pl.col("counter").is_in([name, "% Idle Time"]), {r"\*\% User Time", r"\*\% Idle Time"}),
        (
            (pl.col("counter") == name) | (pl.col("counter") == "% Idle Time"),
            {r"\*\% User Time", r"\*\% Idle Time"},
        ),
        ((pl.col("object") == "Processor") & (pl.col("value") > 5), {r"\Processor\*"}),
        (pl.col("object").cast(pl.String) == "Memory", {r"\Memory\*"}),
        (pl.col("object") == "Nothing (of) that", set()),
        (pl.col("instance") == "_Total", {r"\*(_Total)\*"}),
        (
            (pl.col("host") == "PACIFIC") & pl.col("instance").is_in(["0", "1"]) & (pl.col("object") == "Processor"),
            {r"\\PACIFIC\Processor(0)\*", r"\\PACIFIC\Processor(1)\*"},
        ),
        ((pl.col("host") == "pacific") | (pl.col("host") == "PACIFIC"), {r"\\PACIFIC\*\*", r"\\pacific\*\*"}),
        ((pl.col("instance") == "a#1") & (pl.col("counter") == name), {r"\*\% User Time"}),
        (pl.col("instance").is_null(), set()),
        ((pl.col("counter") == name) | (pl.col("value") > 5), set()),
    ]:
        same(recount.scan(path).filter(predicate).collect(), frame.filter(predicate))
        assert set(asked[-1][0]["counters"]) == patterns, predicate


def test_columns_reach_the_reader(samples: Path, asked: list[tuple[Any, ...]]) -> None:
    path = samples / "objects.blg"
    frame = whole(path, object="Processor")
    lazy = recount.scan(path, object="Processor")
    assert lazy.collect_schema().names() == frame.columns
    same(lazy.select("time", "% User Time").collect(), frame.select("time", "% User Time"))
    assert set(asked[-1][3]) == {"time", "% User Time"}
    high = pl.col("% User Time") > 5
    same(lazy.filter(high).select("instance").collect(), frame.filter(high).select("instance"))
    assert lazy.select(pl.len()).collect().item() == frame.height
    same(lazy.head(3).collect(), frame.head(3))


def test_several_files_are_one_time_line(samples: Path, tmp_path: Path) -> None:
    for name in ("objects.blg", "counters-dst.blg"):
        shutil.copy(samples / name, tmp_path)
    both = recount.scan(str(tmp_path / "*.blg")).collect()
    parts = [whole(tmp_path / name).height for name in ("objects.blg", "counters-dst.blg")]
    assert both.height == sum(parts)
    assert both["time"].is_sorted()


def test_what_isnt_understood_is_left_to_polars(samples: Path) -> None:
    path = samples / "objects.blg"
    frame = whole(path)
    for predicate in [
        pl.col("counter").cast(pl.String).str.contains("User"),
        ~(pl.col("counter") == "% User Time"),
        pl.col("time").dt.second() == 0,
        pl.col("value").is_null() | (pl.col("status") == "ok"),
    ]:
        same(recount.scan(path).filter(predicate).collect(), frame.filter(predicate))


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
@pytest.mark.parametrize(
    "name",
    ["objects.blg", "counters-dst.blg", "rcap-1/closed.rcap", "session.pcq", "typeperf.tsv", "relog-german.csv", "big-endian.bin",
     "sysstat.sa", "atop.raw", "pcp/web1.meta", "circular.blg", "damaged.blg"],
)  # fmt: skip
def test_names_that_reach_the_reader_lose_no_row(samples: Path, name: str) -> None:
    lazy = recount.scan(samples / name)
    frame = whole(samples / name).with_columns(pl.col("host", "object", "instance", "counter").cast(pl.String))
    keys = ["time", "host", "object", "instance", "counter", "value"]
    for column in ("host", "instance", "object", "counter"):
        for text in frame[column].drop_nulls().unique().sort().to_list()[:25]:
            found = lazy.filter(pl.col(column) == text).collect().with_columns(pl.col(pl.Categorical).cast(pl.String))
            expected = frame.filter(pl.col(column) == text)
            assert_frame_equal(found.select(keys).sort(keys), expected.select(keys).sort(keys), check_exact=True)
