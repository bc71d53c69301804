"""Columns of frames: their types in Spark, and batches of the reader in these types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.types import (
    DataType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from ._arrow import pa, pc

if TYPE_CHECKING:
    from collections.abc import Iterable

TIMES = {"time": TimestampType(), "time_ns": LongType(), "interval_s": DoubleType()}

TIDY_TYPES: dict[str, DataType] = {
    **TIMES,
    "host": StringType(),
    "object": StringType(),
    "instance": StringType(),
    "counter": StringType(),
    "value": DoubleType(),
    "status": StringType(),
}

# Spark has no unsigned numbers. It reads those of 64 bits in Parquet as this type, too.
OBJECT_TYPES: dict[str, DataType] = {
    **TIMES,
    "host": StringType(),
    "instance": StringType(),
    "instance_id": DecimalType(20, 0),
}

ORIGIN_TYPES: dict[str, DataType] = {"path": StringType(), "capture_id": StringType()}
"""Columns that any frame may have on request: the file of a row, and the id of its capture."""

TIDY = StructType([StructField(name, kind) for name, kind in TIDY_TYPES.items()])
"""A row per value: the same columns for every capture, for ever."""


def object_schema(counters: Iterable[str]) -> StructType:
    """A row per instance, with these counters. Spark ignores case in names, so of names that differ only in case the
    first is kept."""
    fields = [StructField(name, kind) for name, kind in OBJECT_TYPES.items()]
    known = {name.casefold() for name in OBJECT_TYPES}
    for counter in counters:
        if counter.casefold() not in known:
            known.add(counter.casefold())
            fields.append(StructField(counter, DoubleType()))
    return StructType(fields)


def chosen(whole: StructType, columns: list[str]) -> StructType:
    """The columns of a schema that an option names, in its order."""
    known = {field.name.casefold(): field for field in whole.fields}
    known.update({name: StructField(name, kind) for name, kind in ORIGIN_TYPES.items()})
    missing = [name for name in columns if name.casefold() not in known]
    if missing:
        raise ValueError(f"no column is called {missing[0]!r}: there are {', '.join(field.name for field in known.values())}")
    return StructType([known[name.casefold()] for name in columns])


def check(schema: StructType, is_tidy: bool) -> None:
    """Raises an error if a schema given by the user isn't one of ours."""
    fixed = {**(TIDY_TYPES if is_tidy else OBJECT_TYPES), **ORIGIN_TYPES}
    for field in schema.fields:
        expected = fixed.get(field.name, None if is_tidy else DoubleType())
        if expected is None:
            known = ", ".join(fixed)
            raise ValueError(f"no column is called {field.name!r}: there are {known}")
        if field.dataType != expected:
            kind = expected.simpleString()
            raise ValueError(f"column {field.name!r} is {field.dataType.simpleString()}: it must be {kind}")


def arrow_type(kind: DataType, text: Any) -> Any:
    """The Arrow type for one of our types."""
    if isinstance(kind, TimestampType):
        return pa.timestamp("us", "UTC")
    if isinstance(kind, DecimalType):
        return pa.decimal128(20, 0)
    if isinstance(kind, LongType):
        return pa.int64()
    return text if isinstance(kind, StringType) else pa.float64()


def arrow_schema(schema: StructType, text: Any) -> Any:
    """The Arrow schema of batches. Spark expects texts as ``pa.string()``."""
    return pa.schema([(field.name, arrow_type(field.dataType, text)) for field in schema.fields])


def sources(schema: StructType, known: list[str]) -> dict[str, str | None]:
    """For each column, the reader's column from which it is made; ``None``: this capture has none. Case is ignored, as
    in Spark."""
    exact = set(known)
    folded = {name.casefold(): name for name in reversed(known)}
    found: dict[str, str | None] = {}
    for name in schema.fieldNames():
        source = "time" if name == "time_ns" else name
        found[name] = source if source in exact else folded.get(source.casefold())
    return found


def cast(column: Any, to: Any) -> Any:
    """A column in another type; times are rounded down."""
    if not pa.types.is_timestamp(to):
        return column.cast(to)
    # A cast rounds towards 1970, and takes a tenth of the time.
    ticks = column.cast(pa.int64())
    is_before_1970 = (pc.min(ticks).as_py() or 0) < 0
    return (pc.floor_temporal(column, unit="microsecond") if is_before_1970 else column).cast(to, safe=False)


def in_types(batch: Any, schema: Any, made_of: dict[str, str | None], constants: dict[str, str | None]) -> Any:
    """A batch of the reader in the types of a schema. Times are rounded down to microseconds; ``time_ns`` is exact. Constants
    are the columns that have one value for all rows of a capture."""
    columns: list[Any] = []
    for field in schema:
        if constants.get(field.name) is not None:
            columns.append(pa.repeat(constants[field.name], batch.num_rows).cast(field.type))
            continue
        source = made_of[field.name]
        if source is None:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(source)
        columns.append(column if column.type == field.type else cast(column, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
