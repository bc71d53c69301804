"""Selections that select nothing: one error and one warning, everywhere, with the name that was meant."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import recount

WRONG = r"\Procesor(*)\% User Time"
RIGHT = r"\Processor(*)\% User Time"


def answers(cap: recount.Capture, folder: Path) -> dict[str, Callable[..., Any]]:
    """Everything that takes patterns of counters."""
    return {
        "counters": cap.counters,
        "read": lambda patterns: list(cap.read(patterns)),
        "polars": lambda patterns: pl.DataFrame(cap.read(patterns)),
        "scan": lambda patterns: recount.scan(cap, counters=patterns).collect(),
        "stats": cap.stats,
        "wide": lambda patterns: cap.wide(patterns, every="1m"),
        "report": lambda patterns: cap.report(counters=patterns, rules=[]),
        "chart": cap.chart,
        "convert": lambda patterns: cap.convert(folder / "out.parquet", counters=patterns, force=True),
        "diff": lambda patterns: recount.diff(cap, cap, counters=patterns),
    }


NAMES = ["counters", "read", "polars", "scan", "stats", "wide", "report", "chart", "convert", "diff"]


@pytest.mark.parametrize("name", NAMES)
def test_what_matches_nothing_is_one_error(samples: Path, tmp_path: Path, name: str) -> None:
    answer = answers(recount.open(samples / "objects.blg"), tmp_path)[name]
    with pytest.raises(recount.SelectionError, match="no counter matches .*there is an object Processor"):
        answer(WRONG)
    with pytest.raises(recount.SelectionError, match="no counter matches .*there is a counter % User Time"):
        answer("Usr Time")
    with pytest.raises(recount.SelectionError, match="Processor has a counter % User Time"):
        answer(r"\Processor(*)\% Usr Time")
    assert issubclass(recount.SelectionError, (recount.RecountError, ValueError))


@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_matches_nothing_is_one_warning(samples: Path, tmp_path: Path, name: str) -> None:
    answer = answers(recount.open(samples / "objects.blg"), tmp_path)[name]
    with pytest.warns(recount.SelectionWarning, match="no counter matches .*Procesor.*there is an object Processor") as caught:
        answer([WRONG, RIGHT])
    with pytest.warns(recount.SelectionWarning, match=r"Procesor.*\(there is an object Processor\), .*Memry.*\(there is an object Memory\)"):
        answer([WRONG, RIGHT, r"\Memry\*"])
    assert caught[0].filename in (__file__, pl.__file__) or "recount" not in caught[0].filename
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer([RIGHT, r"\Memory\*"])


def test_an_instance_is_missed_once_values_were_read(samples: Path, tmp_path: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    wrong = r"\Processor(Total)\% User Time"
    text = "no counter matches .*Processor has an instance _Total"
    calls = answers(cap, tmp_path)
    del calls["polars"], calls["scan"]
    calls["frame"] = lambda patterns: cap.read(patterns).to_polars()
    calls["arrow"] = lambda patterns: cap.read(patterns).to_arrow()
    for answer in calls.values():
        with pytest.raises(recount.SelectionError, match=text):
            answer(wrong)
    # polars reads these by itself, and has errors of its own.
    with pytest.raises(Exception, match=text):
        pl.DataFrame(cap.read(wrong))
    with pytest.raises(Exception, match=text):
        recount.scan(cap, counters=wrong).collect()
    for read in (lambda: cap.read([wrong, RIGHT]).to_polars(), lambda: recount.scan(cap, counters=[wrong, RIGHT]).collect()):
        with pytest.warns(recount.SelectionWarning, match=text) as caught:
            assert len(read()) == 24
        assert len(caught) == 1


def test_a_filter_may_select_nothing(samples: Path) -> None:
    frame = recount.scan(samples / "objects.blg", counters=RIGHT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert frame.filter(pl.col("instance") == "7").collect().is_empty()
        assert len(frame.head(1).collect()) == 1


def test_an_object_that_is_not_there_is_one_error(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    for read in (lambda of: cap.read(object=of).to_polars(), lambda of: recount.scan(cap, object=of).collect()):
        with pytest.raises(recount.SelectionError, match="no counter matches .*there is an object Processor"):
            read("Procesor")
        assert len(read("processor")) == 24
    text = "no counter of Memory matches % user time"
    with pytest.raises(recount.SelectionError, match=text):
        cap.read("% User Time", object="Memory").to_polars()
    with pytest.raises(Exception, match=text):
        recount.scan(cap, counters="% User Time", object="Memory").collect()


def test_an_empty_span_is_one_warning(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    for read in (lambda: cap.read(begin="2015-01-01").to_polars(), lambda: recount.scan(cap, begin="2015-01-01").collect()):
        with pytest.warns(recount.SelectionWarning) as caught:
            assert read().is_empty()
        assert len(caught) == 1


def test_a_span_is_checked_everywhere(samples: Path, tmp_path: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    for begin, end in (("+50s", "+20s"), ("2013-02-20T12:00:00Z", "2013-02-20T11:00:00Z")):
        for answer in (cap.read, cap.stats, cap.report, lambda **span: cap.convert(tmp_path / "x.parquet", **span)):
            with pytest.raises(recount.SelectionError, match="begin is after end"):
                answer(begin=begin, end=end)
        with pytest.raises(recount.SelectionError, match="begin is after end"):
            recount.scan(samples / "objects.blg", begin=begin, end=end)
    for _ in range(2):
        with pytest.warns(recount.SelectionWarning, match="none of the 8 samples is in the requested time range"):
            assert list(cap.read(begin="2030-01-01T00:00:00Z")) == []


def test_filters_may_select_nothing(samples: Path) -> None:
    frame = recount.scan(samples / "objects.blg")
    for column in ("object", "counter", "instance", "host"):
        assert frame.filter(pl.col(column) == "Nonsense").collect().is_empty()
