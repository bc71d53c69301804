"""Reads a capture, or a stretch of it, into batches in the form that Spark expects."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import InputPartition

from .._arguments import wanted
from .._errors import RecountError
from .._scan import Asked
from ._arrow import pa
from ._columns import OBJECT_TYPES, arrow_schema, check, in_types, sources
from ._filters import kept
from .._store import Reading, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.types import StructType

    from .._capture import Capture


@dataclass(frozen=True)
class Stretch:
    """A capture between two times, both inclusive, in nanoseconds since 1970."""

    path: str
    begin: int | None = None
    end: int | None = None


class Stretches(InputPartition):
    """What one task reads."""

    def __init__(self, stretches: list[Stretch]) -> None:
        super().__init__(None)
        self.stretches = stretches

    def __repr__(self) -> str:
        return f"Stretches({self.stretches!r})"


@dataclass
class Recipe:
    """Which rows and columns to read of every capture."""

    schema: StructType
    counters: list[str]
    object: str | None
    reading: Reading
    store: Store
    asked: Asked = field(default_factory=Asked)
    text: Any = pa.string()
    """The type of columns of texts."""

    def __post_init__(self) -> None:
        check(self.schema, self.object is None)

    def read(self, stretches: list[Stretch]) -> Iterator[Any]:
        """The rows of stretches of captures. A capture that can't be read has none: `recount-health` says why."""
        for stretch in stretches:
            with ExitStack() as opened:
                try:
                    capture = opened.enter_context(self.store.open(stretch.path, self.reading))
                except RecountError as error:
                    print(f"recount: left out: {error}", file=sys.stderr)
                    continue
                yield from self.rows(capture, (stretch.begin, stretch.end), stretch.path)

    def rows(
        self, capture: Capture, window: tuple[int | None, int | None], path: str | None = None
    ) -> Iterator[Any]:
        """The rows of one capture between two times."""
        begin, end = both(window, self.asked)
        if not may_have(capture, self.asked):
            return
        reader = self.start(capture, (begin, end))
        if reader is None:
            return
        # An object's table has no columns for values that all its rows share.
        fixed = {} if self.object is None else {"object": self.object}
        fixed = {name: text for name, text in fixed.items() if name not in reader.schema.names}
        made_of = sources(self.schema, reader.schema.names)
        schema = arrow_schema(self.schema, self.text)
        constants = {"path": path, "capture_id": capture.id if "capture_id" in schema.names else None}
        for batch in reader:
            rows = kept(batch, self.asked, fixed)
            if rows.num_rows:
                yield in_types(rows, schema, made_of, constants)

    def start(self, capture: Capture, window: tuple[int | None, int | None]) -> Any:
        """A reader of the columns that are needed, or ``None`` if the capture has none of the counters."""
        chosen = wanted(self.counters or self.asked.paths())
        needed = set(self.asked.texts)
        if self.object is None:
            needed |= set(sources(self.schema, []))
            columns = [name for name in TIDY_COLUMNS if name in needed or (name == "time" and "time_ns" in needed)]
            return self.stream(capture, columns, window, chosen)
        # The columns of an object are known once its definitions have been read, and no value is.
        names = columns_of(capture, self.object)
        if not names:
            return None
        made_of = [name for name in sources(self.schema, names).values() if name is not None]
        columns = [name for name in names if name in made_of or name in needed]
        return self.stream(capture, columns or ["time"], window, wanted())

    def stream(
        self, capture: Capture, columns: list[str] | None, window: tuple[int | None, int | None], chosen: Any
    ) -> Any:
        try:
            batches = capture._capture.read(chosen, self.object, False, columns, window)
            return pa.RecordBatchReader.from_stream(batches)
        except RecountError as error:
            if is_without_counters(error):
                return None
            raise


# A table that is appended to can't get new columns, so `weight_s` isn't one of them.
TIDY_COLUMNS = ("time", "interval_s", "host", "object", "instance", "counter", "value", "status")


def may_have(capture: Capture, asked: Asked) -> bool:
    """Whether a capture may have rows of the requested machines and times. This decodes nothing."""
    hosts, own = asked.texts.get("host"), capture._capture.hosts
    if hosts is not None and own and not {host.casefold() for host in own} & {host.casefold() for host in hosts}:
        return False
    if asked.begin is None and asked.end is None:
        return True
    times = capture._capture.times
    is_before = asked.begin is not None and max(times, default=asked.begin) < asked.begin
    is_behind = asked.end is not None and min(times, default=asked.end) > asked.end
    return not (is_before or is_behind)


def both(window: tuple[int | None, int | None], asked: Asked) -> tuple[int | None, int | None]:
    """The part of a stretch that was requested."""
    begins = [time for time in (window[0], asked.begin) if time is not None]
    ends = [time for time in (window[1], asked.end) if time is not None]
    return max(begins, default=None), min(ends, default=None)


def is_without_counters(error: RecountError) -> bool:
    """Whether an error says that a capture lacks the requested counters: others of a fleet may have them."""
    return "no counter matches" in str(error)


def counters_of(capture: Capture, object: str) -> list[str]:
    """The names of an object's columns of values in a capture; none if it doesn't have the object."""
    return [name for name in columns_of(capture, object) if name not in OBJECT_TYPES]


def columns_of(capture: Capture, object: str) -> list[str]:
    """The names of an object's columns in a capture; none if it doesn't have the object."""
    try:
        schema = pa.schema(capture._capture.read(wanted(), object, False, None, (None, None)))
    except RecountError as error:
        if is_without_counters(error):
            return []
        raise
    return [name for name in schema.names if name != "weight_s"]
