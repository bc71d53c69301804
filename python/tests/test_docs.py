"""The page about the package: its examples run, and it sends nobody to another project."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import recount
from recount import _recount

from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/python.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def files(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the page names."""
    for name in ("monday.blg", "tuesday.blg"):
        shutil.copy(samples / "objects.blg", tmp_path / name)
    shutil.copy(samples / "typeperf.tsv", tmp_path / "monday.csv")
    for name in ("before.rcap", "after.rcap", "fleet/one.rcap"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(samples / "rcap-1/closed.rcap", tmp_path / name)
    for folder in ("sa", "captures"):
        (tmp_path / folder).mkdir()
        shutil.copy(samples / "objects.blg", tmp_path / folder)
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore::recount.SelectionWarning", "ignore::recount.DamageWarning")
def test_the_examples_run(files: None) -> None:
    since = recount.open("fleet/one.rcap").info.begin
    names: dict[str, Any] = {"recount": recount, "pl": pl, "pa": pa, "pd": pd, "duckdb": duckdb, "ZoneInfo": ZoneInfo, "since": since}
    found = blocks()
    assert len(found) >= 9
    for block in found:
        if "s3://" in block or (block.startswith("recount.query(") and not _recount.has_sql):
            continue
        lines = block.replace("duration=60", "duration=0.2").splitlines()
        code = "\n".join(line for line in lines if _recount.has_sql or not line.startswith("recount.query("))
        # The spans of the page are others than that of the sample, whose local times begin at 02:00.
        code = code.replace('begin="+5m", end="+10m"', 'begin="+15s", end="+60s"')
        code = code.replace('"14:00..14:10"', '"02:00:30..02:01:15"').replace('"13:00..14:00"', '"02:00:00..02:00:30"')
        exec(compile(code, block.splitlines()[0], "exec"), names)
    assert names["chart"].to_svg() and Path("chart.svg").exists() and Path("monday.parquet").exists()


def test_no_other_project_is_installed() -> None:
    assert importlib.metadata.distribution("recount-perf").version == recount.__version__
    pages = [page for folder in ("docs", "formats", "notebooks", "samples") for page in REPOSITORY.glob(f"{folder}/**/*.md")]
    modules = REPOSITORY.glob("python/recount/**/*.py")
    for page in [*pages, *modules, *REPOSITORY.glob("*.md"), REPOSITORY / "python/README.md"]:
        # Nothing is on a registry yet: what installs a package names a path.
        assert not re.search(r"(pip|uv|pipx|cargo) (tool )?install( --?[a-z-]+)* ['\"]?recount", page.read_text(encoding="utf-8")), page


def test_the_licences_are_those_of_the_repository() -> None:
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (REPOSITORY / "python" / name).read_bytes() == (REPOSITORY / name).read_bytes()


def test_what_takes_long_to_build_is_asked_for() -> None:
    settings = (REPOSITORY / "python/pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r"^features = \[\]$", settings, flags=re.MULTILINE)
    readme = (REPOSITORY / "python/README.md").read_text(encoding="utf-8")
    assert "--features sql,remote" in readme and re.search(r"\d+ minutes", readme)
