"""Values as frames and tables of notebooks, means over time, progress, typed rows, and captures made of frames."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import recount
import recount.testing


def test_results_become_frames(samples: Path, tmp_path: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    results: list[Any] = [cap.read(), cap.stats(), cap.wide(every="1m"), recount.catalogue(samples / "objects.blg", tmp_path / "c.parquet")]
    for result in results:
        height = len(pa.table(result))
        polars, pandas, arrow = result.to_polars(), result.to_pandas(), result.to_arrow()
        assert isinstance(polars, pl.DataFrame) and isinstance(pandas, pd.DataFrame) and isinstance(arrow, pa.Table)
        assert len(polars) == len(pandas) == len(arrow) == height > 0
        assert polars.columns == list(pandas.columns) == arrow.column_names


def test_a_missing_library_is_named(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    values = recount.open(samples / "objects.blg").read()
    for name in ("polars", "pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    for method, name in ((values.to_polars, "polars"), (values.to_pandas, "pandas"), (values.to_arrow, "pyarrow")):
        with pytest.raises(ImportError, match=f"needs {name}: pip install {name}"):
            method()


def test_notebooks_show_the_first_values(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    shown = cap.read(object="Processor")._repr_html_()
    assert shown.count("<tr>") == 11 and "2013-02-20 10:00:00.000" in shown and "_Total" in shown
    assert "the first 10 rows" in shown
    with pytest.warns(recount.SelectionWarning):
        assert cap.read(begin="2030-01-01T00:00:00Z")._repr_html_() == "<p>no values</p>"


def test_means_over_time_are_weighted() -> None:
    begin = datetime(2026, 1, 1, 10, tzinfo=timezone.utc)
    seconds = [0, 10, 20, 44, 60, 90, 200]
    values = [1.0, 2.0, 3.0, 4.0, 5.0, None, 7.0]
    frame = {"time": [begin + timedelta(seconds=second) for second in seconds], r"\Memory\Pages": values, r"\Memory\Faults": [None] * 6 + [1.0]}
    cap = recount.testing.capture(frame)
    wide = cap.wide(every="1m").to_polars()
    assert wide.columns == ["time", r"\Memory\Pages", r"\Memory\Faults"]
    assert wide["time"].to_list() == [begin, begin + timedelta(minutes=1), begin + timedelta(minutes=3)]
    # The first one has no interval, and counts as long as one is as a rule: the median.
    first = (1.0 * 24 + 2.0 * 10 + 3.0 * 10 + 4.0 * 24) / 68
    assert wide[r"\Memory\Pages"].to_list() == [pytest.approx(first, rel=1e-15), 5.0, 7.0]
    assert wide[r"\Memory\Faults"].to_list() == [None, None, 1.0]
    # The same as the means of the statistics, however long the periods are.
    for every in ("30s", timedelta(minutes=2), 3600):
        means = {(row["counter"], row["bucket"]): row["mean"] for row in cap.stats(by=every) if row["count"]}
        assert sum(len(column.drop_nulls()) for column in cap.wide(every=every).to_polars()[:, 1:]) == len(means)
    with pytest.raises(ValueError, match="longer than zero"):
        cap.wide(every=0)


def test_means_of_several_machines_have_their_names(samples: Path) -> None:
    frame = [
        {"time": "2026-01-01 10:00", "host": host, "object": "Processor", "instance": "_Total", "counter": "% User Time", "value": value}
        for host, value in (("A", 1), ("B", 2))
    ]
    wide = recount.testing.capture(frame).wide(every="1h").rows()
    assert wide == [{"time": "2026-01-01T10:00:00Z", r"\\A\Processor(_Total)\% User Time": 1.0, r"\\B\Processor(_Total)\% User Time": 2.0}]


def test_work_says_how_far_it_is(samples: Path, tmp_path: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    steps: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        steps.append((done, total))

    for answer in (
        lambda: cap.stats(progress=progress),
        lambda: cap.wide(every="1m", progress=progress),
        lambda: cap.report(rules=[], progress=progress),
        lambda: cap.chart("% User Time", progress=progress),
        lambda: cap.convert(tmp_path / "values.parquet", progress=progress),
    ):
        steps.clear()
        answer()
        assert steps[-1] == (8, 8) and all(0 <= done <= total == 8 for done, total in steps)
    steps.clear()
    recount.diff(cap, cap, progress=progress)
    assert steps[-1] == (16, 16)

    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cap.stats(progress=stop)


def test_rows_have_types(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    row: recount.StatsRow = cap.stats(by="1m").rows()[0]
    assert set(row) >= recount.StatsRow.__required_keys__
    known = recount.StatsRow.__required_keys__ | recount.StatsRow.__optional_keys__
    assert all(name in known or name.startswith("nulls_") for name in row)
    change: recount.Change = recount.diff(cap, cap).changes[0]
    assert set(change) == recount.Change.__required_keys__


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".parquet", None])
def test_a_frame_becomes_a_capture(tmp_path: Path, kind: str | None) -> None:
    times = [datetime(2026, 1, 1, 10, minute) for minute in range(4)]
    # At the edges of what text and numbers can hold: -1 is how some texts say that a value is missing.
    values = [-1.0, 0.1 + 0.2, None, 1e300]
    frames: list[Any] = [
        {"time": times, r'\Process(a "b", c#1)\Values': values},
        pl.DataFrame({"time": times, "object": "Process", "instance": 'a "b", c#1', "counter": "Values", "value": values}),
        pd.DataFrame({"time": times, "object": "Process", "instance": 'a "b", c#1', "counter": "Values", "value": values}),
        pa.table({"time": times, "object": ["Process"] * 4, "instance": ['a "b", c#1'] * 4, "counter": ["Values"] * 4, "value": values}),
    ]
    for number, frame in enumerate(frames):
        path = None if kind is None else tmp_path / f"log{number}{kind}"
        cap = recount.testing.capture(frame, path, host="BOX")
        assert cap.read().to_polars()["value"].to_list() == values and cap.info.hosts == ["BOX"]
        assert cap.read().to_polars()["instance"].unique().to_list() == ['a "b", c#1']
        assert [time.replace(tzinfo=None) for time in cap.read().to_polars()["time"]] == times


def test_frames_that_are_no_captures_are_refused() -> None:
    for frame, text in (
        ({"time": []}, "no rows"),
        ({"when": [1]}, "no column 'time'"),
        ({"time": ["2026-01-01"], "Memory": [1]}, "is no path of a counter"),
        ({"time": ["2026-01-01"] * 2, r"\Memory\Pages": [1, 2]}, "two values at"),
        ({"time": ["2026-01-01 00:00:00.0001"], r"\Memory\Pages": [1]}, "whole milliseconds"),
        ({"time": ["2026-01-01"], r"\Memory\Pages": [float("inf")]}, "infinite"),
        ({"time": ["2026-01-01", "2026-01-02"], r"\Memory\Pages": [1]}, "different lengths"),
    ):
        with pytest.raises(ValueError, match=text):
            recount.testing.capture(frame)


def test_a_process_with_the_id_of_another_has_a_column_of_its_own(samples: Path) -> None:
    cap = recount.open(samples / "atop.raw")
    wide = cap.wide(r"\Process(*)\CPU", every="10s").to_polars()
    means = cap.stats(r"\Process(*)\CPU", by="10s").to_polars().filter(pl.col("mean").is_not_null())
    assert sum(len(column.drop_nulls()) for column in wide[:, 1:]) == len(means)
