"""Captures: what they say of themselves, their values, and answers over them."""

from __future__ import annotations

import atexit
import os
from typing import TYPE_CHECKING, Any

from . import _recount
from ._arguments import (
    check_texts,
    length_text,
    span_text,
    texts,
    wanted,
)
from ._batches import Batches, Table
from ._errors import SelectionError
from ._many import merged, merged_objects
from ._report import (
    REPORT_EXTENSIONS,
    Chart,
    Moved,
    Report,
    check_extension,
    write_new,
)
from ._values import (
    Baseline,
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
from ._zones import iana_name, zone_info, zone_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from ._arguments import GroupKey, Length, Progress, Time, TimeSpan
    from ._convert import Converted
    from ._rows import StatsRow


# A thread may still be writing a temporary file that its caller no longer waits for. It ends with the process.
atexit.register(_recount.remove_partial)


class Capture:
    """Performance counters over time, opened by :func:`open`: one capture, or several that are one time line. Data is decoded
    only when requested.

    In a ``with`` statement it is closed at the end. It can be pickled if it was opened by path: it is opened anew where it is
    unpickled.
    """

    __slots__ = ("__weakref__", "_inner", "_opened", "_renamed", "_summed")

    def __init__(
        self,
        capture: _recount.Capture,
        opened: tuple[Any, tuple[Any, ...]] | None = None,
        renamed: dict[str, str] | None = None,
    ) -> None:
        self._inner: _recount.Capture | None = capture
        # A function that opens it again, and its arguments.
        self._opened = opened
        # Local copies of remote files, with the names that their user knows.
        self._renamed = renamed or {}
        self._summed: list[dict[str, Any]] | None = None

    @property
    def _capture(self) -> _recount.Capture:
        if self._inner is None:
            raise ValueError("the capture is closed")
        return self._inner

    def close(self) -> None:
        """Lets go of the files. Values that are being read stay readable."""
        self._inner = None
        self._summed = None

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        if self._opened is None:
            raise TypeError("only a capture that was opened by path can be pickled: this one has its content from elsewhere")
        return self._opened

    def _summaries(self) -> list[dict[str, Any]]:
        capture = self._capture
        if self._summed is None:
            import json

            self._summed = json.loads(capture.info())
            for summary in self._summed or []:
                summary["files"] = [self._renamed.get(file, file) for file in summary["files"]]
        return self._summed or []

    @property
    def info(self) -> Info:
        """A summary of the capture: format, machine, span of time, samples.

        >>> import recount
        >>> info = recount.open("samples/objects.blg").info
        >>> info.hosts, info.num_samples, info.begin.year
        (['PACIFIC'], 8, 2013)
        """
        return merged(list(self.infos), self._capture.num_samples if len(self._summaries()) > 1 else 0)

    @property
    def infos(self) -> Rows[Info]:
        """The summary of each capture, if there are several."""
        tz = map(iana_name, self._capture.zones, self._capture.offsets)
        return Rows(map(parse_info, self._summaries(), tz))

    @property
    def unreadable(self) -> dict[str, str]:
        """Of several paths, those that can't be read, and why. In a directory, ``health`` lists them."""
        return {self._renamed.get(path, path): why for path, why in self._capture.unreadable}

    @property
    def id(self) -> str | None:
        """A UUID that identifies the capture, as in a catalogue. Copies have the same id, and a file keeps it when it
        grows. ``None`` if it has no samples, or there are several."""
        return self._capture.id if len(self._capture.zones) == 1 else None

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
        return merged_objects(Object(**found) for summary in self._summaries() for found in summary["objects"])

    def counters(self, pattern: str | Iterable[str] | None = None) -> Rows[Counter]:
        """The counters of all instances, or only those that match a pattern: a path with wildcards, or any part of a
        path. It is a :class:`SelectionError` if none matches.

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
        origin: bool = False,
        tz: str | tzinfo | None = None,
    ) -> Batches:
        """Reads values as Arrow.

        Without ``object`` each value is a row, and the columns are the same for every capture: ``time``,
        ``interval_s``, ``weight_s``, ``host``, ``object``, ``instance``, ``counter``, ``value``, ``status``. With it, each instance
        of the object at each time is a row, and each counter a column. A missing value is null; ``status`` says why.

        ``begin`` and ``end`` select samples, both inclusive, like the command's options; their values are those of the
        whole capture. ``every`` uses each n-th sample, ``interval`` one sample per interval: values then span these
        steps, and the first sample has no rates. ``raw`` adds the raw values. ``columns`` keeps only these columns, and reads only the counters that
        they need. ``origin`` adds ``path`` and ``capture_id``, which say what file of several a row is from. ``tz`` is the
        zone in which times are shown, ``"local"`` that of the capture; without it they are UTC.

        It is a :class:`SelectionError` if no counter matches, and a :class:`SelectionWarning` if one of several patterns
        matches none.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> frame = cap.read(r"\\Processor(_Total)\\% User Time", tz="local").to_polars()
        >>> frame["time"][1].isoformat()
        '2013-02-20T02:00:15-08:00'
        """
        check_texts(object=object)
        zone = self._zone_of(tz)
        batches = self._capture.read(
            wanted(counters, begin, end, every, interval),
            object,
            bool(raw),
            None if columns is None else texts(columns, "names of columns"),
            (None, None),
            {"is_checked": True, "is_matched": True, "origins": bool(origin), "tz": zone},
        )
        return Batches(batches, self._title())

    def _zone_of(self, tz: str | tzinfo | None) -> str | None:
        """The zone for Arrow's times."""
        if tz is None:
            return None
        if self._capture.is_zone_unknown:
            raise ValueError("the times are local times of an unknown zone: open the capture with zone=, then tz= has a meaning")
        if tz != "local":
            name = zone_text(tz)
            if name is None or zone_info(name) is None:
                raise ValueError(f"tz is {tz!r}: it must be 'local' or a name of the IANA database, such as Europe/Berlin")
            return name
        name = self.info.tz
        if name is None:
            raise ValueError("the capture doesn't name one zone of local time that is known: give its name, tz='Europe/Berlin'")
        return name

    def wide(
        self,
        counters: str | Iterable[str] | None = None,
        *,
        every: Length,
        begin: Time | None = None,
        end: Time | None = None,
        progress: Progress | None = None,
    ) -> Table[dict[str, Any]]:
        """A row per period, and a column per counter with its mean over the period: each value counts as long as its
        interval. Periods begin at multiples of their length since 1970-01-01 UTC, and a value belongs to the period that its
        sample is in. A period in which no counter has a value has no row.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> cap.wide(r"\\Processor(_Total)\\*", every="1m").to_polars().shape
        (2, 4)
        """
        length = length_text(every)
        if length is None:
            raise TypeError("every is a length of time: '1m'")
        return Table(_recount.wide(self._capture, wanted(counters, begin, end), length, progress))

    def stats(
        self,
        counters: str | Iterable[str] | None = None,
        *,
        by: Length | None = None,
        group_by: GroupKey | Sequence[GroupKey] = ("host", "instance"),
        begin: Time | None = None,
        end: Time | None = None,
        progress: Progress | None = None,
    ) -> Table[StatsRow]:
        """Count, mean, spread, percentiles and trend of every counter; with ``by``, separately for every period of that
        length. ``group_by`` says what gets its own row: machines, instances, or, instead of these, processes that have the
        ``user``, the ``unit`` of systemd, the ``container``, the ``command`` or the ``tree`` in common, with the sums of their
        values.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> for row in cap.stats(r"\\Processor(_Total)\\% Processor Time"):
        ...     print(row["counter"], row["count"], round(row["mean"], 3))
        % Processor Time 7 14.533
        """
        chosen = wanted(counters, begin, end)
        columns = texts(group_by, "columns to group by")
        return Table(_recount.stats(self._capture, chosen, length_text(by), columns, progress))

    def changes(
        self,
        counters: str | Iterable[str] | None = None,
        *,
        begin: Time | None = None,
        end: Time | None = None,
        progress: Progress | None = None,
    ) -> Table[dict[str, Any]]:
        """When counters went to another level and stayed there, or began to rise or fall, the largest change first, like
        ``recount stats --changes``. Without ``counters``, those of a report's first charts, and latencies.

        >>> import recount
        >>> cap = recount.open("samples/objects.blg")
        >>> len(cap.changes())
        0
        """
        return Table(_recount.changes(self._capture, wanted(counters, begin, end), progress))

    def baseline(
        self,
        path: str | os.PathLike[str],
        *,
        known: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        counters: str | Iterable[str] | None = None,
        begin: Time | None = None,
        end: Time | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Baseline:
        """Learns what is usual, and writes it to a Parquet file, like ``recount baseline``. It is added to ``known``: baselines
        that were written before. What they have of the same machine and time isn't counted again.

        ``report(baseline=path)`` says what is unusual, if both captures were opened with the same ``names``; ``recount baseline`` uses
        English ones.
        """
        check_new(path, force)
        files = [known] if isinstance(known, (str, os.PathLike)) else known
        paths = [os.fspath(file) for file in files]
        content, found = _recount.learn(self._capture, wanted(counters, begin, end), paths, progress)
        write_new(path, content, force)
        return Baseline(*found)

    def moved(
        self,
        span: TimeSpan,
        *,
        against: TimeSpan | None = None,
        counters: str | Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Moved:
        """Which counters changed most in a span of time, in groups that moved together, since when, and which processes
        used most, like ``recount moved``.

        ``span`` is ``"14:00..14:10"``, ``"mark:a..mark:b"`` or ``(begin, end)``. It is compared with the time before it, four
        times its length, or with ``against``.

        >>> import recount
        >>> found = recount.open("samples/moved/disk-writer.rcap").moved("mark:nightly backup..mark+15s:nightly backup")
        >>> "PhysicalDisk" in str(found)
        True
        """
        other = None if against is None else span_text(against)
        return Moved(*_recount.moved(self._capture, wanted(counters), span_text(span), other, progress))

    def processes(
        self,
        *,
        begin: Time | None = None,
        end: Time | None = None,
        progress: Progress | None = None,
    ) -> Table[dict[str, Any]]:
        """A row per process: who it is (``shown``, command, user, unit, container, parent) and what it used (``cpu_s``, bytes, peak
        memory), as in the table ``_processes`` of SQL. What the capture doesn't say is ``None``.

        >>> import recount
        >>> rows = recount.open("samples/objects.blg").processes().rows()
        >>> "worker" in {row["name"] for row in rows}
        True
        """
        return Table(_recount.processes(self._capture, wanted(None, begin, end), progress))

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        rules: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        counters: str | Iterable[str] | None = None,
        begin: Time | None = None,
        end: Time | None = None,
        title: str | None = None,
        baseline: str | os.PathLike[str] | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Report:
        """Applies rules to find out what happened, and writes a report if ``path`` is given (.html, .md, .xml for
        JUnit, .json).

        ``rules`` are names of sets that come with recount (``recount rules list``) and paths of rule files. The default
        is all sets; an empty list means none. Rules use English names: open captures in other languages with
        ``names="en"``. ``baseline`` is a file that :meth:`baseline` or ``recount baseline`` wrote: the report then says what is
        unusual for this machine, and ``json()["baseline"]`` has all of it.
        """
        check_texts(title=title)
        if path is not None:
            check_extension(path, REPORT_EXTENSIONS, "a report")
            check_new(path, force)
        title = title or self._title()
        rules = [rules] if isinstance(rules, (str, os.PathLike)) else rules
        sets = None if rules is None else [rule_set(rule) for rule in rules]
        report = Report(
            _recount.report(self._capture, wanted(counters, begin, end), sets, title, None, baseline, progress), title
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
        progress: Progress | None = None,
    ) -> Chart:
        """A chart of counters, drawn as in a report: ``to_svg()``, ``to_png()``, ``save()``. Notebooks show it.

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
        report = _recount.report(self._capture, wanted(names, begin, end), [], title, charts, None, progress)
        if not report.figures:
            raise SelectionError("no counter has a value there")
        return Chart(report.html, title, report.figures[0])

    def convert(self, output: str | os.PathLike[str], **options: Any) -> Converted:
        """Writes the capture to a file or directory: see :func:`recount.convert`."""
        from ._convert import convert

        return convert(self, output, **options)

    def _title(self) -> str:
        names = [os.path.basename(name) for name in self._capture.names]
        return ", ".join(names) if len(names) < 4 else f"{names[0]} .. {names[-1]} ({len(names)} files)"

    def __repr__(self) -> str:
        return "<recount.Capture, closed>" if self._inner is None else f"<recount.Capture {self._title()!r}>"

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


def io_open(name: str) -> Any:
    """Python's built-in ``open``, which this module's ``open`` hides."""
    import io

    return io.open(name, encoding="utf-8")
