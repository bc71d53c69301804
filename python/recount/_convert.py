"""Writing captures as files of other programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from . import _recount
from ._arguments import check_choice, check_texts, texts, wanted
from ._open import captures_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._arguments import Length, Progress, Time
    from ._capture import Capture
    from ._open import Source
    from ._recount import Form


class Converted(NamedTuple):
    """The result of :func:`convert`."""

    files: list[str]
    """The files written, sorted by path."""
    num_samples: int
    """Samples."""
    num_rows: int
    """Rows written, to all files."""
    num_bytes: int
    """Bytes."""


EXTENSIONS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".blg": "blg",
}

LACKING = {
    "csv": ("raw", "local_time", "layout='objects'", "partition_by"),
    "tsv": ("raw", "local_time", "layout='objects'", "partition_by"),
    "openmetrics": ("raw", "local_time", "layout='objects'", "partition_by"),
    "line-protocol": ("raw", "local_time", "layout='objects'", "partition_by"),
    "blg": ("raw", "local_time", "scaled", "layout='objects'", "partition_by"),
}
"""What formats don't have; others have everything."""


def check_form(form: Form) -> None:
    """Refuses arguments that have no meaning in a format."""
    given = {
        "raw": form["raw"],
        "local_time": form["local_time"],
        "scaled": form["scaled"],
        "layout='objects'": form["by_object"],
        "partition_by": bool(form["partition_by"]),
    }
    for name in LACKING.get(form["format"], ()):
        if given[name]:
            raise ValueError(f"the format {form['format']!r} has no {name}: use 'parquet' or 'arrow'")


def convert(
    source: Capture | Source | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    every: int = 1,
    interval: Length | None = None,
    format: str | None = None,
    layout: Literal["tidy", "objects"] | None = None,
    local_time: bool = False,
    raw: bool = False,
    scaled: bool = False,
    partition_by: Literal["host", "date"] | Sequence[Literal["host", "date"]] = (),
    force: bool = False,
    progress: Progress | None = None,
) -> Converted:
    """Writes captures as Parquet, Arrow IPC, PDH text, ``.blg``, OpenMetrics or line protocol, as ``recount convert`` does.

    The extension of ``output`` determines the format, unless ``format`` names it. A name without an extension, or with
    a slash at the end, becomes a directory with a table for each object. ``local_time`` adds a column with the time by the
    clock and zone of the machine.
    """
    check_texts(format=format)
    check_choice("layout", layout, (None, "tidy", "objects"))
    path = os.fspath(output)
    extension = os.path.splitext(path)[1].lower()
    is_directory = not extension or path.endswith(("/", os.sep))
    if format is None:
        has_tables = is_directory or layout == "objects" or bool(partition_by)
        format = EXTENSIONS.get(extension, "parquet" if has_tables else None)
    if format is None:
        raise ValueError(f"{extension!r} names no format: use .parquet, .arrow, .csv, .tsv, .blg, or format=")
    by_object = layout == "objects" or (
        layout is None and is_directory and format in ("parquet", "arrow")
    )
    form: Form = {
        "format": format,
        "by_object": by_object,
        "local_time": bool(local_time),
        "raw": bool(raw),
        "scaled": bool(scaled),
        "partition_by": texts(partition_by, "columns to partition by"),
        "force": bool(force),
    }
    check_form(form)
    chosen = wanted(counters, begin, end, every, interval)
    files, samples, rows, size = _recount.convert(captures_of(source)._capture, path, chosen, form, progress)
    return Converted([os.fspath(file) for file in files], samples, rows, size)
