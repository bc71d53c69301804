"""Opening: from where, and what goes wrong."""

from __future__ import annotations

import io
import pickle
import warnings
from datetime import timezone
from pathlib import Path
from typing import Any

import fsspec
import pytest

import recount


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
        recount.open(b"\x96\xd5\x70\x21" + bytes(60), name="sa22")
    assert (caught.value.offset, caught.value.structure) == (2, "file_magic")
    (tmp_path / "empty.blg").write_bytes(b"")
    with pytest.raises(recount.FormatError, match="empty"):
        recount.open(tmp_path / "empty.blg")
    with pytest.raises(recount.RecountError, match="several|one capture"):
        recount.open(Path(__file__).parents[2] / "samples")


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
    for place in (None, 5, ["a.blg"]):
        with pytest.raises(TypeError, match="a path, bytes or a binary file, not"):
            recount.open(place)  # type: ignore[arg-type]
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"begin": 5}, TypeError, "a time is text, a datetime or a timedelta, not int"),
        ({"counters": [5]}, TypeError, "patterns of counters are text, not int"),
        ({"columns": [5]}, TypeError, "names of columns are text, not int"),
        ({"every": 0}, ValueError, "every is 0"),
        ({"every": -1}, ValueError, "every is -1"),
        ({"interval": 0}, ValueError, "must be longer than zero"),
        ({"interval": b"5m"}, TypeError, "a length of time is seconds or a timedelta, not bytes"),
    ]
    for options, error, text in wrong:
        with pytest.raises(error, match=text):
            cap.read(**options)
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
