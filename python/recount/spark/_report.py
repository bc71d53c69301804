"""The rules over a whole fleet: :func:`report`."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import DoubleType, IntegerType, StringType, StructField, StructType, TimestampType

from .._capture import rule_set
from .._errors import RecountError
from ._page import Examined, page
from .._places import is_remote
from .._store import Reading, Store
from ._tasks import on_tasks, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from .._report import Finding

FINDINGS = StructType(
    [
        StructField("path", StringType()),
        StructField("host", StringType()),
        StructField("severity", StringType()),
        StructField("set", StringType()),
        StructField("rule", StringType()),
        StructField("title", StringType()),
        StructField("headline", StringType()),
        StructField("begin", TimestampType()),
        StructField("end", TimestampType()),
        StructField("seconds", DoubleType()),
        StructField("num_spans", IntegerType()),
        StructField("evidence", StringType()),
    ]
)
"""Columns of the frame that :func:`report` returns, with a row per finding. ``begin`` and ``end`` are those of its
first and last span, ``seconds`` is the length of all of them; ``evidence`` is everything that ``recount report --json``
says about it."""

# Captures of one task.
CAPTURES = 8


def report(
    source: DataFrame | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    *,
    rules: Sequence[str | os.PathLike[str]] | None = None,
    pages: bool = True,
    title: str = "Fleet",
    zone: str | None = None,
    storage_options: dict[str, Any] | None = None,
) -> DataFrame:
    """Applies rules to find out what happened on all machines: a frame with a row per finding.

    ``source`` is paths, or a frame with a column ``path`` (of a catalogue, or of ``recount-health``). With ``output``,
    a folder, ``index.html`` there ranks the machines and, unless ``pages`` is false, links to a report of each capture.
    ``rules`` are those of :meth:`recount.Capture.report`. A capture that can't be examined is listed in the page, and
    isn't an error.
    """
    from pyspark.sql import DataFrame, SparkSession

    store = Store(storage_options)
    if isinstance(source, DataFrame):
        spark = source.sparkSession
        paths = sorted(row[0] for row in source.select("path").distinct().collect())
    else:
        spark = SparkSession.active()
        given = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        texts = [os.fspath(path) for path in given]
        absolute = [path if is_remote(path) else os.path.abspath(path) for path in texts]
        paths = [place.path for place in store.list(absolute)]
    sets = None if rules is None else [rule_set(rule) for rule in rules]
    folder = None if output is None else os.fspath(output)
    if folder is not None and not is_remote(folder):
        folder = os.path.abspath(folder)
    work = partial(
        examine, store=store, reading=Reading(zone, "en"), sets=sets, folder=folder if pages else None
    )
    found = on_tasks(spark, pieces(paths, CAPTURES), work)
    examined = [Examined(**row) for row in found]
    if folder is not None:
        system, inner = store.system(folder)
        system.makedirs(inner, exist_ok=True)
        system.pipe_file(posixpath.join(inner, "index.html"), page(title, examined).encode())
    rows = [row for one in examined for row in rows_of(one)]
    return spark.createDataFrame(rows, FINDINGS)  # pyright: ignore[reportUnknownMemberType]


def examine(
    paths: list[str],
    *,
    store: Store,
    reading: Reading,
    sets: list[tuple[str, str | None]] | None,
    folder: str | None,
) -> Iterator[dict[str, Any]]:
    """Applies the rules to captures, and writes a page of each."""
    from .. import _recount
    from .._arguments import wanted
    from .._report import Report

    for path in paths:
        one = Examined(path)
        try:
            with store.open(path, reading) as capture:
                one.hosts = capture._capture.hosts
                name = posixpath.basename(path)
                found = Report(_recount.report(capture._capture, wanted(), sets, name, None, None, None), name)
                one.findings = [finding.facts for finding in found.findings]
                if folder is not None:
                    one.page = page_name(path)
                    system, inner = store.system(folder)
                    system.makedirs(inner, exist_ok=True)
                    system.pipe_file(posixpath.join(inner, one.page), found.html.encode())
        except (RecountError, OSError) as error:
            one.error = str(error)
        yield vars(one)


def page_name(path: str) -> str:
    """A file name for the page of a capture: readable, and unique to its path."""
    plain = re.sub(r"[^\w.-]", "_", posixpath.basename(path))[:60]
    return f"{plain}-{hashlib.sha256(path.encode()).hexdigest()[:12]}.html"


def rows_of(one: Examined) -> Iterator[tuple[Any, ...]]:
    """The rows of a capture's findings."""
    from .._report import finding

    for facts in one.findings:
        found: Finding = finding(facts)
        spans = facts["spans"]
        yield (
            one.path,
            facts.get("host"),
            found.severity,
            found.set,
            found.rule,
            found.title,
            found.headline,
            min((span.begin for span in found.spans), default=None),
            max((span.end for span in found.spans), default=None),
            float(sum(span["seconds"] for span in spans)),
            int(facts["num_spans"]),
            json.dumps(facts),
        )
