"""Captures that Spark itself has read, from places that only Hadoop can access."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from .._arguments import patterns
from .._open import open
from .._errors import DamageWarning, RecountError
from ._columns import TIDY
from ._read import Recipe
from .._store import Reading, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame


def from_binary(
    frame: DataFrame, counters: str | Iterable[str] | None = None, *, zone: str | None = None
) -> DataFrame:
    """The values of captures in a frame of ``spark.read.format("binaryFile").load(...)``: a row per value. Each file
    has to fit into a task's memory. A file that can't be read has no rows."""
    wanted = patterns(counters)
    recipe = Recipe(TIDY, wanted, None, Reading(zone), Store())

    def rows(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for file in batch.to_pylist():
                yield from values(file["path"], file["content"])

    def values(path: str, content: bytes) -> Iterator[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DamageWarning)
            try:
                capture = open(io.BytesIO(content), name=path, zone=zone)
            except RecountError:
                return
            yield from recipe.rows(capture, (None, None), path)

    files: Any = frame.select("path", "content")
    found: DataFrame = files.mapInArrow(rows, TIDY)
    return found
