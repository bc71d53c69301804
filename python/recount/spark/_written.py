"""Parquet files of a table that captures are ingested into, written by one task."""

from __future__ import annotations

import posixpath
import re
import uuid
from itertools import product
from typing import TYPE_CHECKING, Any

from ._arrow import pa, pc, pq
from ._journal import FOLDER, File

if TYPE_CHECKING:
    from collections.abc import Iterator

# Rows of one row group. In memory it takes some 60 MB.
ROWS_PER_GROUP = 1 << 20
MOST_OPEN = 16
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


# Texts on their way to a file: few different ones, so they are written several times faster than as ``pa.string()``.
NAMES = pa.dictionary(pa.int32(), pa.string())


def stored_schema(partition_by: list[str], text: Any) -> Any:
    """The columns in a table's files: all except those in folder names."""
    fields = [
        ("capture_id", text), ("time", pa.timestamp("us", "UTC")), ("time_ns", pa.int64()), ("interval_s", pa.float64()),
        ("host", text), ("date", pa.date32()), ("object", text), ("instance", text), ("counter", text),
        ("value", pa.float64()), ("status", text),
    ]  # fmt: skip
    return pa.schema([field for field in fields if field[0] not in partition_by])


class Files:
    """Rows by partition, in files of at most a size."""

    def __init__(self, system: Any, root: str, partition_by: list[str], target_bytes: int) -> None:
        self.system = system
        self.root = root
        self.partition_by = partition_by
        self.target_bytes = target_bytes
        self.schema = stored_schema(partition_by, NAMES)
        self.staging = posixpath.join(FOLDER, "staging", uuid.uuid4().hex)
        self.open: dict[tuple[str | None, ...], Open] = {}
        self.written: list[File] = []

    def write(self, capture: str, batch: Any) -> None:
        """Adds rows of a capture, in the types of the tidy frame."""
        columns = {field.name: batch.column(field.name) for field in batch.schema}
        same = pa.repeat(pa.scalar(0, pa.int32()), batch.num_rows)
        columns["capture_id"] = pa.DictionaryArray.from_arrays(same, pa.array([capture]))
        columns["date"] = columns["time"].cast(pa.date32())
        table = pa.table(columns)
        for key, part in self.parts(table):
            file = self.open.pop(key, None) or Open(self, key)
            self.open[key] = file
            if file.write(part.select(self.schema.names)) >= self.target_bytes:
                self.close(key)
        while len(self.open) > MOST_OPEN:
            self.close(next(iter(self.open)))

    def parts(self, table: Any) -> Iterator[tuple[tuple[str | None, ...], Any]]:
        """The rows of each partition, in their order."""
        values = [pc.unique(table.column(name)).to_pylist() for name in self.partition_by]
        for key in product(*values):
            rows = table
            for name, value, all_values in zip(self.partition_by, key, values):
                if len(all_values) > 1:
                    column = rows.column(name)
                    column = column.cast(pa.string()) if column.type == NAMES else column
                    rows = rows.filter(pc.is_null(column) if value is None else pc.equal(column, value))
            if rows.num_rows:
                yield tuple(None if value is None else str(value) for value in key), rows

    def close(self, key: tuple[str | None, ...]) -> None:
        self.written.append(self.open.pop(key).close())

    def finish(self) -> list[File]:
        """Closes all files, and returns them."""
        for key in list(self.open):
            self.close(key)
        return self.written


class Open:
    """A file that is being written."""

    def __init__(self, files: Files, key: tuple[str | None, ...]) -> None:
        self.system = files.system
        self.partition = dict(zip(files.partition_by, key))
        folders = [f"{name}={folder_value(value)}" for name, value in self.partition.items()]
        name = f"part-{uuid.uuid4().hex}.parquet"
        self.path = posixpath.join(*folders, name)
        self.staged = posixpath.join(files.staging, name)
        self.whole = posixpath.join(files.root, self.staged)
        self.system.makedirs(posixpath.dirname(self.whole), exist_ok=True)
        self.sink = self.system.open(self.whole, "wb")
        self.writer = pq.ParquetWriter(self.sink, files.schema, compression="zstd", store_schema=False)
        self.waiting: list[Any] = []
        self.num_waiting = 0
        self.rows = 0

    def write(self, table: Any) -> int:
        """Adds rows, and returns the length of the file so far."""
        self.waiting.append(table)
        self.num_waiting += table.num_rows
        self.rows += table.num_rows
        if self.num_waiting >= ROWS_PER_GROUP:
            self.flush()
        return int(self.sink.tell())

    def flush(self) -> None:
        if self.waiting:
            # A file has one dictionary per column and row group.
            rows = pa.concat_tables(self.waiting).unify_dictionaries()
            self.writer.write_table(rows, row_group_size=ROWS_PER_GROUP)
        self.waiting, self.num_waiting = [], 0

    def close(self) -> File:
        self.flush()
        self.writer.close()
        self.sink.close()
        return File(self.path, self.staged, self.rows, int(self.system.size(self.whole)), self.partition)


def folder_value(value: str | None) -> str:
    """A value in the form used in folder names (`formats/tables.md#partitions`)."""
    if value is None:
        return NO_VALUE
    special = r"""[\x00-\x1f\x7f<>:"/\\|?*%\[\]{}#'=^+ ]|^[._~-]|\.$"""
    return re.sub(special, lambda found: f"%{ord(found[0]):02X}", value) or "%00"
