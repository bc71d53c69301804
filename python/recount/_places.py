"""Where captures are: files on this machine, and in everything that fsspec can read."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Place:
    """A file that may be a capture."""

    path: str
    """Its path, or its URL if it isn't on this machine."""
    size: int
    """Length in bytes."""
    version: str
    """What changes with the content: the ETag, or the time of the last change."""
    modified: float | None
    """Time of the last change, in seconds since 1970; ``None`` if the store doesn't say."""


class Places:
    """Lists and fetches files."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.options = options or {}

    def system(self, path: str) -> tuple[Any, str]:
        """The file system of a path, and the path within it."""
        from fsspec.core import url_to_fs  # type: ignore[import-untyped,unused-ignore]

        # List the current files, not cached ones.
        options = self.options if is_remote(path) else {}
        try:
            system, inner = cast("tuple[Any, str]", url_to_fs(path, use_listings_cache=False, **options))
        except (ImportError, ValueError) as error:
            text = f"{path}: {error}. What only Hadoop can read is read by recount.spark.from_binary()"
            raise ValueError(text) from error
        return system, inner

    def list(self, paths: Iterable[str]) -> list[Place]:
        """The files of paths, directories (whole, without names that begin with ``_`` or ``.``) and patterns, each once."""
        found: dict[str, Place] = {}
        for path in paths:
            for place in self.files(path):
                found[place.path] = place
        return whole_captures([found[path] for path in sorted(found)])

    def files(self, path: str) -> Iterator[Place]:
        """The files of one path."""
        system, inner = self.system(path)
        is_pattern = any(char in inner for char in "*?[") and not system.exists(inner)
        roots = system.glob(inner) if is_pattern else [inner]
        if not roots or not (is_pattern or system.exists(inner)):
            raise FileNotFoundError(f"no file matches {path}" if is_pattern else f"no such file: {path}")
        for root in sorted(roots):
            if is_pattern and os.path.basename(root).startswith(("_", ".")):
                continue
            entries: dict[str, dict[str, Any]] = system.find(root, detail=True)
            for name, entry in entries.items():
                below = name[len(root) :].split("/")
                if not any(part.startswith(("_", ".")) for part in below):
                    yield place_of(system, name, entry)

    def fetch(self, path: str, folder: str) -> str:
        """Copies a capture to this machine, with all its files."""
        system, inner = self.system(path)
        local = os.path.join(folder, os.path.basename(inner))
        system.get_file(inner, local)
        archive = archive_of(inner)
        if archive is not None and META.search(inner):
            for name in system.glob(f"{archive}.*"):
                if archive_of(name) == archive and name != inner:
                    system.get_file(name, os.path.join(folder, os.path.basename(name)))
        return local


def is_remote(path: str) -> bool:
    """Whether a path is a URL of something other than this machine."""
    return "://" in path and not path.startswith(("file://", "local://"))


def place_of(system: Any, name: str, entry: dict[str, Any]) -> Place:
    """Makes a place from its file system's description."""
    from datetime import datetime

    changed = next((entry[key] for key in ("mtime", "LastModified", "modified", "created") if key in entry), None)
    seconds = changed.timestamp() if isinstance(changed, datetime) else changed
    tag = entry.get("ETag") or entry.get("etag")
    version = str(tag).strip('"') if tag else f"{seconds!r}"
    is_local = "file" in system.protocol
    path = name if is_local else system.unstrip_protocol(name)
    return Place(path, int(entry["size"] or 0), f"{entry['size']}-{version}", seconds)


META = re.compile(r"\.meta(\.(xz|gz|bz2|zst))?$")
PART = re.compile(r"\.(index|meta|\d+)(\.(xz|gz|bz2|zst))?$")


def archive_of(path: str) -> str | None:
    """The name that files of a PCP archive share."""
    found = PART.search(path)
    return path[: found.start()] if found else None


def whole_captures(places: list[Place]) -> list[Place]:
    """A PCP archive has three or more files: its `.meta` represents all of them, with their lengths and modification
    times."""
    archives = {archive_of(place.path) for place in places if META.search(place.path)}
    parts: dict[str, list[Place]] = {}
    for place in places:
        archive = archive_of(place.path)
        if archive in archives and archive is not None:
            parts.setdefault(archive, []).append(place)
    whole: list[Place] = []
    for place in places:
        archive = archive_of(place.path)
        if archive is None or archive not in parts:
            whole.append(place)
        elif META.search(place.path):
            files = parts[archive]
            version = "+".join(part.version for part in files)
            times = [part.modified for part in files if part.modified is not None]
            size = sum(part.size for part in files)
            whole.append(Place(place.path, size, version, max(times, default=None)))
    return whole


def fetched(
    sources: list[str], options: dict[str, Any] | None
) -> tuple[tempfile.TemporaryDirectory[str], list[str], dict[str, str]]:
    """Copies what URLs name to this machine: the folder of the copies, all paths with these in the place of URLs, and the URLs of
    the copies."""
    places = Places(options)
    folder = tempfile.TemporaryDirectory(prefix="recount-")
    paths: list[str] = []
    urls: dict[str, str] = {}
    try:
        for source in sources:
            if not is_remote(source):
                paths.append(source)
                continue
            for place in places.list([source]):
                # A folder of its own, since files of two places may have one name.
                inside = os.path.join(folder.name, str(len(urls)))
                os.mkdir(inside)
                local = places.fetch(place.path, inside)
                urls[local] = place.path
                paths.append(local)
    except BaseException:
        folder.cleanup()
        raise
    return folder, paths, urls
