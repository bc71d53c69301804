"""A fleet's table never counts twice: what is in it is identified by what was measured."""

from __future__ import annotations

import json
import random
import shutil
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

import recount
from recount.spark import _ingest, _journal, _tables, doctor, ingest

from spark_session import spark
from test_spark_ingest import FORMATS, READ, once, values

__all__ = ["spark"]

GROUPS = _ingest.groups

HEADER = '"(PDH-CSV 4.0){zone}","\\\\{host}\\System\\Context Switches/sec","\\\\{host}\\System\\Threads"\n'


def line(sample: int, has_rate: bool = True, threads: int | None = None) -> str:
    rate = f"{sample * sample}.5" if has_rate else " "
    return f'"03/02/2024 10:00:{sample:02}.250","{rate}","{sample % 3 if threads is None else threads}"\n'


def text(samples: list[int], *, host: str = "WEB1", zone: str = " (UTC)(0)", first_rate: bool = False, **other: Any) -> str:
    """A log of some samples, as relog writes it: no rate in its first row. ``at`` has other threads."""
    at = other.get("at")
    rows = [
        line(sample, first_rate or number > 0, 77 if sample == at else None) for number, sample in enumerate(samples)
    ]
    return HEADER.format(host=host, zone=zone) + "".join(rows)


def put(folder: Path, name: str, content: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(content)
    return path


def table_of(spark: SparkSession, target: Path, arrivals: list[list[Path]], format: Any = "parquet") -> list[Any]:
    for files in arrivals:
        ingest(spark, list(map(str, files)), target, format=format, settle_seconds=0)
    return once(READ[format](target))


@FORMATS
def test_a_damaged_copy_is_healed(spark: SparkSession, samples: Path, tmp_path: Path, format: Any) -> None:
    whole = samples / "rcap-1/closed.rcap"
    content = bytearray(whole.read_bytes())
    content[len(content) // 2] ^= 0x40
    folder, target = tmp_path / "fleet", tmp_path / "table"
    folder.mkdir()
    damaged = folder / "a.rcap"
    damaged.write_bytes(content)
    expected = values(spark, whole)
    assert table_of(spark, target, [[damaged]], format) != expected
    done = ingest(spark, whole, target, format=format, settle_seconds=0)
    assert once(READ[format](target)) == expected
    assert list(done.better) + list(done.copies) and not done.differing
    again = ingest(spark, shutil.copy(damaged, folder / "b.rcap"), target, format=format, settle_seconds=0)
    assert (again.num_rows, len(again.copies)) == (0, 1)
    assert once(READ[format](target)) == expected


@FORMATS
def test_wrapped_and_overlapping_logs_add_what_is_new(spark: SparkSession, tmp_path: Path, format: Any) -> None:
    folder = tmp_path / "fleet"
    expected = values(spark, put(tmp_path, "whole.csv", text(list(range(30)))))
    for number, order in enumerate([[0, 1], [1, 0]]):
        target = tmp_path / f"table-{number}"
        states = [text(list(range(20))), text(list(range(10, 30)))]
        # The same file each time.
        for state in order:
            path = put(folder, "ring.csv", states[state])
            ingest(spark, path, target, format=format, settle_seconds=0)
        assert once(READ[format](target)) == expected, order
    paths = [put(folder, f"{number}.csv", state) for number, state in enumerate(states)]
    for arrivals in ([paths], [[paths[1]], [paths[0]]]):
        target = tmp_path / f"other-{len(arrivals)}"
        assert table_of(spark, target, arrivals, format) == expected


@FORMATS
def test_two_machines_of_one_name_stay_two(spark: SparkSession, tmp_path: Path, format: Any) -> None:
    folder, target = tmp_path / "fleet", tmp_path / "table"
    one = put(folder, "a.csv", text(list(range(6))))
    other = put(folder, "b.csv", text(list(range(6)), at=3))
    assert recount.open(one)._capture.id == recount.open(other)._capture.id
    done = ingest(spark, one, target, format=format, settle_seconds=0)
    assert not done.differing
    done = ingest(spark, folder, target, format=format, settle_seconds=0)
    assert list(done.differing) == [str(other)] and "System" in done.differing[str(other)]
    expected = sorted(values(spark, one) + values(spark, other), key=repr)
    table = READ[format](target)
    assert once(table) == expected
    assert len(set(table["capture_id"].to_pylist())) == 2


def test_another_zone_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    folder, target = tmp_path / "fleet", tmp_path / "table"
    path = put(folder, "a.csv", text(list(range(3)), zone=""))
    expected = table_of(spark, target, [[path]])
    for zone in ("Europe/Moscow", "+01:00"):
        done = ingest(spark, path, target, zone=zone, settle_seconds=0)
        assert (done.num_rows, list(done.refused)) == (0, [str(path)])
        assert "without a zone" in done.refused[str(path)]
        assert once(READ["parquet"](target)) == expected


def test_any_files_of_a_recording_give_it_once(spark: SparkSession, tmp_path: Path) -> None:
    """Cut, copied, renamed, damaged and wrapped, in any order of arrival."""
    chance = random.Random(33)
    everything = list(range(24))
    expected = values(spark, put(tmp_path, "whole.csv", text(everything)))
    for turn in range(5):
        folder, target = tmp_path / f"fleet-{turn}", tmp_path / f"table-{turn}"
        ends = sorted({0, 23, *chance.sample(everything, 3)})
        cuts = [everything[begin : end + 1] for begin, end in zip(ends, ends[1:])]
        begin = chance.randrange(20)
        lost = [sample for sample in everything if sample not in chance.sample(everything, 4)]
        cuts += [cuts[0], lost, everything[begin : begin + 4]]
        files = [put(folder, f"{number}.csv", text(cut)) for number, cut in enumerate(cuts)]
        chance.shuffle(files)
        arrivals: list[list[Path]] = [[]]
        for file in files:
            if arrivals[-1] and chance.random() < 0.5:
                arrivals.append([])
            arrivals[-1].append(file)
        assert table_of(spark, target, arrivals) == expected, turn


@FORMATS
def test_doctor_takes_out_what_is_there_twice(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: Any
) -> None:
    folder, target = tmp_path / "fleet", tmp_path / "table"
    states = [put(folder, f"{number}.csv", text(list(samples))) for number, samples in enumerate([range(20), range(10, 30)])]
    clone = put(folder, "clone.csv", text(list(range(12, 30)), at=15))
    whole = put(tmp_path, "whole.csv", text(list(range(30))))
    expected = sorted(values(spark, whole) + values(spark, clone), key=repr)

    with monkeypatch.context() as patched:
        # As tables were made before there was a ledger: every capture by itself.
        patched.setattr(_ingest, "groups", lambda looks, _: GROUPS(looks, {}))
        for state in states:
            ingest(spark, state, target, format=format, settle_seconds=0)
        ingest(spark, clone, target, format=format, settle_seconds=0)
    assert len(once(READ[format](target))) == len(expected) + 20
    found = doctor(spark, target)
    assert (found.num_rows, found.is_repaired) == (20, False), found
    assert len(found.differing) == 2
    assert doctor(spark, target, repair=True).num_rows == 20
    assert once(READ[format](target)) == expected
    assert doctor(spark, target).num_rows == 0
    with pytest.raises(ValueError, match="isn't a table"):
        doctor(spark, folder)


def test_a_table_from_before_the_ledger_is_gone_on_with(spark: SparkSession, tmp_path: Path) -> None:
    folder, target = tmp_path / "fleet", tmp_path / "table"
    path = put(folder, "a.csv", text(list(range(10))))
    ingest(spark, path, target, settle_seconds=0)
    # The entry as it was written then.
    entry = target / "_recount/journal/00000001.json"
    found = json.loads(entry.read_text())
    last = max(READ["parquet"](target)["time_ns"].to_pylist())
    capture = recount.open(path)._capture.id
    for name in ("parts", "reached", "gone"):
        del found[name]
    entry.write_text(json.dumps({**found, "captures": {capture: last}}))
    path.write_text(text(list(range(20))))
    done = ingest(spark, path, target, settle_seconds=0)
    assert (done.num_rows, done.differing) == (20, {})
    assert once(READ["parquet"](target)) == values(spark, path)


def test_scan_says_what_the_command_says(tmp_path: Path) -> None:
    paths = [put(tmp_path, f"{number}.csv", text(list(samples))) for number, samples in enumerate([range(20), range(10, 30)])]
    with pytest.warns(recount.OverlapWarning, match="10 of its samples are also in .*; each is counted once") as caught:
        frame = recount.scan(paths)
    assert caught[0].filename == __file__
    assert frame.select(pl.len()).collect().item() == 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recount.scan(paths[:1])


def made(samples: Path, folder: Path) -> list[Path]:
    """A recording, and a text and a table that were made from it."""
    folder.mkdir(exist_ok=True)
    raw = Path(shutil.copy(samples / "objects.blg", folder / "raw.blg"))
    paths = [raw, folder / "text.csv", folder / "table.parquet"]
    for path in paths[1:]:
        recount.open(raw).convert(path)
    return paths


@FORMATS
def test_what_was_made_from_a_recording_is_a_copy(
    spark: SparkSession, samples: Path, tmp_path: Path, format: Any
) -> None:
    paths = made(samples, tmp_path / "fleet")
    expected = values(spark, paths[0])
    for number, order in enumerate([[0, 1, 2], [2, 1, 0], [1, 0, 2]]):
        target = tmp_path / f"table-{number}"
        assert table_of(spark, target, [[paths[at]] for at in order], format) == expected, order
        assert doctor(spark, target).num_rows == 0
    target = tmp_path / "together"
    assert table_of(spark, target, [paths], format) == expected


def test_any_copies_of_a_recording_in_any_order_give_it_once(
    spark: SparkSession, samples: Path, tmp_path: Path
) -> None:
    chance = random.Random(7)
    paths = made(samples, tmp_path / "fleet")
    few = paths[0].with_name("few.csv")
    recount.open(paths[0]).convert(few, counters=r"\Processor(*)\*")
    packed = paths[0].with_name("packed.rcap")
    packed.write_bytes(paths[0].read_bytes())
    expected = values(spark, paths[0])
    for turn in range(4):
        files = [*paths, few, packed]
        chance.shuffle(files)
        arrivals: list[list[Path]] = [[]]
        for file in files:
            if arrivals[-1] and chance.random() < 0.6:
                arrivals.append([])
            arrivals[-1].append(file)
        assert table_of(spark, tmp_path / f"table-{turn}", arrivals) == expected, [[path.name for path in some] for some in arrivals]


def test_times_of_an_unknown_zone_are_refused_beside_others(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    known = put(folder, "a.csv", text(list(range(4))))
    unknown = put(folder, "b.csv", text(list(range(4)), zone="").replace(" 10:", " 11:"))
    other = put(folder, "c.csv", text(list(range(4)), zone="", host="WEB9"))
    expected = values(spark, known)
    for number, arrivals in enumerate([[[known], [unknown, other]], [[other, unknown, known]]]):
        target = tmp_path / f"table-{number}"
        assert table_of(spark, target, arrivals) == expected
        done = ingest(spark, folder, target, settle_seconds=0)
        assert sorted(done.refused) == [str(unknown), str(other)], done
        assert all("unknown zone" in why and "zone=" in why for why in done.refused.values())
    # Named, they are taken: one is what the table has.
    done = ingest(spark, folder, target, zone="+01:00", settle_seconds=0)
    assert not done.refused and (done.num_captures, list(done.copies)) == (1, [str(unknown)]), done


@FORMATS
def test_doctor_finds_rows_that_are_twice_under_one_id(
    spark: SparkSession, samples: Path, tmp_path: Path, format: Any
) -> None:
    """As an earlier version left them: a table beside the log that it was made from."""
    target = tmp_path / "table"
    raw = samples / "objects.blg"
    expected = table_of(spark, target, [[raw]], format)
    store = recount._store.Store()  # type: ignore[attr-defined]
    journal, kind = tables(store, target, format)
    recipe = _ingest.Recipe(_ingest.TIDY, [], None, _ingest.Reading(None), store, text=_ingest.NAMES)
    capture = next(iter(journal.parts))
    whole = [[-(2**62), 2**62, None]]
    rows = _ingest.write_rows(
        [_ingest.Piece(capture, str(raw), 1, whole)], recipe=recipe, target=str(target),
        partition_by=["host", "date"], target_bytes=1 << 20,
    )  # fmt: skip
    journal.commit(_journal.Entry(add=[_journal.File(**row) for row in rows]), kind)
    assert len(once(READ[format](target))) == 2 * len(expected)
    found = doctor(spark, target)
    assert (found.num_rows, [double.capture_id for double in found.doubles]) == (len(expected), [capture])
    assert doctor(spark, target, repair=True).is_repaired
    assert once(READ[format](target)) == expected
    assert doctor(spark, target).num_rows == 0


def tables(store: Any, target: Path, format: str) -> tuple[Any, Any]:
    journal = _journal.Journal(store, str(target))
    kind: Any = _tables.HiveTable(journal.system, journal.root)
    if format == "delta":
        kind = _tables.DeltaTable(journal.system, journal.root, str(target), {}, ["host", "date"])
    journal.recover(kind)
    return journal, kind


def test_doctor_finds_a_text_beside_its_recording(
    spark: SparkSession, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = made(samples, tmp_path / "fleet")
    target = tmp_path / "table"
    # As an earlier version ingested them: none was compared with another.
    with monkeypatch.context() as patched:
        patched.setattr(_ingest, "groups", lambda looks, parts: [group for look in looks for group in GROUPS([look], {})])
        rows = table_of(spark, target, [[paths[0]], [paths[1]]])
    expected = values(spark, paths[0])
    assert len(rows) > len(expected)
    found = doctor(spark, target)
    assert found.num_rows > 0 and not found.differing, found
    doctor(spark, target, repair=True)
    # Each cell once; why there is no value may be said as in the text.
    left = once(READ["parquet"](target))
    cells = [[(*row[1:2], *row[3:7]) for row in rows] for rows in (left, expected)]
    assert sorted(cells[0], key=repr) == sorted(cells[1], key=repr)
