"""What blg/tx-basic.blg holds.

The number of samples, and the values of `_Total` to 15 digits, agree with Windows' own output for this file. That the
other values are right shows in `exact.py`, which computes every one anew.
"""

NUM_SAMPLES = 601
FIRST_TIME_NS = 1_361_328_617_844_000_000  # 2013-02-20T02:50:17.844Z
LAST_TIME_NS = 1_361_329_217_840_000_000  # 2013-02-20T03:00:17.840Z
HOST = "GEORGIS3"
DATE = "2013-02-20"

DISK_COUNTERS = [
    "Avg. Disk Bytes/Read",
    "Avg. Disk Bytes/Write",
    "Avg. Disk Queue Length",
    "Avg. Disk Read Queue Length",
    "Avg. Disk Write Queue Length",
]
PROCESSOR_INSTANCES = ["0", "1", "2", "3", "_Total"]

# (object, instance, counter)
PATHS = {("PhysicalDisk", "0 C:", counter) for counter in DISK_COUNTERS} | {
    ("Processor", instance, "% Processor Time") for instance in PROCESSOR_INSTANCES
}
NUM_ROWS = NUM_SAMPLES * len(PATHS)

TOTAL = ("Processor", "_Total", "% Processor Time")
# Samples 2 to 5, to 15 digits.
TOTAL_VALUES = [9.37826238255423, 5.86541344045712, 8.20410303650782, 3.1283808195094]
# Least, mean and greatest, to 3 decimals.
TOTAL_SUMMARY = ["1.569", "11.527", "53.908"]

# (counter, status) -> rows. All counters need two samples; 453 seconds saw no read.
NULLS = {
    ("% Processor Time", "first-sample"): len(PROCESSOR_INSTANCES),
    **{(counter, "first-sample"): 1 for counter in DISK_COUNTERS},
    ("Avg. Disk Bytes/Read", "no-operations"): 453,
}

# Counter -> (type, word, unit)
TYPES = {
    "% Processor Time": ("PERF_100NSEC_TIMER_INV", 0x2151_0500, "%"),
    "Avg. Disk Bytes/Read": ("PERF_AVERAGE_BULK", 0x4002_0500, None),
    "Avg. Disk Bytes/Write": ("PERF_AVERAGE_BULK", 0x4002_0500, None),
    "Avg. Disk Queue Length": ("PERF_COUNTER_100NS_QUEUELEN_TYPE", 0x0055_0500, None),
    "Avg. Disk Read Queue Length": ("PERF_COUNTER_100NS_QUEUELEN_TYPE", 0x0055_0500, None),
    "Avg. Disk Write Queue Length": ("PERF_COUNTER_100NS_QUEUELEN_TYPE", 0x0055_0500, None),
}


def equal(what, found, wanted):
    """Fails, naming both, unless they are equal."""
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, not {wanted!r}")


def close(what, found, wanted, tolerance):
    """Fails unless `found` is `wanted` to a relative tolerance."""
    if found is None or not abs(found - wanted) <= tolerance * abs(wanted):
        raise AssertionError(f"{what}: {found!r}, not {wanted!r} to {tolerance}")
