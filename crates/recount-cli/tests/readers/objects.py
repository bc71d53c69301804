"""The tables by object, against the tidy one."""

from expected import DATE, HOST, NULLS, TYPES, equal
from tidy import rows

NOT_COUNTERS = {"time", "interval_s", "weight_s", "host", "instance", "date"}


def check(tables, nulls, wanted):
    """`tables` by object, joined with `_nulls`, are the cells of the tidy table."""
    equal("nulls", len(nulls["time"]), sum(NULLS.values()))
    reasons = {
        (row["time"], row["host"], row["object"], row["instance"], row["counter"]): row["status"]
        for row in rows(nulls)
    }
    equal("nulls of different keys", len(reasons), len(nulls["time"]))
    found = {}
    for name, table in tables.items():
        for row in rows(table):
            for counter in table.keys() - NOT_COUNTERS:
                key = (row["time"], row["host"], name, row["instance"], counter)
                equal("key seen before", key in found, False)
                value = row[counter]
                found[key] = (value, reasons.pop(key) if value is None else "ok")
    equal("nulls without a cell", reasons, {})
    equal("cells", len(found), len(wanted))
    for key, cell in wanted.items():
        equal(str(key), found.get(key), cell)


def check_partition(table):
    """The columns that come of directories."""
    equal("host", set(table["host"]), {HOST})
    equal("date", {str(date) for date in table["date"]}, {DATE})


def check_catalogue(counters):
    """`_counters`."""
    found = {row["counter"]: (row["type"], row["type_word"], row["unit"]) for row in rows(counters)}
    equal("_counters", found, TYPES)
    equal("rows of _counters", len(counters["counter"]), len(TYPES))
    for row in rows(counters):
        equal("column", row["column"], row["counter"])
        equal("path", row["path"], f"\\{row['object']}(*)\\{row['counter']}")
        equal("file", row["file"], f"{row['object']}.parquet")
