"""A catalogue of captures, through every reader."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timezone
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recount

from conftest import run_command


@pytest.fixture
def captures(samples: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "captures"
    folder.mkdir()
    for name in ("objects.blg", "damaged.blg", "typeperf.tsv"):
        shutil.copy(samples / name, folder / name)
    (folder / "README.txt").write_text("Dear reader", encoding="utf-8")
    return folder


def test_entries_say_what_captures_are(captures: Path, tmp_path: Path) -> None:
    output = tmp_path / "catalogue.parquet"
    found = recount.catalogue(captures, output)
    assert (len(found), found.num_read, found.num_gone) == (4, 4, 0)
    entries = {Path(entry.path).name: entry for entry in found}
    info = recount.open(captures / "objects.blg").info
    objects = entries["objects.blg"]
    assert (objects.hosts, objects.samples, objects.health) == (info.hosts, 8, None)
    assert objects.begin == info.begin and objects.begin is not None and objects.begin.tzinfo == timezone.utc
    assert objects.objects == ["Memory", "PhysicalDisk", "Process", "Processor"]
    assert objects.modified is not None and objects.modified.timestamp() == pytest.approx(
        (captures / "objects.blg").stat().st_mtime, abs=1e-5
    )
    assert recount.open(captures / "objects.blg").id == objects.capture_id is not None
    assert entries["damaged.blg"].capture_id == objects.capture_id and not entries["damaged.blg"].is_complete
    local = entries["typeperf.tsv"]
    assert local.is_zone_unknown and isinstance(local.begin, datetime) and local.begin.tzinfo is None
    assert entries["README.txt"].format is None and "not a capture" in (entries["README.txt"].health or "")
    assert "PACIFIC" in found._repr_html_()

    again = recount.catalogue([str(captures)], str(output))
    assert again.num_read == 0 and again.entries() == found.entries()
    (captures / "damaged.blg").unlink()
    assert recount.catalogue(f"{captures}/*", output).num_gone == 1


def test_every_reader_sees_the_same_rows(captures: Path, tmp_path: Path) -> None:
    output = tmp_path / "catalogue.parquet"
    found = recount.catalogue(captures, output)
    rows = [entry._asdict() for entry in found]
    for row in rows:
        if row["is_zone_unknown"]:
            row["begin"], row["end"] = (row[end].replace(tzinfo=timezone.utc) for end in ("begin", "end"))
    assert pa.table(found).to_pylist() == pq.read_table(output).to_pylist() == rows
    assert pl.DataFrame(found).to_dicts() == pl.read_parquet(output).to_dicts() == rows
    assert pl.read_parquet(output).columns == found.columns == pa.table(found).column_names
    types = {field.name: str(field.type) for field in pq.read_schema(output)}
    assert types["begin"] == "timestamp[us, tz=UTC]" and types["size"] == "int64"
    at = pl.col("begin") <= pl.datetime(2013, 2, 20, 11, time_zone="UTC")
    assert pl.scan_parquet(output).filter(at, pl.col("hosts").list.contains("PACIFIC")).collect().height == 2


def test_it_is_the_commands(captures: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    found = recount.catalogue(captures, ours)
    assert run_command("catalogue", captures, "-o", theirs).returncode == 1
    assert ours.read_bytes() == theirs.read_bytes()
    assert json.loads(pq.read_metadata(ours).metadata[b"recount.catalogue"]) == 1
    with pytest.raises(FileNotFoundError) as nowhere:
        recount.catalogue(tmp_path / "nowhere", ours)
    assert nowhere.value.filename == str(tmp_path / "nowhere")
    with pytest.raises(recount.RecountError, match="expected a catalogue"):
        recount.catalogue(captures, captures / "README.txt")
    assert recount.catalogue(captures, captures / "README.txt", force=True).num_read == len(found) - 1
