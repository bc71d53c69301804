"""Structured Streaming: captures that appear and grow in a directory, each row once."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader

from .._errors import RecountError
from ._read import Stretch, Stretches
from ._state import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ._options import Options
    from ._read import Recipe
    from .._places import Place


class StreamReader(DataSourceStreamReader):
    """An offset holds, for every file, the time up to which it was read, in nanoseconds since 1970: ``{"files": {path:
    time}}``. With a folder for the stream's state, that is there, and an offset is the number of its last entry: ``{"number":
    7}``. Between two offsets a file has the same rows whenever it is read, so a batch can be repeated."""

    def __init__(self, options: Options, recipe: Recipe) -> None:
        self.options = options
        self.recipe = recipe
        self.seen: dict[str, tuple[str, int]] = {}
        self.reached: dict[str, int] = {}
        self.state = None if options.state is None else State(options.store, options.state)

    def initialOffset(self) -> dict[str, Any]:
        return {"files": {}} if self.state is None else {"number": 0}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, Any]:
        """How far files can be read. Earlier offsets are kept, even for files that are gone."""
        before: dict[str, int] = {}
        if self.state is not None:
            self.state.load()
            before = self.state.between(0, self.state.last)
        elif start:
            before = start["files"]
        for path, end in before.items():
            self.reached[path] = max(end, self.reached.get(path, end))
        try:
            places = self.options.store.list(self.options.paths)
        except FileNotFoundError:
            places = []  # It may be a pattern, for captures still to come.
        for place in places:
            last = self.end_of(place)
            if last is not None:
                self.reached[place.path] = max(last, self.reached.get(place.path, last))
        if self.state is None:
            return {"files": dict(sorted(self.reached.items()))}
        changed = {path: end for path, end in self.reached.items() if before.get(path) != end}
        return {"number": self.state.add(changed) if changed else self.state.last}

    def end_of(self, place: Place) -> int | None:
        """The time up to which a file can be read. If a file may still be being written, its last sample may be
        incomplete: it waits until another follows, or until nothing has been written for a while."""
        is_settled = place.modified is None or time.time() - place.modified >= self.options.settle_seconds
        version = f"{place.version}{'' if is_settled else ' open'}"
        known = self.seen.get(place.path)
        if known is not None and known[0] == version:
            return known[1]
        try:
            with self.options.store.open(place.path, self.options.reading) as capture:
                times = capture._capture.times
        except (RecountError, FileNotFoundError) as error:
            # A file that has just been created isn't a capture yet; it is examined again once it has changed.
            print(f"recount: not read yet: {error}", file=sys.stderr)
            return None
        if not times:
            return None
        end = max(times) if is_settled else max(times) - 1
        if end < min(times):
            return None
        self.seen[place.path] = (version, end)
        return end

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[Stretches]:
        if self.state is not None:
            self.state.load()
            before = self.state.between(0, start["number"])
            now = self.state.between(start["number"], end["number"])
        else:
            before, now = start["files"], end["files"]
        tasks: list[Stretches] = []
        for path, last in now.items():
            first = before.get(path)
            if first is None or first < last:
                tasks.append(Stretches([Stretch(path, None if first is None else first + 1, last)]))
        return tasks

    def read(self, partition: Any) -> Iterator[Any]:
        return self.recipe.read(getattr(partition, "stretches", []))
