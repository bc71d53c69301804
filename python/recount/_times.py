"""Which counters and samples are wanted, as people state it."""

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

Length = Union[str, timedelta]
"""A length of time: ``"5m"``, or a timedelta."""


def time_text(time: Time | None, is_end: bool = False) -> str | None:
    """A time as the library reads it. A microsecond that is an end is meant whole."""
    if time is None or isinstance(time, str):
        return time
    if isinstance(time, timedelta):
        seconds = time.total_seconds()
        return f"{'-' if seconds < 0 else '+'}{abs(seconds):.6f}s"
    rest = "9" if is_end else ""
    if time.tzinfo is None:
        return time.isoformat(timespec="microseconds") + rest
    utc = time.astimezone(timezone.utc).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + rest + "Z"


def length_text(length: Length | None) -> str | None:
    """A length of time as the library reads it."""
    return f"{length.total_seconds():.6f}s" if isinstance(length, timedelta) else length


def patterns(counters: str | Iterable[str] | None) -> list[str]:
    """Patterns of counters, one or several."""
    if counters is None:
        return []
    return [counters] if isinstance(counters, str) else list(counters)


def wanted(
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    every: int = 1,
    interval: Length | None = None,
) -> Wanted:
    """What the extension module reads."""
    return {
        "counters": patterns(counters),
        "begin": time_text(begin),
        "end": time_text(end, is_end=True),
        "every": every,
        "interval": length_text(interval),
    }
