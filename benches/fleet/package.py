"""The Python package beside the command and the library: a long log into polars, and one counter of a day.

    python3 benches/fleet/package.py [--mb 1000] [--samples 86400] [--rounds 3]

Builds what it needs and generates its inputs below target/bench-data unless they are there. See ../README.md.
"""

from common import OUTPUTS, TARGET, Run, built, fastest, generated, parser

COUNTER = r"\Process(*)\% Processor Time"
COLUMNS = ["time", "instance", "value"]

READ = """
import sys, time
import polars as pl
import recount
begun = time.perf_counter()
frame = pl.DataFrame(recount.open(sys.argv[1]).read())
print("seconds", time.perf_counter() - begun)
print("rows", frame.height)
print("bytes", frame.estimated_size())
"""

SCAN = """
import sys, time
import polars as pl
import recount
begun = time.perf_counter()
frame = recount.scan(sys.argv[1])
wanted = (pl.col("object") == "Process") & (pl.col("counter") == "% Processor Time")
frame = frame.filter(wanted).select(sys.argv[2].split(",")).collect()
print("seconds", time.perf_counter() - begun)
print("rows", frame.height)
print("bytes", frame.estimated_size())
"""


def show(what: str, one: Run, than: Run | None = None, aim: str = "") -> None:
    rows = f"{int(one.said['rows']):>12,}" if "rows" in one.said else " " * 12
    ratio = "" if than is None else f"{one.seconds / than.seconds:.2f}"
    print(f"{what:<54} {one.seconds:>8.2f} {one.cpu:>8.2f} {one.peak_mb:>8.0f} {rows} {ratio:>6}  {aim}", flush=True)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--mb", type=int, default=1000, help="length of the log [1000]")
    options.add_argument("--samples", type=int, default=86_400, help="seconds of the day [86400]")
    given = options.parse_args()
    python = built(given, ["generate-blg", "generate-rcap", "read-values"], ["requirements.txt"])
    # The log of a gigabyte is that of the other measurements.
    size = "1GB" if given.mb == 1000 else f"{given.mb}MB"
    log = generated(f"objects-{size}.blg", "generate-blg", "--size", size, "--flavour", "objects", "--seed", "1")
    day = generated(f"day-{given.samples}.rcap", "generate-rcap", "--samples", str(given.samples))
    print(f"{'':<54} {'seconds':>8} {'CPU s':>8} {'peak MB':>8} {'rows':>12} {'ratio':>6}  aim")

    output = OUTPUTS / f"recount-bench-{given.mb}.arrow"
    convert = [python, "-m", "recount", "convert", "-q", "--force", log, "-o", output]
    command = fastest(given.rounds, convert)
    len_output = output.stat().st_size
    output.unlink()
    print(f"{log.name}: {log.stat().st_size / 1e6:,.0f} MB")
    show(f"convert to Arrow IPC, {len_output / 1e6:,.0f} MB in memory", command)
    read = fastest(given.rounds, [python, "-c", READ, log])
    show(f"read() into polars, {int(read.said['bytes']) / 1e6:,.0f} MB", read, command, "<= 1.15")

    print(f"{day.name}: {day.stat().st_size / 1e6:,.0f} MB, {COUNTER}")
    library = fastest(given.rounds, [TARGET / "release/examples/read-values", day, "--counters", COUNTER, "--columns", ",".join(COLUMNS)])
    show("the library, batch by batch", library)
    scan = fastest(given.rounds, [python, "-c", SCAN, day, ",".join(COLUMNS)])
    show(f"scan() into polars, {int(scan.said['bytes']) / 1e6:,.0f} MB", scan, library, "<= 1.2")
    if library.said["rows"] != scan.said["rows"]:
        raise SystemExit("the rows differ")


if __name__ == "__main__":
    main()
