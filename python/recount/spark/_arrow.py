"""pyarrow. It has no type annotations: its objects are ``Any`` in this package."""

from __future__ import annotations

from typing import Any

import pyarrow  # type: ignore[import-untyped] # pyright: ignore[reportMissingTypeStubs]
import pyarrow.compute  # type: ignore[import-untyped] # pyright: ignore[reportMissingTypeStubs]
import pyarrow.parquet  # type: ignore[import-untyped] # pyright: ignore[reportMissingTypeStubs]

pa: Any = pyarrow
pc: Any = pyarrow.compute  # pyright: ignore[reportUnknownMemberType]
pq: Any = pyarrow.parquet  # pyright: ignore[reportUnknownMemberType]
