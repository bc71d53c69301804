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
    assert caught[0].filename in (__file__, pl.__file__) or "recount" not in caught[0].filename
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer([RIGHT, r"\Memory\*"])


def test_an_instance_is_missed_once_values_were_read(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    wrong = r"\Processor(Total)\% User Time"
    text = "no counter matches .*Processor has an instance _Total"
    for answer in (cap.counters, cap.stats, lambda pattern: list(cap.read(pattern))):
        with pytest.raises(recount.SelectionError, match=text):
            answer(wrong)
    with pytest.raises(Exception, match=text):
        pl.DataFrame(cap.read(wrong))
    with pytest.warns(recount.SelectionWarning, match=text):
        assert len(cap.read([wrong, RIGHT]).to_polars()) == 24


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
