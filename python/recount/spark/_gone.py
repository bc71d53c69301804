"""Takes rows out of a table: those that better ones replace, and those that are there twice."""

from __future__ import annotations

import posixpath
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

from ._arrow import pa, pc, pq
from ._journal import FOLDER, Entry, File
from ._tasks import on_tasks
from ._written import ROWS_PER_GROUP, folder_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from ._journal import Gone, Journal
    from .._store import Store


def rewrite(
    spark: SparkSession, journal: Journal, store: Store, target: str, gone: list[Gone], entry: Entry
) -> None:
    """Adds to an entry of a table of plain Parquet that files are replaced by others without some rows."""
    files = concerned(journal, gone)
    for row in on_tasks(spark, files, partial(rest_of, store=store, target=target, gone=gone)):
        entry.remove.append(row["path"])
        if row["rest"] is not None:
            entry.add.append(File(**row["rest"]))


def concerned(journal: Journal, gone: list[Gone]) -> list[str]:
    """Files that may have such rows, by the names of their folders."""
    hosts = {f"host={folder_value(one.host or None)}".lower() for one in gone}
    dates = {f"date={date_of(time)}" for one in gone for time in one.times}
    has_all = any(not one.object for one in gone)
    found: list[str] = []
    for path in sorted(journal.system.find(journal.root)):
        below = path[len(journal.root) :].lstrip("/")
        folders = below.split("/")[:-1]
        if not below.endswith(".parquet") or any(part.startswith(("_", ".")) for part in below.split("/")):
            continue
        is_elsewhere = any(
            (part.startswith("host=") and part.lower() not in hosts) or (part.startswith("date=") and part not in dates)
            for part in folders
        )
        if is_elsewhere and not has_all:
            continue
        found.append(below)
    return found


def date_of(nanoseconds: int) -> str:
    """The folder's value of the day of a time."""
    from datetime import datetime, timedelta

    return str((datetime(1970, 1, 1) + timedelta(microseconds=nanoseconds // 1_000)).date())


def rest_of(path: str, *, store: Store, target: str, gone: list[Gone]) -> Iterator[dict[str, Any]]:
    """Writes the other rows of a file to a new one, if it has some that are to go."""
    system, root = store.system(target)
    root = root.rstrip("/")
    folder = posixpath.dirname(path)
    name = f"part-{uuid.uuid4().hex}.parquet"
    staged = posixpath.join(FOLDER, "staging", uuid.uuid4().hex, name)
    whole = posixpath.join(root, staged)
    host = next((part[5:].lower() for part in folder.split("/") if part.startswith("host=")), None)
    of_host = [one for one in gone if not one.object or host is None or folder_value(one.host or None).lower() == host]
    rows = num_gone = 0
    writer: Any = None
    sink: Any = None
    with system.open(posixpath.join(root, path), "rb") as file:
        parquet = pq.ParquetFile(file)
        for batch in parquet.iter_batches(batch_size=ROWS_PER_GROUP):
            kept = batch.filter(pc.invert(mask(batch, of_host)))
            num_gone += batch.num_rows - kept.num_rows
            rows += kept.num_rows
            if writer is None:
                system.makedirs(posixpath.dirname(whole), exist_ok=True)
                sink = system.open(whole, "wb")
                writer = pq.ParquetWriter(sink, batch.schema, compression="zstd", store_schema=False)
            if kept.num_rows:
                writer.write_batch(kept, row_group_size=ROWS_PER_GROUP)
    if writer is not None:
        writer.close()
        sink.close()
    if num_gone == 0:
        if writer is not None:
            system.rm_file(whole)
        return
    rest = None if rows == 0 else vars(File(posixpath.join(folder, name), staged, rows, int(system.size(whole)), {}))
    yield {"path": path, "rest": rest, "rows": num_gone}


def mask(batch: Any, gone: list[Gone]) -> Any:
    """Which rows are to go."""
    found = pa.array([False]).take(pa.array([0] * batch.num_rows, pa.int32()))
    if batch.num_rows == 0:
        return found

    def texts(name: str) -> Any:
        return batch.column(name).cast(pa.string())

    ids, objects, counters, times = texts("capture_id"), texts("object"), texts("counter"), batch.column("time_ns")
    hosts = pc.utf8_lower(pc.fill_null(texts("host"), "")) if "host" in batch.schema.names else None
    for one in gone:
        if not one.object:
            found = pc.or_(found, pc.equal(ids, one.id))
            continue
        here = pc.and_(pc.equal(ids, one.id), pc.equal(objects, one.object))
        if hosts is not None:
            here = pc.and_(here, pc.equal(hosts, one.host))
        if one.counter is not None:
            here = pc.and_(here, pc.equal(counters, one.counter))
        if pc.any(here).as_py():
            found = pc.or_(found, pc.and_(here, pc.is_in(times, pa.array(one.times, pa.int64()))))
    return found


def predicates(gone: list[Gone]) -> Iterator[str]:
    """Conditions, in SQL, that are true for such rows."""
    most = 2_000

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    for one in gone:
        if not one.object:
            yield f"capture_id = {quoted(one.id)}"
            continue
        host = f"lower(host) = {quoted(one.host)}" if one.host else "host IS NULL"
        of = f"object = {quoted(one.object)}" + ("" if one.counter is None else f" AND counter = {quoted(one.counter)}")
        for at in range(0, len(one.times), most):
            times = ", ".join(map(str, one.times[at : at + most]))
            yield f"capture_id = {quoted(one.id)} AND {host} AND {of} AND time_ns IN ({times})"


