"""Several captures as one."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import subprocess
import sys
import warnings
from datetime import timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import recount
import recount.testing


def day(folder: Path, number: int, **options: str) -> Path:
    """A small capture of a day."""
    times = [f"2026-01-0{number} {hour:02}:00" for hour in range(24)]
    path = folder / f"day{number}.csv"
    recount.testing.capture({"time": times, r"\Memory\Pages": [number * 100 + hour for hour in range(24)]}, path, **options)
    return path


def test_several_captures_are_one(tmp_path: Path) -> None:
    paths = [day(tmp_path, number) for number in (1, 2, 3)]
    parts = pl.concat([recount.open(path).read().to_polars().with_columns(pl.col(pl.Categorical).cast(pl.String)) for path in paths])
    for source in (paths, tuple(map(str, paths)), tmp_path, str(tmp_path / "day*.csv")):
        cap = recount.open(source)
        values = cap.read().to_polars().with_columns(pl.col(pl.Categorical).cast(pl.String))
        assert values["value"].to_list() == parts["value"].to_list()
        info = cap.info
        assert (info.num_samples, len(info.files), info.interval_s, info.hosts) == (72, 3, 3600.0, ["TEST"])
        assert (info.begin, info.end) == (recount.open(paths[0]).info.begin, recount.open(paths[2]).info.end)
        assert [one.num_samples for one in cap.infos] == [24] * 3 and cap.id is None
        assert [(found.object, found.num_counters) for found in cap.objects()] == [("Memory", 1)]
        assert [found.path for found in cap.counters()] == [r"\\TEST\Memory\Pages"]
        assert cap.stats().rows()[0]["count"] == 72
        assert cap.chart("Pages").to_svg().startswith("<svg ") and cap.report(rules=[]).title
        assert cap.convert(tmp_path.parent / f"{tmp_path.name}.parquet", force=True).num_samples == 72
        assert cap.unreadable == {} and "day1.csv" in repr(cap) and "<table>" in cap._repr_html_()


def test_samples_that_two_files_have_count_once(tmp_path: Path) -> None:
    path = day(tmp_path, 1)
    shutil.copy(path, tmp_path / "copy.csv")
    cap = recount.open(tmp_path)
    assert cap.info.num_samples == 24 and len(cap.read().to_polars()) == 24


def test_any_parts_of_a_recording_are_read_as_the_whole(tmp_path: Path) -> None:
    """Cut anywhere, copied, packed and converted, in any order."""
    chance = random.Random(49)
    everything = list(range(24))

    def part(hours: list[int], name: str) -> Path:
        times = [f"2026-01-01 {hour:02}:00" for hour in hours]
        columns = {"time": times, r"\Memory\Pages": [hour * hour for hour in hours], r"\Process(a)\Threads": [hour % 3 for hour in hours]}
        recount.testing.capture(columns, tmp_path / name)
        return tmp_path / name

    def rows(source: Path | list[Path]) -> list[tuple[object, ...]]:
        scanned = recount.scan(source, object="Memory").sort("time").collect()
        read = recount.open(source).read().to_polars().with_columns(pl.col(pl.Categorical).cast(pl.String))
        assert scanned["time"].to_list() == sorted(set(read["time"].to_list()))
        return sorted(read.rows(), key=repr)

    expected = rows(part(everything, "whole.csv"))
    for turn in range(6):
        ends = sorted({0, 23, *chance.sample(everything, 3)})
        cuts = [everything[begin : end + 1] for begin, end in zip(ends, ends[1:])]
        cuts += [cuts[0], chance.sample(everything, 9)]
        files = [part(sorted(cut), f"{turn}-{number}.csv") for number, cut in enumerate(cuts)]
        table = tmp_path / f"{turn}.parquet"
        recount.open(files[0]).convert(table)
        files.append(table)
        chance.shuffle(files)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", recount.OverlapWarning)
            assert rows(files) == expected, turn
            assert recount.open(files).info.num_samples == 24


def test_what_cannot_be_read_is_listed(tmp_path: Path) -> None:
    good, letter = day(tmp_path, 1), tmp_path / "letter.csv"
    letter.write_text("Dear reader")
    with pytest.warns(recount.DamageWarning, match="left out: ") as caught:
        cap = recount.open([good, letter, tmp_path / "gone.csv"])
    assert len(caught) == 2 and all(one.filename == __file__ for one in caught)
    assert set(cap.unreadable) == {str(letter), str(tmp_path / "gone.csv")} and cap.info.num_samples == 24
    assert recount.open(tmp_path).health.total > 0
    with pytest.raises(FileNotFoundError):
        recount.open(tmp_path / "gone.csv")
    with pytest.raises((recount.FormatError, FileNotFoundError)):
        recount.open([letter, tmp_path / "gone.csv"])
    with pytest.raises(ValueError, match="empty"):
        recount.open([])


@pytest.mark.parametrize("object", [None, "Memory"])
def test_rows_say_where_they_are_from(tmp_path: Path, object: str | None) -> None:
    paths = [day(tmp_path, number) for number in (1, 2)]
    # Another machine, at the same times as the second.
    other = tmp_path / "other.csv"
    times = [f"2026-01-02 {hour:02}:00" for hour in range(24)]
    recount.testing.capture({"time": times, r"\Memory\Pages": [0.5] * 24}, other, host="OTHER")
    frame = recount.scan([*paths, other], object=object, origin=True).collect()
    assert frame.columns[-2:] == ["path", "capture_id"] and frame["path"].null_count() == 0
    ids = {str(path): recount.open(path).id for path in [*paths, other]}
    for path, found in ids.items():
        rows = frame.filter(pl.col("path") == path)
        assert rows.height == 24 and rows["capture_id"].unique().to_list() == [found]
        whole = recount.open(path).read(object=object).to_polars()
        column = "value" if object is None else "Pages"
        assert sorted(rows[column].to_list()) == sorted(whole[column].to_list())
    some = recount.scan([*paths, other], object=object, origin=True).select("path").collect()
    assert some["path"].value_counts()["count"].to_list() == [24] * 3
    values = recount.open([*paths, other]).read(object=object, origin=True, columns=["path"])
    assert len(values.to_polars()) == 72


def test_a_capture_is_closed_and_pickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [day(tmp_path, number) for number in (1, 2)]
    monkeypatch.chdir(tmp_path)
    with recount.open(["day1.csv", "day2.csv"], zone="Europe/Moscow") as cap:
        content = pickle.dumps(cap)
        assert cap.info.num_samples == 48
    assert "closed" in repr(cap)
    for use in (lambda: cap.info, lambda: cap.read(), lambda: cap.health):
        with pytest.raises(ValueError, match="the capture is closed"):
            use()
    monkeypatch.chdir("/")
    assert pickle.loads(content).info.files == list(map(str, paths))
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).info.num_samples)"
    done = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True, check=True)
    assert done.stdout.strip() == b"48"
    with pytest.raises(TypeError, match="opened by path"):
        pickle.dumps(recount.open(paths[0].read_bytes()))


def test_captures_come_from_urls(tmp_path: Path) -> None:
    import fsspec

    paths = [day(tmp_path, number) for number in (1, 2)]
    memory = fsspec.filesystem("memory")
    for path in paths:
        memory.pipe(f"/week/{path.name}", path.read_bytes())
    url = "memory://week/day1.csv"
    one = recount.open(url, storage_options={"skip_instance_cache": True})
    assert one.info.files == ["memory:///week/day1.csv"] and one.info.num_samples == 24
    assert recount.open("memory://week").info.num_samples == 48
    assert pickle.loads(pickle.dumps(one)).info.num_samples == 24
    frame = recount.scan([url, paths[1]], origin=True).collect()
    assert set(frame["path"].to_list()) == {"memory:///week/day1.csv", str(paths[1])}
    with pytest.raises(FileNotFoundError):
        recount.open("memory://week/none.csv")
    folder = next(iter(one._renamed)).rsplit(os.sep, 2)[0]
    assert os.path.isdir(folder)
    del one
    assert not os.path.exists(folder)


def test_zones_have_names(samples: Path, tmp_path: Path) -> None:
    expected = {
        "objects.blg": "America/Los_Angeles",
        "circular.blg": "UTC",
        "counters-dst.blg": "Europe/Berlin",
        "rcap-1/closed.rcap": "Europe/Berlin",
        "pcp/web1.meta": "EET",
        "typeperf.tsv": None,
        "atop.raw": None,
    }
    assert {name: recount.open(samples / name).info.tz for name in expected} == expected
    path = samples / "typeperf.tsv"
    for zone, name in ((ZoneInfo("Asia/Kolkata"), "Asia/Kolkata"), ("Asia/Kolkata", "Asia/Kolkata")):
        assert recount.open(path, zone=zone).info.tz == name
    fixed = recount.open(path, zone=timezone(timedelta(hours=-3, minutes=-30))).info
    assert fixed.begin == recount.open(path, zone="-03:30").info.begin


def test_times_are_read_in_a_zone(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    utc = cap.read().to_polars()
    for tz, name in (("local", "America/Los_Angeles"), ("Asia/Tokyo", "Asia/Tokyo"), (ZoneInfo("Europe/Berlin"), "Europe/Berlin")):
        for frame in (cap.read(tz=tz).to_polars(), pl.concat([pl.DataFrame(batch) for batch in cap.read(tz=tz)])):
            assert frame.schema["time"] == pl.Datetime("ns", name)
            assert_frame_equal(frame.with_columns(pl.col("time").dt.convert_time_zone("UTC")), utc, categorical_as_str=True)
    assert str(cap.read(tz="local").to_pandas()["time"].dt.tz) == "America/Los_Angeles"
    with pytest.raises(ValueError, match="tz is 'Atlantis'"):
        cap.read(tz="Atlantis")
    with pytest.raises(ValueError, match="unknown zone"):
        recount.open(samples / "typeperf.tsv").read(tz="local")
    with pytest.raises(ValueError, match="doesn't name one zone"):
        recount.open(samples / "atop.raw").read(tz="local")
