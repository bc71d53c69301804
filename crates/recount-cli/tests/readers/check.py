"""Reads what recount made of blg/tx-basic.blg with polars, DuckDB and pyarrow, and compares values.

    python check.py FOLDER TABLES_MD

FOLDER is what crates/recount-cli/tests/live_readers.rs filled, TABLES_MD is formats/tables.md. Ends with 0 and a line per
reader if all is as expected.
"""

import math
import re
import sys
from pathlib import Path

import exact
import objects
import tidy
from engines import DuckDb, Polars, PyArrow
from expected import DATE, HOST, close, equal

OBJECTS = ["PhysicalDisk", "Processor"]


def check(engine, folder):
    """All outputs, by one reader."""
    table = engine.parquet(folder / "tidy.parquet")
    tidy.check(table)
    cells = tidy.cells(table)

    for name in ["tidy.arrow", "tidy.arrows"]:
        other = engine.arrow(folder / name)
        tidy.check(other)
        equal(f"{name} and tidy.parquet", tidy.cells(other) == cells, True)

    raw = engine.parquet(folder / "raw.parquet")
    tidy.check(raw, [*tidy.COLUMNS, "first", "second"])
    equal("raw.parquet and tidy.parquet", tidy.cells(raw) == cells, True)
    exact.check(raw)

    by_day = engine.hive(folder / "tidy-by-day")
    objects.check_partition(by_day)
    tidy.check(by_day, [*tidy.COLUMNS, "date"])
    equal("tidy-by-day and tidy.parquet", tidy.cells(by_day) == cells, True)

    out = folder / "objects"
    tables = {name: engine.parquet(out / f"{name}.parquet") for name in OBJECTS}
    objects.check(tables, engine.parquet(out / "_nulls.parquet"), cells)
    objects.check_catalogue(engine.parquet(out / "_counters.parquet"))

    out = folder / "objects-by-day"
    tables = {name: engine.hive(out / name) for name in OBJECTS}
    for table in tables.values():
        objects.check_partition(table)
    objects.check(tables, engine.parquet(out / "_nulls.parquet"), cells)
    return cells


def check_documented_query(tables_md, folder, cells):
    """The query of formats/tables.md, "Partitions", as it stands there."""
    found = re.search(r"^    (SELECT host, date, .*?;)$", tables_md.read_text(), re.DOTALL | re.MULTILINE)
    if not found:
        raise AssertionError(f"{tables_md} has no query that begins with SELECT host, date")
    query = found[1].replace("'OUT/", f"'{folder}/objects-by-day/")
    rows = DuckDb().connection.sql(query).fetchall()
    values = [value for key, (value, _) in cells.items() if key[2] == "Processor" and value is not None]
    equal("rows of the query", [(host, str(date)) for host, date, _ in rows], [(HOST, DATE)])
    close("mean % Processor Time", rows[0][2], math.fsum(values) / len(values), 1e-12)


def main():
    folder, tables_md = map(Path, sys.argv[1:])
    cells = {}
    for engine in [Polars(), DuckDb(), PyArrow()]:
        try:
            cells[engine.name] = check(engine, folder)
        except AssertionError as error:
            error.add_note(f"read by {engine.name}")
            raise
        print(f"{engine.name}: every value as expected")
    for name, found in cells.items():
        equal(f"cells of {name} and polars", found == cells["polars"], True)
    check_documented_query(tables_md, folder, cells["DuckDB"])
    print("formats/tables.md: the query runs and is right")


if __name__ == "__main__":
    main()
