"""Drives `recount mcp` with the client of PyPI's `mcp`: every tool, resources, prompts, and mutated requests."""

import asyncio
import json
import random
import re
import sys
from pathlib import Path

import jsonschema
import tokens
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

# Numbers of docs/mcp.md: of an answer as JSON, and of the names, descriptions and parameters of all tools.
MAX_ANSWER, MAX_DESCRIBED = 2_000, 3_000


async def call(session: ClientSession, tools: dict, name: str, /, **arguments: object) -> dict:
    result = await session.call_tool(name, arguments)
    answer = result.structured_content
    assert json.loads(result.content[0].text) == answer
    jsonschema.validate(answer, tools[name].output_schema)
    assert result.is_error == (answer.get("exit_code") == 2), answer
    if "max_bytes" not in arguments:
        num = tokens.count(result.content[0].text)
        assert num <= MAX_ANSWER, (name, arguments, num)
    return answer


def calls(samples: Path, out: Path) -> list[tuple[str, dict]]:
    """Every tool, some with several forms: calls.json."""
    text = Path(__file__).with_name("calls.json").read_text(encoding="utf-8")
    text = text.replace("SAMPLES", samples.as_posix()).replace("OUT", out.as_posix())
    return [(name, arguments) for name, arguments in json.loads(text)]


async def drive_all(session: ClientSession, tools: dict, samples: Path, out: Path) -> None:
    used = set()
    for name, arguments in calls(samples, out):
        used.add(name)
        if name not in tools:
            assert name == "query"
            continue
        answer = await call(session, tools, name, **arguments)
        assert answer.get("exit_code") in (0, 1, None), (name, answer)
        assert answer["output"] or name == "report", (name, answer)
        assert answer["command"].startswith("recount "), answer
    assert used >= set(tools), set(tools) - used
    assert (out / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")

    # Pages together are the whole.
    whole = await session.call_tool("stats", {"capture": str(samples / "objects.blg"), "max_bytes": 100_000})
    parts, cursor = "", 0
    while cursor is not None:
        answer = await call(session, tools, "stats", capture=str(samples / "objects.blg"), cursor=cursor)
        parts, cursor = parts + answer["output"], answer.get("next_cursor")
    assert parts == whole.structured_content["output"]


async def drive_large(session: ClientSession, tools: dict, shared: Path) -> None:
    """Answers about captures that have much to say aren't longer."""
    large = ["pcp/good/pmiostat_mark.meta", "pcp/good/vldb-disks.meta", "sa/rhel6/csb6-rhel6.bin", "answers/es-cp1252-lab-b.tsv"]
    for path in large:
        capture = {"capture": str(shared / path)}
        for name in ("digest", "describe", "find_counters", "stats", "top"):
            result = await session.call_tool(name, capture)
            num = tokens.count(result.content[0].text)
            assert num <= MAX_ANSWER, (name, path, num)
        await call(session, tools, "series", **capture, counters=["Processor", "Disk"])
        await call(session, tools, "why_null", **capture, counters=["Processor", "Disk"])
        await call(session, tools, "explain_rule", **capture, rule="disk/queue-long")


async def drive_answers(session: ClientSession, tools: dict, samples: Path) -> None:
    """What some answers say."""
    capture, disk = {"capture": str(samples / "objects.blg")}, {"capture": str(samples / "moved/disk-writer.rcap")}
    near = await session.call_tool("find_counters", capture | {"patterns": [r"\Procesor(*)\*"]})
    assert near.is_error and "there is an object Processor" in near.content[0].text, near
    sql = 'SELECT instance, count("% Processor Time") AS num FROM Processor GROUP BY instance ORDER BY instance'
    rows = await call(session, tools, "query", **capture, sql=sql)
    assert "_Total" in rows["output"] and "7" in rows["output"], rows
    span = {"span": "2026-11-26T06:14:44Z..2026-11-26T06:14:56Z", "sort": "IO Write Bytes/sec"}
    top = await call(session, tools, "top", **disk, **span)
    assert re.search(r"^python3 \| 15674 \| 922\d{5} \| 137363429 \| - \| -$", top["output"], re.MULTILINE), top
    change = re.search(r"^rustc#4 \| 14847 \| (\d+) \| \d+ \| (\d+) \| (-\d+)$", top["output"], re.MULTILINE)
    mean, before, change = map(int, change.groups())
    assert abs(mean - before - change) <= 2, top
    same = await call(session, tools, "top", **disk, **span, against="2026-11-26T06:14:32Z..2026-11-26T06:14:44Z")
    assert same["output"] == top["output"], same


async def drive_others(session: ClientSession, samples: Path) -> None:
    resources = (await session.list_resources()).resources
    objects = next(one for one in resources if one.name == "objects.blg")
    read = await session.read_resource(objects.uri)
    assert read.contents[0].text.startswith("capture   "), read
    names = [prompt.name for prompt in (await session.list_prompts()).prompts]
    assert names == ["postmortem", "compare"], names
    prompt = await session.get_prompt("postmortem", {"capture": str(samples / "objects.blg"), "span": "+1m..+2m"})
    assert "+1m..+2m" in prompt.messages[0].content.text


def mutated(value: object, rng: random.Random) -> object:
    """The same with something wrong in it."""
    odd = [None, True, -1, 1e300, "", "-", "--help", "@/etc/passwd", "/etc/passwd", "../..", "\0", "\u202e", "x" * 10_000, [], {}, [[]]]
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(sorted(value))
        changed = {name: entry for name, entry in value.items() if name != key}
        if rng.random() < 0.8:
            changed[key] = mutated(value[key], rng)
        else:
            changed[key + "x"] = value[key]
        return changed
    if isinstance(value, str) and value and rng.random() < 0.5:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice(["\0", "'", "\\", "\n", "..", "%", "*", "", "é"]) + value[at + 1 :]
    return rng.choice(odd)


async def drive_mutated(session: ClientSession, samples: Path, out: Path, number: int) -> None:
    rng = random.Random(7)
    usual = [entry for entry in calls(samples, out) if entry[0] != "find_captures"]
    failed = 0
    for _ in range(number):
        name, arguments = rng.choice(usual)
        changed = mutated(arguments, rng)
        if not isinstance(changed, dict):
            changed = {"capture": changed}
        try:
            result = await session.call_tool(name, changed)
        except MCPError as error:
            # The protocol's own errors: the tool does not exist.
            assert name == "query", (name, changed, error)
            continue
        text = result.content[0].text
        assert "panicked" not in text and "crashed" not in text, (name, changed, text)
        assert "root:" not in text, (name, changed, text)
        if result.is_error:
            failed += 1
            assert json.loads(text)["output"].startswith("error: "), (name, changed, text)
    assert failed > number / 4, failed
    await session.send_ping()


async def main(recount: str, shared: Path, samples: Path, out: Path, number: int) -> None:
    allow = ["--allow", str(shared), "--allow", str(samples), "--allow", str(out)]
    server = StdioServerParameters(command=recount, args=["mcp", *allow])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = (await session.list_tools()).tools
        tools = {tool.name: tool for tool in listed}
        described = tokens.count([[tool.name, tool.description, tool.input_schema] for tool in listed])
        assert described < MAX_DESCRIBED, described
        await drive_all(session, tools, samples, out)
        await drive_answers(session, tools, samples)
        await drive_large(session, tools, shared)
    server = StdioServerParameters(command=recount, args=["mcp", *allow[2:]])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await drive_others(session, samples)
        await drive_mutated(session, samples, out, number)
    left = sorted(path.name for path in out.iterdir())
    assert all(name.endswith(".html") for name in left), left


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *(Path(path).resolve() for path in sys.argv[2:5]), int(sys.argv[5])))
