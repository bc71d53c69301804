"""Exceptions and warnings."""

from __future__ import annotations

import os
import sys


class RecountError(Exception):
    """Base of recount's exceptions. The message says what failed, and what to try."""


class FormatError(RecountError):
    """A file can't be read at all: it isn't a capture, or is damaged too badly.

    >>> import recount
    >>> try:
    ...     recount.open(b"Dear reader", name="letter.blg")
    ... except recount.FormatError as error:
    ...     print(error.path, error.offset)
    letter.blg 0
    """

    path: str
    """The file."""
    offset: int | None
    """Offset of the fault in the file, in bytes; ``None`` if there is no single place."""
    structure: str | None
    """The structure there, as the specification of the format calls it."""

    def __init__(
        self, message: str, path: str, offset: int | None = None, structure: str | None = None
    ) -> None:
        super().__init__(message)
        self.path = path
        self.offset = offset
        self.structure = structure

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str, int | None, str | None]]:
        return type(self), (str(self), self.path, self.offset, self.structure)


class SelectionError(RecountError, ValueError):
    """Nothing is selected: no counter matches the patterns, or ``begin`` is after ``end``. The message has the name that was
    probably meant.

    >>> import recount
    >>> try:
    ...     recount.open("samples/objects.blg").counters(r"\\Procesor(*)\\*")
    ... except recount.SelectionError as error:
    ...     print(error)
    no counter matches \\Procesor(*)\\*; there is an object Processor; counters() lists those that there are
    """


class SelectionWarning(UserWarning):
    """A part of a selection selects nothing: one of several patterns, or a span of time without samples."""


class DamageWarning(UserWarning):
    """Parts of a capture could not be read. The rest was: an iteration continues."""


class OverlapWarning(UserWarning):
    """Captures that are read as one have samples in common, which count once, or contradict each other."""


_HERE = os.path.dirname(__file__) + os.sep


def warn_of(name: str, health: str) -> None:
    """Warns of what was left out."""
    import json

    found = json.loads(health)
    harmless = ("odd", "time", "expected")
    damage = [finding for finding in found["findings"] if finding["kind"] not in harmless]
    if not damage:
        return
    first = damage[0]
    place = "" if first["offset"] is None else f" at byte {first['offset']:#x}"
    more = "" if len(damage) == 1 else f" (and {len(damage) - 1} more)"
    warn(f"{first['capture'] or name}: {first['kind']}{place}: {first['what']}{more}", DamageWarning)


def warn_of_overlaps(health: str) -> None:
    """Warns of what several captures have in common, in the words of the command."""
    import json

    for finding in json.loads(health)["findings"]:
        warn(f"{finding['capture']}: {finding['what']}", OverlapWarning)


def warn_of_selection(text: str) -> None:
    """Warns of a part of a selection that selects nothing."""
    warn(text, SelectionWarning)


def warn(message: str, kind: type[Warning]) -> None:
    """Warns with the caller's line as the place: the first frame outside this package."""
    import warnings

    level, frame = 1, sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)
