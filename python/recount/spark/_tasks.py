"""Work for Spark's tasks whose results are small."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from ._arrow import pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

T = TypeVar("T")


def on_tasks(
    spark: SparkSession, work: Sequence[T], do: Callable[[T], Iterable[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Does each piece of work in a separate task, and collects the results."""
    if not work:
        return []

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            numbers: list[int] = batch.column(0).to_pylist()
            for number in numbers:
                texts = [json.dumps(found) for found in do(work[number])]
                yield pa.RecordBatch.from_pydict({"found": pa.array(texts, pa.string())})

    tasks: Any = spark.range(0, len(work), 1, len(work))
    return [json.loads(row[0]) for row in tasks.mapInArrow(run, "found string").collect()]


def pieces(items: Sequence[T], length: int) -> list[list[T]]:
    """Splits items into consecutive groups of a given size."""
    return [list(items[at : at + length]) for at in range(0, len(items), length)]
