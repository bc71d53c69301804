"""The source ``recount-health``: what could not be read, as a row per file and finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import datasource
from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType

from .._errors import FormatError, RecountError
from ._catalogue import places
from ._options import Options, parse
from ._read import Stretches, may_have
from ._source import packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._values import HealthFinding

HEALTH = StructType(
    [
        StructField("path", StringType()),
        StructField("is_readable", BooleanType()),
        StructField("is_complete", BooleanType()),
        StructField("kind", StringType()),
        StructField("offset", LongType()),
        StructField("structure", StringType()),
        StructField("field", StringType()),
        StructField("what", StringType()),
    ]
)
"""Columns of `recount-health`."""

Row = tuple[Any, ...]


class HealthSource(datasource.DataSource):
    """What could not be read, and what is unusual. A file that can't be read at all has a row of kind ``unreadable``; a
    sound one has no row.

    All values are read for this, as the command does. With ``option("depth", "open")`` files are only opened.
    ``begin``, ``end`` and ``host`` leave out captures without samples in that span, and other machines.
    """

    @classmethod
    def name(cls) -> str:
        return "recount-health"

    def schema(self) -> StructType:
        return HEALTH

    def reader(self, schema: StructType) -> HealthReader:
        depth = self.options.get("depth") or "values"
        if depth not in ("values", "open"):
            raise ValueError(f"depth is {depth!r}: it must be values or open")
        return HealthReader(parse(self.options), is_deep=depth == "values")


class HealthReader(datasource.DataSourceReader):
    """Reads captures to find what is wrong with them."""

    def __init__(self, options: Options, is_deep: bool) -> None:
        self.options = options
        self.is_deep = is_deep

    def partitions(self) -> Sequence[Stretches]:
        asked = self.options.asked
        found = places(self.options, asked)
        self.options.split_bytes = max((place.size for place in found), default=0)
        return packed(found, self.options, asked)

    def read(self, partition: Any) -> Iterator[Row]:
        for stretch in getattr(partition, "stretches", []):
            yield from self.rows(stretch.path)

    def rows(self, path: str) -> Iterator[Row]:
        try:
            with self.options.store.open(path, self.options.reading) as capture:
                if not may_have(capture, self.options.asked):
                    return
                health = capture.health
                if self.is_deep:
                    values = capture.read()
                    for _ in values:
                        pass
                    # This includes the findings of opening, unless reading found nothing.
                    found = values.health
                    health = found if found is not None and found.total >= health.total else health
                for finding in health.findings:
                    yield row(path, True, health.is_complete, finding)
                if capture._capture.is_zone_unknown:
                    what = "times are local times of an unknown zone: name it by option('zone', ...)"
                    yield (path, True, health.is_complete, "time", None, None, None, what)
        except FormatError as error:
            yield (path, False, False, "unreadable", error.offset, error.structure, None, str(error))
        except (OSError, RecountError) as error:
            yield (path, False, False, "unreadable", None, None, None, str(error))


def row(path: str, is_readable: bool, is_complete: bool, finding: HealthFinding) -> Row:
    """A row of a finding."""
    return (
        path, is_readable, is_complete, finding.kind, finding.offset, finding.structure, finding.field, finding.what,
    )  # fmt: skip
