"""Adds only new data to a table: :func:`ingest`."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._arguments import patterns, texts
from .._errors import RecountError
from .._places import Place, is_remote
from .._store import Reading, Store
from ._arrow import pa, pc
from ._columns import TIDY
from ._compact import compact
from ._gone import rewrite
from ._journal import FOLDER, Entry, File, Gone, Journal, Part
from ._plan import Look, Piece, batches, groups, plan_all
from ._read import Recipe
from ._source import check_counters
from ._tables import DeltaTable, HiveTable
from ._tasks import on_tasks, pieces
from ._written import NAMES, Files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

MEGA = 1 << 20
# Captures that one task opens to see what is new, and the bytes that it reads to compare them.
LOOKS = 32
TOGETHER = 64 * MEGA


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
    copies: dict[str, str]
    """Files with samples that were left out, as the table has them from another file, and of which capture they are."""
    better: dict[str, str]
    """Files with samples that replaced those of a worse copy."""
    differing: dict[str, str]
    """Files that have other values, instances or counters than a capture of the same machine has at the same time: both are
    kept."""
    refused: dict[str, str]
    """Files of which nothing was added: the table has them already, with times in another zone, or its times and theirs can't
    be compared, as the zone of one of them is unknown."""


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

    Data in the table is identified by what was measured, whatever its file is called: copies, parts of a recording that
    overlap, and files that grow or wrap around add the samples that are new, and a whole file replaces what is worse of a
    damaged copy. A text or a table that was made from a recording is a copy of it, too. The same call can be repeated at
    any time, even after it was killed: every row is there once. Only one call at a time may write to a table.
    ``partition_by`` and ``counters`` have to stay the same for a table.

    Files smaller than ``small_bytes`` are joined into files of up to ``target_bytes``. A capture that changed within
    the last ``settle_seconds`` may still be being written: its last sample is left to the next call.

    Local times of an unknown zone aren't taken for UTC: such files are refused beside others, unless ``zone`` says where they
    are from. See `formats/ledger.md`.
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

    reading = Reading(zone)
    places = [file for file in store.list(map(absolute, given)) if journal.seen.get(file.path) != version(file, zone)]
    looks = [[(file, time.time()) for file in part] for part in pieces(places, LOOKS)]
    look = partial(look_at, store=store, reading=reading, settle=settle_seconds)
    found = [Look(**row) for row in on_tasks(spark, looks, look)]
    unreadable = {one.path: one.error for one in found if one.error is not None}
    new = [one for one in found if one.id is not None and one.until is not None]
    refused = without_zone(new, journal.parts)
    new = [one for one in new if one.path not in refused]

    for one in new:
        one.reached = journal.reached.get(one.path)
        one.in_table = None if one.id in journal.parts else journal.captures.get(str(one.id))
    planned = partial(plan_all, store=store, reading=reading, target=place, split=target_bytes)
    plans = on_tasks(spark, batches(groups(new, journal.parts), TOGETHER, LOOKS), planned)
    entry = Entry()
    outcome = Outcome(unreadable=unreadable, refused=refused)
    for plan in plans:
        outcome.add(plan)
        entry.parts.update({id: Part(**part) for id, part in plan["parts"].items()})
        entry.gone += [Gone(**rows) for rows in plan["removed"]]
    for one in new:
        if one.path not in outcome.unreadable and one.path not in outcome.refused:
            entry.reached[one.path] = max(one.until or 0, one.reached or 0)
    entry.seen = {
        one.path: one.version
        for one in found
        if one.version is not None and one.path not in {**outcome.unreadable, **outcome.refused}
    }

    recipe = Recipe(TIDY, wanted, None, reading, store, text=NAMES)
    write = partial(write_rows, recipe=recipe, target=place, partition_by=columns, target_bytes=target_bytes)
    new_pieces = [Piece(**piece) for plan in plans for piece in plan["pieces"]]
    for row in on_tasks(spark, tasks(new_pieces, target_bytes), write):
        entry.add.append(File(**row))
    num_files, num_rows = len(entry.add), sum(file.rows for file in entry.add)
    if entry.gone and isinstance(table, HiveTable):
        rewrite(spark, journal, store, place, entry.gone, entry)
        entry.gone = []
    if entry != Entry():
        journal.commit(entry, table)
    if isinstance(table, DeltaTable):
        if entry.add:
            table.compact(target_bytes)
    else:
        compact(spark, journal, table, store, place, small_bytes, target_bytes)
    num_held = sum(one.is_held for one in found)
    return Ingested(
        outcome.num_captures, num_rows, num_files, num_held, outcome.unreadable,
        outcome.copies, outcome.better, outcome.differing, outcome.refused,
    )  # fmt: skip


@dataclass
class Outcome:
    """What became of files."""

    unreadable: dict[str, str]
    num_captures: int = 0
    copies: dict[str, str] = field(default_factory=dict[str, str])
    better: dict[str, str] = field(default_factory=dict[str, str])
    differing: dict[str, str] = field(default_factory=dict[str, str])
    refused: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, plan: dict[str, Any]) -> None:
        """Says it in sentences."""
        self.unreadable.update(plan["failed"])
        for file in plan["files"]:
            path = file["path"]
            self.num_captures += bool(file["stretches"])
            if file["num_copies"]:
                num = file["num_copies"]
                text = f"{samples(num)} of it {'is' if num == 1 else 'are'} in the table, in capture {file['copy_of']}: left out"
                self.copies[path] = text
            if file["num_better"]:
                num = file["num_better"]
                self.better[path] = f"{samples(num)} of it replaced {'that' if num == 1 else 'those'} of a worse copy"
            if file["differs"]:
                id, moment, object, what = file["differs"]
                text = f"has {what} of {object} at {moment} than capture {id}: a recording of its own"
                self.differing[path] = text
            if file["other_zone"]:
                id, zone = file["other_zone"]
                stated = f"in the zone {zone}" if zone else "as local times, without a zone"
                self.refused[path] = f"is in the table already, as capture {id}, {stated}: left out"
            if file["no_zone"]:
                self.refused[path] = NO_ZONE.format(f"capture {file['no_zone']}")


NO_ZONE = (
    "can't be in one table with {}, as the times of one of them are local times of an unknown zone: pass its zone, as in "
    "zone='Europe/Moscow' or zone='+03:00'"
)


def without_zone(looks: list[Look], parts: dict[str, Part]) -> dict[str, str]:
    """Files that can't be in the table, as their zone is unknown and that of others isn't, or the other way round."""
    of_table = {is_unknown(part) for part in parts.values()} - {None}
    # What is known counts; only a table that has nothing else takes times of an unknown zone.
    is_known = False in of_table or (not of_table and any(not one.is_zone_unknown for one in looks))
    refused = [one for one in looks if one.is_zone_unknown == is_known]
    # What may be in the table already is compared with that, which says so.
    return {one.path: NO_ZONE.format("the others") for one in refused if not groups([one], parts)[0].parts}


def is_unknown(part: Part) -> bool | None:
    """Whether the times of a part are local times of an unknown zone. Earlier versions kept only whether it was recorded."""
    if part.is_zone_unknown is None and not part.is_local:
        return False
    return part.is_zone_unknown


def samples(num: int) -> str:
    return f"{num} sample" if num == 1 else f"{num} samples"


def version(file: Place, zone: str | None) -> str:
    """What a file was seen as: with another zone, its times may be others."""
    return file.version if zone is None else f"{file.version} {zone}"


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


def look_at(
    files: list[tuple[Place, float]], *, store: Store, reading: Reading, settle: float
) -> Iterator[dict[str, Any]]:
    """Opens files to see what they are."""
    for file, now in files:
        try:
            with store.open(file.path, reading) as opened:
                capture = opened._capture
                times, id, hosts, is_local = capture.times, capture.id, capture.hosts, capture.is_zone_asked
                is_zone_unknown = capture.is_zone_unknown
        except (RecountError, OSError) as error:
            yield vars(Look(file.path, file.size, None, error=str(error)))
            continue
        is_settled = file.modified is None or now - file.modified >= settle
        seen = version(file, reading.zone) if is_settled else None
        look = Look(file.path, file.size, seen, id, hosts, is_local=is_local, num_samples=len(times))
        look.is_zone_unknown = is_zone_unknown
        look.is_held = id is not None and not is_settled
        if times:
            last = max(times) if is_settled else max(times) - 1
            look.begin, look.until = min(times), last if last >= min(times) else None
        yield vars(look)


def tasks(new: list[Piece], target_bytes: int) -> list[list[Piece]]:
    """Pieces grouped by neighbours, as they come, so that a machine's go into one file."""
    work: list[list[Piece]] = []
    length = target_bytes
    for piece in new:
        if length >= target_bytes:
            work.append([])
            length = 0
        work[-1].append(piece)
        length += piece.size
    return work


def write_rows(
    pieces: list[Piece],
    *,
    recipe: Recipe,
    target: str,
    partition_by: list[str],
    target_bytes: int,
) -> Iterator[dict[str, Any]]:
    """Writes pieces of captures to files that readers don't see yet."""
    system, root = recipe.store.system(target)
    files = Files(system, root.rstrip("/"), partition_by, target_bytes)
    for piece in pieces:
        with recipe.store.open(piece.path, recipe.reading) as capture:
            window = piece.stretches[0][0], piece.stretches[-1][1]
            for batch in recipe.rows(capture, window):
                rows = needed(batch, piece.stretches)
                if rows.num_rows:
                    files.write(piece.id, rows)
    for file in files.finish():
        yield vars(file)


def needed(batch: Any, stretches: list[list[Any]]) -> Any:
    """The rows of a batch that are in stretches."""
    if len(stretches) == 1 and stretches[0][2] is None:
        return batch
    times = batch.column("time_ns")
    first, last = pc.min(times).as_py(), pc.max(times).as_py()
    found = pc.less(times, first)
    hosts = pc.utf8_lower(pc.fill_null(batch.column("host").cast(pa.string()), ""))
    objects, counters = batch.column("object").cast(pa.string()), batch.column("counter").cast(pa.string())
    for begin, end, units in stretches:
        if first is None or end < first or begin > last:
            continue
        here = pc.and_(pc.greater_equal(times, begin), pc.less_equal(times, end))
        if units is not None:
            wanted = pc.less(times, first)
            for host, object, counter in units:
                of = pc.and_(pc.equal(hosts, host), pc.equal(objects, object))
                if counter is not None:
                    of = pc.and_(of, pc.equal(counters, counter))
                wanted = pc.or_(wanted, of)
            here = pc.and_(here, wanted)
        found = pc.or_(found, here)
    return batch.filter(found)
