"""The readers under test. Each turns a table into columns: a dict of name to list.

`time` becomes nanoseconds since 1970, after a look at its type: a reader that takes it for a local time, or rounds it,
is a failure. Text is str whether it was a dictionary or not; a missing value is None.
"""

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.ipc
import pyarrow.parquet

from expected import equal


def arrow_table(path):
    """An Arrow IPC file (.arrow) or stream (.arrows), by pyarrow."""
    opened = pyarrow.ipc.open_stream(path) if path.suffix == ".arrows" else pyarrow.ipc.open_file(path)
    return opened.read_all()


class Polars:
    name = "polars"

    def parquet(self, path):
        return self._columns(polars.read_parquet(path))

    def arrow(self, path):
        read = polars.read_ipc_stream if path.suffix == ".arrows" else polars.read_ipc
        return self._columns(read(path))

    def hive(self, folder):
        return self._columns(polars.read_parquet(folder / "**/*.parquet", hive_partitioning=True))

    def _columns(self, frame):
        if "time" in frame.columns:
            equal("type of time", frame.schema["time"], polars.Datetime("ns", "UTC"))
            frame = frame.with_columns(polars.col("time").dt.epoch("ns"))
        return frame.to_dict(as_series=False)


class DuckDb:
    name = "DuckDB"

    def __init__(self):
        self.connection = duckdb.connect()

    def parquet(self, path):
        return self._columns(self.connection.read_parquet(str(path)))

    def arrow(self, path):
        # DuckDB reads IPC with an extension that has to be downloaded; without, it queries pyarrow's memory.
        return self._columns(self.connection.from_arrow(arrow_table(path)))

    def hive(self, folder):
        return self._columns(self.connection.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True))

    def _columns(self, relation):
        if "time" in relation.columns:
            types = dict(zip(relation.columns, relation.types))
            equal("type of time", str(types["time"]), "TIMESTAMPTZ_NS")
            relation = relation.project("* REPLACE (epoch_ns(time) AS time)")
        columns = list(zip(*relation.fetchall()))
        return {name: list(values) for name, values in zip(relation.columns, columns, strict=True)}


class PyArrow:
    name = "pyarrow"

    def parquet(self, path):
        return self._columns(pyarrow.parquet.ParquetFile(path).read())

    def arrow(self, path):
        return self._columns(arrow_table(path))

    def hive(self, folder):
        return self._columns(pyarrow.dataset.dataset(folder, partitioning="hive").to_table())

    def _columns(self, table):
        if "time" in table.column_names:
            equal("type of time", table.schema.field("time").type, pyarrow.timestamp("ns", "UTC"))
            at = table.schema.get_field_index("time")
            table = table.set_column(at, "time", table["time"].cast(pyarrow.int64()))
        return table.to_pydict()
