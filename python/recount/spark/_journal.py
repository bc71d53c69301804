"""What was ingested into a table: a journal in its folder ``_recount``, whose entries make changes atomic.

An entry is written, at once or not at all, when all its files are there, in a folder of their own that no reader looks
into. Then it is carried out: files are moved into the table. An entry that was only partly carried out is completed by
the next run, which changes nothing that was already done.
"""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .._store import Store

FOLDER = "_recount"


@dataclass
class File:
    """A file of the table."""

    path: str
    """Below the table's folder."""
    staged: str
    """Where it was written, below the table's folder."""
    rows: int
    bytes: int
    partition: dict[str, str | None]
    """Values of the columns that its folders name."""


@dataclass
class Part:
    """What is known of the rows with one capture's id (`formats/ledger.md`)."""

    file: str
    """Its digest, below the table's folder."""
    recording: str
    """The id that all parts of one recording share."""
    base: str
    """The id of the capture itself, which that of another recording may have, too."""
    hosts: list[str]
    """Machines, in lower case."""
    begin: int
    """Its first sample, in nanoseconds since 1970."""
    end: int
    is_local: bool
    """Whether its times depend on the zone with which it was ingested."""
    is_zone_unknown: bool | None = None
    """Whether its times are local times of an unknown zone; ``None`` in journals of versions that didn't say so."""


@dataclass
class Gone:
    """Rows that a table has no more: those of one object at some times."""

    id: str
    """Their ``capture_id``."""
    host: str
    """In lower case; empty if there is none."""
    object: str
    """Empty: all rows with the id."""
    times: list[int]
    """In nanoseconds since 1970."""
    counter: str | None = None
    """``None``: all."""


@dataclass
class Entry:
    """A change of the table."""

    add: list[File] = field(default_factory=list[File])
    remove: list[str] = field(default_factory=list[str])
    captures: dict[str, int] = field(default_factory=dict[str, int])
    """Of captures, by id, the time up to which they are in, in nanoseconds since 1970: of tables from before parts were kept."""
    seen: dict[str, str] = field(default_factory=dict[str, str])
    """Of files that need not be opened again, by path, their version."""
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    """What is known of the rows with an id, by that id."""
    reached: dict[str, int] = field(default_factory=dict[str, int])
    """Of files, by path, the last sample that was looked at, in nanoseconds since 1970."""
    joined: dict[str, str] = field(default_factory=dict[str, str])
    """Of captures whose rows were taken out as doubles, by id, the capture that has these rows: both are of one recording."""
    gone: list[Gone] = field(default_factory=list[Gone])
    """Rows that are deleted first; empty if files without them take the place of others."""


class Table(Protocol):
    """How changes are carried out. Doing this twice has the same effect as once."""

    def apply(self, number: int, entry: Entry) -> None: ...


class Journal:
    """The entries of one table, and what follows from them."""

    def __init__(self, store: Store, target: str) -> None:
        self.system, self.root = store.system(target)
        self.root = self.root.rstrip("/")
        self.folder = posixpath.join(self.root, FOLDER, "journal")
        self.staging = posixpath.join(self.root, FOLDER, "staging")
        self.captures: dict[str, int] = {}
        self.parts: dict[str, Part] = {}
        self.reached: dict[str, int] = {}
        self.joined: list[tuple[str, str]] = []
        self.seen: dict[str, str] = {}
        self.last = 0

    def recover(self, table: Table) -> None:
        """Reads all entries, completes unfinished ones, and deletes files that never became an entry."""
        self.system.makedirs(self.folder, exist_ok=True)
        names = {posixpath.basename(name) for name in self.system.ls(self.folder, detail=False)}
        numbers = sorted(int(name[:-5]) for name in names if name.endswith(".json"))
        for number in numbers:
            entry = read_entry(self.system.cat_file(self.path(number, "json")))
            if f"{number:08}.done" not in names:
                self.carry_out(number, entry, table)
            self.learn(number, entry)
        if self.system.exists(self.staging):
            self.system.rm(self.staging, recursive=True)
        self.sweep()

    def sweep(self) -> None:
        """Deletes digests that no part has any more, or that never became a part of the table."""
        folder = posixpath.join(self.root, FOLDER, "ledger")
        if not self.system.exists(folder):
            return
        kept = {posixpath.basename(part.file) for part in self.parts.values()}
        for path in self.system.ls(folder, detail=False):
            if posixpath.basename(path) not in kept:
                self.system.rm_file(path)

    def commit(self, entry: Entry, table: Table) -> None:
        """Adds an entry and carries it out."""
        number = self.last + 1
        aside = self.path(number, "partial")
        self.system.pipe_file(aside, json.dumps(entry, default=vars).encode())
        if self.system.exists(self.path(number, "json")):
            raise RuntimeError(f"{self.root}: something else is ingesting into this table: one at a time, please")
        self.system.mv(aside, self.path(number, "json"))
        self.carry_out(number, entry, table)
        self.learn(number, entry)

    def carry_out(self, number: int, entry: Entry, table: Table) -> None:
        table.apply(number, entry)
        self.system.pipe_file(self.path(number, "done"), b"")

    def learn(self, number: int, entry: Entry) -> None:
        self.captures.update(entry.captures)
        self.seen.update(entry.seen)
        self.parts.update(entry.parts)
        self.reached.update(entry.reached)
        self.joined += entry.joined.items()
        self.last = number

    def path(self, number: int, extension: str) -> str:
        return posixpath.join(self.folder, f"{number:08}.{extension}")


def read_entry(text: bytes) -> Entry:
    found: dict[str, Any] = json.loads(text)
    found["add"] = [File(**file) for file in found["add"]]
    found["parts"] = {id: Part(**part) for id, part in found.get("parts", {}).items()}
    found["gone"] = [Gone(**rows) for rows in found.get("gone", [])]
    return Entry(**found)
