"""Captures as a lazy frame of polars, which reads only what a query needs."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, cast

from ._arguments import check_texts, wanted
from ._capture import Capture
from ._open import open

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

    from datetime import tzinfo

    from . import _recount
    from ._arguments import Time
    from ._recount import ReadForm as Form


def scan(
    source: Capture | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    counters: str | Iterable[str] | None = None,
    object: str | None = None,
    begin: Time | None = None,
    end: Time | None = None,
    raw: bool = False,
    origin: bool = False,
    zone: str | tzinfo | None = None,
    storage_options: dict[str, Any] | None = None,
) -> pl.LazyFrame:
    """Opens captures as a lazy frame, as one time line: whatever :func:`recount.open` opens by path, or a capture.

    The columns are those of :meth:`Capture.read`; with ``origin`` also ``path`` and ``capture_id``. A query reads only the columns
    that it names and the times that it selects; without ``object``, also only the counters selected by comparisons of ``host``,
    ``object``, ``instance`` and ``counter`` with strings. Times selected by ``filter`` have the values of the whole capture;
    ``begin`` and ``end`` select samples, as in :meth:`Capture.read`.

    >>> import polars as pl, recount
    >>> frame = recount.scan("samples/objects.blg", object="Processor")
    >>> frame.filter(pl.col("instance") == "_Total").select(pl.col("% User Time").max().round(3)).collect().item()
    6.0
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    check_texts(object=object)
    opened = source if isinstance(source, Capture) else open(source, zone=zone, storage_options=storage_options)
    capture = inside(opened)
    chosen = wanted(counters, begin, end)
    raw = bool(raw)
    first: Form = {"is_checked": True, "is_matched": False, "origins": bool(origin), "tz": None}
    whole = capture.read(chosen, object, raw, None, (None, None), first)
    schema = pl.Schema(whole)
    names = list(schema)

    renamed = opened._renamed

    def batches(
        columns: list[str] | None, predicate: pl.Expr | None, num_rows: int | None, _batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        kept = names if columns is None else list(columns)
        asked = Asked() if predicate is None else asked_by(predicate)
        paths = asked.paths() if object is None and not chosen["counters"] else None
        selected = chosen if paths is None else wanted(paths, begin, end)
        # A filter may select nothing, and the first rows needn't have all instances.
        is_matched = predicate is None and num_rows is None
        form: Form = {**first, "is_checked": False, "is_matched": is_matched}
        reader = capture.read(selected, object, raw, kept, (asked.begin, asked.end), form)
        for batch in reader:
            frame = pl.DataFrame(batch)
            if renamed and "path" in frame.columns:
                frame = frame.with_columns(pl.col("path").cast(pl.String).replace(renamed).cast(frame.schema["path"]))
            if predicate is not None:
                frame = frame.filter(predicate)
            if num_rows is not None:
                frame = frame.head(num_rows)
                num_rows -= frame.height
            if frame.height:
                yield frame
            if num_rows == 0:
                return

    return register_io_source(batches, schema=schema)


def inside(capture: Capture) -> _recount.Capture:
    """What reads a capture."""
    return capture._capture


BACK = "\\"
SPECIAL = {"host": "\\()#*/", "object": "\\()#", "instance": "\\()#/", "counter": "\\"}
TEXTS = tuple(SPECIAL)

MAX_PATHS = 1_000
"""Patterns that are worth while: each counter is compared with all."""


class Asked:
    """The most that a predicate can select: nanoseconds since 1970, both inclusive, and strings. ``None``: anything."""

    def __init__(self) -> None:
        self.begin: int | None = None
        self.end: int | None = None
        self.texts: dict[str, set[str]] = {}

    def after(self, time: int) -> None:
        """Excludes times before a given one."""
        self.begin = time if self.begin is None else max(self.begin, time)

    def before(self, time: int) -> None:
        """Excludes times after a given one."""
        self.end = time if self.end is None else min(self.end, time)

    def one_of(self, column: str, texts: set[str]) -> None:
        """Restricts a column to some strings."""
        known = self.texts.get(column)
        self.texts[column] = texts if known is None else known & texts

    def paths(self) -> list[str] | None:
        """Patterns that match all counters selected; ``None``: no pattern expresses this."""
        if not self.texts:
            return None
        hosts, objects, instances, counters = map(self.parts, ("host", "object", "instance", "counter"))
        if len(hosts) * len(objects) * len(instances) * len(counters) > MAX_PATHS:
            hosts = instances = [None]
        if all(parts == [None] for parts in (hosts, objects, instances, counters)):
            return None
        if len(objects) * len(counters) > MAX_PATHS:
            return None
        return [
            f"{'' if host is None else f'{BACK}{BACK}{host}'}{BACK}{object or '*'}{'' if instance is None else f'({instance})'}"
            f"{BACK}{counter or '*'}"
            for host, object, instance, counter in product(hosts, objects, instances, counters)
        ]

    def parts(self, column: str) -> list[str | None]:
        """The texts of a column as parts of patterns; ``[None]``: patterns can't express them, or there are none."""
        found = self.texts.get(column)
        # Characters that have another meaning in patterns. A star does no harm: it matches more.
        special = SPECIAL[column]
        if not found or any(set(special) & set(text) or text != text.strip() or not text for text in found):
            return [None]
        return [*sorted(found)]


def asked_by(predicate: pl.Expr) -> Asked:
    """What rows have to satisfy for a predicate to be true. Parts that aren't understood restrict nothing: the
    predicate is applied to the rows read in any case."""
    import json

    asked = Asked()
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
        collect(tree, asked)
    except Exception:  # The form of predicates is internal to polars, and may change.
        return Asked()
    return asked


MIRRORED = {"Gt": "Lt", "GtEq": "LtEq", "Lt": "Gt", "LtEq": "GtEq", "Eq": "Eq"}


def collect(tree: Any, asked: Asked) -> None:
    """Adds the restriction of one part of a conjunction."""
    if not isinstance(tree, dict):
        return
    node = cast("dict[str, Any]", tree)
    if "BinaryExpr" in node:
        both = node["BinaryExpr"]
        left, op, right = both["left"], both["op"], both["right"]
        if op == "And":
            collect(left, asked)
            collect(right, asked)
        elif op == "Or":
            either(node, asked)
        elif op in MIRRORED:
            if column_of(left) is not None:
                compare(column_of(left), op, right, asked)
            else:
                compare(column_of(right), MIRRORED[op], left, asked)
    elif "Function" in node:
        called = node["Function"]
        inputs, function = called["input"], called["function"].get("Boolean")
        if isinstance(function, dict) and "IsBetween" in function:
            compare(column_of(inputs[0]), "GtEq", inputs[1], asked)
            compare(column_of(inputs[0]), "LtEq", inputs[2], asked)
        elif isinstance(function, dict) and "IsIn" in function:
            texts = texts_of(node)
            column = column_of(inputs[0])
            if texts is not None and column in TEXTS:
                asked.one_of(column, texts)


def either(tree: dict[str, Any], asked: Asked) -> None:
    """Comparisons of one column with several strings, joined by ``|``."""
    column: str | None = None
    texts: set[str] = set()
    waiting: list[Any] = [tree]
    while waiting:
        both = waiting.pop().get("BinaryExpr")
        if both is None:
            return
        if both["op"] == "Or":
            waiting += [both["left"], both["right"]]
            continue
        name, text = column_of(both["left"]), text_of(both["right"])
        if both["op"] != "Eq" or name is None or text is None or column not in (None, name):
            return
        column = name
        texts.add(text)
    if column in TEXTS:
        asked.one_of(column, texts)


def compare(column: str | None, op: str, other: Any, asked: Asked) -> None:
    """A column compared with a literal."""
    text = text_of(other)
    if column in TEXTS and op == "Eq" and text is not None:
        asked.one_of(column, {text})
    time = time_of(other)
    if column == "time" and time is not None:
        first, last = time
        if op in ("Gt", "GtEq", "Eq"):
            asked.after(first)
        if op in ("Lt", "LtEq", "Eq"):
            asked.before(last)


def column_of(tree: Any) -> str | None:
    """The name of a column, also of one that is compared as text."""
    if isinstance(tree, dict):
        node = cast("dict[str, Any]", tree)
        if "Column" in node:
            return str(node["Column"])
        if "Cast" in node and node["Cast"]["dtype"] == {"Literal": "String"}:
            return column_of(node["Cast"]["expr"])
    return None


def scalar_of(tree: Any) -> dict[str, Any]:
    """The value of a literal, by its type."""
    if isinstance(tree, dict):
        literal = cast("dict[str, Any]", tree).get("Literal")
        if isinstance(literal, dict):
            scalar = cast("dict[str, Any]", literal).get("Scalar")
            if isinstance(scalar, dict):
                return cast("dict[str, Any]", scalar)
    return {}


def text_of(tree: Any) -> str | None:
    """The text of a literal."""
    text = scalar_of(tree).get("String")
    return text if isinstance(text, str) else None


PER_UNIT = {"Nanoseconds": 1, "Microseconds": 1_000, "Milliseconds": 1_000_000}


def time_of(tree: Any) -> tuple[int, int] | None:
    """The first and last nanosecond since 1970 of a literal's time."""
    found: Any = scalar_of(tree).get("Datetime")
    if found is None:
        return None
    value, unit = found[:2]
    first = int(value) * PER_UNIT[unit]
    return first, first + PER_UNIT[unit] - 1


def texts_of(tree: dict[str, Any]) -> set[str] | None:
    """The strings of ``is_in``, which polars keeps as a series: they are taken from that."""
    import io
    import json

    import polars as pl

    literal = tree["Function"]["input"][1]
    listed = pl.Expr.deserialize(io.StringIO(json.dumps(literal)), format="json")
    values: Any = pl.select(listed).to_series().to_list()
    flat: list[Any] = values[0] if values and isinstance(values[0], list) else values
    return set(flat) if flat and all(isinstance(text, str) for text in flat) else None
