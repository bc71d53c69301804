"""A day's capture of a server with 300 processes: its size, and how long `recount info` and `convert` take.

`python3 benches/recording/day.py` builds what it needs and generates the capture, some 200 MB below target/bench-data,
unless it is there. See ../README.md.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time

TARGET = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(os.path.dirname(__file__), "../../target")))
AIM_RATIO = 30
AIM_INFO_S = 1.0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=86_400, help="seconds of the capture [86400]")
    parser.add_argument("--rounds", type=int, default=3, help="of `info` and of reading a part [3]")
    parser.add_argument("--anew", action="store_true", help="generates the capture though it is there")
    parser.add_argument("--no-build", action="store_true", help="measures the programs as they are")
    return parser.parse_args()


def build():
    cargo = ["cargo", "build", "--release", "--locked", "-q"]
    subprocess.run([*cargo, "-p", "recount", "--bin", "recount"], check=True)
    subprocess.run([*cargo, "-p", "recount-bench", "--example", "generate-rcap"], check=True)


def generate(options):
    """The capture and what the generator said of it, which is kept beside it."""
    path = f"{TARGET}/bench-data/day-{options.samples}.rcap"
    said = path + ".txt"
    if options.anew or not os.path.exists(said) or not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        command = [f"{TARGET}/release/examples/generate-rcap", path, "--samples", str(options.samples)]
        usage, text, seconds = run(command)
        text += f"cpu {usage.ru_utime + usage.ru_stime:.1f}\npeak {usage.ru_maxrss * 1024}\nwall {seconds:.1f}\n"
        with open(said, "w") as file:
            file.write(text)
    with open(said) as file:
        return path, dict(line.rstrip("\n").split(" ", 1) for line in file)


def run(command, folder=None):
    """Runs to the end: resources, output, and seconds."""
    with tempfile.TemporaryFile("w+") as out:
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}: {text}")
    return usage, text, seconds


def row(name, measured, raw_bytes):
    """The run that took the median time."""
    usage, _, seconds = sorted(measured, key=lambda one: one[2])[len(measured) // 2]
    cpu = usage.ru_utime + usage.ru_stime
    rate = f"{raw_bytes / seconds / 1e6:.0f}" if raw_bytes else ""
    print(f"{name:<44}{seconds:>9.2f}{cpu:>9.2f}{rate:>10}{usage.ru_maxrss * 1024 / 1e6:>9.0f}")
    return seconds


def main():
    options = arguments()
    if not options.no_build:
        build()
    path, said = generate(options)
    raw, size = int(said["raw_bytes"]), os.path.getsize(path)
    print(f"{options.samples} samples, {raw / 1e6:.0f} MB of blocks")
    peak = int(said["peak"]) / 1e6
    print(f"written in {said['wall']} s ({said['cpu']} s of CPU time, generator included), peak {peak:.0f} MB")
    print(f"{size} bytes, {size / options.samples:.0f} per sample: {raw / size:.1f} times smaller (aim: {AIM_RATIO})\n")
    print(f"{'':<44}{'s':>9}{'CPU s':>9}{'raw MB/s':>10}{'peak MB':>9}")
    recount = f"{TARGET}/release/recount"
    info = [run([recount, "info", path]) for _ in range(options.rounds)]
    seconds = row("info", info, raw)
    row("verify", [run([recount, "verify", path])], raw)
    half = options.samples // 2
    minutes = ["--begin", f"+{half}s", "--end", f"+{half + 600}s"]
    with tempfile.TemporaryDirectory(dir=f"{TARGET}/bench-data", prefix="day-") as folder:
        convert = [recount, "convert", "-q", "-f", path, "--layout", "objects"]
        part = [run([*convert, *minutes, "-o", "minutes"], folder) for _ in range(options.rounds)]
        row("convert, 10 minutes of the middle", part, raw * 600 / options.samples)
        memory = [*convert, "-c", r"\Memory\*", "-o", "memory"]
        row(r"convert, -c '\Memory\*'", [run(memory, folder)], None)
        row("convert", [run([*convert, "-o", "tables"], folder)], raw)
        written = sum(entry.stat().st_size for entry in os.scandir(f"{folder}/tables"))
        shutil.rmtree(f"{folder}/tables")
    print(f"\nconvert wrote {written / 1e6:.0f} MB of Parquet; info took {seconds:.2f} s (aim: below {AIM_INFO_S:.0f})")


if __name__ == "__main__":
    main()
