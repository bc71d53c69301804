"""Fills the counters of a Samba: its `perfmon` folder gets names.tdb and data.tdb.

    fill.py FOLDER NUM_STEPS
"""

import os
import struct
import sys
import time

import tdb

folder, num_steps = sys.argv[1], int(sys.argv[2])
RAWCOUNT, COUNTER, BULK_COUNT = 0x00010000, 0x10410400, 0x10410500
os.makedirs(folder, exist_ok=True)
names, values = (
    tdb.open(f"{folder}/{file}.tdb", 0, tdb.DEFAULT, os.O_RDWR | os.O_CREAT, 0o644) for file in ("names", "data")
)


def put(table, key, value):
    table.store(str(key).encode(), value if isinstance(value, bytes) else str(value).encode())


def name(index, text, place, kind=None):
    put(names, index, text)
    put(names, index + 1, f"about {text}")
    put(names, f"{index}rel", place)
    if kind is not None:
        put(names, f"{index}type", kind)


name(2, "Kitchen", "p")
name(4, "Pots", "c[2]", RAWCOUNT)
name(6, "Orders/sec", "c[2]", COUNTER)
name(8, "Shelf", "p")
name(10, "Bytes/sec", "c[8]", BULK_COUNT)
put(names, 1, 5)
put(names, "8inst", 2)
put(names, "8i0name", "left")
put(names, "8i1name", "right")
put(names, "0PerfFreq", 1_000_000)
for step in range(num_steps):
    values.transaction_start()
    put(values, "0PerfTime", 5_000_000 + step * 1_000_000)
    put(values, "0PerfTime100nSec", 134_000_000_000_000_000 + step * 10_000_000)
    put(values, 4, 100 + step)
    put(values, 6, 1_000 + 7 * step)
    put(values, 10, 1)
    for number in range(2):
        put(values, f"8i{number}", struct.pack("<q", 1 << 33 | step * (number + 3)))
    values.transaction_commit()
    print(step, flush=True)
    time.sleep(0.5)
