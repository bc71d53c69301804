"""Performance counter captures, read anywhere: Windows ``.blg``, sysstat, PCP, atop, PDH text, and recount's own logs.

>>> import recount
>>> cap = recount.open("samples/objects.blg")
>>> cap.info.num_samples
8
>>> import polars as pl
>>> frame = pl.DataFrame(cap.read(counters=r"\\Processor(*)\\% User Time"))
>>> frame.height
24
"""

from ._answers import diff, query
from ._batches import Batches, Table
from ._capture import Capture
from ._catalogue import Catalogue, CatalogueEntry, catalogue
from ._convert import Converted, convert
from ._errors import (
    DamageWarning,
    FormatError,
    OverlapWarning,
    RecountError,
    SelectionError,
    SelectionWarning,
)
from ._open import open
from ._record import Recorded, mark, record
from ._recount import Batch, __version__
from ._report import Chart, Difference, Finding, Moved, Report, Span
from ._rows import Change, StatsRow
from ._scan import scan
from ._values import Baseline, Counter, Gap, Health, HealthFinding, Info, Mark, Object, Rows

__all__ = [
    "Baseline",
    "Batch",
    "Batches",
    "Capture",
    "Catalogue",
    "CatalogueEntry",
    "Change",
    "Chart",
    "Converted",
    "Counter",
    "DamageWarning",
    "Difference",
    "Finding",
    "FormatError",
    "Gap",
    "Health",
    "HealthFinding",
    "Info",
    "Mark",
    "Moved",
    "Object",
    "OverlapWarning",
    "Recorded",
    "RecountError",
    "Report",
    "Rows",
    "SelectionError",
    "SelectionWarning",
    "Span",
    "StatsRow",
    "Table",
    "__version__",
    "catalogue",
    "convert",
    "diff",
    "mark",
    "open",
    "query",
    "record",
    "scan",
]
