"""`recount` on logs of sysstat, PCP and atop, beside the tools that wrote them, on the same file in the same run.

`python3 benches/other_logs/run.py` takes Debian's sysstat, pcp and atop, and real files of ../shared/data, which it makes longer:
their samples again and again, each time later. Prints a table. See ../README.md.
"""

import argparse
import gzip
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../target")))
SHARED = os.environ.get("RECOUNT_SHARED", os.path.join(HERE, "../../../shared/data"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=100, help="how often the samples of a file are repeated [100]")
    parser.add_argument("--rounds", type=int, default=3, help="of which the fastest counts [3]")
    parser.add_argument("--recount", default=f"{TARGET}/release/recount", help="the command, which is built otherwise")
    return parser.parse_args()


def repeated(records, span, times, later):
    """Records, and again, so many times, each time by the span later."""
    for turn in range(times):
        for record in records:
            yield later(bytearray(record), turn * span)


def long_sa(folder, times):
    """formats/sa.md, 0x2175: 61 records of equal length, behind what is before the first."""
    with open(f"{SHARED}/sa/recorded/rec-all.sa", "rb") as file:
        data = file.read()
    head, length = 0x688, 0xF98
    records = [data[at : at + length] for at in range(head, len(data), length)]

    def later(record, seconds):
        uptime, utc = struct.unpack_from("<QQ", record)
        struct.pack_into("<QQ", record, 0, uptime + 100 * seconds, utc + seconds)
        # The time of day at the place of the machine, whose zone is UTC.
        record[21:24] = bytes([(utc + seconds) // 3600 % 24, (utc + seconds) // 60 % 60, (utc + seconds) % 60])
        return record

    path = f"{folder}/long.sa"
    with open(path, "wb") as file:
        file.write(data[:head])
        file.writelines(repeated(records, len(records), times, later))
    return path


def long_archive(folder, times):
    """formats/pcp-archive.md, version 2: records between their lengths, behind the label."""
    source = f"{SHARED}/pcp/good/pmiostat_mark"
    with open(f"{source}.0", "rb") as file:
        data = file.read()
    at = label = struct.unpack_from(">I", data)[0]
    records = []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        records.append(data[at : at + length])
        at += length
    first, last = (struct.unpack_from(">I", record, 4)[0] for record in (records[0], records[-1]))

    def later(record, seconds):
        struct.pack_into(">I", record, 4, struct.unpack_from(">I", record, 4)[0] + seconds)
        return record

    with open(f"{folder}/long.0", "wb") as file:
        file.write(data[:label])
        file.writelines(repeated(records, last - first + 1, times, later))
    shutil.copy(f"{source}.meta", f"{folder}/long.meta")
    return f"{folder}/long"


def long_atop(folder, times):
    """formats/atop.md: samples behind a header of 480 bytes, each with its lengths in 96."""
    with gzip.open(f"{SHARED}/atop/load-2.8.1.raw.gz") as file:
        data = file.read()
    at, samples = 480, []
    while at < len(data):
        system, tasks = struct.unpack_from("<II", data, at + 16)
        (groups,) = struct.unpack_from("<I", data, at + 72)
        (pids,) = struct.unpack_from("<I", data, at + 84)
        length = 96 + system + tasks + groups + pids
        samples.append(data[at : at + length])
        at += length
    # The first is since boot.
    first, samples = samples[0], samples[1:]
    begin, end = (struct.unpack_from("<q", sample)[0] for sample in (samples[0], samples[-1]))

    def later(sample, seconds):
        struct.pack_into("<q", sample, 0, struct.unpack_from("<q", sample)[0] + seconds)
        return sample

    path = f"{folder}/long.raw"
    with open(path, "wb") as file:
        file.write(data[:480] + first)
        file.writelines(repeated(samples, end - begin + 1, times, later))
    return path


def measured(command, rounds, folder):
    """Seconds by the clock and of the processor, of the fastest round by either; bytes that were printed."""
    wall = cpu = float("inf")
    output = f"{folder}/printed"
    for _ in range(rounds):
        begun = time.monotonic()
        with open(output, "wb") as out:
            child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, "TZ": "UTC"})
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
        wall = min(wall, time.monotonic() - begun)
        cpu = min(cpu, usage.ru_utime + usage.ru_stime)
    return wall, cpu, os.path.getsize(output)


def main():
    options = arguments()
    if not os.path.exists(options.recount):
        subprocess.run(["cargo", "build", "--release", "--locked", "-p", "recount-cli", "--bin", "recount"], check=True)
    missing = [tool for tool in ("sadf", "pmdumplog", "pmval", "atop") if not shutil.which(tool)]
    if missing:
        sys.exit(f"missing, of Debian's packages sysstat, pcp and atop: {', '.join(missing)}")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        sa, atop = long_sa(folder, options.times), long_atop(folder, options.times)
        archive = long_archive(folder, max(1, options.times // 5))
        print("| file | MB | what | seconds | CPU seconds | ratio | CPU ratio |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        metric = "disk.dev.read"
        series = [options.recount, "convert", "-q", "--names", "own", "-c"]
        whole = [options.recount, "convert", "-q", "--names", "own"]
        tables, csv = f"{folder}/tables/", f"{folder}/out.csv"
        compare(options, folder, sa, ["sadf", "-d", sa, "--", "-A", "-P", "ALL"], [
            ("to Parquet, a table per object", [*whole, sa, "-fo", tables]),
            ("to PDH-CSV", [*whole, sa, "-fo", csv]),
        ])
        figures = [options.recount, "stats", "-q", "--names", "own"]
        compare(options, folder, f"{archive}.0", ["pmdumplog", "-z", archive], [
            ("statistics of every counter", [*figures, f"{archive}.0"]),
            ("to Parquet, a table per object", [*whole, f"{archive}.0", "-fo", tables]),
        ])
        one = ("one counter", [*series, r"\disk.dev(*)\read", f"{archive}.0", "-fo", csv])
        compare(options, folder, f"{archive}.0", ["pmval", "-z", "-a", archive, metric], [one])
        compare(options, folder, f"{archive}.0", ["pmval", "-z", "-U", archive, metric], [one])
        compare(options, folder, atop, ["atop", "-r", atop, "-P", "ALL"], [
            ("statistics of every counter", [*figures, atop]),
            ("to Parquet, a table per object", [*whole, atop, "-fo", tables]),
        ])


def compare(options, folder, path, command, ours):
    wall, cpu, printed = measured(command, options.rounds, folder)
    size = os.path.getsize(path) / 1e6
    name = " ".join(part for part in command if not part.startswith("/"))
    if printed < 1000:
        raise RuntimeError(f"{name} printed next to nothing")
    print(f"| {os.path.basename(path)} | {size:.1f} | {name} | {wall:.2f} | {cpu:.2f} | 1.0 | 1.0 |", flush=True)
    for what, command in ours:
        own_wall, own_cpu, _ = measured(command, options.rounds, folder)
        ratios = f"{wall / own_wall:.1f} | {cpu / own_cpu:.1f}"
        print(f"| | | recount, {what} | {own_wall:.2f} | {own_cpu:.2f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
