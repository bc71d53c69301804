"""Measures recording: CPU time, memory and bytes of `recount record`, its floor and its peers. See ../README.md."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import same_files
import tools
from population import Population
from processes import machine_busy_ns, pids
from report import print_cpu, print_sizes
from sizes import compressed

# CPU time is taken from half way between two samples on: what came before is not counted.
WARM_UP_S = 3.5
NUM_WARM_UP = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    number = {"type": int, "metavar": "N"}
    parser.add_argument("--seconds", default=60, **number, help="of each measurement of CPU time [60]")
    parser.add_argument("--rounds", default=3, **number, help="in which every tool is measured once; 0: don't [3]")
    parser.add_argument("--size-seconds", default=600, **number, help="that all record at once; 0: don't [600]")
    parser.add_argument("--processes", default=300, **number, help="that run at least; 0: those that do [300]")
    parser.add_argument("--keep", metavar="DIR", help="keeps what was recorded for the sizes here")
    return parser.parse_args()


def check_same_files(folder):
    """Prints in what the read loop differs from the recorder, which it shouldn't."""
    os.makedirs(folder)
    num = str(same_files.NUM_SAMPLES)
    recount = [tools.RECOUNT, "record", "-q", "-f", "--count", num, "-o", "traced.rcap"]
    loop = [f"{tools.EXAMPLES}/read-proc", "--samples", num]
    ours = same_files.calls_of(recount, folder, "recount.trace")
    theirs = same_files.calls_of(loop, folder, "loop.trace")
    print(f"calls per sample that read: recount {sum(ours.values())}, read loop {sum(theirs.values())}")
    for line in same_files.differences(ours, theirs):
        print(f"  differs: {line}")


def measure(kind, folder, seconds):
    """One measurement: CPU time per sample in ns, values per sample, peak memory, and how busy others were."""
    tool = kind(folder)
    try:
        tool.start()
        time.sleep(WARM_UP_S)
        cpu_before, busy_before, begun = tool.cpu_ns(), machine_busy_ns(), time.monotonic()
        time.sleep(seconds)
        peak, busy_after, elapsed = tool.peak_bytes(), machine_busy_ns(), time.monotonic() - begun
        tool.stop()
        # What a tool does when it ends belongs to its samples.
        cpu = tool.cpu_ns() - cpu_before
        peak = max(peak, tool.peak_bytes())
    finally:
        tool.close()
    num_samples, num_values = tool.num_samples_and_values()
    num_measured = num_samples - NUM_WARM_UP if num_samples else round(elapsed)
    if abs(num_measured - seconds) > 3:
        raise RuntimeError(f"{kind.name}: {num_measured} samples in {seconds} s")
    busy, steal = (after - before for after, before in zip(busy_after, busy_before))
    capacity = elapsed * 1e9 * os.cpu_count()
    return {
        "cpu_ns": cpu / num_measured,
        "values": num_values / num_samples if num_samples else None,
        "peak": peak,
        "others": max(0, busy - cpu) / capacity,
        "steal": steal / capacity,
    }


def measure_rounds(options, folder):
    """All measurements by tool, the order turning from round to round."""
    found = {kind.name: [] for kind in tools.ALL}
    for round_ in range(options.rounds):
        turn = round_ % len(tools.ALL)
        for kind in tools.ALL[turn:] + tools.ALL[:turn]:
            here = f"{folder}/round{round_}-{kind.__name__}"
            found[kind.name].append(measure(kind, here, options.seconds))
            shutil.rmtree(here)
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def measure_sizes(seconds, folder):
    """All recorders at once, so that they see the same."""
    recorders = [kind for kind in tools.ALL if not issubclass(kind, tools.ReadLoop)]
    running = [kind(f"{folder}/{kind.__name__}") for kind in recorders]
    try:
        for tool in running:
            tool.start()
        time.sleep(seconds)
        peaks = {tool.name: tool.peak_bytes() for tool in running}
        for tool in running:
            tool.stop()
    finally:
        for tool in running:
            tool.close()
    return [size_of(tool, max(peaks[tool.name], tool.child.peak_bytes()), folder) for tool in running]


def size_of(tool, peak, folder):
    num_samples, num_values = tool.num_samples_and_values()
    found = {"name": tool.name, "samples": num_samples, "values": num_values, "peak": peak}
    found["sizes"] = {"as written": tool.len_bytes()}
    if isinstance(tool, tools.Recount):
        raw = f"{folder}/blocks.raw"
        numbers = tool.numbers(raw)
        found["sizes"]["raw blocks"] = numbers["raw_bytes"]
        for compressor in ("zstd -3", "zstd -19 --long=27"):
            found["sizes"][f"raw blocks, {compressor}"] = compressed([raw], compressor)
        found["cells"] = numbers["cells"]
        os.remove(raw)
        return found
    shipped = {tools.Pcp: ["xz -0"], tools.Sadc: ["xz"], tools.Atop: []}[type(tool)]
    for compressor in [*shipped, "zstd -3", "zstd -19 --long=27"]:
        found["sizes"][compressor] = compressed(tool.files(), compressor)
    return found


def print_machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    version = subprocess.run([tools.RECOUNT, "--version"], capture_output=True, text=True, check=True).stdout
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, {model}, {os.cpu_count()} processors, {version.strip()}")


def main():
    options = arguments()
    # Not below /tmp, which may be memory.
    base = f"{tools.TARGET}/bench-data"
    os.makedirs(base, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix="recording-") as folder, Population(options.processes):
        print_machine()
        print(f"{len(pids())} processes; one sample a second\n")
        check_same_files(f"{folder}/traces")
        if options.rounds:
            print_cpu(measure_rounds(options, folder), options)
        if options.size_seconds:
            print_sizes(measure_sizes(options.size_seconds, f"{folder}/sizes"))
            if options.keep:
                shutil.copytree(f"{folder}/sizes", options.keep, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
