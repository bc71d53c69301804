"""Parquet files of a table that captures are ingested into, written by one task."""

from __future__ import annotations

import posixpath
import re
import uuid
from typing import TYPE_CHECKING, Any

from ._arrow import pa, pc, pq
from ._journal import FOLDER, File

if TYPE_CHECKING:
    from collections.abc import Iterator

# Rows of one row group. In memory it takes some 60 MB.
ROWS_PER_GROUP = 1 << 20
MOST_OPEN = 16
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def stored_schema(partition_by: list[str]) -> Any:
    """The columns of a table; those that folders name aren't in its files."""
    text = pa.string()
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
        self.schema = stored_schema(partition_by)
        self.staging = posixpath.join(FOLDER, "staging", uuid.uuid4().hex)
        self.open: dict[tuple[str | None, ...], Open] = {}
        self.written: list[File] = []

    def write(self, capture: str, batch: Any) -> None:
        """Adds rows of a capture, in the types of the tidy frame."""
        columns = {field.name: batch.column(field.name) for field in batch.schema}
        columns["capture_id"] = pa.array([capture] * batch.num_rows, pa.string())
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
        if not self.partition_by:
            yield (), table
            return
        keys = table.select(self.partition_by).group_by(self.partition_by).aggregate([]).to_pylist()
        for row in keys:
            rows = table
            for name, value in row.items():
                column = rows.column(name)
                rows = rows.filter(pc.is_null(column) if value is None else pc.equal(column, value))
            yield tuple(None if row[name] is None else str(row[name]) for name in self.partition_by), rows

    def close(self, key: tuple[str | None, ...]) -> None:
        self.written.append(self.open.pop(key).close())

    def finish(self) -> list[File]:
        """Closes all files, and says which there are."""
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
        """Adds rows, and gives the length of the file so far."""
        self.waiting.append(table)
        self.num_waiting += table.num_rows
        self.rows += table.num_rows
        if self.num_waiting >= ROWS_PER_GROUP:
            self.flush()
        return int(self.sink.tell())

    def flush(self) -> None:
        if self.waiting:
            self.writer.write_table(pa.concat_tables(self.waiting), row_group_size=ROWS_PER_GROUP)
        self.waiting, self.num_waiting = [], 0

    def close(self) -> File:
        self.flush()
        self.writer.close()
        self.sink.close()
        return File(self.path, self.staged, self.rows, int(self.system.size(self.whole)), self.partition)


def folder_value(value: str | None) -> str:
    """A value as a folder's name has it (`formats/tables.md#partitions`)."""
    if value is None:
        return NO_VALUE
    special = r"""[\x00-\x1f\x7f<>:"/\\|?*%\[\]{}#'=^+ ]|^[._~-]|\.$"""
    return re.sub(special, lambda found: f"%{ord(found[0]):02X}", value) or "%00"
