"""Cases whose answers are known beforehand, solved by calls of tools.

A call may use only what the question, the descriptions of the tools and earlier answers said: `Case.call` checks that. Each case has at
most six calls, and 15,000 tokens of arguments and answers.

    cases.py RECOUNT SHARED_DATA SAMPLES
"""

import asyncio
import contextlib
import gzip
import json
import math
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import planted
import tokens
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MAX_CALLS = 6
MAX_TOKENS = 15_000


class Case:
    """A question about the captures in a folder."""

    def __init__(self, session: ClientSession, described: str, question: str) -> None:
        self.session = session
        self.said = described + question
        self.num_calls = 0
        self.num_tokens = tokens.count(question)

    async def call(self, tool: str, /, **arguments: object) -> str:
        """The output of a tool."""
        for value in arguments.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    self.check_was_said(text)
        result = await self.session.call_tool(tool, arguments)
        text = result.content[0].text
        assert not result.is_error, (tool, arguments, text)
        self.num_calls += 1
        self.num_tokens += tokens.count(arguments) + tokens.count(text)
        output = json.loads(text)["output"]
        self.said += output
        return output

    def check_was_said(self, text: str) -> None:
        """The parts of a path of a counter, and the ends of a span, come from somewhere."""
        for part in re.split(r"[\\()*]|\.\.", text):
            assert part in self.said, f"nobody said {part!r}"

    async def capture(self, wanted: str, **arguments: str) -> str:
        """The path of the one capture in whose line of `find_captures` a pattern is found."""
        lines = (await self.call("find_captures", **arguments)).splitlines()
        found = [line.split(" | ")[0] for line in lines if re.search(wanted, line)]
        assert len(found) == 1, (wanted, lines)
        return found[0]


def one(pattern: str, text: str) -> str:
    """The first group of a pattern that has to be found."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"no {pattern} in\n{text}"
    return found.group(1)


def rows(series: str, part: str = "", *, missing: bool = False) -> list[tuple[str, float]]:
    """Times and means of `series`, of the counter whose path has a part; those that are missing, as NaN, only if asked for."""
    for block in re.split(r"^(?=\\)", series, flags=re.MULTILINE)[1:]:
        path, *lines = block.splitlines()
        if part in path:
            found, day = [], ""
            for time, *figures in (line.split(" | ") for line in lines):
                # Later times of a day are without it.
                day = time.split("T")[0] if "T" in time else day
                mean = figures[1 if len(figures) == 3 else 0]
                found.append((f"{day}T{time.split('T')[-1]}", math.nan if mean == "-" else float(mean)))
            return [row for row in found if missing or not math.isnan(row[1])]
    raise AssertionError(f"no {part} in\n{series}")


# Logs with what an expert says of them: answers/README.md of the shared data.


async def busy_half_hour(case: Case) -> None:
    capture = await case.capture(r"\| 2023-04-28.*\.\.2023-04-30")
    digest = await case.call("digest", capture=capture)
    span = one(r"--span (\S+)", digest)
    moved = await case.call("moved", capture=capture, span=span)
    assert re.search(r"Between 05:57:55 and 05:58:25 Processor % Processor Time rose from 26\.4 % \(its median since 05:49:10\) to 89\.3 %", moved), moved
    assert 27 <= int(one(r"end of the span (\d+) min", moved)) <= 28, moved
    assert "Available MBytes moved in 17 steps" in digest, digest


async def load_test(case: Case) -> None:
    capture = await case.capture(r"\| 2022-10-03")
    digest = await case.call("digest", capture=capture)
    assert ", the worst of 3 times (14 min 54 s in all)" in digest, digest
    series = await case.call("series", capture=capture, counters=[r"\Processor(_Total)\% Processor Time"], by="1m")
    runs = "".join("x" if mean > 80 else " " for _, mean in rows(series)).split()
    assert [len(run) for run in runs] == [4, 4, 5], series
    network = one(r"network (Controladora.*?) \|", digest)
    series = await case.call("series", capture=capture, counters=[rf"\Network Interface({network})\Bytes Total/sec"], by="1m")
    busy = "".join("x" if mean > 200_000 else " " for _, mean in rows(series)).split()
    assert [len(run) for run in busy] == [4, 4, 5], series
    assert re.search(r"memory \| Available Bytes 14\.9 GiB, min 14\.9 GiB", digest), digest


async def disk_reader(case: Case) -> None:
    capture = await case.capture(r"\| 2020-08-17")
    digest = await case.call("digest", capture=capture)
    disk = one(r"PhysicalDisk (\S+): Disk Read Bytes/sec", digest)
    assert disk == "vda" and "Processors have nothing to do but wait for disks" in digest, digest
    series = await case.call("series", capture=capture, counters=[rf"\PhysicalDisk({disk})\Disk Read Bytes/sec"])
    assert 76e6 < max(mean for _, mean in rows(series)) < 77.5e6, series
    assert len([mean for _, mean in rows(series) if mean > 60e6]) == 2, series


async def network_between(case: Case) -> None:
    capture = await case.capture(r"\| 2020-09-01")
    digest = await case.call("digest", capture=capture)
    interface, counter = re.search(r"network (\S+) \| (Bytes Total/sec)", digest).groups()
    assert "% Processor Time was 84.1 %" in digest, digest
    listed = await case.call("find_counters", capture=capture, patterns=[counter])
    pattern = one(r"(\\[^\\]*\(\*\)\\Bytes Total/sec) \|", listed).replace("*", interface)
    counters = [pattern, r"\Processor(_Total)\% Processor Time"]
    series = await case.call("series", capture=capture, counters=counters)
    # The value of 05:05 is that of the minute which ends then.
    assert [round(mean / 1e6) for _, mean in rows(series, "Network") if mean > 50e6] == [73, 107, 75], series
    assert [round(mean) for _, mean in rows(series, "Processor(") if mean > 60] == [70, 84], series


# Recordings with a known culprit.


async def nightly_backup(case: Case) -> None:
    capture = await case.capture("disk-writer")
    digest = await case.call("digest", capture=capture)
    moved = await case.call("moved", capture=capture, span=one(r"--span (\S+)", digest))
    name, pid = re.search(r"most read and written by: (\w+) \(pid (\d+)\)", moved).groups()
    assert (name, pid) == ("python3", "15674"), moved
    assert re.search(r'(at|\d s after) the mark "nightly backup"', moved), moved
    listed = await case.call("find_counters", capture=capture, patterns=[r"\Process(*)\*Write*"])
    counter = one(r"\\Process\(\*\)\\(IO Write Bytes/sec) \|", listed)
    series = await case.call("series", capture=capture, counters=[rf"\Process({name})\{counter}"])
    times = [time for time, mean in rows(series) if mean > 20e6]
    assert (times[0], times[-1]) == ("2026-11-26T06:14:45Z", "2026-11-26T06:14:57Z"), series


async def leak_since_yesterday(case: Case) -> None:
    lines = (await case.call("find_captures")).splitlines()
    paths = [line.split(" | ")[0] for line in sorted(lines, key=lambda line: line.split(" | ")[3])]
    before = await case.call("digest", capture=paths[0])
    assert "warning" not in before, before
    digest = await case.call("digest", capture=paths[1])
    who = one(r"^(?:critical|warning) +(\S+) \(pid \d+\): Private Bytes grew", digest)
    series = await case.call("series", capture=paths[1], counters=[rf"\Process({who})\Private Bytes"])
    means = [mean for _, mean in rows(series)]
    assert who == planted.LEAKER and means == sorted(means), series
    hours = (len(means) - 1) / len(means) * planted.HOURS
    assert abs((means[-1] - means[0]) / hours / planted.LEAK_PER_HOUR - 1) < 0.05, series


# Other real logs.


async def queue_of_a_disk(case: Case) -> None:
    capture = await case.capture("tx-basic")
    digest = await case.call("digest", capture=capture)
    moved = await case.call("moved", capture=capture, span=one(r"--span (\S+)", digest))
    found = re.search(r"At 18:55:0[56] (\w+)\((.*?)\) (Avg\. Disk Queue Length) rose 7\d-fold.* for 1[34] s", moved)
    assert found and found.group(2) == "0 C:", moved
    stats = await case.call("stats", capture=capture, counters=["\\{}({})\\{}".format(*found.groups())])
    assert "4.007" in stats, stats


async def unmarked_reboots(case: Case) -> None:
    # Both are in the host's own report: rhel6/README.md of the shared data.
    capture = await case.capture(r"\| moban \| 2016-12-25")
    digest = await case.call("digest", capture=capture)
    gaps = re.findall(r"^gap +\S+ to (\S+)", digest, re.MULTILINE)
    assert gaps == ["2016-12-25T20:40:01Z", "2016-12-26T14:40:01Z"], digest
    assert digest.count("the uptime fell, and no restart is recorded") == 2, digest
    why = await case.call("why_null", capture=capture, counters=[r"\Processor(*)\% Processor Time"])
    assert why.count("27 values; missing: first-sample 3\n") == 2, why


async def longest_queue(case: Case) -> None:
    capture = await case.capture(r"\| fche\.csb6 \|")
    digest = await case.call("digest", capture=capture)
    queues = re.findall(r"disk (\S+) \| .*Avg\. Disk Queue Length \S+, max (\S+) \| - \| [a-z ]+$", digest, re.MULTILINE)
    disk, longest = max(queues, key=lambda row: float(row[1]))
    assert (disk, longest) == ("dev253-0", "15.9"), digest
    stats = await case.call("stats", capture=capture, counters=[rf"\PhysicalDisk({disk})\Avg. Disk Queue Length"])
    assert "15.886" in stats, stats


async def snapshots_of_a_store(case: Case) -> None:
    capture = await case.capture(r"\.meta \|", name="pcp-zeroconf")
    digest = await case.call("digest", capture=capture)
    disk = one(r"disk (\w+) \|", digest)
    series = await case.call("series", capture=capture, counters=[rf"\PhysicalDisk({disk})\Disk Write Bytes/sec"])
    bursts = [time[14:16] for time, mean in rows(series) if mean > 40e6]
    assert bursts == ["15", "16", "18", "19"], series
    groups = await case.call("top", capture=capture, by="command")
    writers = re.findall(r"^(\S+) .* (\d+) MiB +\S+ MiB$", groups, re.MULTILINE)
    assert {name for name, written in writers if int(written) > 400} == {"valkey-rdb-bgsave", "valkey-server"}, groups


async def busiest_process(case: Case) -> None:
    # atop itself says 256 ticks of process 15, 81 of 17, 73 of 16.
    capture = await case.capture("load-2.8.1")
    digest = await case.call("digest", capture=capture)
    program = one(r"^top cpu +(?:not attributed [^,]+, )?(\w+) ", digest)
    stats = await case.call("stats", capture=capture, counters=[rf"\Process({program}*)\% Processor Time"], sort="mean", top=3)
    first = stats.splitlines()[1]
    name = one(r"\\Process\((\S+)\)\\", first)
    top = await case.call("top", capture=capture, at=one(r"^span +(\S+)", digest), counters=[rf"\Process({name})\% Processor Time"])
    assert one(rf"^{name} +(\d+) ", top) == "15", top


async def processors_that_were_away(case: Case) -> None:
    # hotplug.sadf.json of the shared data lacks processor 3 from 09:14:07 to 09:14:17, and 11 from 09:14:27 to 09:14:32.
    capture = await case.capture("hotplug")
    why = await case.call("why_null", capture=capture, counters=[r"\Processor(*)\% Processor Time"])
    came = re.findall(r"Processor\((\d+)\)\S.*missing: .*no-previous-instance 1$", why, re.MULTILINE)
    counters = [rf"\Processor({instance})\% Processor Time" for instance in came]
    series = await case.call("series", capture=capture, counters=counters)
    away = {}
    for instance in came:
        course = rows(series, f"Processor({instance})", missing=True)
        again = [at for at, (_, mean) in enumerate(course) if math.isnan(mean) and at > 0]
        away |= {instance: (course[at - 1][0], course[at][0]) for at in again}
    # From the last value before to the first sample after, in stretches of 2 s.
    day = "2020-05-31T09:14:"
    assert away == {"3": (f"{day}02Z", f"{day}22Z"), "11": (f"{day}22Z", f"{day}36Z")}, series


def cases(shared: Path, samples: Path, room: Path) -> list[tuple]:
    """What is asked, about which folder."""
    atop = room / "atop"
    atop.mkdir()
    for name in ("load-2.8.1", "gpu-2.12"):
        (atop / f"{name}.raw").write_bytes(gzip.decompress((shared / f"atop/{name}.raw.gz").read_bytes()))
    days = room / "days"
    days.mkdir()
    planted.write(days)
    return [
        (busy_half_hour, shared / "answers", "What happened on 2023-04-29 at about 06:00, local time?"),
        (load_test, shared / "answers", "A load test of 2022-10-03: how many runs, and what was the limit?"),
        (disk_reader, shared / "answers", "2020-08-17, 07:26 local: nothing went on for two minutes. Why?"),
        (network_between, shared / "answers", "2020-09-01, about 05:04 local: when was the network busy, when the processors?"),
        (nightly_backup, samples / "moved", "Who disturbs the disk, in disk-writer?"),
        (leak_since_yesterday, days, "The later of two days has less free memory than the earlier. Who is it, and how fast?"),
        (queue_of_a_disk, shared / "blg", "tx-basic: what happened at 18:55, local time?"),
        (unmarked_reboots, shared / "sa/rhel6", "Host moban, 2016-12-26: why is there nothing for most of the day?"),
        (longest_queue, shared / "sa/rhel6", "Host fche.csb6: on which disk did most requests wait, and how many?"),
        (snapshots_of_a_store, shared / "pcp/good", "pcp-zeroconf: who writes to the disk every minute or so?"),
        (busiest_process, atop, "load-2.8.1: which process used the processors most?"),
        (processors_that_were_away, shared / "sa/derived", "hotplug: which processors were away for a while, and when?"),
    ]


@contextlib.asynccontextmanager
async def asked(recount: str, folder: Path, question: str) -> AsyncIterator[Case]:
    server = StdioServerParameters(command=recount, args=["mcp", "--allow", str(folder)])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        begun = await session.initialize()
        tools = (await session.list_tools()).tools
        described = [[tool.name, tool.description, tool.input_schema] for tool in tools]
        yield Case(session, begun.instructions + json.dumps(described, ensure_ascii=False).replace("\\\\", "\\"), question)


async def main(recount: str, shared: Path, samples: Path, *only: str) -> None:
    with tempfile.TemporaryDirectory() as room:
        for solve, folder, question in cases(shared, samples, Path(room).resolve()):
            if only and solve.__name__ not in only:
                continue
            async with asked(recount, folder.resolve(), question) as case:
                await solve(case)
                print(f"{solve.__name__}: {case.num_calls} calls, {case.num_tokens} tokens", flush=True)
                assert case.num_calls <= MAX_CALLS and case.num_tokens <= MAX_TOKENS, solve.__name__


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:]))
