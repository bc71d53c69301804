"""Answers over several captures: SQL, and what changed from one to another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from . import _recount
from ._arguments import check_texts, span_bounds, wanted
from ._batches import Table
from ._capture import check_new
from ._open import captures_of
from ._report import DIFFERENCE_EXTENSIONS, Difference, check_extension

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._arguments import Bounds, Progress, Time, TimeSpan
    from ._capture import Capture
    from ._open import Source


def query(
    sql: str,
    *captures: Capture | Source | Sequence[str | os.PathLike[str]],
    begin: Time | None = None,
    end: Time | None = None,
    **named: Capture | Source | Sequence[str | os.PathLike[str]],
) -> Table[dict[str, Any]]:
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
    opened = {name: captures_of(source) for name, source in given.items()}
    captured = [(name, capture._capture) for name, capture in opened.items()]
    return Table(_recount.query(captured, wanted(None, begin, end), sql))


def diff(
    *captures: Capture | Source | Sequence[str | os.PathLike[str]],
    base: Capture | Source | Sequence[str | os.PathLike[str]] | TimeSpan | None = None,
    new: Capture | Source | Sequence[str | os.PathLike[str]] | TimeSpan | None = None,
    path: str | os.PathLike[str] | None = None,
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    title: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Difference:
    """Finds what changed from one capture to another, by statistical tests that suit such series. Writes a page if
    ``path`` is given (.html, or .json).

    ``base`` and ``new`` are spans, ``"13:00..14:00"`` or ``(begin, end)``: of one capture, or of each of two.

    >>> import recount
    >>> same = recount.diff("samples/objects.blg", "samples/objects.blg")
    >>> same.json()["counts"]["regression"]
    0
    >>> parts = recount.diff("samples/objects.blg", base="..+45s", new="+1m..")
    >>> len(parts.changes) > 0
    True
    """
    check_texts(title=title)
    one, other, spans = _sides(captures, base, new)
    if len(captures) == 3:
        if path is not None:
            raise TypeError("diff() got two values for path")
        path = cast("str | os.PathLike[str]", captures[2])
    if path is not None:
        check_extension(path, DIFFERENCE_EXTENSIONS, "a comparison")
        check_new(path, force)
    if spans is None:
        chosen = (wanted(counters, begin, end), wanted(counters, begin, end))
    elif begin is not None or end is not None:
        raise ValueError("base and new are spans: begin and end can't be given, too")
    else:
        chosen = (wanted(counters, *spans[0]), wanted(counters, *spans[1]))
    title = title or ("the new span against the base" if one is other else "the new capture against the base")
    found = _recount.diff(one._capture, other._capture, chosen, title, progress)
    difference = Difference(found, title)
    if path is not None:
        difference.save(path, force=force)
    return difference


def _sides(
    captures: tuple[Capture | Source | Sequence[str | os.PathLike[str]], ...], base: Any, new: Any
) -> tuple[Capture, Capture, tuple[Bounds, Bounds] | None]:
    """The two captures, and their spans if there are any."""
    if len(captures) > 3:
        raise TypeError(f"diff() takes one or two captures and a path, not {len(captures)}")
    if not captures or (len(captures) == 1 and base is None and new is not None):
        given = [*captures, *(one for one in (base, new) if one is not None)]
        if len(given) != 2:
            raise TypeError("diff() needs two captures, or one and the spans base and new")
        return captures_of(given[0]), captures_of(given[1]), None
    one = captures_of(captures[0])
    if len(captures) == 1:
        if base is None or new is None:
            raise TypeError("diff() of one capture needs the spans base and new: base=\"13:00..14:00\", new=\"14:00..14:10\"")
        return one, one, (span_bounds(base), span_bounds(new))
    other = captures_of(captures[1])
    if base is None and new is None:
        return one, other, None
    whole: Bounds = (None, None)
    return one, other, (whole if base is None else span_bounds(base), whole if new is None else span_bounds(new))
