"""Captures, and the functions that read, record and convert them."""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _recount
from ._arguments import (
    check_choice,
    check_texts,
    length_text,
    patterns,
    seconds_of,
    texts,
    time_text,
    wanted,
    whole,
)
from ._batches import Batches, Table
from ._report import (
    DIFFERENCE_EXTENSIONS,
    REPORT_EXTENSIONS,
    Chart,
    Difference,
    Report,
    check_extension,
)
from ._values import (
    Counter,
    Health,
    Info,
    Mark,
    Object,
    Rows,
    parse_health,
    parse_info,
    parse_time,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta
    from typing import Protocol, Union

    from ._arguments import Length, Time
    from ._recount import Form, Reading

    class BinaryFile(Protocol):
        """A file opened for reading bytes: Python's own, fsspec's, ``io.BytesIO``."""

        def read(self, size: int, /) -> bytes: ...

    Source = Union[str, os.PathLike[str], bytes, bytearray, memoryview, BinaryFile]


# A thread may still be writing a temporary file that its caller no longer waits for. It ends with the process.
atexit.register(_recount.remove_partial)


class Capture:
    """Performance counters over time, opened by :func:`open`. Data is decoded only when requested."""

    __slots__ = ("_capture", "_infos")

    def __init__(self, capture: _recount.Capture) -> None:
        self._capture = capture
        self._infos: list[dict[str, Any]] | None = None

    def _summaries(self) -> list[dict[str, Any]]:
        if self._infos is None:
            import json

            self._infos = json.loads(self._capture.info())
        return self._infos or []

    @property
    def info(self) -> Info:
        """A summary of the capture: format, machine, span of time, samples.

        >>> import recount
        >>> info = recount.open("samples/objects.blg").info
        >>> info.hosts, info.num_samples, info.begin.year
        (['PACIFIC'], 8, 2013)
        """
        return parse_info(self._summaries()[0])

    @property
    def id(self) -> str | None:
        """A UUID that identifies the capture, as in a catalogue. Copies have the same id, and a file keeps it when it
        grows. ``None`` if it has no samples."""
        return self._capture.id

    @property
    def health(self) -> Health:
        """What could not be read when the capture was opened, and what is odd."""
        return parse_health(self._capture.health())

    @property
    def marks(self) -> Rows[Mark]:
        """Times that a user marked (``recount mark``), ascending."""
        return Rows(Mark(parse_time(time), text) for time, text in self._capture.marks)

    def objects(self) -> Rows[Object]:
        """The performance objects, in order of appearance.

        >>> import recount
        >>> [found.object for found in recount.open("samples/objects.blg").objects()][:2]
        ['Processor', 'Memory']
        """
        return Rows(Object(**found) for summary in self._summaries() for found in summary["objects"])

    def counters(self, pattern: str | Iterable[str] | None = None) -> Rows[Counter]:
        """The counters of all instances, or only those that match a pattern: a path with wildcards, or any part of a
        path.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> cap.counters(r"\\Processor(_Total)\\% User Time")[0].path
        '\\\\\\\\PACIFIC\\\\Processor(_Total)\\\\% User Time'
        """
        import json

        found: list[dict[str, Any]] = json.loads(self._capture.counters(wanted(pattern)))
        return Rows(Counter(**counter) for counter in found)

    def read(
        self,
        counters: str | Iterable[str] | None = None,
        *,
        object: str | None = None,
        begin: Time | None = None,
        end: Time | None = None,
        every: int = 1,
        interval: Length | None = None,
        raw: bool = False,
        columns: str | Sequence[str] | None = None,
    ) -> Batches:
        """Reads values as Arrow.

        Without ``object`` each value is a row, and the columns are the same for every capture: ``time``,
        ``interval_s``, ``host``, ``object``, ``instance``, ``counter``, ``value``, ``status``. With it, each instance
        of the object at each time is a row, and each counter a column. A missing value is null; ``status`` says why.

        ``begin`` and ``end`` select samples, both inclusive, like the command's options. The first selected sample has
        no previous one, so its rates are missing. ``every`` uses each n-th sample, ``interval`` one sample per
        interval. ``raw`` adds the raw values. ``columns`` keeps only these columns, and reads only the counters that
        they need. A pattern that matches no counter gives no rows.
        """
        check_texts(object=object)
        batches = self._capture.read(
            wanted(counters, begin, end, every, interval),
            object,
            bool(raw),
            None if columns is None else texts(columns, "names of columns"),
            (None, None),
        )
        return Batches(batches, self._title())

    def stats(
        self,
        counters: str | Iterable[str] | None = None,
        *,
        by: Length | None = None,
        group_by: Literal["host", "instance"] | Sequence[Literal["host", "instance"]] = ("host", "instance"),
        begin: Time | None = None,
        end: Time | None = None,
    ) -> Table:
        """Count, mean, spread, percentiles and trend of every counter; with ``by``, separately for every period of that
        length.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> for row in cap.stats(r"\\Processor(_Total)\\% Processor Time"):
        ...     print(row["counter"], row["count"], round(row["mean"], 3))
        % Processor Time 7 14.533
        """
        chosen = wanted(counters, begin, end)
        columns = texts(group_by, "columns to group by")
        return Table(_recount.stats(self._capture, chosen, length_text(by), columns))

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        rules: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        counters: str | Iterable[str] | None = None,
        begin: Time | None = None,
        end: Time | None = None,
        title: str | None = None,
        force: bool = False,
    ) -> Report:
        """Applies rules to find out what happened, and writes a report if ``path`` is given (.html, .md, .xml for
        JUnit, .json).

        ``rules`` are names of sets that come with recount (``recount rules list``) and paths of rule files. The default
        is all sets; an empty list means none. Rules use English names: open captures in other languages with
        ``names="en"``.
        """
        check_texts(title=title)
        if path is not None:
            check_extension(path, REPORT_EXTENSIONS, "a report")
            check_new(path, force)
        title = title or self._title()
        rules = [rules] if isinstance(rules, (str, os.PathLike)) else rules
        sets = None if rules is None else [rule_set(rule) for rule in rules]
        report = Report(
            _recount.report(self._capture, wanted(counters, begin, end), sets, title, None), title
        )
        if path is not None:
            report.save(path, force=force)
        return report

    def chart(
        self,
        counters: str | Iterable[str],
        *,
        begin: Time | None = None,
        end: Time | None = None,
        title: str | None = None,
        stacked: bool = False,
        logarithmic: bool = False,
    ) -> Chart:
        """A chart of counters, drawn as in a report. Notebooks show it.

        >>> import recount
        >>> recount.open("samples/objects.blg").chart(r"\\Processor(_Total)\\% Processor Time")
        <recount.Chart '\\\\Processor(_Total)\\\\% Processor Time'>
        """
        check_texts(title=title)
        names = texts(counters, "patterns of counters")
        if not names:
            raise ValueError("counters is empty: a chart needs some")
        title = title or ", ".join(names)
        charts = [(title, names, bool(stacked), bool(logarithmic))]
        report = _recount.report(self._capture, wanted(names, begin, end), [], title, charts)
        return Chart(report.html, title)

    def convert(self, output: str | os.PathLike[str], **options: Any) -> Converted:
        """Writes the capture to a file or directory: see :func:`recount.convert`."""
        return convert(self, output, **options)

    def _title(self) -> str:
        return ", ".join(os.path.basename(name) for name in self._capture.names)

    def __repr__(self) -> str:
        return f"<recount.Capture {self._title()!r}>"

    def _repr_html_(self) -> str:
        return self.info._repr_html_() + self.objects()._repr_html_()


def rule_set(rule: str | os.PathLike[str]) -> tuple[str, str | None]:
    """Name of a set and ``None``, or name and text of a file."""
    name = os.fspath(rule)
    if not isinstance(rule, str) or any(part in name for part in "./\\"):
        with io_open(name) as file:
            return shown(name), file.read()
    return name, None


def shown(path: str) -> str:
    """A path in messages: bytes of a name that aren't UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def check_new(path: str | os.PathLike[str], force: bool) -> None:
    """Refuses to replace a file before any work is done."""
    if not force and os.path.exists(path):
        raise FileExistsError(f"{os.fspath(path)} already exists: choose another name, or force=True")


def rewind(file: BinaryFile) -> None:
    """Goes to the beginning of a file. One that can't, such as a pipe, is read from where it is."""
    import io

    seek, seekable = (getattr(file, name, None) for name in ("seek", "seekable"))
    if seek is not None and (seekable is None or seekable()):
        with suppress(io.UnsupportedOperation):
            seek(0)


def name_of(file: BinaryFile) -> str | None:
    """The name of a file. Those without one may have the number of a descriptor in its place."""
    name: object = getattr(file, "name", None)
    return shown(name) if isinstance(name, str) else None


def io_open(name: str) -> Any:
    """Python's built-in ``open``, which this module's ``open`` hides."""
    import io

    return io.open(name, encoding="utf-8")


def open(
    source: Source,
    *,
    name: str | None = None,
    zone: str | None = None,
    encoding: str | None = None,
    names: Literal["own", "en", "windows"] = "own",
) -> Capture:
    """Opens a capture; its format is recognised by its content.

    ``source`` is a path (a file, or a directory that is one capture), bytes, or a binary file, which is read to its
    end, from its beginning if it can go there. Messages call it ``name``. ``zone`` is the time zone of captures that
    don't name theirs (``"Europe/Moscow"``, ``"+03:00"``), ``encoding`` the code page of text without a byte order mark.
    ``names="en"`` (or ``"windows"``) translates names of captures in other languages into English.

    Raises :class:`FormatError` if nothing can be read, and ``FileNotFoundError`` or another ``OSError`` if the file
    can't be accessed. Lesser damage causes a :class:`DamageWarning` and is listed in ``.health``.
    """
    check_texts(name=name, zone=zone, encoding=encoding)
    check_choice("names", names, ("own", "en", "windows"))
    reading: Reading = {"zone": zone, "encoding": encoding, "english": names != "own"}
    place: Any = source
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        place, name = [path], name or shown(path)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        place = bytes(source)
    elif hasattr(source, "read"):
        rewind(source)
        name = name or name_of(source)
    else:
        raise TypeError(f"a capture is a path, bytes or a binary file, not {type(source).__name__}")
    return Capture(_recount.open(place, name or "capture", reading, True))


def paths_of(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The paths of files and directories, with patterns expanded."""
    paths: list[str] = []
    for source in sources:
        path = os.fspath(source)
        if any(char in path for char in "*?[") and not os.path.exists(path):
            from glob import glob

            found = sorted(glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file matches {path}")
            paths.extend(found)
        else:
            paths.append(path)
    return paths


def open_all(sources: Sequence[str | os.PathLike[str]], zone: str | None = None) -> _recount.Capture:
    """Files, directories and patterns of files as one time line."""
    check_texts(zone=zone)
    paths = paths_of(sources)
    reading: Reading = {"zone": zone, "encoding": None, "english": False}
    return _recount.open(paths, ", ".join(map(shown, paths)), reading, False)


def captures_of(source: Capture | Source | Sequence[str | os.PathLike[str]]) -> _recount.Capture:
    """One capture, or several as one time line, opened if necessary."""
    if isinstance(source, Capture):
        return source._capture
    if isinstance(source, (list, tuple)):
        return open_all(source)
    if isinstance(source, (str, os.PathLike)):
        return open_all([source])
    return open(source)._capture  # type: ignore[arg-type] # pyright: ignore


def query(
    sql: str,
    *captures: Capture | Source | Sequence[str | os.PathLike[str]],
    begin: Time | None = None,
    end: Time | None = None,
    **named: Capture | Source | Sequence[str | os.PathLike[str]],
) -> Table:
    """Runs a query in the SQL of polars, with one table per performance object, like ``recount query``.

    Name the captures to query several at once: ``monday="monday.blg", tuesday="tuesday.blg"`` gives the tables
    ``monday.Processor`` and ``tuesday.Processor``, which a query can join or combine with ``UNION ALL``. With one
    capture, ``Processor`` is enough. Pass several files that form one time line as a list of paths or a pattern. ``SHOW
    TABLES`` and ``DESCRIBE monday.Processor`` list the tables and columns.
    """
    check_texts(sql=sql)
    if len(captures) > 1 or (captures and named):
        raise ValueError("name the captures: query(sql, monday=..., tuesday=...); a list of paths is one time line")
    given = dict(named) or {"capture": one for one in captures}
    if not given:
        raise ValueError("no capture is given: query(sql, monday=...)")
    opened = [(name, captures_of(source)) for name, source in given.items()]
    return Table(_recount.query(opened, wanted(None, begin, end), sql))


def diff(
    base: Capture | Source,
    new: Capture | Source,
    path: str | os.PathLike[str] | None = None,
    *,
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    title: str | None = None,
    force: bool = False,
) -> Difference:
    """Finds what changed from one capture to another, by statistical tests that suit such series. Writes a page if
    ``path`` is given (.html, or .json).

    >>> import recount
    >>> same = recount.diff("samples/objects.blg", "samples/objects.blg")
    >>> same.json()["counts"]["regression"]
    0
    """
    check_texts(title=title)
    if path is not None:
        check_extension(path, DIFFERENCE_EXTENSIONS, "a comparison")
        check_new(path, force)
    title = title or "the new capture against the base"
    found = _recount.diff(captures_of(base), captures_of(new), wanted(counters, begin, end), title)
    difference = Difference(found, title)
    if path is not None:
        difference.save(path, force=force)
    return difference


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
    "csv": ("raw", "layout='objects'", "partition_by"),
    "tsv": ("raw", "layout='objects'", "partition_by"),
    "openmetrics": ("raw", "layout='objects'", "partition_by"),
    "line-protocol": ("raw", "layout='objects'", "partition_by"),
    "blg": ("raw", "scaled", "layout='objects'", "partition_by"),
}
"""What formats don't have; others have everything."""


def check_form(form: Form) -> None:
    """Refuses arguments that have no meaning in a format."""
    given = {
        "raw": form["raw"],
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
    raw: bool = False,
    scaled: bool = False,
    partition_by: Literal["host", "date"] | Sequence[Literal["host", "date"]] = (),
    force: bool = False,
) -> Converted:
    """Writes captures as Parquet, Arrow IPC, PDH text, ``.blg``, OpenMetrics or line protocol, as ``recount convert`` does.

    The extension of ``output`` determines the format, unless ``format`` names it. A name without an extension, or with
    a slash at the end, becomes a directory with a table for each object.
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
        "raw": bool(raw),
        "scaled": bool(scaled),
        "partition_by": texts(partition_by, "columns to partition by"),
        "force": bool(force),
    }
    check_form(form)
    chosen = wanted(counters, begin, end, every, interval)
    files, samples, rows, size = _recount.convert(captures_of(source), path, chosen, form)
    return Converted([os.fspath(file) for file in files], samples, rows, size)


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
