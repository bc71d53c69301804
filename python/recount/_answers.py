"""Answers over several captures: SQL, and what changed from one to another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _recount
from ._arguments import check_texts, wanted
from ._batches import Table
from ._capture import check_new
from ._open import captures_of
from ._report import DIFFERENCE_EXTENSIONS, Difference, check_extension

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._arguments import Progress, Time
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
    base: Capture | Source | Sequence[str | os.PathLike[str]],
    new: Capture | Source | Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str] | None = None,
    *,
    counters: str | Iterable[str] | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    title: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
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
    one, other = captures_of(base), captures_of(new)
    found = _recount.diff(one._capture, other._capture, wanted(counters, begin, end), title, progress)
    difference = Difference(found, title)
    if path is not None:
        difference.save(path, force=force)
    return difference
