"""A catalogue of captures, which describes files before they are opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._arrow import pq
from .._places import is_remote
from .._store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._scan import Asked
    from ._options import Options
    from .._places import Place


@dataclass(frozen=True)
class Known:
    """What a catalogue says about a file."""

    size: int
    hosts: frozenset[str] | None
    begin: int | None
    """First sample, in nanoseconds since 1970, or up to a microsecond before."""
    end: int | None
    """Last sample, or up to a microsecond after."""


class Catalogue:
    """The rows of a catalogue file (Parquet), by path."""

    def __init__(self, path: str, store: Store) -> None:
        system, inner = store.system(path)
        with system.open(inner, "rb") as file:
            table = pq.read_table(file)
        self.rows: dict[str, Known] = {}
        for row in table.to_pylist():
            hosts = row.get("hosts", row.get("host"))
            listed = [hosts] if isinstance(hosts, str) else hosts
            self.rows[key(row["path"], store)] = Known(
                int(row["size"]),
                frozenset(host.casefold() for host in listed) if listed else None,
                nanoseconds(row["begin"], 0),
                nanoseconds(row["end"], 999),
            )

    def needed(self, places: list[Place], asked: Asked) -> Iterator[Place]:
        """The files that may have what was requested, including those that the catalogue doesn't know, and those whose
        length has changed."""
        hosts = asked.texts.get("host")
        wanted = None if hosts is None else {host.casefold() for host in hosts}
        for place in places:
            known = self.rows.get(place.path)
            if known is not None and known.size == place.size:
                if wanted is not None and known.hosts is not None and not wanted & known.hosts:
                    continue
                if asked.begin is not None and known.end is not None and known.end < asked.begin:
                    continue
                if asked.end is not None and known.begin is not None and known.begin > asked.end:
                    continue
            yield place


def places(options: Options, asked: Asked) -> list[Place]:
    """The files to open: all except those that, according to a catalogue, have nothing that was requested."""
    store = options.store
    found = store.list(options.paths)
    if options.catalogue is None:
        return found
    return list(Catalogue(options.catalogue, store).needed(found, asked))


def key(path: str, store: Store) -> str:
    """A path in the form in which the store lists it."""
    import os

    return path if is_remote(path) else os.path.abspath(path)


def nanoseconds(time: Any, rest: int) -> int | None:
    """A time of a catalogue in nanoseconds: given as a datetime, or in microseconds."""
    from ._filters import microseconds

    if time is None:
        return None
    return (time if isinstance(time, int) else microseconds(time)) * 1_000 + rest
