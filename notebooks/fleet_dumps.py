"""Eight simulated web servers, two days, a sample every 5 minutes, as raw PERF_DATA_BLOCK dumps (formats/perf-data-block.md).

    python fleet_dumps.py DIR

Three of them are not like the others: see STORY. The same bytes come out each time.
"""

import math
import random
import struct
import sys
from pathlib import Path

HOSTS = [f"web{number}" for number in range(1, 9)]
STORY = {
    "web3": "restarts at 14:25 on the second day, and is away for 20 minutes",
    "web5": "loses 70 MB of memory per hour",
    "web7": "gets twice its share of the requests",
}
STEP_S = 300
NUM_SAMPLES = 2 * 86400 // STEP_S
# 2026-03-02 00:00 UTC, a Monday, in seconds since 1970.
BEGIN_S = 1772409600
FILETIME_1970 = 116444736000000000
RESTART_S, AWAY_S = 86400 + 14 * 3600 + 25 * 60, 20 * 60
PERF_FREQ = 10_000_000
PHYSICAL_BYTES = 16 * 2**30
NUM_PROCESSORS = 4

# Index, name, type word: those of winperf.h and of an English Windows.
PROCESSOR = (238, "Processor", [(6, "% Processor Time", 0x21510500)])
MEMORY = (4, "Memory", [(24, "Available Bytes", 0x00010100), (26, "Committed Bytes", 0x00010100)])
NETWORK = (510, "Network Interface", [(388, "Bytes Total/sec", 0x10410500)])
SYSTEM = (2, "System", [(674, "System Up Time", 0x30240500)])


def write(folder):
    """A file per host; returns the name table for `recount --names`."""
    folder.mkdir(parents=True)
    for host in HOSTS:
        (folder / f"{host}.bin").write_bytes(b"".join(samples(host)))
    lines = []
    for index, name, counters in [PROCESSOR, MEMORY, NETWORK, SYSTEM]:
        lines += [(index, name)] + [(index, name) for index, name, _ in counters]
    names = folder / "names.txt"
    names.write_text("".join(f"{index}\n{name}\n" for index, name in lines))
    return names


def samples(host):
    """The machine's counters, step by step: they only say what has added up since it was started."""
    source = random.Random(host)
    share = 2.0 if host == "web7" else source.uniform(0.95, 1.05)
    booted, noise = -40 * 86400, 0.0
    idle, received = [0] * NUM_PROCESSORS, 0
    for number in range(NUM_SAMPLES):
        now = number * STEP_S
        noise = 0.8 * noise + source.gauss(0, 0.04)
        load = min(0.97, share * (0.13 + 0.22 * daily(now)) * math.exp(noise))
        away = host == "web3" and RESTART_S <= now < RESTART_S + AWAY_S
        if host == "web3" and now == RESTART_S + AWAY_S:
            booted, idle, received = now - 60, [0] * NUM_PROCESSORS, 0
        if away:
            continue
        for processor in range(NUM_PROCESSORS):
            idle[processor] += round(STEP_S * 10**7 * (1 - min(1, load * source.uniform(0.9, 1.1))))
        received += round(STEP_S * load * 40e6 * source.uniform(0.95, 1.05))
        free = 9e9 - 2e9 * load + source.gauss(0, 2e7) - (70e6 * now / 3600 if host == "web5" else 0)
        yield block(host, now, booted, idle, received, round(free))


def daily(seconds):
    """0 at 4 in the morning, 1 at 4 in the afternoon."""
    return 0.5 - 0.5 * math.cos(2 * math.pi * (seconds / 86400 - 4 / 24))


# Writing


def block(host, now, booted, idle, received, free):
    filetime = FILETIME_1970 + (BEGIN_S + now) * 10**7
    objects = [
        performance_object(PROCESSOR, filetime, [(str(n), [ticks]) for n, ticks in enumerate(idle)] + total(idle)),
        performance_object(MEMORY, filetime, [(None, [free, PHYSICAL_BYTES - free])]),
        performance_object(NETWORK, filetime, [("Ethernet", [received])]),
        performance_object(SYSTEM, filetime, [(None, [FILETIME_1970 + (BEGIN_S + booted) * 10**7])]),
    ]
    name = (host + "\0").encode("utf-16-le")
    len_header = aligned(88 + len(name))
    body = b"".join(objects)
    header = struct.pack("<8s6Ii", "PERF".encode("utf-16-le"), 1, 1, 1, len_header + len(body), len_header, len(objects), -1)
    clocks = struct.pack("<16x4x3q2I", (now - booted) * PERF_FREQ, PERF_FREQ, filetime, len(name), 88)
    return padded(header + clocks + name) + body


def total(idle):
    return [("_Total", [sum(idle) // len(idle)])]


def performance_object(spec, filetime, instances):
    index, _, counters = spec
    has_instances = instances[0][0] is not None
    definitions = b"".join(
        struct.pack("<10I", 40, name, 0, name + 1, 0, 0, 100, word, 8, 8 + 8 * place)
        for place, (name, _, word) in enumerate(counters)
    )
    values = b"".join(instance(name, raw) for name, raw in instances)
    len_definitions = 64 + len(definitions)
    sizes = struct.pack("<3I", len_definitions + len(values), len_definitions, 64)
    num_instances = len(instances) if has_instances else -1
    rest = struct.pack("<6IiiI", index, 0, index + 1, 0, 100, len(counters), 0, num_instances, 0)
    return sizes + rest + struct.pack("<2q", filetime, 10**7) + definitions + values


def instance(name, raw):
    data = struct.pack("<2I", 8 + 8 * len(raw), 0) + struct.pack(f"<{len(raw)}q", *raw)
    if name is None:
        return data
    text = (name + "\0").encode("utf-16-le")
    return padded(struct.pack("<3Ii2I", aligned(24 + len(text)), 0, 0, -1, 24, len(text)) + text) + data


def aligned(length):
    return (length + 7) // 8 * 8


def padded(data):
    return data.ljust(aligned(len(data)), b"\0")


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
