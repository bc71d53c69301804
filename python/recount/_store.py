"""Opens captures wherever they are."""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ._errors import DamageWarning
from ._open import open
from ._places import Places, is_remote

if TYPE_CHECKING:
    from collections.abc import Generator

    from ._capture import Capture


@dataclass(frozen=True)
class Reading:
    """Options for opening captures that don't state these facts themselves."""

    zone: str | None = None
    names: Literal["own", "en"] = "own"


class Store(Places):
    """Lists, fetches and opens files."""

    @contextmanager
    def open(self, path: str, reading: Reading) -> Generator[Capture]:
        """Opens a capture, without warnings of damage: callers ask for its health separately. Remote files are first
        fetched into a temporary file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DamageWarning)
            if not is_remote(path):
                yield open(path, zone=reading.zone, names=reading.names)
                return
            with tempfile.TemporaryDirectory(prefix="recount-") as folder:
                local = self.fetch(path, folder)
                yield open(local, name=path, zone=reading.zone, names=reading.names)
