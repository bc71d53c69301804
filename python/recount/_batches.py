"""Values, for any library that reads Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._errors import RecountError, SelectionError
from ._frames import Frames
from ._values import parse_health, table_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from . import _recount
    from ._recount import Batch
    from ._values import Health


R = TypeVar("R")

MAX_SHOWN = 10
"""Rows of values that notebooks show."""


class Batches(Frames):
    """Values of a capture, read batch by batch, every time they are requested.

    ``to_polars()``, ``to_pandas()`` and ``to_arrow()`` read all of them. It has ``__arrow_c_stream__``: pass it to ``polars.DataFrame``, ``pyarrow.table`` or
    ``pandas.DataFrame.from_arrow``, or name it in DuckDB's SQL. Iterating over it yields the batches, each with
    ``__arrow_c_array__``.

    >>> import recount
    >>> cap = recount.open("samples/objects.blg")
    >>> sum(len(batch) for batch in cap.read(counters=r"\\Processor(*)\\% User Time"))
    24
    """

    __slots__ = ("_batches", "_name")

    def __init__(self, batches: _recount.Batches, name: str) -> None:
        self._batches = batches
        self._name = name

    def __repr__(self) -> str:
        return f"<recount.Batches of {self._name!r}>"

    def __iter__(self) -> Iterator[Batch]:
        return iter(self._batches)

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """The first rows."""
        batch = next(iter(self._batches), None)
        if batch is None:
            return "<p>no values</p>"
        import json

        rows: list[list[object]] = json.loads(batch.rows(MAX_SHOWN))
        at = {name: place for place, name in enumerate(batch.columns)}.get("time")
        for row in rows:
            if at is not None:
                row[at] = moment_text(row[at])
        note = f"<p>the first {len(rows)} rows; times are UTC, or local times of an unknown zone</p>"
        return table_html(batch.columns, rows) + note

    def _read_by(self, read: Callable[[object], Any]) -> Any:
        try:
            return read(self)
        except RecountError:
            raise
        except Exception:
            nothing = self._batches.nothing()
            if nothing is None:
                raise
            raise SelectionError(nothing) from None

    @property
    def health(self) -> Health | None:
        """What the last complete reading had to leave out; ``None`` before the first."""
        found = self._batches.health()
        return None if found is None else parse_health(found)


def moment_text(nanos: Any) -> str:
    """A time, in nanoseconds since 1970, to the millisecond."""
    from datetime import datetime, timedelta

    try:
        return (datetime(1970, 1, 1) + timedelta(microseconds=nanos // 1_000)).isoformat(" ", "milliseconds")
    except OverflowError:  # Python has the years 1 to 9999.
        return str(nanos)


class Table(Frames, Generic[R]):
    """A result: a small table in memory, with ``__arrow_c_stream__`` like :class:`Batches`.

    Iterating over it yields the rows as dictionaries, with times as strings. In Arrow they are times.
    """

    __slots__ = ("_rows", "_table")

    def __init__(self, table: _recount.Table) -> None:
        self._table = table
        self._rows: list[R] | None = None

    def __len__(self) -> int:
        return len(self._table)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._table.columns

    def rows(self) -> list[R]:
        """The rows as dictionaries."""
        if self._rows is None:
            import json

            rows: list[dict[str, Any]] = json.loads(self._table.json())
            found: Any = [{name: row.get(name) for name in self.columns} for row in rows]
            self._rows = found
        return list(self._rows or [])

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows())

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<recount.Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        rows: Any = self.rows()
        return table_html(self.columns, (list(row.values()) for row in rows))
