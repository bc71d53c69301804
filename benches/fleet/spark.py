"""Spark on two cores over many captures, some of them damaged, beside the command; and what that makes of a fleet.

    python3 benches/fleet/spark.py [--captures 500] [--mb 2000] [--damaged 10] [--rounds 1]

Builds what it needs and generates the captures below target/bench-data unless they are there. Needs Java 17. Each line is a process
of its own; the time in which Spark starts isn't counted. See ../README.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from argparse import Namespace
from pathlib import Path

from common import BENCH_DATA, OUTPUTS, TARGET, Run, built, fastest, parser, run

COUNTER = r"\Process(*)\% Processor Time"
# Warnings of damage: its own exit code.
CODES = (0, 1, 2)
# Of the estimate.
FLEET, EXECUTORS, CORES = 100_000, 100, 4

SPARK = """
import json, sys, time
sys.path.insert(0, "python/tests")
from spark_session import start
import recount.spark
work, captures, counters, output = sys.argv[1:]
spark = start()
# The first task starts Python's workers.
identity = lambda batches: batches
spark.range(0, 2, 1, 2).mapInArrow(identity, "id long").count()
frame = spark.read.format("recount")
if counters:
    frame = frame.option("counters", counters)
begun = time.perf_counter()
if work == "rows":
    frame.load(captures).write.format("noop").mode("overwrite").save()
elif work == "ingest":
    done = recount.spark.ingest(spark, captures, output, partition_by=("host", "date"))
    print("rows", done.num_rows)
elif work == "health":
    found = spark.read.format("recount-health").load(captures)
    kinds = found.filter("not is_complete").select("path").distinct().count()
    print("damaged", kinds)
elif work == "tasks":
    num = 500
    spark.range(0, num, 1, num).mapInArrow(identity, "id long").count()
    print("tasks", num)
print("seconds", time.perf_counter() - begun)
spark.stop()
"""

READER = """
import pickle, sys, time
from recount.spark._columns import TIDY
from recount.spark._options import parse
from recount.spark._source import Reader
captures, counters = sys.argv[1:]
options = {"path": captures, **({"counters": counters} if counters else {})}
begun = time.perf_counter()
tasks = Reader(parse(options), TIDY).partitions()
print("plan", time.perf_counter() - begun)
print("plan_bytes", sum(len(pickle.dumps(task)) for task in tasks))
print("tasks", len(tasks))
rows = length = 0
begun = time.perf_counter()
reader = Reader(parse(options), TIDY)
for task in tasks:
    for batch in reader.read(task):
        rows += batch.num_rows
        length += batch.nbytes
print("seconds", time.perf_counter() - begun)
print("rows", rows)
print("bytes", length)
"""


def captures_of(given: Namespace) -> Path:
    """The captures; some are cut, in some 64 KiB are overwritten."""
    folder = BENCH_DATA / f"fleet-{given.captures}-{given.mb}-{given.damaged}"
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory(dir=BENCH_DATA) as scratch:
        made = Path(scratch) / "captures"
        made.mkdir()
        for number in range(given.captures):
            path = made / f"{number:05}.blg"
            size = f"{max(given.mb * 1000 // given.captures, 1)}kB"
            generate = [TARGET / "release/examples/generate-blg", path, "--size", size, "--seed", str(number)]
            subprocess.run(generate, check=True, stdout=subprocess.DEVNULL)
        for number, path in enumerate(sorted(made.iterdir())[:: max(given.captures // max(given.damaged, 1), 1)][: given.damaged]):
            length = path.stat().st_size
            with path.open("r+b") as file:
                if number % 2:
                    file.truncate(length * 6 // 10)
                else:
                    file.seek(length // 2)
                    file.write(b"\xff" * min(65_536, length // 4))
        made.rename(folder)
    return folder


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    options = parser(__doc__ or "")
    options.set_defaults(rounds=1)
    options.add_argument("--captures", type=int, default=500, help="how many [500]")
    options.add_argument("--mb", type=int, default=2000, help="of all together [2000]")
    options.add_argument("--damaged", type=int, default=10, help="how many of them are damaged [10]")
    given = options.parse_args()
    python = built(given, ["generate-blg"], ["requirements.txt", "requirements-spark.txt"])
    captures = captures_of(given)
    length = size_of(captures)
    print(f"{given.captures} captures, {given.damaged} damaged, {length / 1e6:,.0f} MB")
    print(f"{'':<34} {'seconds':>8} {'MB/s':>7} {'rows':>12} {'Arrow MB':>9} {'out MB':>8} {'ratio':>6}")

    def show(what: str, one: Run, than: Run | None, written: int = 0, values: Run | None = None) -> None:
        ratio = "" if than is None else f"{than.seconds / one.seconds:.2f}"
        rows = f"{int(values.said['rows']):>12,} {int(values.said['bytes']) / 1e6:>9,.0f}" if values else " " * 22
        out = f"{written / 1e6:,.0f}" if written else ""
        print(f"{what:<34} {one.seconds:>8.2f} {length / 1e6 / one.seconds:>7.1f} {rows} {out:>8} {ratio:>6}", flush=True)

    scratch = Path(tempfile.mkdtemp(prefix="recount-bench-", dir=OUTPUTS))
    try:
        measured = {}
        for name, counters in (("all values", ""), ("one counter", COUNTER)):
            output = scratch / "command"
            chosen = ["-c", counters] if counters else []
            convert = [python, "-m", "recount", "convert", "-q", captures, "-o", output, "--new-only", "--format", "parquet", *chosen]

            def command() -> Run:
                # What is there isn't converted again.
                shutil.rmtree(output, ignore_errors=True)
                return run(convert, CODES)

            of_command = min((command() for _ in range(given.rounds)), key=lambda one: one.seconds)
            show(f"{name}: command, to Parquet", of_command, None, size_of(output))
            shutil.rmtree(output)
            reader = fastest(given.rounds, [python, "-c", READER, captures, counters])
            show(f"{name}: the reader alone", reader, of_command, 0, reader)
            rows = fastest(given.rounds, [python, "-c", SPARK, "rows", captures, counters, ""])
            show(f"{name}: Spark, rows to nowhere", rows, of_command, 0, reader)
            measured[name] = (of_command, reader, rows)
        table = scratch / "table"
        ingest = run([python, "-c", SPARK, "ingest", captures, "", table])
        show("all values: Spark, ingest", ingest, measured["all values"][0], size_of(table), None)
        print(f"rows in the table: {int(ingest.said['rows']):,}")
        health = run([python, "-c", SPARK, "health", captures, "", ""])
        print(f"recount-health: {health.said['damaged']} captures are damaged, {health.seconds:.2f} s")
        tasks = run([python, "-c", SPARK, "tasks", captures, "", ""])
    finally:
        shutil.rmtree(scratch)

    each = tasks.seconds * 2 / int(tasks.said["tasks"])
    for name, (_, reader, rows) in measured.items():
        estimate(name, given, length, reader, rows, each)


def estimate(name: str, given: Namespace, length: int, reader: Run, rows: Run, task_s: float) -> None:
    """On paper, from what was measured on two cores: the formulas are in ../README.md."""
    b, r = length / given.captures, length / 2 / rows.seconds
    p = float(reader.said["plan"]) / given.captures
    per_task = length / int(reader.said["tasks"])
    cores = EXECUTORS * CORES
    plan, work, tail = FLEET * p, FLEET * b / (cores * r), per_task / r
    overhead = FLEET * b / per_task * task_s / cores
    end = (b / r + b / per_task * task_s) / p
    known = {
        "b": f"{b / 1e6:.2f} MB", "r": f"{r / 1e6:.1f} MB/s", "p": f"{p * 1e6:.0f} us", "t": f"{task_s * 1e3:.1f} ms",
        "B": f"{per_task / 1e6:.0f} MB", "plan of a task": f"{int(reader.said['plan_bytes']) / int(reader.said['tasks']) / 1e3:.1f} kB",
    }  # fmt: skip
    print(f"\n{name}: {json.dumps(known)}")
    print(f"{FLEET:,} captures, {FLEET * b / 1e9:,.0f} GB, {EXECUTORS} executors of {CORES} cores:")
    print(f"  plan {plan:.0f} s + work {work:.0f} s + tasks {overhead:.1f} s + last task {tail:.1f} s")
    print(f"  = {plan + work + overhead + tail:.0f} s; it reads {FLEET * b / 1e9 / max(work + overhead, 1e-9):.1f} GB/s")
    print(f"  planning takes as long as the work with {end:,.0f} cores")


if __name__ == "__main__":
    main()
