"""What the tests share. They run with the package installed, not from its source."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def samples() -> Path:
    """The small captures of the repository."""
    return REPOSITORY / "samples"


def shared(name: str) -> Path:
    """A capture that isn't in the repository; missing ones fail a test."""
    folder = Path(os.environ.get("RECOUNT_SHARED", REPOSITORY.parent / "shared" / "data"))
    return folder / name


def run_command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command that the package brings."""
    command = [sys.executable, "-m", "recount", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
