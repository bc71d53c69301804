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


class DamageWarning(UserWarning):
    """Parts of a capture could not be read. The rest was: an iteration continues."""


class OverlapWarning(UserWarning):
    """Captures that are read as one have samples in common, which count once, or contradict each other."""


_HERE = os.path.dirname(__file__) + os.sep


def warn_of(name: str, health: str) -> None:
    """Warns of what was left out, with the caller's line as the place: the first frame outside this package."""
    import json
    import warnings

    found = json.loads(health)
    harmless = ("odd", "time", "expected")
    damage = [finding for finding in found["findings"] if finding["kind"] not in harmless]
    if not damage:
        return
    first = damage[0]
    place = "" if first["offset"] is None else f" at byte {first['offset']:#x}"
    more = "" if len(damage) == 1 else f" (and {len(damage) - 1} more)"
    message = f"{name}: {first['kind']}{place}: {first['what']}{more}"
    warnings.warn(message, DamageWarning, stacklevel=level_of_caller())


def warn_of_overlaps(health: str) -> None:
    """Warns of what several captures have in common, in the words of the command."""
    import json
    import warnings

    for finding in json.loads(health)["findings"]:
        warnings.warn(finding["what"], OverlapWarning, stacklevel=level_of_caller())


def level_of_caller() -> int:
    """The level, for a function that warns, of the first frame outside this package."""
    level, frame = 0, sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    return level
