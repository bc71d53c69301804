"""Values, as anything that reads Arrow takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._values import parse_health, table_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import _recount
    from ._recount import Batch
    from ._values import Health


class Batches:
    """Values of a capture, read when somebody asks for them and as often as they do, batch by batch.

    It has ``__arrow_c_stream__``: give it to ``polars.DataFrame``, ``pyarrow.table``, ``pandas.DataFrame.from_arrow``, or name
    it in DuckDB's SQL. A loop over it gives the batches, each with ``__arrow_c_array__``.

    >>> import recount
    >>> cap = recount.open("samples/objects.blg")
    >>> sum(len(batch) for batch in cap.read(counters=r"\\Processor(*)\\% User Time"))
    24
    """

    __slots__ = ("_batches",)

    def __init__(self, batches: _recount.Batches) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Batch]:
        return iter(self._batches)

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    @property
    def health(self) -> Health | None:
        """What the last reading that came to its end had to leave out; ``None`` before."""
        found = self._batches.health()
        return None if found is None else parse_health(found)


class Table:
    """An answer: a small table in memory, with ``__arrow_c_stream__`` as :class:`Batches` has it.

    A loop over it gives its rows as dictionaries. Times are texts in them; as Arrow they are times.
    """

    __slots__ = ("_rows", "_table")

    def __init__(self, table: _recount.Table) -> None:
        self._table = table
        self._rows: list[dict[str, Any]] | None = None

    def __len__(self) -> int:
        return len(self._table)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._table.columns

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        if self._rows is None:
            import json

            self._rows = json.loads(self._table.json())
        return list(self._rows or [])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<recount.Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return table_html(self.columns, (list(row.values()) for row in self.rows()))
