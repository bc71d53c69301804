"""`recount catalogue` of many captures: the first time, unchanged, and with one in a hundred changed.

    python3 benches/fleet/catalogue.py [--files 100000] [--recount PATH]

The captures are copies of a small sample, 1,000 in a directory, below target/. Times and the highest resident set are those
of the whole command.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SAMPLE = REPOSITORY / "samples/rcap-1/closed.rcap"


def made(folder: Path, num_files: int) -> list[Path]:
    content = SAMPLE.read_bytes()
    files = []
    for number in range(num_files):
        file = folder / f"web{number // 1_000:03}" / f"{number:06}.rcap"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        files.append(file)
    return files


def run(recount: Path, folder: Path, catalogue: Path) -> tuple[float, float, str]:
    """Seconds, MB, and what the command said."""
    begin = time.monotonic()
    process = subprocess.Popen([recount, "catalogue", folder, "-o", catalogue], stdout=subprocess.PIPE, text=True)
    said = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"recount catalogue ended with {process.returncode}")
    return took, usage.ru_maxrss * 1024 / 1e6, said.split(": ", 1)[1].strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    parser.add_argument("--recount", type=Path, default=target / "release/recount")
    options = parser.parse_args()
    bench_data = target / "bench-data"
    bench_data.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="fleet-", dir=bench_data))
    try:
        captures, catalogue = folder / "captures", folder / "catalogue.parquet"
        captures.mkdir()
        files = made(captures, options.files)
        for what in ("first", "unchanged", "unchanged again", "1 % changed"):
            if what == "1 % changed":
                for file in files[::100]:
                    os.utime(file)
            took, peak, said = run(options.recount, captures, catalogue)
            print(f"{what:<16} {took:7.2f} s {peak:6.0f} MB  {said}")
        print(f"the catalogue: {catalogue.stat().st_size / 1e6:.1f} MB")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
