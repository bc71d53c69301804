"""Every value computed again from the raw values beside it, in PDH's order of operations: equal to the last bit
(formats/counter-types.md, "The types")."""

from expected import NUM_ROWS, TYPES, equal
from tidy import path, rows

FORMULAS = {
    "PERF_100NSEC_TIMER_INV": lambda dn, dd: (1 - dn / dd) * 100,
    "PERF_AVERAGE_BULK": lambda dn, dd: dn / dd,
    "PERF_COUNTER_100NS_QUEUELEN_TYPE": lambda dn, dd: dn / dd,
}


def check(table):
    """Values and statuses of a tidy table with raw values."""
    before = {}
    num_checked = 0
    for row in rows(table):
        first, second = row["first"], row["second"]
        what = f"{path(row)} at {row['time']}"
        if path(row) not in before:
            equal(what, row["status"], "first-sample")
        else:
            dn, dd = first - before[path(row)][0], second - before[path(row)][1]
            if dd == 0:
                equal(what, row["status"], "no-operations")
            else:
                equal(what, row["status"], "ok")
                type_name = TYPES[row["counter"]][0]
                equal(what, row["value"], FORMULAS[type_name](dn, dd))
        before[path(row)] = (first, second)
        num_checked += 1
    equal("rows checked", num_checked, NUM_ROWS)
