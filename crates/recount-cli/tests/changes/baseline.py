"""Judges quantiles of a baseline by numpy, and when a disk is full by scipy: baseline.py RECOUNT SEED"""

import json
import math
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from scipy import stats

recount, seed = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(seed)
directory = Path(tempfile.mkdtemp())
BEGIN = datetime(2026, 11, 2)


def run(*arguments):
    done = subprocess.run([recount, "-q", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done)
    return done.stdout


def write(name, begin, step_s, columns):
    names = ",".join(f'"\\\\WEB1\\{column}"' for column in columns)
    lines = [f'"(PDH-CSV 4.0) (UTC)(0)",{names}']
    for at, values in enumerate(zip(*columns.values())):
        time = (begin + timedelta(seconds=step_s * at)).strftime("%m/%d/%Y %H:%M:%S.000")
        lines.append(f'"{time}",' + ",".join(f'"{value!r}"' for value in map(float, values)))
    path = directory / name
    path.write_text("\n".join(lines) + "\n")
    return path


def means(values):
    """Of five minutes; the first value has no time before it."""
    blocks = {}
    for minute, value in enumerate(values):
        if minute > 0:
            blocks.setdefault((minute * 60 - 1) // 300, []).append(value)
    return np.array([np.mean(block) for block in blocks.values() if 60 * len(block) >= 150])


def error(values):
    """How far a quantile may be off, by formats/baseline.md: bins become twice as wide until there are at most 128 of them."""
    logarithms = np.log(values[values > 0]) / math.log(1.01 / 0.99)
    level = 0
    while len(np.unique(np.ceil(logarithms / 2**level))) + (values.min() == 0) > 128:
        level += 1
    width = (1.01 / 0.99) ** (2**level)
    return (width - 1) / (width + 1) + 1e-9


def quantiles():
    count = 4 * 1440
    counters = {
        r"PhysicalDisk(_Total)\Disk Transfers/sec": random.lognormal(6, 1.2, count),
        r"System\Context Switches/sec": 50_000 + 5_000 * random.standard_normal(count),
        r"Memory\Pages/sec": np.where(random.random(count) < 0.7, 0.0, random.lognormal(3, 2, count)),
    }
    base = directory / "base.parquet"
    run("baseline", write("known.csv", BEGIN, 60, counters), "-o", base)
    today = {name: 40 * values[:600] for name, values in counters.items()}
    text = run("report", write("today.csv", BEGIN + timedelta(days=7), 60, today), "--rules", "none", "--baseline", base, "--json", "-")
    unusual = json.loads(text)["baseline"]["unusual"]
    assert len(unusual) == len(counters), unusual
    for found in unusual:
        name = next(name for name in counters if name.endswith("\\" + found["counter"]))
        known = means(counters[name])
        usual = found["usual"]
        assert math.isclose(usual["least"], known.min(), rel_tol=1e-9), (usual, known.min())
        assert math.isclose(usual["most"], known.max(), rel_tol=1e-9), (usual, known.max())
        for share, key in ((0.05, "p05"), (0.5, "p50"), (0.95, "p95")):
            expected = np.quantile(known, share, method="lower")
            assert abs(usual[key] - expected) <= error(known) * abs(expected), (name, key, usual[key], expected)


def days():
    num_right, num_said = 0, 0
    for _ in range(20):
        hours = np.arange(240)
        free = 40 - 0.1 * hours + 0.4 * random.standard_normal(len(hours))
        path = write("disk.csv", BEGIN, 3600, {r"LogicalDisk(C:)\% Free Space": free})
        changed = json.loads(run("report", path, "--rules", "none", "--json", "-"))["changed"]
        said = [re.match(r"LogicalDisk\(C:\) is full in (\d+) to (\d+) days", one["text"]) for one in changed if one["kind"] == "fills"]
        if not said:
            continue
        num_said += 1
        low, high = map(int, said[0].groups())
        line = stats.linregress(hours / 24, free)
        left = -(line.intercept + line.slope * hours[-1] / 24)
        # Neighbouring values that happen to be correlated widen the interval.
        narrow, wide = ([left / (line.slope - sign * 2 * factor * line.stderr) for sign in (1, -1)] for factor in (1, 1.6))
        narrow, wide = sorted(narrow), sorted(wide)
        assert math.floor(wide[0]) <= low <= math.floor(narrow[0]), (low, narrow, wide)
        assert math.ceil(narrow[1]) <= high <= math.ceil(wide[1]), (high, narrow, wide)
        num_right += low <= (40 - 0.1 * hours[-1]) / 2.4 <= high
    assert num_said >= 18 and num_right >= num_said - 2, (num_said, num_right)


quantiles()
days()
