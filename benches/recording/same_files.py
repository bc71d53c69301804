"""Whether the read loop reads what `recount record` reads: their calls between two samples, file by file."""

import collections
import os
import re
import subprocess

CALLS = "trace=openat,read,pread64,getdents64,newfstatat,statfs"
NUM_SAMPLES = 6


def calls_of(command, folder, name):
    """How often each call was made of each file from one sample to the next, in a middle sample of a few."""
    trace = os.path.join(folder, name)
    traced = ["strace", "-f", "-y", "-q", "-s", "256", "-e", CALLS, "-e", "signal=none", "-o", trace, *command]
    subprocess.run(traced, cwd=folder, check=True, capture_output=True)
    with open(trace, errors="replace") as file:
        lines = file.read().splitlines()
    # Two calls list /proc, the second finds the end.
    begins = [at for at, line in enumerate(lines) if re.search(r"getdents64\(\d+</proc>.*= 0$", line)]
    if len(begins) < 4:
        raise RuntimeError(f"{name}: {len(begins)} samples, expected {NUM_SAMPLES}")
    begin = len(begins) // 2
    counts = collections.Counter()
    for line in lines[begins[begin] : begins[begin + 1]]:
        call = re.match(r"\d+\s+(\w+)\((.*)", line)
        if call:
            counts[plain(call[1], call[2])] += 1
    return counts


def plain(call, rest):
    """A call and its file, the same for all processes."""
    path = re.match(r"(?:AT_FDCWD|\d+)?<([^>]*)>", rest)
    path = path[1] if path else ""
    name = re.search(r'"([^"]*)"', rest) if call in ("openat", "newfstatat", "statfs") else None
    if name:
        path = name[1] if name[1].startswith("/") else os.path.normpath(f"{path}/{name[1]}")
    if call == "read":
        call = "pread64"
    return f"{call} {re.sub(r'^/proc/[0-9]+', '/proc/PID', path)}"


def differences(ours, loop):
    """What one did and the other didn't, and by how many calls.

    The two didn't run at the same time, and processes come and go: their files are compared per process.
    """
    found = []
    each = "pread64 /proc/PID/stat"
    for what in sorted(ours.keys() | loop.keys()):
        expected, few = ours[what], 0
        if "/proc/PID/" in what and "/proc/PID/net" not in what and "mountinfo" not in what:
            expected, few = expected * loop[each] / ours[each], 6 + 0.03 * expected
        if abs(expected - loop[what]) > few:
            found.append(f"{what}: recount {ours[what]}, loop {loop[what]}")
    return found
