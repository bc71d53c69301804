"""What a stream has read, in a folder: an offset then is a number, however many files there are."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._store import Store

ENTRY = re.compile(r"(\d{8,})\.json")


class State:
    """Numbered entries, each with the files that changed and the times up to which they can be read. Entries never change, so
    the rows between two numbers are the same whenever they are read."""

    def __init__(self, store: Store, place: str) -> None:
        self.system, self.root = store.system(place)
        self.root = self.root.rstrip("/")
        self.entries: dict[int, dict[str, int]] = {}

    def load(self) -> None:
        """Reads the entries that aren't known yet."""
        self.system.makedirs(self.root, exist_ok=True)
        for path in self.system.ls(self.root, detail=False):
            found = ENTRY.fullmatch(posixpath.basename(path))
            if found and int(found[1]) not in self.entries:
                self.entries[int(found[1])] = json.loads(self.system.cat_file(path))

    @property
    def last(self) -> int:
        """The number of the last entry; 0: there is none."""
        return max(self.entries, default=0)

    def between(self, after: int, until: int) -> dict[str, int]:
        """The times up to which files that changed between two entries can be read."""
        files: dict[str, int] = {}
        for number in sorted(self.entries):
            if after < number <= until:
                files.update(self.entries[number])
        return files

    def add(self, files: dict[str, int]) -> int:
        """Adds an entry, and returns its number."""
        number = self.last + 1
        path = posixpath.join(self.root, f"{number:08}.json")
        self.system.pipe_file(f"{path}.partial", json.dumps(files).encode())
        self.system.mv(f"{path}.partial", path)
        self.entries[number] = files
        return number
