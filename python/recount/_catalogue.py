"""A catalogue of many captures, which describes each without opening those that are known."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

from . import _recount
from ._open import paths_of
from ._frames import Frames
from ._values import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class CatalogueEntry(NamedTuple):
    """An entry of a catalogue (``formats/catalogue.md``): a capture, or a file that isn't one."""

    path: str
    """Absolute path of its file, or of the directory whose files are one capture."""
    size: int
    """Total size of its files, in bytes."""
    modified: datetime | None
    """When it was last written, in UTC; ``None``: it could not be opened, and the next update tries again."""
    etag: str | None
    """Version of the content in an object store; ``None`` for local files."""
    format: str | None
    """Its format; ``None``: none that recount reads."""
    capture_id: str | None
    """A UUID that identifies the capture. Copies have the same id, and a log keeps it when it grows."""
    hosts: list[str]
    """Machines."""
    begin: datetime | None
    """First sample. Without ``tzinfo`` if the zone is unknown. ``None``: there is none, or it is outside the years 1 to
    9999, which is all that Python has."""
    end: datetime | None
    """Last sample."""
    is_zone_unknown: bool
    """Whether times are local times of an unknown zone."""
    samples: int | None
    """Number of samples; ``None``: nothing can be read, and ``health`` says why."""
    objects: list[str]
    """Performance objects."""
    is_complete: bool
    """Whether all of it could be read."""
    findings: int
    """Number of findings."""
    health: str | None
    """The worst finding, or why nothing can be read; ``None``: the capture is sound."""
    version: str
    """Version of recount that read it."""


class Catalogue(Frames):
    """An up-to-date catalogue, returned by :func:`catalogue`.

    It has ``__arrow_c_stream__``, like :class:`Batches`. Iterating over it yields its entries, sorted by path.
    """

    __slots__ = ("_catalogue", "_entries")

    def __init__(self, catalogue: _recount.Catalogue) -> None:
        self._catalogue = catalogue
        self._entries: Rows[CatalogueEntry] | None = None

    def __len__(self) -> int:
        return len(self._catalogue)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._catalogue.columns

    @property
    def num_read(self) -> int:
        """Number of files that were read this time; the others were known."""
        return self._catalogue.num_read

    @property
    def num_gone(self) -> int:
        """Number of entries removed because their files are gone."""
        return self._catalogue.num_gone

    def entries(self) -> Rows[CatalogueEntry]:
        """The entries."""
        if self._entries is None:
            import json

            self._entries = Rows(map(entry, json.loads(self._catalogue.json())))
        return self._entries

    def __iter__(self) -> Iterator[CatalogueEntry]:
        return iter(self.entries())

    def __arrow_c_schema__(self) -> object:
        return self._catalogue.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._catalogue.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<recount.Catalogue of {len(self)} files, {self.num_read} read now>"

    def _repr_html_(self) -> str:
        return self.entries()._repr_html_()


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def entry(found: _recount.CatalogueRow) -> CatalogueEntry:
    """Makes an entry from a row of the extension module."""

    def time(micros: int | None) -> datetime | None:
        try:
            return None if micros is None else EPOCH + timedelta(microseconds=micros)
        except OverflowError:  # Outside the years 1 to 9999, as in damaged captures.
            return None

    def of_sample(micros: int | None) -> datetime | None:
        moment = time(micros)
        return moment.replace(tzinfo=None) if moment and found["is_zone_unknown"] else moment

    return CatalogueEntry(
        path=found["path"],
        size=found["size"],
        modified=time(found["modified"]),
        etag=found["etag"],
        format=found["format"],
        capture_id=found["capture_id"],
        hosts=found["hosts"],
        begin=of_sample(found["begin"]),
        end=of_sample(found["end"]),
        is_zone_unknown=found["is_zone_unknown"],
        samples=found["samples"],
        objects=found["objects"],
        is_complete=found["is_complete"],
        findings=found["findings"],
        health=found["health"],
        version=found["version"],
    )


def catalogue(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    force: bool = False,
) -> Catalogue:
    """Updates the catalogue in a Parquet file, like ``recount catalogue``.

    ``paths`` are captures, directories of them, which are walked, and patterns such as ``"fleet/*.rcap"``. Files whose
    size and modification time haven't changed since the last update aren't opened. A file that can't be read gets an
    entry with the reason. ``force`` reads every capture, and replaces a file that isn't a catalogue.

    >>> import os, recount, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = recount.catalogue("samples/objects.blg", os.path.join(folder, "catalogue.parquet"))
    >>> [(entry.hosts, entry.samples, entry.health) for entry in found]
    [(['PACIFIC'], 8, None)]
    """
    sources = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return Catalogue(_recount.catalogue(paths_of(sources), os.fspath(output), bool(force)))
