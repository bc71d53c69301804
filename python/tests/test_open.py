"""Opening: from where, and what goes wrong."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import sys
import warnings
from datetime import timezone
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest

import recount
from recount._catalogue import CatalogueEntry, entry
from recount._values import Gap, Info, parse_time


def test_every_source_opens_the_same_capture(samples: Path) -> None:
    path = samples / "objects.blg"
    memory = fsspec.filesystem("memory")
    memory.pipe("/objects.blg", path.read_bytes())
    with path.open("rb") as file, memory.open("/objects.blg", "rb") as remote:
        file.seek(100)
        bytes = path.read_bytes()
        views = [bytearray(bytes), memoryview(bytes)]
        sources = [str(path), path, bytes, *views, file, io.BytesIO(bytes), remote]
        infos = [recount.open(source).info for source in sources]
    assert [info._replace(files=[]) for info in infos] == [infos[0]._replace(files=[])] * len(infos)
    assert infos[0].hosts == ["PACIFIC"]
    assert infos[0].begin is not None and infos[0].begin.tzinfo is timezone.utc


def test_a_log_of_recount_opens_from_memory(samples: Path) -> None:
    path = samples / "rcap-1" / "closed.rcap"
    assert recount.open(path.read_bytes()).info.num_samples == recount.open(path).info.num_samples > 0


class Stream:
    """A file that can only be read."""

    name = 5

    def __init__(self, content: bytes) -> None:
        self._file = io.BytesIO(content)

    def read(self, size: int, /) -> bytes:
        return self._file.read(size)


class Pipe(Stream, io.RawIOBase):  # type: ignore[misc]
    """One that says that it can't seek."""

    def seekable(self) -> bool:
        return False


def test_a_file_needs_only_to_be_read(samples: Path) -> None:
    content = (samples / "objects.blg").read_bytes()
    for file in (Stream(content), Pipe(content)):
        assert recount.open(file).info.files == ["capture"]
    with pytest.raises(TypeError, match="a path, a list of paths, bytes or a binary file, not object"):
        recount.open(object())  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_path_need_not_be_text(samples: Path, tmp_path: Path) -> None:
    path = os.path.join(tmp_path, os.fsdecode(b"cap\xff.blg"))
    shutil.copy(samples / "objects.blg", path)
    assert recount.open(path).info.num_samples == 8
    assert recount.scan(path).select("time").collect().height > 0
    with pytest.raises(FileNotFoundError, match="\N{REPLACEMENT CHARACTER}"):
        recount.open(path + "x")


def test_times_that_python_lacks_are_none() -> None:
    assert parse_time("FILETIME 0x7fffffffffffffff") is None
    assert parse_time("-005000-01-01T00:00:00Z") is None
    row: Any = {**dict.fromkeys(CatalogueEntry._fields), "begin": 2**62, "end": 0}
    found = entry(row)
    assert found.begin is None and found.end is not None
    gap = Gap(None, 5.0)
    info: Any = dict.fromkeys(Info._fields)
    shown = Info(**{**info, "files": [], "hosts": [], "gaps": [gap], "details": {}})._repr_html_()
    assert "5 s after an impossible time" in shown


def test_a_file_in_text_mode_is_refused(samples: Path) -> None:
    with pytest.raises(TypeError, match="binary mode"):
        recount.open(io.StringIO("text"))  # type: ignore[arg-type]


def test_what_the_system_refuses_stays_itself(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        recount.open(tmp_path / "none.blg")
    assert caught.value.filename == str(tmp_path / "none.blg")
    with pytest.raises(FileNotFoundError):
        recount.scan(tmp_path / "*.rcap")


def test_what_is_no_capture_has_a_place(tmp_path: Path) -> None:
    with pytest.raises(recount.FormatError, match="letter.txt") as caught:
        recount.open(b"Dear reader", name="letter.txt")
    assert isinstance(caught.value, recount.RecountError)
    assert (caught.value.path, caught.value.offset, caught.value.structure) == ("letter.txt", 0, None)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.path, again.offset, str(again)) == ("letter.txt", 0, str(caught.value))
    # sysstat's mark, and the number of a format that is no longer read.
    with pytest.raises(recount.FormatError) as caught:
        recount.open(b"\x96\xd5\x60\x21" + bytes(60), name="sa22")
    assert (caught.value.offset, caught.value.structure) == (2, "file_magic")
    (tmp_path / "empty.blg").write_bytes(b"")
    with pytest.raises(recount.FormatError, match="empty"):
        recount.open(tmp_path / "empty.blg")


def test_damage_is_a_warning_and_ends_nothing(samples: Path) -> None:
    with pytest.warns(recount.DamageWarning) as caught:
        cap = recount.open(samples / "damaged.blg")
    assert caught[0].filename == __file__
    assert not cap.health.is_complete and cap.health.total == len(cap.health.findings)
    assert any(finding.offset for finding in cap.health.findings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", recount.DamageWarning)
        assert sum(len(batch) for batch in cap.read()) > 0


def test_a_sound_capture_warns_of_nothing(samples: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cap = recount.open(samples / "objects.blg")
        values = cap.read()
        assert values.health is None
        assert sum(len(batch) for batch in values) > 0
        assert values.health is not None and values.health.is_complete


def test_patterns_and_times_are_checked(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    for place in (None, 5):
        with pytest.raises(TypeError, match="a path, a list of paths, bytes or a binary file, not"):
            recount.open(place)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a list of captures has paths, not int"):
        recount.open([5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="zone is text or a tzinfo, not int"):
        recount.open(samples / "objects.blg", zone=5)  # type: ignore[arg-type]
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"begin": 5}, TypeError, "a time is text, a datetime or a timedelta, not int"),
        ({"counters": [5]}, TypeError, "patterns of counters are text, not int"),
        ({"columns": [5]}, TypeError, "names of columns are text, not int"),
        ({"every": 0}, ValueError, "every is 0"),
        ({"every": -1}, ValueError, "every is -1"),
        ({"interval": 0}, ValueError, "must be longer than zero"),
        ({"every": 1.5}, TypeError, "every is a whole number, not float"),
        ({"interval": b"5m"}, TypeError, "a length of time is seconds or a timedelta, not bytes"),
        ({"interval": float("inf")}, ValueError, "must be longer than zero, and less than"),
        ({"interval": float("nan")}, ValueError, "must be longer than zero, and less than"),
        ({"interval": 1e300}, ValueError, "must be longer than zero, and less than"),
        ({"begin": pd.NaT}, ValueError, "a time is NaT"),
        ({"counters": []}, ValueError, "counters is empty: leave it out"),
        ({"counters": 5}, TypeError, "patterns of counters are text, not int"),
        ({"counters": b"x"}, TypeError, "patterns of counters are text, not bytes"),
        ({"columns": 5}, TypeError, "names of columns are text, not int"),
        ({"object": 5}, TypeError, "object is text, not int"),
    ]
    for options, error, text in wrong:
        with pytest.raises(error, match=text):
            cap.read(**options)
    for options in ({"encoding": 5}, {"name": 5}):
        with pytest.raises(TypeError, match=f"{next(iter(options))} is text, not int"):
            recount.open(samples / "objects.blg", **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names is 'de': it must be 'own' or 'en' or 'windows'"):
        recount.open(samples / "objects.blg", names="de")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count is 0"):
        recount.record("never.rcap", count=0)
    assert repr(cap.read()) == "<recount.Batches of 'objects.blg'>"
    with pytest.raises(recount.RecountError, match="isn't closed"):
        cap.read(counters="\\Processor(0\\x")
    with pytest.raises(ValueError, match="yesterday"):
        cap.read(begin="yesterday")
    with pytest.raises(recount.RecountError, match="no counter matches"):
        list(cap.read(object="Nonsense"))
    with pytest.raises(recount.RecountError, match="there is no column"):
        list(cap.read(columns=["time", "valeu"]))
    with pytest.raises(ValueError, match="no such time zone"):
        recount.open(samples / "objects.blg", zone="Atlantis")
