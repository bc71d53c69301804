"""The tidy table, against what is known of the capture."""

import math
from collections import Counter

from expected import (
    FIRST_TIME_NS,
    HOST,
    LAST_TIME_NS,
    NULLS,
    NUM_ROWS,
    NUM_SAMPLES,
    PATHS,
    TOTAL,
    TOTAL_SUMMARY,
    TOTAL_VALUES,
    close,
    equal,
)

COLUMNS = ["time", "interval_s", "weight_s", "host", "object", "instance", "counter", "value", "status"]


def check(table, columns=COLUMNS):
    """Rows, times, paths, values and nulls."""
    equal("columns", sorted(table), sorted(columns))
    equal("rows", {len(column) for column in table.values()}, {NUM_ROWS})
    times = sorted(set(table["time"]))
    equal("times", (len(times), times[0], times[-1]), (NUM_SAMPLES, FIRST_TIME_NS, LAST_TIME_NS))
    equal("order of time", table["time"], sorted(table["time"]))
    equal("host", set(table["host"]), {HOST})
    paths = Counter(zip(table["object"], table["instance"], table["counter"], strict=True))
    equal("paths", paths, dict.fromkeys(PATHS, NUM_SAMPLES))
    check_intervals(table, times)
    check_total(table)
    check_nulls(table)


def check_intervals(table, times):
    """`interval_s` is the time since the sample before, and null in the first."""
    before = dict(zip(times[1:], times))
    for time, interval in zip(table["time"], table["interval_s"], strict=True):
        if time == FIRST_TIME_NS:
            equal("first interval_s", interval, None)
        else:
            close("interval_s", interval, (time - before[time]) / 1e9, 1e-12)


def check_total(table):
    """The values of one counter that relog's output is known of."""
    values = [row["value"] for row in rows(table) if path(row) == TOTAL]
    equal("first value", values[0], None)
    for found, wanted in zip(values[1:5], TOTAL_VALUES, strict=True):
        close("% Processor Time of _Total", found, wanted, 1e-14)
    values = values[1:]
    summary = [min(values), math.fsum(values) / len(values), max(values)]
    equal("min, mean, max of _Total", [f"{value:.3f}" for value in summary], TOTAL_SUMMARY)


def check_nulls(table):
    """A value is null exactly where the status isn't `ok`, as often as expected."""
    nulls = Counter()
    for row in rows(table):
        equal("null and ok", row["value"] is None, row["status"] != "ok")
        if row["value"] is None:
            nulls[row["counter"], row["status"]] += 1
    equal("nulls", nulls, NULLS)


def rows(table):
    """Rows as dicts."""
    return (dict(zip(table, row)) for row in zip(*table.values(), strict=True))


def path(row):
    """(object, instance, counter) of a row."""
    return (row["object"], row["instance"], row["counter"])


def cells(table):
    """(time, host, object, instance, counter) -> (value, status)."""
    found = {(row["time"], row["host"], *path(row)): (row["value"], row["status"]) for row in rows(table)}
    equal("rows of different keys", len(found), len(table["time"]))
    return found
