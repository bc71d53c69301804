"""Joins small files of a table into larger ones."""

from __future__ import annotations

import posixpath
import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ._arrow import pa, pq
from ._journal import FOLDER, Entry, File
from ._tasks import on_tasks
from ._written import ROWS_PER_GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from ._journal import Journal, Table
    from .._store import Store


@dataclass
class Join:
    """Files of one folder that become a single file."""

    folder: str
    names: list[str] = field(default_factory=list[str])
    bytes: int = 0


def compact(
    spark: SparkSession,
    journal: Journal,
    table: Table,
    store: Store,
    target: str,
    small_bytes: int,
    target_bytes: int,
) -> None:
    """Joins the small files of each folder, in a single change of the table."""
    joins = planned(journal, small_bytes, target_bytes)
    if not joins:
        return
    found = on_tasks(spark, joins, partial(join, store=store, target=target))
    files = [File(**row) for row in found]
    removed = [posixpath.join(one.folder, name) for one in joins for name in one.names]
    journal.commit(Entry(add=files, remove=removed), table)


def planned(journal: Journal, small_bytes: int, target_bytes: int) -> list[Join]:
    """Which files to join."""
    entries: dict[str, dict[str, Any]] = journal.system.find(journal.root, detail=True)
    small: dict[str, list[tuple[str, int]]] = {}
    for path in sorted(entries):
        below = path[len(journal.root) :].lstrip("/")
        is_ours = below.endswith(".parquet") and not any(part.startswith(("_", ".")) for part in below.split("/"))
        if is_ours and entries[path]["size"] < small_bytes:
            folder, name = posixpath.split(below)
            small.setdefault(folder, []).append((name, entries[path]["size"]))
    joins: list[Join] = []
    for folder, files in small.items():
        now = Join(folder)
        for name, size in files:
            if now.names and now.bytes + size > target_bytes:
                joins.append(now)
                now = Join(folder)
            now.names.append(name)
            now.bytes += size
        joins.append(now)
    return [one for one in joins if len(one.names) > 1]


def join(one: Join, *, store: Store, target: str) -> Iterator[dict[str, Any]]:
    """Writes the rows of several files to a new one that readers don't see yet."""
    system, root = store.system(target)
    root = root.rstrip("/")
    name = f"part-{uuid.uuid4().hex}.parquet"
    staged = posixpath.join(FOLDER, "staging", uuid.uuid4().hex, name)
    whole = posixpath.join(root, staged)
    system.makedirs(posixpath.dirname(whole), exist_ok=True)
    rows = 0
    writer: Any = None
    with system.open(whole, "wb") as sink:
        for part in one.names:
            with system.open(posixpath.join(root, one.folder, part), "rb") as file:
                footer = pq.read_metadata(file)
                names = [column.name for column in footer.schema.to_arrow_schema() if pa.types.is_string(column.type)]
                parquet = pq.ParquetFile(file, metadata=footer, read_dictionary=names)
                for batch in parquet.iter_batches(batch_size=ROWS_PER_GROUP):
                    if writer is None:
                        writer = pq.ParquetWriter(sink, batch.schema, compression="zstd", store_schema=False)
                    writer.write_batch(batch, row_group_size=ROWS_PER_GROUP)
                    rows += batch.num_rows
        if writer is not None:
            writer.close()
    yield vars(File(posixpath.join(one.folder, name), staged, rows, int(system.size(whole)), {}))
