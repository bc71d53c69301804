"""Two days of a made-up Windows machine, as PDH-CSV. On the second, one of its processes leaks."""

import random
from datetime import datetime, timedelta
from pathlib import Path

LEAKER = "indexer"
HOURS = 8
LEAK_PER_HOUR = 300 << 20
MINUTES = HOURS * 60
TOTAL = 16 << 30

PROCESSES = {"sqlservr": 6 << 30, "w3wp": 900 << 20, LEAKER: 250 << 20, "svchost": 60 << 20, "svchost#1": 45 << 20}


def write(folder: Path) -> None:
    """monday.csv and tuesday.csv."""
    for name, day, leak in (("monday", 2, 0), ("tuesday", 3, LEAK_PER_HOUR)):
        (folder / f"{name}.csv").write_text("\n".join(lines(day, leak)) + "\n", encoding="ascii")


def lines(day: int, leak: int) -> list[str]:
    rng = random.Random(day)
    paths = [r"\Processor(_Total)\% Processor Time", r"\Memory\Available Bytes"]
    for number, process in enumerate(PROCESSES):
        paths += [rf"\Process({process})\{counter}" for counter in ("% Processor Time", "Private Bytes", "Working Set", "ID Process")]
    head = ",".join(f'"\\\\APP7{path}"' for path in paths)
    found = [f'"(PDH-CSV 4.0) (UTC)(0)",{head}']
    for minute in range(MINUTES):
        values = [20 + rng.gauss(0, 3), 0]
        used = 4 << 30
        for number, (process, size) in enumerate(PROCESSES.items()):
            grown = leak * minute / 60 if process == LEAKER else 0
            private = int(size * (1 + rng.gauss(0, 0.002)) + grown)
            used += private
            values += [abs(rng.gauss(3, 1)), private, int(private * 0.9), 1000 + 4 * number]
        values[1] = TOTAL - used
        time = datetime(2026, 3, day, 9) + timedelta(minutes=minute)
        found.append(",".join([f'"{time:%m/%d/%Y %H:%M:%S}.000"', *(f'"{value}"' for value in values)]))
    return found
