"""The filters that Spark passes to the source."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from .._scan import Asked

from ._arrow import pa, pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql.datasource import Filter

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
TEXTS = ("host", "object", "instance", "counter")


def push(filters: Iterable[Filter], asked: Asked) -> Iterator[Filter]:
    """Notes in ``asked`` what the filters select, and returns those that Spark must apply itself. All others are
    applied exactly."""
    for filter in filters:
        if not note(filter, asked):
            yield filter


def note(filter: Filter, asked: Asked) -> bool:
    """Notes a filter, and returns whether the reader applies it."""
    # By name: these are classes of pyspark 4.1, and the package also runs with 4.0, which has no filters.
    kind = type(filter).__name__
    found: Any = filter
    column = ".".join(getattr(found, "attribute", ()))
    value: Any = getattr(found, "value", None)
    if column in TEXTS and kind in ("EqualTo", "In"):
        texts = [value] if kind == "EqualTo" else list(value)
        if all(isinstance(text, str) for text in texts):
            asked.one_of(column, set(texts))
            return True
    if column == "time":
        if kind == "IsNotNull":
            return True
        if isinstance(value, datetime):
            return note_time(kind, microseconds(value), asked)
    return False


def microseconds(time: datetime) -> int:
    """Microseconds since 1970."""
    return (time.astimezone(timezone.utc) - EPOCH) // timedelta(microseconds=1)


def note_time(kind: str, micros: int, asked: Asked) -> bool:
    """Spark's times are ours rounded down to microseconds."""
    first, last = micros * 1_000, micros * 1_000 + 999
    if kind == "GreaterThanOrEqual":
        asked.after(first)
    elif kind == "GreaterThan":
        asked.after(last + 1)
    elif kind == "LessThanOrEqual":
        asked.before(last)
    elif kind == "LessThan":
        asked.before(first - 1)
    elif kind == "EqualTo":
        asked.after(first)
        asked.before(last)
    else:
        return False
    return True


def kept(batch: Any, asked: Asked, fixed: dict[str, str]) -> Any:
    """The rows of a batch that have the requested strings. ``fixed`` are columns that the batch lacks because they have
    one value."""
    for column, texts in asked.texts.items():
        if column in fixed:
            if fixed[column] not in texts:
                return batch.slice(0, 0)
        elif batch.num_rows:
            names = batch.column(column)
            wanted = pa.array(sorted(texts), pa.string())
            if pa.types.is_dictionary(names.type):
                found = pc.is_in(names.dictionary.cast(pa.string()), wanted)
                mask = pc.take(found, names.indices)
            else:
                mask = pc.is_in(names, wanted)
            batch = batch.filter(mask, null_selection_behavior="drop")
    return batch
