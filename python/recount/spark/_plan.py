"""Which rows of captures a table lacks: they are compared with what is known of the table (`formats/ledger.md`)."""

from __future__ import annotations

import json
import posixpath
import uuid
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _recount
from .._errors import RecountError
from ._journal import FOLDER, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._store import Reading, Store

# A capture whose zone isn't recorded may be elsewhere by up to this, with another zone.
ZONES = 27 * 3600 * 10**9


@dataclass
class Look:
    """A file that may have something new."""

    path: str
    size: int
    version: str | None
    """``None`` if it has to be looked at again although nothing changes."""
    id: str | None = None
    hosts: list[str] = field(default_factory=list[str])
    begin: int = 0
    """Its first sample, in nanoseconds since 1970."""
    until: int | None = None
    """Its last sample that is taken; ``None``: it has no sample."""
    num_samples: int = 0
    reached: int | None = None
    """The last sample of it that was looked at before."""
    in_table: int | None = None
    """The last sample with its id in a table that was made without a ledger."""
    is_held: bool = False
    """Whether its last sample is left to the next call."""
    is_local: bool = False
    """Whether its times depend on the zone that was asked for."""
    is_zone_unknown: bool = False
    """Whether its times are local times of an unknown zone."""
    error: str | None = None

    @property
    def span(self) -> tuple[int, int]:
        """The times at which it may have something in common with others."""
        more = ZONES if self.is_local else 0
        return self.begin - more, (self.until or self.begin) + more


@dataclass
class Group:
    """Captures that may be of one recording, and the parts of the table that may be, too."""

    looks: list[Look] = field(default_factory=list[Look])
    parts: dict[str, Part] = field(default_factory=dict[str, Part])


@dataclass
class Piece:
    """Rows of a capture, to be written by one task."""

    id: str
    path: str
    size: int
    stretches: list[list[Any]]
    """Begin and end, inclusive, and which objects: host, name, and counter or ``None``. Without a list: all."""


def groups(looks: Iterable[Look], parts: dict[str, Part]) -> list[Group]:
    """Groups that have nothing in common: no machine at one time, and no capture."""
    items: list[tuple[tuple[int, int], set[str], str | None, Look | str]] = []
    for look in looks:
        items.append((look.span, names(look.hosts), look.id, look))
    for id, part in parts.items():
        more = ZONES if part.is_local else 0
        items.append(((part.begin - more, part.end + more), names(part.hosts), part.base, id))
    parents = list(range(len(items)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    by_id: dict[str | None, int] = {}
    by_host: dict[str, list[int]] = {}
    for at, (_, hosts, capture, _) in enumerate(items):
        parents[root(at)] = root(by_id.setdefault(capture, at))
        for host in hosts:
            by_host.setdefault(host, []).append(at)
    # Parts of the table that only touch each other are no reason to read them.
    for members in by_host.values():
        members.sort(key=lambda at: items[at][0])
        open_looks: list[int] = []
        open_parts: list[int] = []
        for at in members:
            begin = items[at][0][0]
            open_looks = [other for other in open_looks if items[other][0][1] >= begin]
            open_parts = [other for other in open_parts if items[other][0][1] >= begin]
            is_look = isinstance(items[at][3], Look)
            for other in [*open_looks, *open_parts] if is_look else open_looks:
                parents[root(at)] = root(other)
            (open_looks if is_look else open_parts).append(at)
    made: dict[int, Group] = {}
    for at, (*_, item) in enumerate(items):
        group = made.setdefault(root(at), Group())
        if isinstance(item, Look):
            group.looks.append(item)
        else:
            group.parts[item] = parts[item]
    found = [group for group in made.values() if group.looks]
    # The longest first: most others are then copies.
    for group in found:
        group.looks.sort(key=lambda look: (-look.num_samples, look.path))
    return sorted(found, key=lambda group: (sorted(group.looks[0].hosts), group.looks[0].begin))


def batches(groups: list[Group], most_bytes: int, most: int) -> list[list[Group]]:
    """Groups that one task reads."""
    made: list[list[Group]] = []
    length = num = 0
    for group in groups:
        size = sum(look.size for look in group.looks)
        if not made or length + size > most_bytes or num + len(group.looks) > most:
            made.append([])
            length = num = 0
        made[-1].append(group)
        length, num = length + size, num + len(group.looks)
    return made


def names(hosts: Iterable[str]) -> set[str]:
    """Machines, whatever the case of their names."""
    return {host.lower() for host in hosts} or {""}


def plan_all(
    groups: list[Group], *, store: Store, reading: Reading, target: str, split: int
) -> Iterator[dict[str, Any]]:
    """Reads the captures of groups, and decides which of their rows the table lacks."""
    for group in groups:
        yield plan(group, store, reading, target, split)


def plan(group: Group, store: Store, reading: Reading, target: str, split: int) -> dict[str, Any]:
    """Reads the captures of a group, and decides which of their rows the table lacks."""
    system, root = store.system(target)
    root = root.rstrip("/")
    known = [
        (part.recording, zlib.decompress(system.cat_file(posixpath.join(root, part.file))))
        for part in group.parts.values()
    ]
    opened: list[tuple[Look, Any]] = []
    failed: dict[str, str] = {}
    with ExitStack() as stack:
        for look in group.looks:
            try:
                capture = stack.enter_context(store.open(look.path, reading))
            except (RecountError, OSError) as error:
                failed[look.path] = str(error)
                continue
            opened.append((look, capture._capture))
        limits = [(look.until, look.reached, look.in_table) for look, _ in opened]
        captures = [(capture, limit) for (_, capture), limit in zip(opened, limits)]
        text, saved = _recount.take_in(known, captures)
        found: dict[str, Any] = json.loads(text)
        pieces: list[Piece] = []
        for (look, capture), file in zip(opened, found["files"]):
            pieces += divided(look, file, capture.times, split)
    looks = [look for look, _ in opened]
    return {
        "files": [{"path": look.path, **file} for look, file in zip(looks, found["files"])],
        "pieces": [vars(piece) for piece in pieces],
        "removed": found["removed"],
        "parts": kept(group, looks, found, saved, (system, root)),
        "failed": failed,
    }


def kept(
    group: Group, looks: list[Look], found: dict[str, Any], saved: list[tuple[str, bytes]], place: tuple[Any, str]
) -> dict[str, dict[str, Any]]:
    """Writes the digests of parts that have changed, and returns what the journal says of them."""
    system, root = place
    spans = {part["id"]: part for part in found["parts"]}
    of_files = {file["id"]: look for look, file in zip(looks, found["files"]) if file["id"] is not None}
    of_captures = {look.id: look for look in looks}
    changed: dict[str, dict[str, Any]] = {}
    for id, data in saved:
        file = posixpath.join(FOLDER, "ledger", f"{uuid.uuid4().hex}.z")
        system.makedirs(posixpath.dirname(posixpath.join(root, file)), exist_ok=True)
        system.pipe_file(posixpath.join(root, file), zlib.compress(data, 1))
        before, look = group.parts.get(id), of_files.get(id, of_captures.get(id))
        if before is not None:
            changed[id] = {**vars(before), "file": file}
        elif look is not None:
            changed[id] = {"base": look.id, "hosts": sorted(names(look.hosts)), "is_local": look.is_local, "is_zone_unknown": look.is_zone_unknown, "file": file}
    for id, before in group.parts.items():
        if id not in changed and spans[id]["recording"] != before.recording:
            changed[id] = dict(vars(before))
    for id, part in changed.items():
        span = spans[id]
        # A part whose rows have all gone to a better copy has no times any more.
        part.update(recording=span["recording"], begin=span["begin"] or 0, end=span["end"] or 0)
    return changed


def divided(look: Look, file: dict[str, Any], times: list[int], split: int) -> Iterator[Piece]:
    """The new rows of a file in pieces of about equally many samples, if it is long."""
    stretches: list[list[Any]] = file["stretches"]
    if not stretches:
        return
    begin, end = stretches[0][0], stretches[-1][1]
    new = sorted({time for time in times if begin <= time <= end})
    num_parts = min(max(1, -(-look.size // split)), len(new))
    ends = [*(new[len(new) * part // num_parts - 1] for part in range(1, num_parts)), end]
    for last in ends:
        part = [
            [max(first, begin), min(until, last), units]
            for first, until, units in stretches
            if first <= last and until >= begin
        ]
        if part:
            yield Piece(str(file["id"]), look.path, look.size // num_parts, part)
        begin = last + 1
