"""The source ``recount``: captures as a frame."""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pyspark.sql import datasource

from .._arguments import wanted
from .._errors import RecountError, SelectionError, SelectionWarning, warn
from .._scan import Asked
from ._catalogue import places
from ._columns import TIDY, chosen, object_schema
from ._filters import push
from ._options import Options, parse
from ._read import Recipe, Stretch, Stretches, counters_of
from ._stream import StreamReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql.types import StructType

    from .._recount import ReadForm
    from .._places import Place
    from .._store import Reading, Store


class DataSource(datasource.DataSource):
    """Captures as a frame, a row per value; with the option ``object``, a row per instance and a column per counter.

    ``spark.dataSource.register(recount.spark.DataSource)``, then ``spark.read.format("recount").load("captures/")``. The
    options are described in docs/spark.md.
    """

    @classmethod
    def name(cls) -> str:
        return "recount"

    def schema(self) -> StructType:
        options = parse(self.options)
        whole = TIDY if options.object is None else derived(options, options.object)
        return chosen(whole, options.columns) if options.columns else whole

    def reader(self, schema: StructType) -> Reader:
        options = parse(self.options)
        return PushingReader(options, schema) if options.pushdown else Reader(options, schema)

    def streamReader(self, schema: StructType) -> StreamReader:
        options = parse(self.options)
        return StreamReader(options, recipe_of(options, schema))


def recipe_of(options: Options, schema: StructType) -> Recipe:
    """What to read of every capture."""
    return Recipe(schema, options.counters, options.object, options.reading, options.store, options.asked)


def derived(options: Options, object: str) -> StructType:
    """The columns of an object in all files that are read, in order of first appearance. A further file may add columns
    at the end or in between, but never changes the type of one."""
    store = options.store

    def counters(place: Place) -> list[str]:
        try:
            with store.open(place.path, options.reading) as capture:
                return counters_of(capture, object)
        except RecountError:
            return []

    with ThreadPoolExecutor() as pool:
        found = list(pool.map(counters, places(options, options.asked)))
    if not any(found):
        raise ValueError(f"no file has the object {object!r}: {', '.join(options.paths)}")
    return object_schema(name for names in found for name in names)


class Reader(datasource.DataSourceReader):
    """Divides the work among tasks."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self.options = options
        self.recipe = recipe_of(options, schema)

    def partitions(self) -> Sequence[Stretches]:
        asked = self.recipe.asked
        found = places(self.options, asked)
        check_counters(found, self.options.counters, self.options.reading, self.options.store)
        return packed(found, self.options, asked)

    def read(self, partition: Any) -> Iterator[Any]:
        stretches = getattr(partition, "stretches", [])  # Spark adds a partition itself if there is none.
        return self.recipe.read(stretches)


MAX_LOOKS = 8
"""Files that are opened to see whether there are the counters; usually the first one has them."""


def check_counters(found: list[Place], counters: list[str], reading: Reading, store: Store) -> None:
    """Raises an error if no file has the counters. If there are more files than are opened for this, it is a warning."""
    if not counters:
        return
    missing: SelectionError | None = None
    strict: ReadForm = {"is_checked": True, "is_matched": True, "origins": False, "tz": None}
    for place in found[:MAX_LOOKS]:
        try:
            with store.open(place.path, reading) as capture, warnings.catch_warnings():
                warnings.simplefilter("ignore", SelectionWarning)
                capture._capture.read(wanted(counters), None, False, None, (None, None), strict)
            return
        except SelectionError as error:
            missing = error
        except (RecountError, OSError):
            continue  # `recount-health` says why.
    if missing is None:
        return
    if len(found) <= MAX_LOOKS:
        raise missing
    warn(f"the first {MAX_LOOKS} of {len(found)} files have none of the counters: {missing}", SelectionWarning)


class PushingReader(Reader):
    """A reader that takes filters.

    Spark (4.3) reuses the plan made with the filters of one query for the next query of the same frame, if that has no
    filter: rows would be missing. So this is only used on request.
    """

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Accepts the filters that the reader applies exactly; the rest is left to Spark."""
        return list(push(filters, self.recipe.asked))


def packed(places: list[Place], options: Options, asked: Asked) -> list[Stretches]:
    """Tasks: several small files each, or a stretch of a large one."""
    tasks: list[Stretches] = []
    small: list[Stretch] = []
    length = 0
    for place in places:
        if place.size > options.split_bytes and "://" not in place.path:
            tasks.extend(Stretches([part]) for part in split(place, options, asked))
            continue
        if small and length + place.size > options.pack_bytes:
            tasks.append(Stretches(small))
            small, length = [], 0
        small.append(Stretch(place.path))
        length += place.size
    if small:
        tasks.append(Stretches(small))
    return tasks


def split(place: Place, options: Options, asked: Asked) -> list[Stretch]:
    """A large file in stretches of time with equally many samples. Each is read with the sample before it, so values
    are those of the whole capture."""
    try:
        with options.store.open(place.path, options.reading) as capture:
            times = sorted(set(capture._capture.times))
    except RecountError as error:
        print(f"recount: left out: {error}", file=sys.stderr)
        return []
    num_parts = max(1, min(-(-place.size // options.split_bytes), len(times)))
    begins = [times[len(times) * part // num_parts] for part in range(1, num_parts)]
    ends = [begin - 1 for begin in begins]
    parts = [Stretch(place.path, begin, end) for begin, end in zip([None, *begins], [*ends, None])]

    def is_needed(part: Stretch) -> bool:
        return not (
            (asked.end is not None and part.begin is not None and part.begin > asked.end)
            or (asked.begin is not None and part.end is not None and part.end < asked.begin)
        )

    return [part for part in parts if is_needed(part)]
