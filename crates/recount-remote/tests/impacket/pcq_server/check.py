"""What recount recorded of the server, against what the server sent: every raw and every cooked value.

    check.py FOLDER

Cooked values are computed here in exact arithmetic, as formats/counter-types.md says.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

NONE = 0xFFFFFFFF
FILETIME_OF_1970 = 116_444_736_000_000_000
GLOBAL_AGGREGATE = 4
TEXTS, BASES = {0x00000B00}, {0x40030401, 0x40030402, 0x40030403, 0x40030500}
# Types whose value is the raw one.
RAW = {0x00010000, 0x00010100, 0, 0x100}
# Types of two samples -> value of dN, dD, frequency, instances. The denominator is what `second` has.
RATE = lambda dn, dd, frequency, _: dn * frequency / dd
PART = lambda dn, dd, *_: dn / dd
PERCENT = lambda dn, dd, *_: 100 * dn / dd
INVERSE = lambda dn, dd, *_: 100 - 100 * dn / dd
MULTI = lambda dn, dd, _, instances: 100 * dn / dd / instances
MULTI_INVERSE = lambda dn, dd, _, instances: 100 * (instances - dn / dd)
SECONDS = lambda dn, db, frequency, _: dn / frequency / db
TWO_SAMPLES = {
    0x10410400: ("ticks", RATE),
    0x10410500: ("ticks", RATE),
    0x00410400: ("ticks", RATE),
    0x20410500: ("ticks", PERCENT),
    0x21410500: ("ticks", INVERSE),
    0x20510500: ("time", PERCENT),
    0x21510500: ("time", INVERSE),
    0x22410500: ("ticks", MULTI),
    0x23410500: ("ticks", MULTI_INVERSE),
    0x22510500: ("time", MULTI),
    0x23510500: ("time", MULTI_INVERSE),
    0x00450400: ("ticks", PART),
    0x00450500: ("ticks", PART),
    0x00550500: ("time", PART),
    0x00650500: ("clock", PART),
    0x20610500: ("clock", PERCENT),
    0x20670500: ("clock", PERCENT),
    0x20470500: ("base", PERCENT),
    0x20570500: ("base", PERCENT),
    0x20C20400: ("base", PERCENT),
    0x40020500: ("base", PART),
    0x30020400: ("base", SECONDS),
}
FRACTIONS, ELAPSED_TIME = {0x20020400, 0x20020500}, 0x30240500
INVERSES = {0x21410500, 0x21510500, 0x23410500, 0x23510500}
AGGREGATES = {1: "_Total", 2: "_Average", 3: "_Minimum", 4: "_Maximum"}


class Counter:
    def __init__(self, fields):
        self.id, self.name, self.type, self.base, self.clock, self.frequency, self.multi, self.function = fields

    @property
    def is_wrapping(self):
        return self.type & 0x300 == 0


class Sample:
    def __init__(self, sent):
        self.time, self.ticks, self.frequency = sent["time"], sent["ticks"], sent["frequency"]
        self.values = {}
        for counterset, name, number, counter, value in sent["values"]:
            self.values.setdefault((counterset, name, number), {})[counter] = value

    def second(self, counter, values):
        """The number beside the counter that its formula needs."""
        if counter.type in FRACTIONS or counter.type in TWO_SAMPLES and TWO_SAMPLES[counter.type][0] == "base":
            return values[counter.base]
        if counter.type == ELAPSED_TIME or TWO_SAMPLES.get(counter.type, ("",))[0] == "clock":
            return values[counter.clock]
        return {"ticks": self.ticks, "time": self.time}.get(TWO_SAMPLES.get(counter.type, ("",))[0])


def cooked(counter, sample, values, before):
    """(value, status) of one counter; `before` are the sample before and its values, or a status if there are none."""
    if counter.type in TEXTS | BASES:
        return None, "not-a-number"
    raw, second = Fraction(values[counter.id]), sample.second(counter, values)
    if counter.type in RAW:
        return raw, "ok"
    if counter.type in FRACTIONS:
        return 100 * raw / second, "ok"
    if counter.type == ELAPSED_TIME:
        return (second - raw) / values[counter.frequency], "ok"
    if isinstance(before, str):
        return None, before
    earlier, old = before
    what, formula = TWO_SAMPLES[counter.type]
    difference = values[counter.id] - old[counter.id]
    if difference < 0 and not counter.is_wrapping:
        return None, "counter-reset"
    difference %= 1 << 32 if counter.is_wrapping else 1 << 64
    divisor = second - earlier.second(counter, old)
    if what == "base" and counter.type not in (0x20470500, 0x20570500):
        divisor %= 1 << 32
    if divisor == 0:
        return None, "no-operations"
    instances = values[counter.multi] if counter.multi != NONE else None
    return formula(Fraction(difference), divisor, sample.frequency, instances), "ok"


def aggregate(counter, values):
    """Of the cooked values of all instances."""
    ok = [value for value, status in values if status == "ok"]
    if not ok:
        return None, values[0][1]
    function = {1: sum, 2: lambda ok: sum(ok) / len(ok), 3: min, 4: max}[counter.function]
    return function(ok), "ok"


def expected_rows(sent):
    """(time, object, instance, counter) -> (value, status, first, second, text, type)."""
    counters = {found["name"]: [Counter(fields) for fields in found["counters"]] for found in sent["countersets"]}
    kinds = {found["name"]: found["kind"] for found in sent["countersets"]}
    rows, earlier = {}, None
    for sample in (Sample(found) for found in sent["samples"] if not found["is_changed"]):
        time = (sample.time - FILETIME_OF_1970) * 100
        names, aggregated = {}, {}
        for identity, values in sample.values.items():
            counterset, name, _ = identity
            # Instances of one name are numbered in their order.
            occurrence = names[counterset, name] = names.get((counterset, name), -1) + 1
            shown = None if kinds[counterset] == 0 else f"{name}#{occurrence}" if occurrence else name
            if earlier is None:
                before = "first-sample"
            elif identity in earlier.values:
                before = earlier, earlier.values[identity]
            else:
                before = "no-previous-instance"
            for counter in counters[counterset]:
                value, status = cooked(counter, sample, values, before)
                first, text = values[counter.id], None
                if counter.type in TEXTS:
                    first, text = None, first
                row = value, status, first, sample.second(counter, values), text, counter.type
                rows[time, counterset, shown, counter.name] = row
                if kinds[counterset] == GLOBAL_AGGREGATE and counter.function:
                    aggregated.setdefault((counterset, counter), []).append((value, status))
        for (counterset, counter), values in aggregated.items():
            row = *aggregate(counter, values), None, None, None, counter.type
            rows[time, counterset, AGGREGATES[counter.function], counter.name] = row
        earlier = sample
    return rows


def found_rows(path):
    table = pq.read_table(path)
    columns = {
        name: table[name].cast(pa.int64() if name == "time" else table.schema.field(name).type).to_pylist()
        for name in ("time", "object", "instance", "counter", "value", "status", "first", "second", "text")
    }
    rows = list(zip(*columns.values(), strict=True))
    found = {row[:4]: row[4:] for row in rows}
    equal("rows of one place", len(rows), len(found))
    return found


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def compare(folder, name):
    sent = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    expected, found = expected_rows(sent), found_rows(folder / f"{name}.parquet")
    equal(f"{name}: rows that aren't expected", set(found) - set(expected), set())
    equal(f"{name}: rows that are missing", set(expected) - set(found), set())
    statuses = {}
    for place, (value, status, first, second, text, kind) in expected.items():
        value_found, *rest = found[place]
        if text is not None:
            # A text has no number, whatever the column says.
            rest[1] = None
        equal(f"{name}: {place}", rest, [status, first, second, text])
        if value is None or value_found is None:
            equal(f"{name}: value of {place}", value_found, value)
        else:
            # A difference from 1 loses digits where the result is small.
            tolerance = Fraction(1, 10**12) * abs(value) + (Fraction(1, 10**10) if kind in INVERSES else 0)
            if abs(Fraction(value_found) - value) > tolerance:
                raise AssertionError(f"{name}: value of {place}: expected {float(value)!r}, found {value_found!r}")
        statuses[status] = statuses.get(status, 0) + 1
    every = {"ok", "first-sample", "no-previous-instance", "counter-reset", "no-operations", "not-a-number"}
    equal(f"{name}: statuses", set(statuses), every)
    print(f"{name}: {len(expected)} rows, {statuses}")


for recorded in ("plain", "changed"):
    compare(Path(sys.argv[1]), recorded)
