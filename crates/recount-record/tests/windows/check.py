"""Compares what recount computed of the test provider's counters with what they are made to be (provider.c).

    check.py CSV NAMES EXPECTED_SAMPLES [--costly]

CSV is the output of `recount convert`, NAMES what register.exe printed. Exits with 1 and a line per difference.
"""

import csv
import math
import re
import sys
from fractions import Fraction

# Where the values of the object without instances come from: (n, the number of the collection) -> value. Two samples are
# always one collection apart. The object's clock makes 1,000 ticks per collection, and has 1,000 ticks per second.
OF_ONE_SAMPLE = {
    "Collect Number": lambda n: n,
    "Raw Count": lambda n: 2**32 - 1 - 7 * n,
    "% Raw Fraction": lambda n: Fraction(100 * n, n + 4),
    "% Large Raw Fraction": lambda n: Fraction(100 * n, n + 1),
    "Elapsed Time": lambda n: n - Fraction(1, 2),
}
OF_TWO_SAMPLES = {
    "Average Bulk": lambda n: Fraction(10 * (n**2 - (n - 1) ** 2), 2),
    "Average Timer": lambda n: Fraction(1, 4) / 2,
    "% Sample Fraction": lambda n: Fraction(100 * 3, 4),
    "Delta": lambda n: n**2 - (n - 1) ** 2,
    "Large Delta": lambda n: (n**2 - (n - 1) ** 2) << 32,
    "% Object Timer": lambda n: 25,
    "% Precision Timer": lambda n: 50,
    "Queue Length": lambda n: 3,
}
# Per second of the system's clock: what a collection adds.
RATES = {"Counter/sec": 1000, "Bulk Count/sec": 2**33}
# The clock that they go by, as the provider read it, and how much later that may be from one time to the next.
CLOCK = "Recount Test", "", "Microseconds"
CLOCK_TOLERANCE_S = 0.02
# Shown name and rank of the instances.
INSTANCES = {"a": 1, "b": 2, "c": 3, "c#1": 4}
CHILDREN = {"a/x": 1, "c/y": 2}


def is_there(instance, n):
    """Whether an instance is in collection n."""
    if instance == "b":
        return n >= 4 and n % 4 < 2
    if instance in CHILDREN:
        return n % 3 != 0
    return True


def expected(n, is_first, costly):
    """All cells of a sample but the rates, by (object, instance, counter); None where there has to be no value."""
    cells = {}
    for counter, value in OF_ONE_SAMPLE.items():
        cells["Recount Test", "", counter] = value(n)
    for counter, value in OF_TWO_SAMPLES.items():
        cells["Recount Test", "", counter] = None if is_first else value(n)
    for instance, rank in INSTANCES.items():
        key = "Recount Test Instances", instance
        has_one = is_there(instance, n)
        has_two = has_one and not is_first and is_there(instance, n - 1)
        cells[*key, "Number"] = 100 * rank + n if has_one else None
        cells[*key, "Delta"] = rank * (n**2 - (n - 1) ** 2) if has_two else None
        cells[*key, "Average"] = Fraction(5 * rank, 2) if has_two else None
    for instance, rank in CHILDREN.items():
        number = 100 * rank + n if is_there(instance, n) else None
        cells["Recount Test Children", instance, "Number"] = number
    if costly:
        cells["Recount Test Costly", "", "Number"] = n
    return cells


def read_names(path):
    with open(path, encoding="utf-8", newline=None) as file:
        lines = file.read().split("\n")
    return dict(zip(lines[::2], lines[1::2]))


def column_key(path, names):
    """(object, instance, counter) of a column. Wine's table doesn't have the provider's names: indexes stand for them."""
    host, rest = path.removeprefix("\\\\").split("\\", 1)
    object_part, counter = rest.rsplit("\\", 1)
    name, instance = re.fullmatch(r"([^(]*)(?:\((.*)\))?", object_part).groups(default="")
    return names.get(name, name), instance, names.get(counter, counter)


def read_samples(path, names):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    keys = [column_key(column, names) for column in header[1:]]
    for row in rows:
        cells = (float(cell) if cell.strip() else None for cell in row[1:])
        yield dict(zip(keys, cells))


def is_near(found, value):
    if found is None or value is None:
        return found is value
    return math.isclose(found, value, rel_tol=1e-12)


def check_rates(cells, previous_cells):
    """Differences of the rates: from each other, and from the clock as the provider saw it."""
    rates = {counter: cells["Recount Test", "", counter] for counter in RATES}
    if previous_cells is None:
        return [f"{counter}: {rate} in the first sample" for counter, rate in rates.items() if rate is not None]
    if None in rates.values():
        return [f"no rate: {rates}"]
    shortest, longest = sorted(RATES[counter] / rate for counter, rate in rates.items())
    if not math.isclose(shortest, longest, rel_tol=1e-12):
        return [f"rates over different times: {shortest} and {longest} s"]
    seconds = (cells[CLOCK] - previous_cells[CLOCK]) / 1e6
    if abs(seconds - shortest) > CLOCK_TOLERANCE_S:
        return [f"rates over {shortest} s, the provider was asked after {seconds} s"]
    return []


def differences(samples, costly):
    previous_cells = previous_n = None
    for cells in samples:
        wrong = check_rates(cells, previous_cells)
        n = int(cells["Recount Test", "", "Collect Number"])
        if previous_n is not None and n != previous_n + 1:
            wrong.append(f"follows collection {previous_n}")
        expected_cells = expected(n, previous_n is None, costly)
        not_exact = {CLOCK, *(("Recount Test", "", counter) for counter in RATES)}
        for key in sorted((expected_cells.keys() | cells.keys()) - not_exact):
            # A column that was never written is one without values; a column that nobody expects has values.
            value, found = expected_cells.get(key), cells.get(key)
            if not is_near(found, value):
                wrong.append(f"{key}: expected {value and float(value)}, found {found}")
        yield from (f"collection {n}: {what}" for what in wrong)
        previous_cells, previous_n = cells, n


def main(csv_path, names_path, num_samples, *options):
    samples = list(read_samples(csv_path, read_names(names_path)))
    wrong = list(differences(samples, "--costly" in options))
    if len(samples) != int(num_samples):
        wrong.append(f"{len(samples)} samples, expected {num_samples}")
    for line in wrong:
        print(f"check.py: {line}", file=sys.stderr)
    num_values = sum(cell is not None for cells in samples for cell in cells.values())
    print(f"{len(samples)} samples, {num_values} values, {len(wrong)} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
