"""What the measurements of the package share: its environment, inputs, and runs that are measured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
BENCH_DATA = TARGET / "bench-data"
# A file system in memory: no disk is measured.
OUTPUTS = Path("/dev/shm")


def parser(description: str) -> ArgumentParser:
    options = ArgumentParser(description=description.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3, help="the fastest counts [3]")
    options.add_argument("--no-build", action="store_true", help="measures what was built before")
    options.add_argument("--python", type=Path, help="an environment that has the package [one is made]")
    return options


def built(options: Namespace, examples: list[str], requirements: list[str]) -> Path:
    """Builds the examples, and the wheel in an environment of its own, in the release profile. The Python of that environment, whose
    `-m recount` is the command: both are one build of the same code."""
    if not options.no_build:
        cargo = ["cargo", "build", "--release", "--locked", "-q", "-p", "recount-bench"]
        subprocess.run([*cargo, *(part for name in examples for part in ("--example", name))], check=True, cwd=REPOSITORY)
    if options.python:
        # Not resolved: the link of an environment is what makes it one.
        return options.python.absolute()
    folder = BENCH_DATA / "python"
    python = folder / "bin/python"
    if not options.no_build:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        files = ["requirements-build.txt", *requirements]
        listed = [part for name in files for part in ("-r", REPOSITORY / "python/tests" / name)]
        subprocess.run([*pip, "--no-deps", *listed], check=True)
        wheels = BENCH_DATA / "wheels"
        build = [python, "-m", "maturin", "build", "--release", "--locked", "--features", "default", "--out", wheels]
        subprocess.run([*build, "--target-dir", BENCH_DATA / "wheel-target"], check=True, cwd=REPOSITORY / "python")
        newest = max(wheels.glob("*.whl"), key=os.path.getmtime)
        subprocess.run([*pip, "--no-deps", "--no-index", "--force-reinstall", newest], check=True)
    return python


def generated(name: str, example: str, *arguments: str) -> Path:
    """An input, generated unless it is there."""
    path = BENCH_DATA / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [TARGET / "release/examples" / example, path, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


@dataclass
class Run:
    """A process that has ended."""

    seconds: float
    """Of the work: what the process said itself, or else all of it."""
    cpu: float
    peak_mb: float
    said: dict[str, str]


def run(command: list[str | Path], codes: tuple[int, ...] = (0,)) -> Run:
    """Runs to the end. Lines of two words and more are taken for what the process says of itself."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=errors, cwd=REPOSITORY)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if child.returncode not in codes:
            raise SystemExit(f"{' '.join(map(str, command))} ended with {child.returncode}:\n{errors.read()[-2000:]}")
        said = dict(line.rstrip("\n").split(" ", 1) for line in out if " " in line)
    return Run(float(said.get("seconds", seconds)), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, said)


def fastest(rounds: int, command: list[str | Path], codes: tuple[int, ...] = (0,)) -> Run:
    return min((run(command, codes) for _ in range(rounds)), key=lambda one: one.seconds)
