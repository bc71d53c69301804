"""Counters and samples to read, as users write them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._recount import Wanted

Time = Union[str, datetime, timedelta]
"""A time in a capture. A text as the command takes it: ``"2013-02-20T02:55:00Z"``, ``"18:55"`` of the first day, ``"+5m"``
after the first sample, ``"-30s"`` before the last, ``"mark:deploy"``. A datetime; without a zone it is a local time of the
capture. A timedelta after the first sample or, if negative, before the last."""

Length = Union[str, timedelta, float]
"""A length of time: ``"5m"``, a timedelta, or seconds."""


def time_text(time: Time | None, is_end: bool = False) -> str | None:
    """A time in the syntax of the library. As an end, a microsecond includes all of its nanoseconds."""
    if time is None or isinstance(time, str):
        return time
    if not isinstance(time, (datetime, timedelta)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a time is text, a datetime or a timedelta, not {type(time).__name__}: {time!r}")
    if isinstance(time, timedelta):
        seconds = time.total_seconds()
        return f"{'-' if seconds < 0 else '+'}{abs(seconds):.6f}s"
    rest = "9" if is_end else ""
    if time.tzinfo is None:
        return time.isoformat(timespec="microseconds") + rest
    utc = time.astimezone(timezone.utc).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + rest + "Z"


def length_text(length: Length | None) -> str | None:
    """A length of time in the syntax of the library."""
    if length is None or isinstance(length, str):
        return length
    seconds = seconds_of(length)
    if not seconds > 0:
        raise ValueError(f"{length!r}: a length of time must be longer than zero")
    return f"{seconds:.6f}s"


def seconds_of(length: float | timedelta) -> float:
    """A length of time in seconds."""
    if isinstance(length, timedelta):
        return length.total_seconds()
    if isinstance(length, (int, float)) and not isinstance(length, bool):
        return float(length)
    raise TypeError(f"a length of time is seconds or a timedelta, not {type(length).__name__}: {length!r}")


def texts(given: str | Iterable[str], what: str) -> list[str]:
    """One text, or several."""
    found = [given] if isinstance(given, str) else list(given)
    for one in found:
        if not isinstance(one, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{what} are text, not {type(one).__name__}: {one!r}")
    return found


def patterns(counters: str | Iterable[str] | None) -> list[str]:
    """Patterns of counters, one or several."""
    return [] if counters is None else texts(counters, "patterns of counters")


def wanted(
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    every: int = 1,
    interval: Length | None = None,
) -> Wanted:
    """The selection as the extension module expects it."""
    if every < 1:
        raise ValueError(f"every is {every}: it must be at least 1, which means every sample")
    return {
        "counters": patterns(counters),
        "begin": time_text(begin),
        "end": time_text(end, is_end=True),
        "every": every,
        "interval": length_text(interval),
    }
