"""What every result with ``__arrow_c_stream__`` has: ways into the usual libraries, none of which recount needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl


def needed(name: str, method: str) -> Any:
    """A library that a method needs, imported."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{method}() needs {name}: pip install {name}", name=name) from error


class Frames:
    """Values as frames of other libraries. All values are read into memory."""

    __slots__ = ()

    def to_polars(self) -> pl.DataFrame:
        """The values as ``polars.DataFrame``."""
        frame: pl.DataFrame = self._read_by(needed("polars", "to_polars").DataFrame)
        return frame

    def to_arrow(self) -> Any:
        """The values as ``pyarrow.Table``."""
        return self._read_by(needed("pyarrow", "to_arrow").table)

    def to_pandas(self) -> Any:
        """The values as ``pandas.DataFrame``; before pandas 3 through pyarrow."""
        pandas = needed("pandas", "to_pandas")
        if hasattr(pandas.DataFrame, "from_arrow"):
            return self._read_by(pandas.DataFrame.from_arrow)
        return self._read_by(needed("pyarrow", "to_pandas").table).to_pandas()

    def _read_by(self, read: Callable[[object], Any]) -> Any:
        """What a function makes of the values."""
        return read(self)
