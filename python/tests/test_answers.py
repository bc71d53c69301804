"""Answers: figures, reports, comparisons, charts, files, recordings, and the command."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import recount
from recount import _recount
from recount._values import table_html

from conftest import run_command


def test_figures_are_the_commands(samples: Path) -> None:
    path = samples / "objects.blg"
    cap = recount.open(path)
    command = json.loads(run_command("stats", path, "--format", "json", "--by", "20s").stdout)
    table = cap.stats(by="20s")
    assert len(table) == len(command) > 0
    for row, expected in zip(table, command):
        assert row["counter"] == expected["counter"] and row["count"] == expected["count"]
        assert (row["mean"], row["p95"]) == (expected["mean"], expected["p95"])
    assert pl.DataFrame(table).columns == table.columns
    assert cap.stats(by=timedelta(seconds=20)).rows() == table.rows()
    assert len(cap.stats(group_by=[])) == len(cap.stats(group_by="host")) < len(cap.stats())
    assert all(list(row) == table.columns for row in table)
    assert "<table>" in table._repr_html_()
    with pytest.raises(ValueError, match="group_by"):
        cap.stats(group_by=["object"])  # type: ignore[list-item]


def test_processes_that_began_have_values_if_asked(samples: Path) -> None:
    path = samples / "objects.blg"
    counter = r"\Process(*)\% Processor Time"
    statuses = pl.DataFrame(recount.open(path).read(counter))["status"].to_list()
    from_start = pl.DataFrame(recount.open(path, since_start=True).read(counter))["status"].to_list()
    assert "since-start" not in statuses and statuses.count("no-previous-instance") == 65
    # One of them would be more than all processors had since the process began.
    assert from_start.count("since-start") == 64


def test_processes_are_grouped_as_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "busy.csv"
    names = ["cc1plus", "cc1plus#1", "java", "_Total"]
    head = ",".join(['"(PDH-CSV 4.0) (UTC)(0)"'] + [f'"\\\\A\\Process({name})\\% Processor Time"' for name in names])
    rows = [f'"11/21/2026 12:00:{second:02}.000",60,40,50,150' for second in range(0, 60, 10)]
    path.write_text("\n".join([head, *rows]) + "\n")
    cap = recount.open(path)
    means = {row["instance"]: row["mean"] for row in cap.stats(group_by=("host", "command"))}
    assert means == {"cc1plus": 100.0, "java": 50.0}
    command = json.loads(run_command("stats", path, "--format", "json", "--group-by", "host,tree").stdout)
    tree = cap.stats(group_by=["host", "tree"]).rows()
    assert [(row["instance"], row["mean"]) for row in tree] == [(row["instance"], row["mean"]) for row in command]
    assert [row["instance"] for row in cap.stats(group_by="unit")] == ["-"]
    with pytest.raises(ValueError, match="group_by takes one of"):
        cap.stats(group_by=["instance", "unit"])


def test_a_report_has_the_commands_findings(samples: Path, tmp_path: Path) -> None:
    path = samples / "objects.blg"
    cap = recount.open(path)
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    page = tmp_path / "page.html"
    report = cap.report(page, rules=[rules])
    run_command("report", path, "--rules", rules, "--json", tmp_path / "command.json")
    command = json.loads((tmp_path / "command.json").read_text(encoding="utf-8"))
    assert report.json()["findings"] == command["findings"] != []
    found = report.findings[0]
    assert (found.severity, found.rule) == ("warning", "busy") and found.spans[0].begin.tzinfo is not None
    assert page.read_text(encoding="utf-8") == report.html
    with pytest.raises(FileExistsError):
        cap.report(page, rules=[])
    cap.report(page, rules=[], force=True)
    for name in ("findings.md", "findings.xml", "findings.json"):
        report.save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["rules.toml", "page.html", "command.json", "findings.md", "findings.xml", "findings.json"]
    )
    with pytest.raises(recount.RecountError, match="unknown rule set \"nonsense\""):
        cap.report(rules="nonsense")
    with pytest.raises(ValueError, match="a report is written as .html, .md, .xml or .json"):
        cap.report(tmp_path / "page.txt")


RULES = r"""
[set]
name = "mine"
title = "Mine"
version = 1

[[rule]]
id = "busy"
title = "Processors do something"
group = "processor"
severity = "warning"
counter = '\Processor(_Total)\% Processor Time'
threshold = "> 1 %"
for = "15s"
explanation = "For a test."
source = "A test."
"""


class Frames(HTMLParser):
    """The pages within a page."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.pages.append(dict(attrs).get("srcdoc") or "")


def test_notebooks_show_charts_and_findings(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    chart = cap.chart(r"\Processor(_Total)\% Processor Time", title="Processors")
    report = cap.report(rules=[])
    frames = Frames()
    frames.feed(report._repr_html_())
    assert frames.pages == [report.html]
    for page in (chart.html, report.html, chart._repr_html_()):
        assert not re.search(r"(src|href)=[\"']?https?://", re.sub(r"<a [^>]*>", "", page))
    assert "Processors" in chart.html
    assert "PACIFIC" in cap._repr_html_() and "Processor" in cap.objects()._repr_html_()
    assert cap.marks._repr_html_() == "<p>none</p>"
    with pytest.raises(ValueError, match="'.gif': a chart is written as .html, .svg or .png"):
        chart.save("chart.gif")


def test_a_chart_is_a_chart(samples: Path, tmp_path: Path) -> None:
    import xml.etree.ElementTree as ElementTree

    cap = recount.open(samples / "objects.blg")
    chart = cap.chart([r"\Processor(*)\% User Time", r"\Memory\Available Bytes"], title="<Processors> & memory")
    # Lines, axes and legend, and nothing of a report.
    shown = chart._repr_html_()
    assert "iframe" not in shown and "script" not in shown and "Findings" not in shown
    assert 'style="width:100%;max-width:900px;height:auto"' in shown and 'viewBox="0 -22 640 ' in shown
    drawing = ElementTree.fromstring(chart.to_svg())
    texts = [element.text or "" for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "<Processors> & memory"
    for name in ("0 % User Time", "1 % User Time", "_Total % User Time", "Available Bytes"):
        assert any(text.startswith(name) for text in texts), texts
    assert any("mean" in text for text in texts) and any(text.endswith(" %") for text in texts)
    # An axis for each of two units: on the left % and on the right bytes.
    sides = {element.get("text-anchor") for element in drawing.iter("{http://www.w3.org/2000/svg}text") if "iB" in (element.text or "")}
    assert "start" in sides
    chart.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8") == chart.to_svg()
    chart.save(tmp_path / "chart.html")
    for options in ({"stacked": True}, {"logarithmic": True}):
        other = cap.chart(r"\Processor(*)\% User Time", **options).to_svg()
        assert other != cap.chart(r"\Processor(*)\% User Time").to_svg()
    assert "not drawn: a third unit" in cap.chart(["% User Time", "Available Bytes", "Page Faults/sec"]).to_svg()


def test_a_chart_becomes_a_picture(samples: Path, tmp_path: Path) -> None:
    chart = recount.open(samples / "objects.blg").chart(r"\Processor(*)\% User Time")
    picture = chart.to_png(scale=1.5)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(picture[16:20], "big") == 960
    chart.save(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes() == chart.to_png()


def test_notebooks_show_the_first_rows() -> None:
    assert "more" not in table_html(["n"], ([number] for number in range(200)))
    shown = table_html(["n"], ([number] for number in range(1_234)))
    assert shown.count("<tr>") == 202 and "… and 1,034 more rows" in shown


def test_two_captures_are_compared(samples: Path, tmp_path: Path) -> None:
    one = samples / "objects.blg"
    difference = recount.diff(one, recount.open(one), tmp_path / "diff.html")
    run_command("diff", one, one, "--json", tmp_path / "command.json")
    command = json.loads((tmp_path / "command.json").read_text(encoding="utf-8"))
    assert difference.json()["counts"] == command["counts"]
    assert difference.changes == command["changes"] != []
    assert (tmp_path / "diff.html").read_text(encoding="utf-8") == difference.html
    difference.save(tmp_path / "diff.json")
    assert json.loads((tmp_path / "diff.json").read_text(encoding="utf-8")) == difference.json()
    with pytest.raises(ValueError, match="'.txt': a comparison is written as .html or .json"):
        recount.diff(one, one, tmp_path / "diff.txt")


def test_files_are_those_of_the_command(samples: Path, tmp_path: Path) -> None:
    path = samples / "objects.blg"
    (tmp_path / "package").mkdir()
    (tmp_path / "command").mkdir()
    for name in ("values.csv", "values.parquet", "log.blg", "tables/"):
        done = recount.convert(path, f"{tmp_path}/package/{name}")
        run_command("convert", "--quiet", path, "-o", f"{tmp_path}/command/{name}")
        for file in done.files:
            other = file.replace("/package/", "/command/")
            assert Path(file).read_bytes() == Path(other).read_bytes(), name
    with pytest.raises(recount.RecountError, match="already exists"):
        recount.convert(path, tmp_path / "package/values.csv")
    with pytest.raises(ValueError, match="names no format"):
        recount.convert(path, tmp_path / "values.xlsx")
    with pytest.raises(ValueError, match="layout is 'wide': it must be None or 'tidy' or 'objects'"):
        recount.convert(path, tmp_path / "values.parquet", layout="wide")  # type: ignore[arg-type]
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("csv", {"raw": True}),
        ("tsv", {"layout": "objects"}),
        ("openmetrics", {"partition_by": "host"}),
        ("blg", {"scaled": True}),
    ]
    for format, options in wrong:
        with pytest.raises(ValueError, match=f"the format '{format}' has no {next(iter(options))}"):
            recount.convert(path, tmp_path / "values", format=format, **options)
    assert recount.convert(path, tmp_path / "tidy.csv", layout="tidy").num_samples == 8


def test_sql_answers_or_says_why_not(samples: Path) -> None:
    question = "SELECT count(*) AS n FROM Processor"
    if _recount.has_sql:
        assert recount.query(question, monday=samples / "objects.blg").rows() == [{"n": 24}]
    else:
        with pytest.raises(recount.RecountError, match="without SQL"):
            recount.query(question, monday=samples / "objects.blg")
    for captures in ((), (samples / "objects.blg", samples / "objects.blg")):
        with pytest.raises(ValueError, match="monday="):
            recount.query(question, *captures)


@pytest.mark.skipif(not _recount.has_sql, reason="built without SQL")
def test_sql_tells_captures_apart(samples: Path) -> None:
    one, other = samples / "objects.blg", recount.open(samples / "rcap-1/closed.rcap")
    counts = """
        SELECT 'one' AS which, count(*) AS n FROM one.Processor
        UNION ALL SELECT 'other', count(*) FROM other.Processor
    """
    expected = [len(pl.DataFrame(recount.open(path).read(object="Processor"))) for path in (one, samples / "rcap-1/closed.rcap")]
    assert recount.query(counts, one=one, other=other).rows() == [
        {"which": "one", "n": expected[0]},
        {"which": "other", "n": expected[1]},
    ]
    joined = """
        SELECT max(a."% User Time" - one.Processor."% User Time") AS most
        FROM same.Processor a JOIN one.Processor ON a.time = one.Processor.time AND a.instance = one.Processor.instance
    """
    assert recount.query(joined, one=one, same=one).rows() == [{"most": 0.0}]
    tables = recount.query("SHOW TABLES", one=one, other=other).rows()
    assert {row["capture"] for row in tables} == {"one", "other"}
    single = recount.query("DESCRIBE one.Processor", one=one).rows()
    assert single == recount.query("DESCRIBE Processor", one).rows() != []
    with pytest.raises(recount.RecountError, match='"one.Processor", "other.Processor"'):
        recount.query("SELECT * FROM Processor", one=one, other=other)
    with pytest.raises(recount.RecountError, match='no capture "three"'):
        recount.query("SELECT * FROM three.Processor", one=one, other=other)
    # A time after the first sample is each capture's own.
    later = recount.query(counts, one=one, other=other, begin="+5s").rows()
    assert [0 < row["n"] < whole for row, whole in zip(later, expected)] == [True, True]


def test_this_machine_is_recorded(tmp_path: Path) -> None:
    log = tmp_path / "now.rcap"
    recorded = recount.record(log, count=3, interval=0.05, profile="minimal")
    assert (recorded.files, recorded.num_samples) == ([str(log)], 3)
    marked = recount.mark(log, "a test")
    cap = recount.open(log)
    assert cap.info.num_samples == 3 and cap.marks == [marked]
    assert pl.DataFrame(cap.read(counters=r"\Processor(_Total)\% Processor Time")).height == 3
    with pytest.raises(recount.RecountError, match="already exists"):
        recount.record(log, count=1)
    with pytest.raises(ValueError, match="at least 0.01"):
        recount.record(tmp_path / "fast.rcap", count=1, interval=0.001)
    begin = time.monotonic()
    recount.record(tmp_path / "short.rcap", duration=timedelta(seconds=0.2), interval=0.1, profile="minimal")
    assert 0.2 <= time.monotonic() - begin < 5


def test_the_command_is_whole(samples: Path) -> None:
    assert run_command("--version").stdout == f"recount {recount.__version__}\n"
    assert run_command("info", samples / "damaged.blg").returncode == 1
    assert run_command("info", "none").returncode == 2
    assert run_command("nonsense").returncode == 2
    assert "PACIFIC" in run_command("info", samples / "objects.blg").stdout


def test_spans_of_one_capture_are_compared(samples: Path) -> None:
    cap = recount.open(samples / "objects.blg")
    by_text = recount.diff(cap, base="..+45s", new="+1m..")
    by_bounds = recount.diff(cap, base=(None, "+45s"), new=(timedelta(seconds=60), None))
    assert by_text.changes == by_bounds.changes != []
    assert "span" in by_text.title
    with pytest.raises(TypeError, match="spans base and new"):
        recount.diff(cap, base="..+45s")
    with pytest.raises(ValueError, match="two times"):
        recount.diff(cap, base="+45s", new="+1m..")
    with pytest.raises(ValueError, match="begin and end"):
        recount.diff(cap, base="..+45s", new="+1m..", begin="+1s")


def test_what_moved_is_the_commands(samples: Path) -> None:
    path = samples / "moved" / "disk-writer.rcap"
    span = "mark:nightly backup..mark+15s:nightly backup"
    found = recount.open(path).moved(span)
    command = json.loads(run_command("moved", path, "--span", span, "--format", "json").stdout)
    assert found.json() == command and found.groups == command["groups"] != []
    assert str(found).splitlines() == found.sentences and found.groups[0]["headline"] == found.sentences[0]
    assert found._repr_html_().startswith("<ul><li>")
    with pytest.raises(ValueError, match="two times"):
        recount.open(path).moved("14:00")


def test_changes_are_the_commands(samples: Path) -> None:
    path = samples / "moved" / "disk-writer.rcap"
    pattern = r"\PhysicalDisk(*)\*"
    command = run_command("stats", path, "--changes", "-c", pattern, "--format", "json").stdout
    found = recount.open(path).changes(pattern).rows()
    assert [row["headline"] for row in found] == [row["headline"] for row in json.loads(command)] != []


def test_a_baseline_is_the_commands(samples: Path, tmp_path: Path) -> None:
    path = samples / "sysstat-be.sa"
    base, other = tmp_path / "base.parquet", tmp_path / "other.parquet"
    found = recount.open(path).baseline(base)
    run_command("baseline", path, "--names", "own", "-o", other)
    assert base.read_bytes() == other.read_bytes()
    assert found.num_counters > 10 and found.num_captures == 1 and found.hours < 1
    with pytest.raises(FileExistsError):
        recount.open(path).baseline(base)
    assert recount.open(path).baseline(base, known=base, force=True) == found
    answer = recount.open(path).report(baseline=base, rules=[]).json()
    assert "too little to know what is usual" in str(answer["baseline"]["notes"])
    with pytest.raises(recount.RecountError, match="not a baseline"):
        recount.open(path).report(baseline=path)
