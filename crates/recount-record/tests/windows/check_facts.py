"""Compares what a capture says of this machine, as Wine shows it, with what Linux says of it.

    recount info --json CAPTURE | TZ=... check_facts.py

Exits with 1 and a line per difference.
"""

import json
import os
import platform
import sys
import time
from datetime import datetime

# Seconds by which a boot time, counted back from now in both systems, may differ.
BOOT_TOLERANCE_S = 5


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.split() for line in file]


def value_of(path, name):
    return next(int(line[1]) for line in lines_of(path) if line[0] == name)


def seconds(text):
    # Python takes no more than six digits of a second.
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (fraction or "0"))


def main():
    (info,) = json.load(sys.stdin)
    facts = dict(info["details"])
    wrong = []

    def expect(what, found, expected):
        if found != expected:
            wrong.append(f"{what}: expected {expected}, found {found}")

    expect("hosts", info["hosts"], [platform.node().split(".")[0].upper()[:15]])
    expect("findings", info["findings"], [])
    expect("cpu-count", facts["cpu-count"], str(os.cpu_count()))
    expect("architecture", facts["architecture"], platform.machine())
    expect("page-size", facts["page-size"], str(os.sysconf("SC_PAGE_SIZE")))
    memory = 1024 * value_of("/proc/meminfo", "MemTotal:")
    # Wine keeps a page to itself.
    if not 0 <= memory - int(facts["memory-bytes"]) <= os.sysconf("SC_PAGE_SIZE"):
        wrong.append(f"memory-bytes: expected {memory}, found {facts['memory-bytes']}")
    boot = value_of("/proc/stat", "btime")
    if abs(seconds(info["boot_time"]) - boot) > BOOT_TOLERANCE_S:
        wrong.append(f"boot_time: expected {boot}, found {info['boot_time']}")
    # The zone of TZ: its standard time, and its rule at work.
    expect("zone_bias_min", info["zone_bias_min"], time.timezone // 60)
    utc = seconds(info["first_sample"])
    offset_s = round(seconds(info["first_sample_local"]) - utc)
    expect("local time minus UTC", offset_s, time.localtime(utc).tm_gmtoff)
    for line in wrong:
        print(f"check_facts.py: {line}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
