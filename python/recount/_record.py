"""Recording this machine, and marking times."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from . import _recount
from ._arguments import check_texts, patterns, seconds_of, time_text, whole
from ._values import Mark, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from ._arguments import Time


class Recorded(NamedTuple):
    """The result of :func:`record`."""

    files: list[str]
    """The logs that exist, oldest first."""
    num_samples: int
    """Samples."""
    num_late: int
    """Samples that were late."""
    num_missed: int
    """Samples that were left out because the machine was too busy."""
    num_lost: int
    """Samples that could not be written."""
    num_bytes: int
    """Bytes."""


def record(
    output: str | os.PathLike[str] | None = None,
    *,
    duration: float | timedelta | None = None,
    count: int | None = None,
    interval: float | timedelta | None = None,
    profile: Literal["default", "minimal", "processes", "full"] | None = None,
    counters: str | Iterable[str] | None = None,
    force: bool = False,
) -> Recorded:
    """Records this machine into a capture log, once per ``interval`` (seconds or a timedelta; default: a second).

    The recording ends after ``duration`` or ``count`` samples. Ctrl-C ends it, too: a last sample is taken, the log is
    closed, and ``KeyboardInterrupt`` is raised.
    """
    check_texts(profile=profile)
    length = (
        None if duration is None else seconds_of(duration),
        None if count is None else whole("count", count),
        None if interval is None else seconds_of(interval),
    )
    path = None if output is None else os.fspath(output)
    files, numbers = _recount.record(path, length, profile, patterns(counters), bool(force))
    return Recorded([os.fspath(file) for file in files], *numbers)


def mark(path: str | os.PathLike[str], text: str, *, at: Time | None = None) -> Mark:
    """Marks a time in a capture log: now, or the time ``at``. The log may still be being recorded."""
    check_texts(text=text)
    time, text = _recount.mark(os.fspath(path), text, time_text(at))
    return Mark(parse_time(time), text)
