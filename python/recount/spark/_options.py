"""Options of a frame, as set by ``option(name, value)``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .._scan import Asked
from ._filters import microseconds
from .._places import is_remote
from .._store import Reading, Store

if TYPE_CHECKING:
    from collections.abc import MutableMapping

MEGA = 1 << 20

KNOWN = (
    "path", "paths", "counters", "object", "begin", "end", "host", "zone", "names", "catalogue", "storageOptions",
    "splitBytes", "packBytes", "settleSeconds", "pushdown", "depth", "rules", "pages", "columns", "stateLocation",
)  # fmt: skip


@dataclass
class Options:
    """What to read, and how."""

    paths: list[str]
    counters: list[str] = field(default_factory=list[str])
    object: str | None = None
    begin: int | None = None
    """Rows from here on, in nanoseconds since 1970, inclusive."""
    end: int | None = None
    """Rows up to here, inclusive."""
    hosts: list[str] = field(default_factory=list[str])
    """Rows of these machines; of all, if none is named."""
    reading: Reading = field(default_factory=Reading)
    catalogue: str | None = None
    storage: dict[str, Any] = field(default_factory=dict[str, Any])
    split_bytes: int = 256 * MEGA
    """Captures longer than this are read in several stretches of time."""
    pack_bytes: int = 64 * MEGA
    """Shorter ones are read by one task up to this, since a task takes longer to start than a small capture to read."""
    settle_seconds: float = 10.0
    """A capture that changed within this time may still be written: its last sample waits."""

    columns: list[str] = field(default_factory=list[str])
    """The columns of the frame, if not all."""
    state: str | None = None
    """Folder of a stream's state: which files were read, and how far."""
    pushdown: bool = False
    """Filters reach the reader: for a frame of which only one query is made."""

    @property
    def store(self) -> Store:
        return Store(self.storage)

    @property
    def asked(self) -> Asked:
        """The rows that the options select."""
        asked = Asked()
        if self.begin is not None:
            asked.after(self.begin)
        if self.end is not None:
            asked.before(self.end)
        if self.hosts:
            asked.one_of("host", set(self.hosts))
        return asked


def parse(options: MutableMapping[str, str]) -> Options:
    """Parses options."""
    known = {name.lower() for name in KNOWN}
    for name in options:
        if name.lower() not in known:
            raise ValueError(f"there is no option {name!r}: there are {', '.join(KNOWN)}")
    one, several = options.get("path"), options.get("paths")
    paths = [str(path) for path in json.loads(several)] if several else [one] if one else []
    if not paths:
        raise ValueError("no path: name one in load()")
    names = options.get("names") or "own"
    if names not in ("own", "en"):
        raise ValueError(f"names is {names!r}: it must be own or en")
    if options.get("object") and options.get("counters"):
        raise ValueError("object and counters exclude each other: object has a column for each counter")
    begin, end = moment(options, "begin", 0), moment(options, "end", 999)
    if begin is not None and end is not None and begin > end:
        raise ValueError(f"begin ({options['begin']}) is after end ({options['end']})")
    return Options(
        paths=[path if is_remote(path) else os.path.abspath(path.removeprefix("file://")) for path in paths],
        counters=listed(options.get("counters")),
        object=options.get("object"),
        begin=begin,
        end=end,
        hosts=listed(options.get("host")),
        reading=Reading(options.get("zone"), "en" if names == "en" else "own"),
        catalogue=options.get("catalogue"),
        storage=json.loads(options.get("storageOptions") or "{}"),
        split_bytes=number(options, "splitBytes", 256 * MEGA),
        pack_bytes=number(options, "packBytes", 64 * MEGA),
        columns=names_of(options.get("columns")),
        state=state_of(options.get("stateLocation")),
        pushdown=options.get("pushdown") == "true",
        settle_seconds=float(options.get("settleSeconds") or 10),
    )


def listed(text: str | None) -> list[str]:
    """One string, or several as a JSON array: names of counters may contain any character."""
    if not text:
        return []
    return [str(item) for item in json.loads(text)] if text.startswith("[") else [text]


def names_of(text: str | None) -> list[str]:
    """Names of columns: as a JSON array, or with commas between them."""
    if not text or text.startswith("["):
        return listed(text)
    return [name.strip() for name in text.split(",")]


def state_of(text: str | None) -> str | None:
    """The folder of a stream's state."""
    return text if not text or is_remote(text) else os.path.abspath(text.removeprefix("file://"))


def number(options: MutableMapping[str, str], name: str, default: int) -> int:
    """A number of bytes."""
    text = options.get(name)
    if text is None:
        return default
    if not text.isdigit():
        raise ValueError(f"{name} is {text!r}: it must be a number of bytes")
    return int(text)


def moment(options: MutableMapping[str, str], name: str, rest: int) -> int | None:
    """A time in nanoseconds since 1970: the microsecond in the text, plus ``rest`` nanoseconds."""
    text = options.get(name)
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"{name} is {text!r}: it must be a time with its zone, such as 2026-11-23T10:00:00Z")
    return microseconds(found) * 1_000 + rest
