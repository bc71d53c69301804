"""Opening captures, one or several, from wherever they are."""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from . import _recount
from ._arguments import check_choice, check_texts
from ._capture import Capture, shown
from ._errors import DamageWarning, warn
from ._places import fetched, is_remote
from ._zones import zone_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo
    from typing import Protocol, Union

    from ._recount import Reading

    class BinaryFile(Protocol):
        """A file opened for reading bytes: Python's own, fsspec's, ``io.BytesIO``."""

        def read(self, size: int, /) -> bytes: ...

    Source = Union[str, os.PathLike[str], bytes, bytearray, memoryview, BinaryFile]


def rewind(file: BinaryFile) -> None:
    """Goes to the beginning of a file. One that can't, such as a pipe, is read from where it is."""
    import io

    seek, seekable = (getattr(file, name, None) for name in ("seek", "seekable"))
    if seek is not None and (seekable is None or seekable()):
        with suppress(io.UnsupportedOperation):
            seek(0)


def name_of(file: BinaryFile) -> str | None:
    """The name of a file. Those without one may have the number of a descriptor in its place."""
    name: object = getattr(file, "name", None)
    return shown(name) if isinstance(name, str) else None


def open(
    source: Source | Sequence[str | os.PathLike[str]],
    *,
    name: str | None = None,
    zone: str | tzinfo | None = None,
    encoding: str | None = None,
    names: Literal["own", "en", "windows"] = "own",
    since_start: bool = False,
    storage_options: dict[str, Any] | None = None,
) -> Capture:
    """Opens a capture, or several as one; the format is recognised by the content.

    ``source`` is a path (a file, a directory of captures, a pattern such as ``"sa/sa*"``), a list of paths, bytes, or a binary
    file, which is read to its end, from its beginning if it can go there. Messages call it ``name``. URLs (``s3://...``) are
    fetched by fsspec with ``storage_options`` into temporary files, which exist as long as the capture. Several captures are one
    time line; samples that two of them have count once.

    ``zone`` is the time zone of captures that don't name theirs (``"Europe/Moscow"``, ``"+03:00"``, a ``ZoneInfo``),
    ``encoding`` the code page of text without a byte order mark. ``names="en"`` (or ``"windows"``) translates names of
    captures in other languages into English. ``since_start`` gives values to processes and threads of Windows that began since
    the previous sample, from their start on; PDH gives them none.

    Raises :class:`FormatError` if nothing can be read, and ``FileNotFoundError`` or another ``OSError`` if the file can't be
    accessed. Of several, those that can't be read are left out with a :class:`DamageWarning`; ``.unreadable`` and ``.health``
    list them. Lesser damage causes a warning, too, and is listed in ``.health``.
    """
    check_texts(name=name, encoding=encoding)
    check_choice("names", names, ("own", "en", "windows"))
    reading: Reading = {
        "zone": zone_text(zone),
        "encoding": encoding,
        "english": names != "own",
        "since_start": bool(since_start),
    }
    if isinstance(source, (str, os.PathLike)):
        return open_paths([os.fsdecode(source)], reading, storage_options)
    if isinstance(source, (list, tuple)):
        return open_paths([os.fsdecode(path) for path in paths_in(source)], reading, storage_options)
    place: Any = source
    if isinstance(source, (bytes, bytearray, memoryview)):
        place = bytes(source)
    elif hasattr(source, "read"):
        rewind(source)  # type: ignore[arg-type,unused-ignore]
        name = name or name_of(source)  # type: ignore[arg-type,unused-ignore]
    else:
        raise TypeError(f"a capture is a path, a list of paths, bytes or a binary file, not {type(source).__name__}")
    return Capture(_recount.open(place, name or "capture", reading, True))


def paths_in(sources: Sequence[Any]) -> list[Any]:
    """The paths of a list, which may have nothing else."""
    if not sources:
        raise ValueError("the list of captures is empty")
    for one in sources:
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(f"a list of captures has paths, not {type(one).__name__}: {one!r}")
    return list(sources)


def open_paths(sources: list[str], reading: Reading, storage: dict[str, Any] | None) -> Capture:
    """Files, directories, patterns and URLs as one time line."""
    # Absolute, since another process may have another working directory.
    absolute = [path if is_remote(path) else os.path.abspath(path) for path in sources]
    opened = (open_paths, (absolute, reading, storage))
    folder = None
    renamed: dict[str, str] = {}
    if any(is_remote(path) for path in sources):
        folder, sources, renamed = fetched(sources, storage)
    paths = paths_of(sources)
    # What is named twice, by a pattern and by itself, is one file.
    paths = list(dict.fromkeys(paths)) if len(sources) > 1 else paths
    shown_name = ", ".join(shown(renamed.get(path, path)) for path in paths)
    capture = Capture(_recount.open(paths, shown_name, reading, False), opened, renamed)
    if folder is not None:
        weakref.finalize(capture, folder.cleanup)
    for path, why in capture.unreadable.items():
        warn(f"{path}: left out: {why.removeprefix(path).removeprefix(': ')}", DamageWarning)
    return capture


def paths_of(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The paths of files and directories, with patterns expanded."""
    paths: list[str] = []
    for source in sources:
        path = os.fspath(source)
        if any(char in path for char in "*?[") and not os.path.exists(path):
            from glob import glob

            found = sorted(glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file matches {path}")
            paths.extend(found)
        else:
            paths.append(path)
    return paths


def captures_of(source: Capture | Source | Sequence[str | os.PathLike[str]]) -> Capture:
    """One capture, or several as one time line, opened if necessary."""
    return source if isinstance(source, Capture) else open(source)
