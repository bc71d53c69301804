"""Adds only new data to a table: :func:`ingest`."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._arguments import patterns, texts
from .._errors import RecountError
from ._columns import TIDY
from ._compact import compact
from ._journal import FOLDER, Entry, File, Journal
from ._read import Recipe, Stretch
from ._source import check_counters
from .._store import Place, Reading, Store, is_remote
from ._tables import DeltaTable, HiveTable
from ._tasks import on_tasks, pieces
from ._written import NAMES, Files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

MEGA = 1 << 20
# Captures that one task opens to see what is new.
LOOKS = 32


class Ingested(NamedTuple):
    """What was ingested."""

    num_captures: int
    """Captures that had something new."""
    num_rows: int
    """Rows that were added."""
    num_files: int
    """Files that were written, before small ones were joined."""
    num_held: int
    """Captures whose last sample is left to the next call, because they changed a moment ago."""
    unreadable: dict[str, str]
    """Files that can't be read, and why. They are tried again next time."""


def ingest(
    spark: SparkSession,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | os.PathLike[str],
    partition_by: Literal["host", "date"] | Sequence[Literal["host", "date"]] = ("host", "date"),
    *,
    format: Literal["parquet", "delta"] = "parquet",
    counters: str | Iterable[str] | None = None,
    zone: str | None = None,
    storage_options: dict[str, Any] | None = None,
    small_bytes: int = 128 * MEGA,
    target_bytes: int = 256 * MEGA,
    settle_seconds: float = 10.0,
) -> Ingested:
    """Adds the data of captures that isn't in a table yet: a row per value, with the capture's id.

    Data in the table is identified by capture and time, whatever its file is called. The same call can be repeated at
    any time, even after it was killed: every row is there once. Only one call at a time may write to a table.
    ``partition_by`` and ``counters`` have to stay the same for a table.

    Files smaller than ``small_bytes`` are joined into files of up to ``target_bytes``. A capture that changed within
    the last ``settle_seconds`` may still be being written: its last sample is left to the next call.
    """
    columns = texts(partition_by, "columns to partition by")
    if not set(columns) <= {"host", "date"} or len(set(columns)) != len(columns):
        raise ValueError(f"partition_by is {columns}: it takes host and date, each once")
    if format not in ("parquet", "delta"):
        raise ValueError(f"format is {format!r}: it must be parquet or delta")
    store = Store(storage_options)
    place = absolute(target)
    journal = Journal(store, place)
    table: HiveTable | DeltaTable = HiveTable(journal.system, journal.root)
    if format == "delta":
        settings = {name: str(value) for name, value in store.options.items()}
        table = DeltaTable(journal.system, journal.root, place, settings, columns)
    wanted = patterns(counters)
    given = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    if not journal.system.exists(f"{journal.root}/{FOLDER}/form.json"):
        check_counters(store.list(map(absolute, given)), wanted, Reading(zone), store)
    check_form(journal, {"format": format, "partition_by": columns, "counters": wanted})
    journal.recover(table)

    places = [file for file in store.list(map(absolute, given)) if journal.seen.get(file.path) != file.version]
    look = partial(look_at, store=store, reading=Reading(zone), settle=settle_seconds, split=target_bytes)
    known = journal.captures
    looks = [[(file, time.time()) for file in part] for part in pieces(places, LOOKS)]
    found = [Look(**row) for row in on_tasks(spark, looks, partial(look, known=known))]
    unreadable = {one.path: one.error for one in found if one.error is not None}
    new, entry = chosen(found)

    recipe = Recipe(TIDY, wanted, None, Reading(zone), store, text=NAMES)
    write = partial(write_rows, recipe=recipe, target=place, partition_by=columns, target_bytes=target_bytes)
    for row in on_tasks(spark, tasks(new, target_bytes), write):
        entry.add.append(File(**row))
    if entry != Entry():
        journal.commit(entry, table)
    if isinstance(table, DeltaTable):
        if entry.add:
            table.compact(target_bytes)
    else:
        compact(spark, journal, table, store, place, small_bytes, target_bytes)
    rows = sum(file.rows for file in entry.add)
    num_held = sum(one.id is not None and one.version is None for one in found)
    return Ingested(len(new), rows, len(entry.add), num_held, unreadable)


def absolute(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return text if is_remote(text) else os.path.abspath(text)


def check_form(journal: Journal, form: dict[str, Any]) -> None:
    """Notes the settings of the table, or raises an error if it was made with others."""
    path = f"{journal.root}/{FOLDER}/form.json"
    if journal.system.exists(path):
        known = json.loads(journal.system.cat_file(path))
        if known != form:
            raise ValueError(f"{journal.root} was made with {known}: choose another folder, or the same")
        return
    if journal.system.exists(journal.root) and journal.system.ls(journal.root):
        raise ValueError(f"{journal.root} has something else in it: choose another folder")
    journal.system.makedirs(f"{journal.root}/{FOLDER}", exist_ok=True)
    journal.system.pipe_file(path, json.dumps(form).encode())


@dataclass
class Look:
    """What a file has and the table lacks."""

    path: str
    size: int
    version: str | None
    """``None`` if it has to be looked at again although nothing changes."""
    id: str | None = None
    host: str = ""
    cuts: tuple[int, ...] = ()
    """Times, in nanoseconds since 1970: what is new is after the first, up to the last; those between divide it evenly."""
    error: str | None = None


def look_at(
    files: list[tuple[Place, float]],
    *,
    store: Store,
    reading: Reading,
    settle: float,
    split: int,
    known: dict[str, int],
) -> Iterator[dict[str, Any]]:
    """Opens files to see what is new."""
    for file, now in files:
        try:
            with store.open(file.path, reading) as capture:
                times = capture._capture.times
                id = capture._capture.id
                hosts = capture._capture.hosts
        except (RecountError, OSError) as error:
            yield vars(Look(file.path, file.size, None, error=str(error)))
            continue
        is_settled = file.modified is None or now - file.modified >= settle
        look = Look(file.path, file.size, file.version if is_settled else None, id, hosts[0] if hosts else "")
        if id is not None:
            look.cuts = cuts(times, known.get(id), is_settled, max(1, -(-file.size // split)))
        yield vars(look)


def cuts(times: list[int], until: int | None, is_settled: bool, num_parts: int) -> tuple[int, ...]:
    """The times where the new data begins, is divided, and ends; empty if nothing is new."""
    if not times:
        return ()
    last = max(times) if is_settled else max(times) - 1
    new = sorted({time for time in times if time <= last and (until is None or time > until)})
    if not new:
        return ()
    num_parts = min(num_parts, len(new))
    ends = [new[len(new) * part // num_parts - 1] for part in range(1, num_parts)]
    return (until if until is not None else new[0] - 1, *ends, last)


def chosen(found: list[Look]) -> tuple[list[Look], Entry]:
    """The longest of several copies of a capture, and what the journal keeps of all of them."""
    best: dict[str, Look] = {}
    entry = Entry()
    for look in found:
        if look.version is not None:
            entry.seen[look.path] = look.version
        if look.id is None or not look.cuts:
            continue
        other = best.get(look.id)
        if other is None or look.cuts[-1] > other.cuts[-1]:
            best[look.id] = look
    entry.captures = {id: look.cuts[-1] for id, look in best.items()}
    return sorted(best.values(), key=lambda look: (look.host, look.cuts[0])), entry


def tasks(new: list[Look], target_bytes: int) -> list[list[tuple[str, Stretch]]]:
    """Stretches of captures, grouped by machine, so that each machine's go into one file."""
    work: list[list[tuple[str, Stretch]]] = []
    length = target_bytes
    for look in new:
        parts = list(zip(look.cuts, look.cuts[1:]))
        for after, last in parts:
            if length >= target_bytes:
                work.append([])
                length = 0
            work[-1].append((str(look.id), Stretch(look.path, after + 1, last)))
            length += look.size // len(parts)
    return work


def write_rows(
    stretches: list[tuple[str, Stretch]],
    *,
    recipe: Recipe,
    target: str,
    partition_by: list[str],
    target_bytes: int,
) -> Iterator[dict[str, Any]]:
    """Writes stretches of captures to files that readers don't see yet."""
    system, root = recipe.store.system(target)
    files = Files(system, root.rstrip("/"), partition_by, target_bytes)
    for id, stretch in stretches:
        with recipe.store.open(stretch.path, recipe.reading) as capture:
            for batch in recipe.rows(capture, (stretch.begin, stretch.end)):
                files.write(id, batch)
    for file in files.finish():
        yield vars(file)
