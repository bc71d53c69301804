"""Several captures as one: what is said about them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._values import Info, Object, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

# As many gaps as are listed of one capture.
MAX_GAPS = 20


def merged(infos: list[Info], num_samples: int) -> Info:
    """One summary of several captures. Facts that they don't share are ``None``; the gaps are those within the files."""
    if len(infos) == 1:
        return infos[0]
    from statistics import median

    gaps = [gap for info in infos for gap in info.gaps]
    intervals = [info.interval_s for info in infos if info.interval_s is not None]
    return Info(
        files=[file for info in infos for file in info.files],
        format=shared(info.format for info in infos) or "several formats",
        hosts=list(dict.fromkeys(host for info in infos for host in info.hosts)),
        os=shared(info.os for info in infos),
        zone=shared(info.zone for info in infos),
        is_zone_unknown=any(info.is_zone_unknown for info in infos),
        boot_time=None,
        begin=edge([info.begin for info in infos], is_end=False),
        end=edge([info.end for info in infos], is_end=True),
        num_samples=num_samples,
        interval_s=median(intervals) if intervals else None,
        num_gaps=sum(info.num_gaps for info in infos),
        gaps=Rows(gaps[:MAX_GAPS]),
        num_paths=max(info.num_paths for info in infos),
        details={},
        tz=shared(info.tz for info in infos),
    )


def shared(texts: Iterable[str | None]) -> str | None:
    """What all have."""
    found = set(texts)
    return found.pop() if len(found) == 1 else None


def edge(times: list[datetime | None], *, is_end: bool) -> datetime | None:
    """The first or the last time; ``None`` if some can't be compared with others."""
    known = [time for time in times if time is not None]
    if not known or len({time.tzinfo is None for time in known}) > 1:
        return None
    return max(known) if is_end else min(known)


def merged_objects(objects: Iterable[Object]) -> Rows[Object]:
    """The objects of several captures, each once for a machine, with the most counters and instances that one has."""
    found: dict[tuple[str, str], Object] = {}
    for one in objects:
        known = found.get((one.host, one.object))
        if known is not None:
            instances = [num for num in (known.num_instances, one.num_instances) if num is not None]
            one = one._replace(
                num_counters=max(known.num_counters, one.num_counters), num_instances=max(instances, default=None)
            )
        found[one.host, one.object] = one
    return Rows(found.values())
