"""For tests of programs that use recount: small captures with known values."""

from __future__ import annotations

import csv
import io
import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ._capture import Capture

TIDY = ("time", "object", "instance", "counter", "value")


def capture(frame: Any, path: str | os.PathLike[str] | None = None, *, host: str = "TEST") -> Capture:
    """A capture with the values of a frame: a frame of polars or pandas, a table of pyarrow, a dictionary of columns, or a list of
    dictionaries.

    It has either the columns ``time``, ``object``, ``instance``, ``counter`` and ``value`` (``host`` and ``instance`` may be left
    out), or ``time`` and a column per counter, named by its path. Times without a zone are UTC. Values are kept to the bit, since
    they count as computed already; a missing value stays missing. The capture is in memory, or, with ``path``, in a new file,
    whose extension says what kind it is: ``.csv`` or ``.tsv`` (PDH text), or ``.parquet``.

    >>> import recount.testing
    >>> cap = recount.testing.capture({"time": ["2026-01-01 10:00", "2026-01-01 10:01"], r"\\Memory\\Available Bytes": [5, 7.5]})
    >>> cap.read().to_polars()["value"].to_list()
    [5.0, 7.5]
    """
    from ._open import open

    rows = rows_of(frame)
    if not rows:
        raise ValueError("the frame has no rows, and a capture needs samples")
    names = list(rows[0])
    if "time" not in names:
        raise ValueError(f"the frame has no column 'time': it has {', '.join(names)}")
    is_tidy = "counter" in names and "value" in names
    values = tidy_values(rows, host) if is_tidy else wide_values(rows, host)
    text = pdh_text(values)
    if path is None:
        return open(text.encode(), name="frame.csv")
    target = os.fspath(path)
    if os.path.splitext(target)[1].lower() == ".csv":
        with io.open(target, "x", encoding="utf-8", newline="") as file:
            file.write(text)
    else:
        open(text.encode(), name="frame.csv").convert(target)
    return open(target)


Values = dict[str, dict[datetime, "float | None"]]
"""Values by path and time."""


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame as dictionaries."""
    for method, arguments in (("to_dicts", ()), ("to_pylist", ()), ("to_dict", ("records",))):
        of_frame = getattr(frame, method, None)
        if of_frame is not None:
            found: list[dict[str, Any]] = of_frame(*arguments)
            return found
    if isinstance(frame, dict):
        columns = cast("Mapping[str, Sequence[Any]]", frame)
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError("the columns of the frame have different lengths")
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    listed: Iterable[Mapping[str, Any]] = frame
    return [dict(row) for row in listed]


def tidy_values(rows: list[dict[str, Any]], host: str) -> Values:
    """The values of a frame with a row per value."""
    found: Values = {}
    for row in rows:
        if not row.get("object"):
            raise ValueError("a row has no object: a counter has to be of one")
        instance = row.get("instance")
        shown = "" if instance is None or instance != instance or instance == "" else f"({instance})"
        path = f"\\\\{row.get('host') or host}\\{row['object']}{shown}\\{row['counter']}"
        place = found.setdefault(path, {})
        time = time_of(row["time"])
        if time in place:
            raise ValueError(f"{path} has two values at {time}")
        place[time] = number(row["value"])
    return found


def wide_values(rows: list[dict[str, Any]], host: str) -> Values:
    """The values of a frame with a column per counter."""
    found: Values = {}
    for row in rows:
        time = time_of(row["time"])
        for name, value in row.items():
            if name == "time":
                continue
            if not name.startswith("\\"):
                raise ValueError(f"column {name!r} is no path of a counter, such as \\Memory\\Available Bytes")
            path = name if name.startswith("\\\\") else f"\\\\{host}{name}"
            place = found.setdefault(path, {})
            if time in place:
                raise ValueError(f"{path} has two values at {time}")
            place[time] = number(value)
    return found


def time_of(time: Any) -> datetime:
    """A time in UTC, to the millisecond, which is what the text has."""
    moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    if not isinstance(moment, datetime) or moment != moment:
        raise ValueError(f"a time is {time!r}: it must be a datetime, or text such as 2026-01-01 10:00:00")
    moment = moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment.astimezone(timezone.utc)
    plain = datetime.fromtimestamp(0, timezone.utc) + (moment - datetime.fromtimestamp(0, timezone.utc))
    if plain.microsecond % 1_000:
        raise ValueError(f"a time is {time!r}: a capture in PDH text has whole milliseconds")
    return plain


def number(value: Any) -> float | None:
    """A value; ``None``: it is missing."""
    if value is None or value != value:
        return None
    found = float(value)
    if found in (float("inf"), float("-inf")):
        raise ValueError("a value is infinite, which no capture can hold")
    return found


def pdh_text(values: Values) -> str:
    """Values as PDH-CSV in UTC."""
    times = sorted({time for of_counter in values.values() for time in of_counter})
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(["(PDH-CSV 4.0) (Coordinated Universal Time)(0)", *values])
    for time in times:
        cells = [of_counter.get(time) for of_counter in values.values()]
        stamp = time.strftime("%m/%d/%Y %H:%M:%S.") + f"{time.microsecond // 1_000:03}"
        writer.writerow([stamp, *(" " if value is None else repr(value) for value in cells)])
    return out.getvalue()
