"""The extension module, written in Rust. Private: the package's other modules document what it does."""

from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, TypedDict, final

Progress = Callable[[int, int], object] | None

__version__: str
has_sql: bool

class Wanted(TypedDict):
    counters: list[str]
    begin: str | None
    end: str | None
    every: int
    interval: str | None

class Reading(TypedDict):
    zone: str | None
    encoding: str | None
    english: bool
    since_start: bool

class Form(TypedDict):
    format: str
    by_object: bool
    local_time: bool
    raw: bool
    scaled: bool
    partition_by: list[str]
    force: bool

class ReadForm(TypedDict):
    is_checked: bool
    is_matched: bool
    origins: bool
    tz: str | None

class CatalogueRow(TypedDict):
    path: str
    size: int
    modified: int | None
    etag: str | None
    format: str | None
    capture_id: str | None
    hosts: list[str]
    begin: int | None
    end: int | None
    is_zone_unknown: bool
    samples: int | None
    objects: list[str]
    is_complete: bool
    findings: int
    health: str | None
    version: str

@final
class Batch:
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def rows(self, at_most: int) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Reader:
    def __iter__(self) -> Iterator[Batch]: ...
    def __next__(self) -> Batch: ...

@final
class Batches:
    def __iter__(self) -> Iterator[Batch]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def health(self) -> str | None: ...
    def nothing(self) -> str | None: ...

@final
class Table:
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def json(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Catalogue:
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def num_read(self) -> int: ...
    @property
    def num_gone(self) -> int: ...
    def json(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Difference:
    json: str
    html: str

@final
class Report:
    json: str
    html: str
    markdown: str
    junit: str
    figures: list[str]

@final
class Capture:
    @property
    def names(self) -> list[str]: ...
    @property
    def marks(self) -> list[tuple[str, str]]: ...
    @property
    def id(self) -> str | None: ...
    @property
    def hosts(self) -> list[str]: ...
    @property
    def times(self) -> list[int]: ...
    @property
    def is_zone_unknown(self) -> bool: ...
    @property
    def is_zone_asked(self) -> bool: ...
    @property
    def unreadable(self) -> list[tuple[str, str]]: ...
    @property
    def zones(self) -> list[str | None]: ...
    @property
    def offsets(self) -> list[list[tuple[int, int]]]: ...
    @property
    def num_samples(self) -> int: ...
    def info(self) -> str: ...
    def health(self) -> str: ...
    def counters(self, wanted: Wanted) -> str: ...
    def read(
        self,
        wanted: Wanted,
        object: str | None,
        raw: bool,
        columns: list[str] | None,
        window: tuple[int | None, int | None],
        form: ReadForm | None = None,
    ) -> Batches: ...

def open(place: Any, name: str, reading: Reading, one: bool) -> Capture: ...
def stats(capture: Capture, wanted: Wanted, by: str | None, group_by: list[str], progress: Progress = None) -> Table: ...
def wide(capture: Capture, wanted: Wanted, every: str, progress: Progress = None) -> Table: ...
def processes(capture: Capture, wanted: Wanted, progress: Progress = None) -> Table: ...
def query(captures: list[tuple[str, Capture]], wanted: Wanted, sql: str) -> Table: ...
def diff(
    base: Capture, new: Capture, wanted: tuple[Wanted, Wanted], title: str, progress: Progress = None
) -> Difference: ...
def span_bounds(text: str) -> tuple[str | None, str | None]: ...
def moved(
    capture: Capture, wanted: Wanted, span: str, against: str | None, progress: Progress = None
) -> tuple[list[str], str]: ...
def report(
    capture: Capture,
    wanted: Wanted,
    rules: list[tuple[str, str | None]] | None,
    title: str,
    charts: list[tuple[str, list[str], bool, bool]] | None,
    baseline: str | PathLike[str] | None = None,
    progress: Progress = None,
) -> Report: ...
def changes(capture: Capture, wanted: Wanted, progress: Progress = None) -> Table: ...
def learn(
    capture: Capture, wanted: Wanted, known: list[str], progress: Progress = None
) -> tuple[bytes, tuple[int, int, int, float, list[str]]]: ...
def convert(
    capture: Capture, output: str | PathLike[str], wanted: Wanted, form: Form, progress: Progress = None
) -> tuple[list[PathLike[str]], int, int, int]: ...
def catalogue(paths: list[str], output: str | PathLike[str], force: bool) -> Catalogue: ...
def remove_partial() -> None: ...
def take_in(
    known: list[tuple[str, bytes]],
    captures: list[tuple[Capture, tuple[int | None, int | None, int | None]]],
) -> tuple[str, list[tuple[str, bytes]]]: ...
def record(
    output: str | PathLike[str] | None,
    length: tuple[float | None, int | None, float | None],
    profile: str | None,
    counters: list[str],
    force: bool,
) -> tuple[list[PathLike[str]], list[int]]: ...
def mark(path: str | PathLike[str], text: str, at: str | None) -> tuple[str, str]: ...
def main(arguments: list[str]) -> int: ...
