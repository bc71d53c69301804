"""How the package behaves within Python: its start, its lock, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import recount


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_little() -> None:
    loaded = python("import sys; before = set(sys.modules); import recount; print(*set(sys.modules) - before)").split()
    assert not {name.partition(".")[0] for name in loaded} & {"polars", "pyarrow", "pandas", "numpy", "pyspark"}
    assert len(loaded) < 100, sorted(loaded)


def long_capture(folder: Path) -> Path:
    """One that takes seconds to read: a text of many columns, whose numbers are parsed."""
    path = folder / "long.csv"
    num_columns = 2_000
    with path.open("w", encoding="utf-8") as file:
        names = [f'"\\\\HOST\\Thing({number})\\Value"' for number in range(num_columns)]
        file.write('"(PDH-CSV 4.0) (UTC)(0)",' + ",".join(names) + "\n")
        values = ",".join(f'"{number}.123456"' for number in range(num_columns))
        for second in range(6_000):
            hour, rest = divmod(second, 3_600)
            file.write(f'"11/22/2026 {hour:02}:{rest // 60:02}:{rest % 60:02}.000",{values}\n')
    return path


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_capture(tmp_path_factory.mktemp("long"))


WORK = {
    "loop": "for batch in cap.read(): pass",
    "polars": "import polars as pl; begin(); pl.DataFrame(cap.read())",
    "pyarrow": "import pyarrow as pa; begin(); pa.table(cap.read())",
    "stats": "cap.stats()",
    "report": "cap.report(rules=[])",
    "convert": "cap.convert(sys.argv[2])",
    "scan": "import polars; begin(); recount.scan(sys.argv[1], counters='Thing').collect()",
}

CODE = """
import sys, time, recount
cap = recount.open(sys.argv[1])
def begin(): print("working", flush=True)
{early}
try:
    try:
        {work}
        print("done", flush=True)
    except Exception:
        # Another library's error, in whose place the interrupt comes as soon as Python runs.
        time.sleep(0)
    except KeyboardInterrupt:
        # polars raises one of its own; the interpreter's may follow.
        time.sleep(0)
        raise
except BaseException as error:
    print("ended", time.time(), type(error).__name__, flush=True)
"""


@pytest.mark.parametrize("name", WORK)
def test_an_interrupt_is_answered_at_once(long: Path, tmp_path: Path, name: str) -> None:
    # Looks are 20 ms apart; the rest is the machine's load, which the best of three has least of.
    waits = [interrupted(long, tmp_path, name) for _ in range(3)]
    assert min(waits) < 0.1, waits


def interrupted(long: Path, tmp_path: Path, name: str) -> float:
    """How long it takes until work ends, in seconds."""
    work = WORK[name]
    code = CODE.format(work=work, early="" if "begin()" in work else "begin()")
    arguments = [sys.executable, "-c", code, str(long), str(tmp_path / "out.parquet")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        time.sleep(0.4)
        begin = time.time()
        process.send_signal(signal.SIGINT)
        said = process.stdout.readline().split()
        process.wait(timeout=30)
    assert said[::2] == ["ended", "KeyboardInterrupt"], said
    assert list(tmp_path.iterdir()) == []
    return float(said[1]) - begin


FORK = """
import os, signal, sys, recount
path, is_used = sys.argv[1], sys.argv[2] == "used"
if is_used:
    cap = recount.open(path)
    cap.stats()
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.alarm(20)
calls = [lambda: recount.open(path).stats()]
if is_used:
    calls += [cap.stats, lambda: list(cap.read()), lambda: recount.record(count=1)]
for call in calls:
    try:
        call()
        print("done")
    except RuntimeError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_says_that_threads_are_missing(samples: Path) -> None:
    path = samples / "objects.blg"
    assert forked(path, "unused") == ["done"]
    said = forked(path, "used")
    assert len(said) == 4 and all("forkserver" in line for line in said), said


def forked(path: Path, mode: str) -> list[str]:
    """What a child says that was forked before or after the first use."""
    command = [sys.executable, "-c", FORK, str(path), mode]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_other_threads_run_meanwhile(long: Path) -> None:
    cap = recount.open(long)
    ticks = 0
    ended = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not ended.is_set():
            ticks += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    cap.stats()
    took = time.monotonic() - begin
    ended.set()
    thread.join()
    assert took > 0.2 and ticks > took / 0.005 / 5


def test_memory_is_bounded(long: Path) -> None:
    """The values alone take 12 million rows of 8 bytes and more in each of eight columns."""
    code = f"import recount, resource; [None for _ in recount.open({str(long)!r}).read()]; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    assert int(python(code)) < 500_000


def test_records_end_whole(tmp_path: Path) -> None:
    log = tmp_path / "now.rcap"
    code = f"import recount; print('working', flush=True); recount.record({str(log)!r}, interval=0.1, profile='minimal')"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"working\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors
    cap = recount.open(log)
    assert cap.info.num_samples >= 3 and cap.health.is_sound, cap.health
