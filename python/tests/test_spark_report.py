"""The rules over a fleet: a frame of findings, and a page that ranks machines."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import recount
from recount.spark import FINDINGS, report

from spark_session import spark
from test_answers import RULES

__all__ = ["spark"]


@pytest.mark.filterwarnings("ignore::recount.DamageWarning")
def test_findings_of_a_fleet(spark: SparkSession, samples: Path, tmp_path: Path) -> None:
    fleet, out = tmp_path / "fleet", tmp_path / "out"
    fleet.mkdir()
    for name in ("objects.blg", "damaged.blg", "rcap-1/closed.rcap"):
        shutil.copy(samples / name, fleet)
    shutil.copy(samples / "objects.blg", fleet / "a <b>&.blg")
    (fleet / "letter.blg").write_text("Dear reader")
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    found = report(str(fleet), out, rules=[rules])
    assert found.schema == FINDINGS
    rows = {Path(row.path).name: row for row in found.collect()}
    single = recount.open(fleet / "objects.blg").report(rules=[rules]).findings[0]
    row = rows["objects.blg"]
    assert (row.rule, row.severity, row.headline) == (single.rule, single.severity, single.headline)
    assert json.loads(row.evidence) == single.facts and row.host == "PACIFIC"
    assert row.seconds == sum(span["seconds"] for span in single.facts["spans"])
    times = found.filter("path like '%objects.blg'").selectExpr("unix_micros(begin)", "unix_micros(end)").collect()[0]
    assert times[0] == round(single.spans[0].begin.timestamp() * 1e6)
    assert times[1] == round(single.spans[-1].end.timestamp() * 1e6)

    page = (out / "index.html").read_text(encoding="utf-8")
    assert "letter.blg" in page and "could not be examined" in page and "<b>" not in page
    links = re.findall(r'href="([^"]+)"', page)
    assert links and all((out / link).read_text(encoding="utf-8").startswith("<!") for link in links)
    assert not re.search(r"(src|href)=\"https?:", page)
    # The rows of a frame that names the files are another way to say which.
    named = spark.read.format("recount-health").option("depth", "open").load(str(fleet)).filter("not is_readable")
    assert report(named, rules=[rules]).count() == 0
    same = spark.createDataFrame([(str(fleet / "objects.blg"),)], "path string")
    assert [row.headline for row in report(same, rules=[rules]).collect()] == [single.headline]


def test_the_worst_machine_is_first() -> None:
    from recount.spark._page import Examined, machines, page

    def finding(host: str, severity: str, seconds: float) -> dict[str, object]:
        span = {"begin": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:01Z", "seconds": seconds}
        return {"host": host, "severity": severity, "headline": f"{host} {severity}", "spans": [span]}

    examined = [
        Examined("a", ["quiet"]),
        Examined("b", ["short"], [finding("short", "warning", 10)]),
        Examined("c", ["long"], [finding("long", "warning", 60)]),
        Examined("d", ["worst"], [finding("worst", "critical", 1)]),
        Examined("e", ["noted"], [finding("noted", "info", 9999)] * 9),
    ]
    assert [machine.name for machine in machines(examined)] == ["worst", "long", "short", "noted", "quiet"]
    text = page("Fleet", examined)
    assert "Without findings: 1" in text and "6 more" in text
