"""The rows of answers, as type checkers know them."""

from __future__ import annotations

from typing import TypedDict


class StatsNames(TypedDict, total=False):
    """What only some rows of :meth:`recount.Capture.stats` have."""

    instance_id: int | None
    """Id of the process or thread."""
    bucket: str
    """Begin of the period, with ``by``."""


class StatsRow(StatsNames):
    """A row of :meth:`recount.Capture.stats`. Reasons for missing values, ``nulls_...``, have columns where they occur."""

    host: str | None
    object: str
    instance: str | None
    counter: str
    unit: str
    count: int
    nulls: int
    min: float | None
    mean: float | None
    max: float | None
    std: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    trend_per_hour: float | None
    first: float | None
    last: float | None


class Figures(TypedDict):
    """The statistics of a counter on one side of a comparison."""

    count: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None


class Change(TypedDict):
    """A counter in :attr:`recount.Difference.changes`, as ``recount diff --json`` writes it."""

    path: str
    object: str
    instance: str | None
    counter: str
    unit: str
    verdict: str
    """``regression``, ``improvement``, ``change``, ``unsure`` or ``same``."""
    effect: float | None
    probability: float | None
    mean_change: float | None
    p95_change: float | None
    same_as: str | None
    base: Figures
    new: Figures
