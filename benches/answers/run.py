"""`recount stats` and `recount report` over a day's capture, beside DuckDB and `recount convert` in the same run.

`python3 benches/answers/run.py` builds what it needs, generates the capture (recording/day.py) and its tables below target/bench-data unless
they are there, and prints a table. See ../README.md.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../target")))
RECOUNT = f"{TARGET}/release/recount"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=86_400, help="seconds of the capture [86400]")
    parser.add_argument("--rounds", type=int, default=3, help="of which the fastest counts [3]")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="measures the programs as they are")
    return parser.parse_args()


def python():
    """A Python with DuckDB, pinned by the tests' requirements."""
    folder = f"{TARGET}/tools/answers-bench"
    executable = f"{folder}/bin/python"
    if not os.path.exists(f"{folder}/installed"):
        venv.create(folder, with_pip=True, clear=True)
        with open(os.path.join(HERE, "../../crates/recount-cli/tests/readers/requirements.txt")) as file:
            pinned = next(line.strip() for line in file if line.startswith("duckdb"))
        subprocess.run([executable, "-m", "pip", "install", "-q", pinned], check=True)
        open(f"{folder}/installed", "w").close()
    return executable


def measured(command, rounds, environment, before=lambda: None):
    """Seconds of the fastest round, and the highest resident set of any, in bytes."""
    best, peak = float("inf"), 0
    for _ in range(rounds):
        before()
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
        _, status, usage = os.wait4(child.pid, 0)
        best = min(best, time.monotonic() - begun)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
        peak = max(peak, usage.ru_maxrss * 1024)
    return best, peak


def main():
    options = arguments()
    if not options.no_build:
        subprocess.run(["cargo", "build", "--release", "--locked", "-q", "--bin", "recount"], check=True)
        subprocess.run(["cargo", "build", "--release", "--locked", "-q", "-p", "recount-bench", "--example", "generate-rcap"], check=True)
    capture = f"{TARGET}/bench-data/day-{options.samples}.rcap"
    if not os.path.exists(capture):
        os.makedirs(os.path.dirname(capture), exist_ok=True)
        subprocess.run([f"{TARGET}/release/examples/generate-rcap", capture, "--samples", str(options.samples)], check=True)
    environment = {"RAYON_NUM_THREADS": str(options.threads)}
    with tempfile.TemporaryDirectory(dir=f"{TARGET}/bench-data") as folder:
        tables, page, answer = f"{folder}/tables", f"{folder}/page.html", f"{folder}/stats.parquet"

        def clear():
            shutil.rmtree(tables, ignore_errors=True)

        rows = []
        convert = measured([RECOUNT, "convert", "-q", capture, "-o", tables], options.rounds, environment, clear)
        rows.append(("convert to objects Parquet", *convert, 1.0))
        report = measured([RECOUNT, "report", "-q", capture, "-o", page, "--force"], options.rounds, environment)
        rows.append(("report from the capture (aim: < 2)", *report, report[0] / convert[0]))
        len_page = os.path.getsize(page)
        ours = [RECOUNT, "stats", "-q", "-o", answer, "--force"]
        from_capture = measured([*ours, capture], options.rounds, environment)
        rows.append(("stats from the capture", *from_capture, from_capture[0] / convert[0]))
        by = {by: measured([python(), f"{HERE}/duckdb_stats.py", tables, str(options.threads), by], 1, {}) for by in ("object", "counter")}
        duckdb = min(by.values())
        for name, (seconds, peak) in by.items():
            rows.append((f"DuckDB, the same figures, a query per {name}", seconds, peak, seconds / duckdb[0]))
        from_tables = measured([*ours, tables], options.rounds, environment)
        rows.append(("stats from the tables (aim: <= 1)", *from_tables, from_tables[0] / duckdb[0]))
    print(f"{options.samples} samples, {options.threads} threads; page {len_page / 1e6:.2f} MB")
    print(f"{'what':<42} {'seconds':>8} {'peak MB':>8} {'ratio':>6}")
    for what, seconds, peak, ratio in rows:
        print(f"{what:<42} {seconds:>8.2f} {peak / 1e6:>8.0f} {ratio:>6.2f}")


if __name__ == "__main__":
    sys.exit(main())
