"""What `recount stats` has to say about tables in the objects layout (formats/tables.md), in exact arithmetic.

    python stats_oracle.py DIR [--by 5m] [--group-by host,instance]                      prints the rows as JSON
    python stats_oracle.py DIR [--by 5m] [--group-by host,instance] --compare STATS.json compares, exit code 1 if they differ

Needs pyarrow only. A float is a whole number times a power of two, so all sums are sums of whole numbers: nothing rounds
before the last step.
"""

import argparse
import datetime
import json
import math
import re
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote

import pyarrow
import pyarrow.parquet as parquet

RELATIVE = 1e-9
# Of the largest value: what a sound computation in float64 leaves of a difference that is 0.
OF_THE_LARGEST = 1e-14
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
NS_PER_HOUR = 3600 * 10**9
EPOCH = datetime.datetime(1970, 1, 1)
QUANTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99}
NUMBERS = ["min", "mean", "max", "std", *QUANTILES, "trend_per_hour", "first", "last"]
NOBODY = "__HIVE_DEFAULT_PARTITION__"


class Series:
    """Values of one row of the answer: (time in ns, value, weight), and the reasons of those that are missing."""

    def __init__(self):
        self.values = []
        self.nulls = Counter()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("dir", type=Path)
    options.add_argument("--by", type=duration, default=None, metavar="DURATION")
    options.add_argument("--group-by", default="host,instance", metavar="KEYS")
    options.add_argument("--compare", type=Path, metavar="STATS.json")
    options = options.parse_args()
    keys = [key for key in options.group_by.split(",") if key]
    if unknown := set(keys) - {"host", "instance"}:
        sys.exit(f"--group-by: {', '.join(sorted(unknown))}: expected host, instance, both or ''")
    rows = {key: row(series) for key, series in read(options.dir, options.by, keys).items()}
    if options.compare:
        sys.exit(compare(rows, json.loads(options.compare.read_text())))
    print(json.dumps([as_json(key, row, options.by) for key, row in sorted(rows.items(), key=sortable)], indent=1))


def duration(text):
    """Nanoseconds."""
    parts = re.fullmatch(r"(\d+)(ns|us|ms|s|m|h|d)", text)
    if not parts or int(parts[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration like 15s, 5m or 1h")
    return int(parts[1]) * UNITS[parts[2]]


# Reading


def read(folder, by, keys):
    """Series by (host, object, instance, counter, bucket); what is left out of the keys is None."""
    series = defaultdict(Series)

    def of(host, name, instance, counter, time):
        bucket = None if by is None else time // by * by
        kept = (host if "host" in keys else None, name, instance if "instance" in keys else None, counter, bucket)
        return series[kept]

    for name, file, columns in catalogue(folder):
        for time, host, instance, weight, cells in table_rows(folder / file, list(columns)):
            for column, value in zip(columns, cells):
                if value is not None:
                    of(host, name, instance, columns[column], time).values.append((time, value, weight))
    nulls = folder / "_nulls.parquet"
    if nulls.exists():
        table = parquet.ParquetFile(nulls).read()
        names = ["host", "object", "instance", "counter", "status"]
        for time, host, name, instance, counter, status in zip(times(table), *(cells_of(table, name) for name in names)):
            of(host, name, instance, counter, time).nulls[status] += 1
    for one in series.values():
        one.values.sort(key=lambda value: value[0])  # Stable: equal times stay in the order of the capture.
    return series


def catalogue(folder):
    """(object, file, {column: counter}) of the counters that have values: not of bases."""
    objects = {}
    before = None
    for entry in parquet.ParquetFile(folder / "_counters.parquet").read().to_pylist():
        is_base = before and before["object"] == entry["object"] and before["base"] == entry["counter"]
        before = entry
        if entry["column"] is None or is_base:
            continue
        file, columns = objects.setdefault(entry["object"], (entry["file"], {}))
        if entry["counter"] in columns.values():
            sys.exit(f"{entry['object']} has two counters {entry['counter']!r}: their rows can't be told apart by name")
        columns[entry["column"]] = entry["counter"]
    return [(name, file, columns) for name, (file, columns) in objects.items()]


def table_rows(path, columns):
    """(time, host, instance, weight_s, [values]) of a table, whether one file or one per host and day."""
    def checked(interval, weight):
        if interval is not None and weight not in (0, interval):
            sys.exit(f"{path}: a weight of {weight} s for an interval of {interval} s")
        return weight

    for file in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
        table = parquet.ParquetFile(file).read()
        parts = dict(part.split("=", 1) for part in file.relative_to(path).parts if "=" in part)
        if "host" in parts:
            of_directory = None if parts["host"] == NOBODY else unquote(parts["host"])
            hosts = [of_directory] * table.num_rows
        else:
            hosts = cells_of(table, "host")
        values = zip(*(cells_of(table, name) for name in columns)) if columns else [()] * table.num_rows
        yield from zip(times(table), hosts, cells_of(table, "instance"), map(checked, cells_of(table, "interval_s"), cells_of(table, "weight_s")), values)


def times(table):
    return table.column("time").cast(pyarrow.int64()).to_pylist()


def cells_of(table, name):
    return table.column(name).to_pylist() if name in table.column_names else [None] * table.num_rows


# Computing


def row(series):
    result = {"count": len(series.values), "nulls": dict(series.nulls)} | dict.fromkeys(NUMBERS)
    if not series.values:
        return result | {"first_of": [], "last_of": [], "scale": 0, "trend_scale": 0}
    moments = [time for time, _, _ in series.values]
    values = [value for _, value, _ in series.values]
    weighted = [(value, weight) for _, value, weight in series.values]
    ordered = sorted(values)
    result |= {"min": ordered[0], "max": ordered[-1], "mean": mean(values, weighted), "std": deviation(values)}
    result |= {name: quantile(ordered, percent) for name, percent in QUANTILES.items()}
    result |= {"trend_per_hour": trend(moments, values), "first": values[0], "last": values[-1]}
    # Of several values of one time, the tables of several hosts or instances don't say which was first.
    result["first_of"] = [value for time, value in zip(moments, values) if time == moments[0]]
    result["last_of"] = [value for time, value in zip(moments, values) if time == moments[-1]]
    result["scale"] = max(abs(ordered[0]), abs(ordered[-1]))
    result["trend_scale"] = result["scale"] * NS_PER_HOUR / max(moments[-1] - moments[0], 1)
    return result


def whole(values):
    """Whole numbers, and by how much they are too large."""
    ratios = [value.as_integer_ratio() for value in values]
    scale = max(denominator for _, denominator in ratios)
    return [numerator * (scale // denominator) for numerator, denominator in ratios], scale


def mean(values, weighted):
    if sum(weight for _, weight in weighted) > 0:
        numbers, scale = whole([value for value, _ in weighted])
        weights, _ = whole([weight for _, weight in weighted])
        return float(Fraction(sum(n * w for n, w in zip(numbers, weights)), sum(weights) * scale))
    numbers, scale = whole(values)
    return float(Fraction(sum(numbers), len(numbers) * scale))


def deviation(values):
    n = len(values)
    if n < 2:
        return None
    numbers, scale = whole(values)
    above = n * sum(number * number for number in numbers) - sum(numbers) ** 2
    return math.sqrt(Fraction(above, n * (n - 1) * scale * scale))


def quantile(ordered, percent):
    """Linear between the two values around it."""
    place = Fraction(percent * (len(ordered) - 1), 100)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = Fraction(ordered[below]), Fraction(ordered[above])
    return float(low + (high - low) * (place - below))


def trend(moments, values):
    """Slope of the least squares line, per hour."""
    x = [moment - moments[0] for moment in moments]
    y, scale = whole(values)
    n = len(x)
    below = n * sum(a * a for a in x) - sum(x) ** 2
    if below == 0:
        return None
    above = n * sum(a * b for a, b in zip(x, y)) - sum(x) * sum(y)
    return float(Fraction(above * NS_PER_HOUR, below * scale))


# Comparing


def compare(rows, answer):
    found = {}
    rows, answer, wrong = apart(rows, answer)
    for entry in answer:
        bucket = entry.get("bucket")
        key = (*(entry.get(name) for name in ["host", "object", "instance", "counter"]), bucket and nanoseconds(bucket))
        if key in found:
            wrong.append(f"{key}: there twice")
        found[key] = entry
    wrong += [f"{key}: missing, {rows[key]['count']} values" for key in rows.keys() - found.keys()]
    wrong += [f"{key}: not in the tables" for key in found.keys() - rows.keys()]
    for key in rows.keys() & found.keys():
        wrong += [f"{key}: {difference}" for difference in differences(rows[key], found[key])]
    for line in sorted(wrong)[:50]:
        print(line, file=sys.stderr)
    print(f"{len(rows)} rows, {sum(row['count'] for row in rows.values())} values, {len(wrong)} differences")
    if not rows:
        print("nothing to compare: the tables are empty", file=sys.stderr)
    return 1 if wrong or not rows else 0


def apart(rows, answer):
    """Without the objects whose instances are told apart by ids, which tables don't name: of these only what doesn't depend on the
    instance is compared, over all instances of a counter."""
    ids = {entry["object"] for entry in answer if entry.get("instance_id") is not None}

    def over_all(figures):
        sums = defaultdict(lambda: [0, None, None])
        for object, counter, count, low, high in figures:
            one = sums[object, counter]
            one[0] += count
            one[1] = min((value for value in (one[1], low) if value is not None), default=None)
            one[2] = max((value for value in (one[2], high) if value is not None), default=None)
        return dict(sums)

    expected = over_all((key[1], key[3], row["count"], row["min"], row["max"]) for key, row in rows.items() if key[1] in ids)
    answered = over_all(
        (entry["object"], entry["counter"], entry["count"], entry["min"], entry["max"])
        for entry in answer
        if entry["object"] in ids
    )
    wrong = [
        f"{key}: {answered.get(key)}, expected {expected.get(key)} over all instances"
        for key in expected.keys() | answered.keys()
        if answered.get(key) != expected.get(key)
    ]
    return (
        {key: row for key, row in rows.items() if key[1] not in ids},
        [entry for entry in answer if entry["object"] not in ids],
        wrong,
    )


def differences(expected, entry):
    for name in ["count", "nulls"]:
        if entry[name] != expected[name]:
            yield f"{name} is {entry[name]}, expected {expected[name]}"
    for name in NUMBERS:
        value, exact = entry[name], expected[name]
        if value is None or exact is None:
            agree = value is exact
        elif name in ("min", "max"):
            agree = value == exact
        elif name in ("first", "last"):
            agree = value in expected[f"{name}_of"]
        else:
            scale = expected["trend_scale" if name == "trend_per_hour" else "scale"]
            agree = abs(value - exact) <= RELATIVE * abs(exact) + OF_THE_LARGEST * scale
        if not agree:
            yield f"{name} is {value!r}, expected {exact!r}"


def nanoseconds(text):
    """Of an RFC 3339 time in UTC; a local time of an unknown zone has no suffix."""
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)?", text)
    if not parts:
        sys.exit(f"bucket {text!r}: expected a time like 2013-02-20T02:55:00Z")
    seconds = (datetime.datetime.fromisoformat(f"{parts[1]}T{parts[2]}") - EPOCH) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int((parts[3] or "0").ljust(9, "0"))


def as_json(key, row, by):
    names = ["host", "object", "instance", "counter"] + (["bucket"] if by else [])
    shown = dict(zip(names, key))
    if by:
        seconds, rest = divmod(key[4], 10**9)
        fraction = f".{rest:09}".rstrip("0") if rest else ""
        shown["bucket"] = f"{(EPOCH + datetime.timedelta(seconds=seconds)).isoformat()}{fraction}Z"
    return shown | {name: row[name] for name in ["count", "nulls", *NUMBERS]}


def sortable(item):
    key, _ = item
    return [("" if part is None else part) for part in key[:4]] + [key[4] or 0]


if __name__ == "__main__":
    main()
