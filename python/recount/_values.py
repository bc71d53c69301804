"""Plain values that describe captures. Notebooks show them as tables."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")

MAX_SHOWN = 200
"""Rows of a table that notebooks show."""


def table_html(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML: its first rows, and how many more there are."""
    from html import escape

    every = list(rows)
    num_more = len(every) - MAX_SHOWN

    def cell(value: object) -> str:
        if value is None:
            return "<td></td>"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            text = f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
            return f'<td style="text-align:right">{text}</td>'
        return f'<td style="text-align:left">{escape(str(value))}</td>'

    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in every[:MAX_SHOWN])
    if num_more > 0:
        more = f"… and {num_more:,} more {'row' if num_more == 1 else 'rows'}"
        body += f'<tr><td colspan="{len(header)}" style="text-align:left">{more}</td></tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Rows(list[T]):
    """A list of named tuples that notebooks show as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return "<p>none</p>"
        first: Any = self[0]
        rows: Any = self
        return table_html(first._fields, rows)


class Object(NamedTuple):
    """A performance object of a capture."""

    host: str
    """Machine."""
    object: str
    """Name."""
    num_counters: int
    """Counters, bases not included."""
    num_instances: int | None
    """Distinct instances over the whole capture; ``None`` for an object without instances."""


class Counter(NamedTuple):
    """A counter of one instance."""

    path: str
    """Its path, as Windows writes it."""
    type: str
    """Its type; empty if another program computed the values."""
    unit: str
    """Unit of its values: ``%``, ``/sec``."""
    default_scale: int
    """Power of ten by which Performance Monitor's charts multiply. Values here are never multiplied."""


class Mark(NamedTuple):
    """A time that a user marked."""

    time: datetime | None
    """When, in UTC, to the microsecond; ``None``: outside the years 1 to 9999, which is all that Python has."""
    text: str
    """Text of the mark."""


class Baseline(NamedTuple):
    """What a baseline that was written knows."""

    num_counters: int
    """Counters."""
    num_captures: int
    """Captures that it was learned from."""
    num_samples: int
    """Their samples."""
    hours: float
    """Hours that it knows, of all machines."""
    hosts: list[str]
    """Machines."""


class Gap(NamedTuple):
    """An interval without samples."""

    after: datetime | None
    """Time of the sample before the gap; ``None``: outside the years 1 to 9999."""
    seconds: float
    """Length of the interval, in seconds."""


class HealthFinding(NamedTuple):
    """Something unusual that was found while reading."""

    kind: str
    """``truncated``, ``damaged``, ``lost`` and ``dropped`` left something out; ``odd``, ``time`` and ``expected`` didn't."""
    offset: int | None
    """Offset in the file, in bytes."""
    structure: str | None
    """The structure at that offset."""
    field: str | None
    """Its field."""
    what: str
    """What was found, what was expected, and what was done."""
    capture: str | None = None
    """The capture that it is about, if several were opened as one."""


class Health(NamedTuple):
    """What could not be read, and what is unusual."""

    is_complete: bool
    """Whether everything could be read."""
    is_sound: bool
    """Whether nothing unusual was found."""
    total: int
    """Number of findings. Only the first of each kind are kept."""
    findings: Rows[HealthFinding]
    """The first findings of each kind."""

    def _repr_html_(self) -> str:
        if not self.total:
            return "<p>sound</p>"
        return self.findings._repr_html_()


class Info(NamedTuple):
    """A capture in short."""

    files: list[str]
    """Its file, or its files."""
    format: str
    """Format and flavour."""
    hosts: list[str]
    """Machines."""
    os: str | None
    """Operating system."""
    zone: str | None
    """Zone of local time."""
    is_zone_unknown: bool
    """Whether times are local times of an unknown zone; they have no ``tzinfo`` then."""
    boot_time: datetime | None
    """When the machine was booted."""
    begin: datetime | None
    """First sample, in UTC, to the microsecond; ``None``: there is none, or it is outside the years 1 to 9999."""
    end: datetime | None
    """Last sample."""
    num_samples: int
    """Number of samples."""
    interval_s: float | None
    """Usual interval between samples, in seconds."""
    num_gaps: int
    """Times in which nobody sampled."""
    gaps: Rows[Gap]
    """The first 20 gaps."""
    num_paths: int
    """Counters of all instances of all objects; of several captures, of the one that has most."""
    details: dict[str, str]
    """Further facts from the capture's header."""
    tz: str | None = None
    """The zone of local time by its name in the IANA database, for ``ZoneInfo``; ``None``: it isn't known, or no zone has the
    offsets that the capture has."""

    def _repr_html_(self) -> str:
        texts: dict[str, object] = dict(zip(self._fields, self))
        texts.update(
            files=", ".join(self.files),
            hosts=", ".join(self.hosts),
            gaps="; ".join(f"{gap.seconds:g} s after {gap.after or 'an impossible time'}" for gap in self.gaps),
            details="; ".join(f"{name}: {text}" for name, text in self.details.items()),
        )
        return table_html(("", ""), [row for row in texts.items() if row[1] not in (None, "")])


def parse_time(text: str) -> datetime | None:
    """Parses a time as recount writes it, to the microsecond; without ``Z`` it is a local time. ``None``: it is outside
    the years 1 to 9999, as in damaged captures."""
    is_utc = text.endswith("Z")
    seconds, _, fraction = text.rstrip("Z").replace(" ", "T").partition(".")
    try:
        moment = datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}")
    except ValueError:
        return None
    return moment.replace(tzinfo=timezone.utc) if is_utc else moment


def parse_health(text: str) -> Health:
    import json

    found = json.loads(text)
    findings = Rows(HealthFinding(**finding) for finding in found["findings"])
    return Health(found["is_complete"], found["is_sound"], found["total"], findings)


def parse_info(found: dict[str, Any], tz: str | None) -> Info:
    def time(text: str | None) -> datetime | None:
        return None if text is None else parse_time(text)

    of_samples = "_local" if found["is_zone_unknown"] else ""
    return Info(
        files=found["files"],
        format=found["format"],
        hosts=found["hosts"],
        os=found["os"],
        zone=found["zone"],
        is_zone_unknown=found["is_zone_unknown"],
        boot_time=time(found["boot_time"]),
        begin=time(found["first_sample" + of_samples]),
        end=time(found["last_sample" + of_samples]),
        num_samples=found["num_samples"],
        interval_s=found["interval_median_s"],
        num_gaps=found["num_gaps"],
        gaps=Rows(Gap(parse_time(gap["after"]), gap["seconds"]) for gap in found["gaps"]),
        num_paths=found["num_paths"],
        details=dict(found["details"]),
        tz=tz,
    )
