"""What happened in captures, and what changed between two: findings, charts and pages."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ._values import Rows, parse_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from . import _recount
    from ._rows import Change


def frame(page: str, height: int) -> str:
    """Embeds a page in a notebook, isolated so that its style and scripts affect nothing else."""
    from html import escape

    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe>'


def write_new(path: str | os.PathLike[str], content: str | bytes, force: bool) -> None:
    """Writes a file atomically, and replaces an existing one only with ``force``."""
    path = os.fspath(path)
    aside = f"{path}.{os.getpid()}.partial"
    with open(aside, "xb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    try:
        if force:
            os.replace(aside, path)
        else:
            os.link(aside, path)
    finally:
        if os.path.exists(aside):
            os.remove(aside)


def check_extension(path: str | os.PathLike[str], known: Sequence[str], what: str) -> str:
    """The extension of a file to write, in lower case: one of those that are known."""
    name: str = os.fspath(path)
    extension = os.path.splitext(name)[1].lower()
    if extension not in known:
        *others, last = known
        names = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"{extension!r}: {what} is written as {names}")
    return extension


REPORT_EXTENSIONS = (".html", ".md", ".xml", ".json")
DIFFERENCE_EXTENSIONS = (".html", ".json")
CHART_EXTENSIONS = (".html", ".svg", ".png")

TEXT = re.compile("<text .*?</text>")
"""A text of a drawing."""


class Span(NamedTuple):
    """A stretch of time."""

    begin: datetime
    end: datetime


class Finding(NamedTuple):
    """What a rule found."""

    severity: str
    """``critical``, ``warning`` or ``info``."""
    headline: str
    """What was found: which instances, and how much."""
    title: str
    """Title of the rule."""
    set: str
    """Set of rules."""
    rule: str
    """Rule within the set."""
    spans: list[Span]
    """When it was so. Those outside the years 1 to 9999, which is all that Python has, are only in ``facts``."""
    facts: dict[str, Any]
    """All fields of ``recount report --json``: evidence, advice, source and more."""


class Report:
    """A report on what happened: findings of rules, and charts. Notebooks show the page."""

    __slots__ = ("_report", "findings", "title")

    title: str
    """Title of the page."""
    findings: Rows[Finding]
    """Findings of the rules, the worst first."""

    def __init__(self, report: _recount.Report, title: str) -> None:
        self._report = report
        self.title = title
        self.findings = Rows(finding(found) for found in self.json()["findings"])

    def json(self) -> dict[str, Any]:
        """The report as ``recount report --json`` writes it."""
        import json

        found: dict[str, Any] = json.loads(self._report.json)
        return found

    @property
    def html(self) -> str:
        """The page: one file that loads nothing."""
        return self._report.html

    @property
    def markdown(self) -> str:
        """The findings as Markdown."""
        return self._report.markdown

    @property
    def junit(self) -> str:
        """The findings as JUnit XML; warnings are failures."""
        return self._report.junit

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the report in the format of the extension: ``.html``, ``.md``, ``.xml`` (JUnit) or ``.json``."""
        extension = check_extension(path, REPORT_EXTENSIONS, "a report")
        texts = {".html": self.html, ".md": self.markdown, ".xml": self.junit, ".json": self._report.json}
        write_new(path, texts[extension], force)

    def __repr__(self) -> str:
        return f"<recount.Report {self.title!r} of {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        return frame(self.html, 700)


def finding(found: dict[str, Any]) -> Finding:
    """Makes a finding from the report's JSON."""
    spans = [(parse_time(span["begin"]), parse_time(span["end"])) for span in found["spans"]]
    return Finding(
        severity=found["severity"],
        headline=found["headline"],
        title=found["title"],
        set=found["set"],
        rule=found["rule"],
        spans=[Span(begin, end) for begin, end in spans if begin is not None and end is not None],
        facts=found,
    )


class Chart:
    """Counters over time, drawn as in a report."""

    __slots__ = ("_svg", "html", "title")

    html: str
    """A page with the chart, which can be zoomed: one file that loads nothing."""
    title: str
    """Its title."""

    def __init__(self, html: str, title: str, svg: str) -> None:
        self.html = html
        self.title = title
        self._svg = svg

    def to_svg(self) -> str:
        """The chart as an SVG file: lines, axes and legend."""
        return self._svg

    def to_png(self, scale: float = 2.0) -> bytes:
        """The chart as a PNG file, 640 times ``scale`` pixels wide. It needs the package ``resvg_py``, and a font."""
        from ._frames import needed

        draw = needed("resvg_py", "to_png").svg_to_bytes
        png = bytes(draw(svg_string=self._svg, zoom=scale))
        if png == bytes(draw(svg_string=TEXT.sub("", self._svg), zoom=scale)):
            raise RuntimeError("this machine has no font that the chart's texts could be drawn with: install one, or use to_svg()")
        return png

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the chart in the format of the extension: ``.html``, ``.svg`` or ``.png``."""
        extension = check_extension(path, CHART_EXTENSIONS, "a chart")
        if extension == ".png":
            write_new(path, self.to_png(), force)
        else:
            write_new(path, self.html if extension == ".html" else self._svg, force)

    def __repr__(self) -> str:
        return f"<recount.Chart {self.title!r}>"

    def _repr_html_(self) -> str:
        # As wide as the cell, up to a size at which the texts aren't larger than those around them.
        sized = self._svg.replace("<svg ", '<svg style="width:100%;max-width:900px;height:auto" ', 1)
        return f"<div>{sized}</div>"


class Moved:
    """What moved in a span of a capture. ``print`` shows its sentences, and notebooks do."""

    __slots__ = ("_json", "sentences")

    sentences: list[str]
    """What happened, a sentence for each group of counters; then what was compared, and what limits the answer."""

    def __init__(self, sentences: list[str], json: str) -> None:
        self.sentences = sentences
        self._json = json

    def json(self) -> dict[str, Any]:
        """The answer as ``recount moved --format json`` writes it."""
        import json

        found: dict[str, Any] = json.loads(self._json)
        return found

    @property
    def groups(self) -> list[dict[str, Any]]:
        """A dictionary for each group, those that moved most first: ``headline``, ``leader``, ``members``, ``who``."""
        found: list[dict[str, Any]] = self.json()["groups"]
        return found

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        return f"<recount.Moved of {len(self.groups)} groups>"

    def _repr_html_(self) -> str:
        import html

        return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in self.sentences) + "</ul>"


class Difference:
    """What changed between two captures. Notebooks show the page."""

    __slots__ = ("_difference", "title")

    title: str
    """Title of the page."""

    def __init__(self, difference: _recount.Difference, title: str) -> None:
        self._difference = difference
        self.title = title

    def json(self) -> dict[str, Any]:
        """The comparison as ``recount diff --json`` writes it."""
        import json

        found: dict[str, Any] = json.loads(self._difference.json)
        return found

    @property
    def changes(self) -> list[Change]:
        """A dictionary for each counter, the most notable first: ``path``, ``verdict``, ``effect`` and the
        statistics."""
        found: list[Change] = self.json()["changes"]
        return found

    @property
    def html(self) -> str:
        """The page: one file that loads nothing."""
        return self._difference.html

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the page (``.html``), or the JSON (``.json``)."""
        extension = check_extension(path, DIFFERENCE_EXTENSIONS, "a comparison")
        write_new(path, self._difference.json if extension == ".json" else self.html, force)

    def __repr__(self) -> str:
        return f"<recount.Difference {self.title!r} of {len(self.changes)} counters>"

    def _repr_html_(self) -> str:
        return frame(self.html, 700)


