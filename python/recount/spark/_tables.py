"""Tables that captures are ingested into: plain Parquet in folders named as by Hive, and Delta."""

from __future__ import annotations

import json
import posixpath
import time
from typing import TYPE_CHECKING, Any

from ._arrow import pa
from ._gone import predicates
from ._written import stored_schema

if TYPE_CHECKING:
    from ._journal import Entry, File

    Moves = list[File]


def move(system: Any, root: str, files: Moves) -> None:
    """Moves the files that aren't in their places yet."""
    for file in files:
        staged, place = posixpath.join(root, file.staged), posixpath.join(root, file.path)
        if system.exists(staged):
            system.makedirs(posixpath.dirname(place), exist_ok=True)
            system.mv(staged, place)
        elif not system.exists(place):
            raise FileNotFoundError(f"{place}: a file of the table is gone, and so is {staged}")


class HiveTable:
    """Parquet files in folders ``host=.../date=...``."""

    def __init__(self, system: Any, root: str) -> None:
        self.system = system
        self.root = root

    def apply(self, number: int, entry: Entry) -> None:
        del number
        # It is better for rows to be missing for a moment than to be there twice.
        for name in entry.remove:
            path = posixpath.join(self.root, name)
            if self.system.exists(path):
                self.system.rm_file(path)
        move(self.system, self.root, entry.add)


class DeltaTable:
    """A Delta table: its log lists the files that belong to it, so readers see each change as a whole."""

    def __init__(self, system: Any, root: str, place: str, storage: dict[str, str], partition_by: list[str]) -> None:
        self.system = system
        self.root = root
        self.place = place
        self.storage = storage
        self.partition_by = partition_by

    APPLICATION = "recount-ingest"

    def table(self) -> Any:
        """The table; created if it doesn't exist."""
        from deltalake import DeltaTable as Delta
        from deltalake import Schema

        schema = Schema.from_arrow(stored_schema([], pa.string()))
        return Delta.create(
            self.place,
            schema=schema,
            mode="ignore",
            partition_by=self.partition_by,
            storage_options=self.storage or None,
        )

    def apply(self, number: int, entry: Entry) -> None:
        from deltalake import CommitProperties, Transaction
        from deltalake.transaction import AddAction

        table = self.table()
        done = table.transaction_version(self.APPLICATION)
        if done is not None and done >= number:
            return
        # Deleting again what is deleted already changes nothing, as long as nothing has been added.
        for condition in predicates(entry.gone):
            table.delete(condition)
        move(self.system, self.root, entry.add)
        now = int(time.time() * 1000)
        actions = [
            AddAction(
                path=file.path,
                size=file.bytes,
                partition_values=file.partition,
                modification_time=now,
                data_change=True,
                stats=json.dumps({"numRecords": file.rows}),
            )
            for file in entry.add
        ]
        table.create_write_transaction(
            actions,
            mode="append",
            schema=table.schema(),
            partition_by=self.partition_by,
            commit_properties=CommitProperties(app_transactions=[Transaction(self.APPLICATION, number)]),
        )

    def compact(self, target_bytes: int) -> None:
        """Joins small files, using Delta's own function."""
        self.table().optimize.compact(target_size=target_bytes)
