"""Counters and samples to read, as users write them, and checks of other arguments."""

from __future__ import annotations

import operator
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Literal, SupportsIndex, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ._recount import Wanted

Time = Union[str, datetime, timedelta]
"""A time in a capture. A text as the command takes it: ``"2013-02-20T02:55:00Z"``, ``"18:55"`` of the first day that has it, ``"+5m"``
after the first sample, ``"-30s"`` before the last, ``"mark:deploy"``. A datetime; without a zone it is a local time of the
capture. A timedelta after the first sample or, if negative, before the last."""

Bounds = tuple[Union[Time, None], Union[Time, None]]
"""A begin and an end; ``None``: open."""

TimeSpan = Union[str, Bounds]
"""A span of time: ``"14:00..14:10"``, ``"mark:a..mark:b"``, or a begin and an end."""

Length = Union[str, timedelta, float]
"""A length of time: ``"5m"``, a timedelta, or seconds."""

GroupKey = Literal["host", "instance", "user", "unit", "container", "command", "tree"]
"""What gets its own row in statistics: machines, instances, or processes that have this in common."""


if TYPE_CHECKING:
    Progress = Callable[[int, int], object]
    """Called now and then with the number of samples read, and of those there are. Work that reads twice begins anew. An
    exception ends the work."""


def time_text(time: Time | None, is_end: bool = False) -> str | None:
    """A time in the syntax of the library. As an end, a microsecond includes all of its nanoseconds."""
    if time is None or isinstance(time, str):
        return time
    if not isinstance(time, (datetime, timedelta)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a time is text, a datetime or a timedelta, not {type(time).__name__}: {time!r}")
    if isinstance(time, timedelta):
        seconds = time.total_seconds()
        return f"{'-' if seconds < 0 else '+'}{abs(seconds):.6f}s"
    if time.isoformat() == "NaT":  # pandas' missing time is a datetime by its class.
        raise ValueError("a time is NaT, which is none")
    rest = "9" if is_end else ""
    if time.tzinfo is None:
        return time.isoformat(timespec="microseconds") + rest
    utc = time.astimezone(timezone.utc).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + rest + "Z"


def span_text(span: TimeSpan) -> str:
    """A span in the syntax of the library."""
    if isinstance(span, str):
        return span
    begin, end = span_bounds(span)
    return f"{time_text(begin) or ''}..{time_text(end, is_end=True) or ''}"


def span_bounds(span: TimeSpan) -> Bounds:
    """The begin and the end of a span."""
    if not isinstance(span, str):
        if not isinstance(span, tuple) or len(span) != 2:  # pyright: ignore[reportUnnecessaryIsInstance, reportUnnecessaryComparison]
            raise TypeError(f"a span is text (\"14:00..14:10\") or a begin and an end, not {span!r}")
        return span
    from . import _recount

    return _recount.span_bounds(span)


def length_text(length: Length | None) -> str | None:
    """A length of time in the syntax of the library."""
    if length is None or isinstance(length, str):
        return length
    return f"{seconds_of(length):.6f}s"


MAX_SECONDS = 10_000 * 365 * 86_400
"""More than the span of any capture, and less than the library's times can hold."""


def seconds_of(length: float | timedelta) -> float:
    """A length of time in seconds."""
    if isinstance(length, timedelta):
        seconds = length.total_seconds()
    elif isinstance(length, (int, float)) and not isinstance(length, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        seconds = length
    else:
        raise TypeError(f"a length of time is seconds or a timedelta, not {type(length).__name__}: {length!r}")
    if not 0 < seconds < MAX_SECONDS:
        raise ValueError(f"{length!r}: a length of time must be longer than zero, and less than 10,000 years")
    return float(seconds)


def texts(given: str | Iterable[str], what: str) -> list[str]:
    """One text, or several."""
    try:
        found = [given] if isinstance(given, (str, bytes)) else list(given)
    except TypeError:
        raise TypeError(f"{what} are text, not {type(given).__name__}: {given!r}") from None
    for one in found:
        if not isinstance(one, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{what} are text, not {type(one).__name__}: {one!r}")
    return found


def patterns(counters: str | Iterable[str] | None) -> list[str]:
    """Patterns of counters, one or several; ``None``: all counters. A list that turned out empty doesn't mean all."""
    if counters is None:
        return []
    found = texts(counters, "patterns of counters")
    if not found:
        raise ValueError("counters is empty: leave it out to select all counters")
    return found


def check_texts(**given: object) -> None:
    """Raises an error for an argument that is neither text nor ``None``."""
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} is text, not {type(value).__name__}: {value!r}")


def check_choice(name: str, given: object, choices: Sequence[str | None]) -> None:
    """Raises an error for an argument that is none of the choices."""
    if given not in choices:
        raise ValueError(f"{name} is {given!r}: it must be {' or '.join(map(repr, choices))}")


def whole(name: str, given: SupportsIndex) -> int:
    """A number of at least 1."""
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(given).__name__}: {given!r}") from None
    if number < 1:
        raise ValueError(f"{name} is {number}: it must be at least 1")
    return number


MAX_EVERY = 0xFFFF_FFFF
"""As many samples as no capture has."""


def wanted(
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    every: int = 1,
    interval: Length | None = None,
) -> Wanted:
    """The selection as the extension module expects it."""
    return {
        "counters": patterns(counters),
        "begin": time_text(begin),
        "end": time_text(end, is_end=True),
        "every": min(whole("every", every), MAX_EVERY),
        "interval": length_text(interval),
    }
