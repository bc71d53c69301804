"""The page of a fleet: machines, the worst first, with links to the reports of their captures."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import quote

SEVERITIES = ("critical", "warning", "info")


@dataclass
class Examined:
    """A capture to which rules were applied."""

    path: str
    hosts: list[str] = field(default_factory=list[str])
    findings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    page: str | None = None
    """File name of its own page."""
    error: str | None = None
    """Why it could not be examined."""


@dataclass
class Machine:
    """What was found on one machine."""

    name: str
    captures: list[Examined] = field(default_factory=list[Examined])
    findings: list[tuple[Examined, dict[str, Any]]] = field(default_factory=list[tuple[Examined, dict[str, Any]]])

    def count(self, severity: str) -> int:
        return sum(found["severity"] == severity for _, found in self.findings)

    @property
    def rank(self) -> tuple[Any, ...]:
        """The worst first: by the number of findings of each severity, then by their length."""
        seconds = sum(span["seconds"] for _, found in self.findings for span in found["spans"])
        return (*(-self.count(severity) for severity in SEVERITIES), -seconds, self.name)


def machines(examined: list[Examined]) -> list[Machine]:
    """The machines, ranked."""
    known: dict[str, Machine] = {}

    def machine(name: str) -> Machine:
        return known.setdefault(name.casefold(), Machine(name))

    for one in examined:
        if one.error is not None:
            continue
        for name in one.hosts or [""]:
            machine(name).captures.append(one)
        for found in one.findings:
            host = found.get("host") or (one.hosts[0] if one.hosts else "")
            machine(host).findings.append((one, found))
    return sorted(known.values(), key=lambda one: one.rank)


STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1f24; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #d5dae0 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.critical { color: #a4121d } .warning { color: #8a5300 } .info { color: #2c5c8f }
ul { margin: .2rem 0; padding-left: 1.1rem } summary { cursor: pointer }
@media (prefers-color-scheme: dark) {
  body { color: #dfe3e8; background: #15181c } th, td { border-color: #363c44 } a { color: #8ab8f0 }
  .critical { color: #ff8a8f } .warning { color: #f0b35b } .info { color: #8ab8f0 }
}
"""


def page(title: str, examined: list[Examined]) -> str:
    """The page: one file that loads nothing."""
    ranked = machines(examined)
    loud = [machine for machine in ranked if machine.findings]
    quiet = [machine for machine in ranked if not machine.findings]
    failed = [one for one in examined if one.error is not None]
    head = "".join(f'<th class="n">{severity}</th>' for severity in SEVERITIES)
    rows = "".join(row(number, machine) for number, machine in enumerate(loud, 1))
    sections = [f"<p>{len(examined)} captures of {len(ranked)} machines; findings on {len(loud)}.</p>"]
    if loud:
        names = f"<th class=n>#</th><th>machine</th>{head}<th>findings</th>"
        sections.append(f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>")
    if quiet:
        listed = "".join(f"<li>{name_of(machine)}: {links(machine.captures)}</li>" for machine in quiet)
        sections.append(f"<details><summary>Without findings: {len(quiet)}</summary><ul>{listed}</ul></details>")
    if failed:
        listed = "".join(f"<li>{escape(one.path)}: {escape(one.error or '')}</li>" for one in failed)
        sections.append(f"<h2>{len(failed)} captures could not be examined</h2><ul>{listed}</ul>")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{''.join(sections)}</body></html>\n"
    )


def row(number: int, machine: Machine) -> str:
    """A machine with its findings, the worst ones shown and the others folded."""
    order = sorted(machine.findings, key=lambda pair: SEVERITIES.index(pair[1]["severity"]))
    items = [item(one, found) for one, found in order]
    shown = f"<ul>{''.join(items[:3])}</ul>"
    if len(items) > 3:
        shown += f"<details><summary>{len(items) - 3} more</summary><ul>{''.join(items[3:])}</ul></details>"
    counts = "".join(f'<td class="n {severity}">{machine.count(severity)}</td>' for severity in SEVERITIES)
    return f'<tr><td class="n">{number}</td><td>{name_of(machine)}</td>{counts}<td>{shown}</td></tr>'


def item(one: Examined, found: dict[str, Any]) -> str:
    """A finding, with a link to the report of its capture."""
    spans = found["spans"]
    when = f" <small>{escape(spans[0]['begin'])}</small>" if spans else ""
    return f'<li><span class="{escape(found["severity"])}">{escape(found["headline"])}</span>{when} {links([one])}</li>'


def links(captures: list[Examined]) -> str:
    """The captures by name, linked to their pages."""
    texts: list[str] = []
    for one in captures:
        name = escape(one.path.rsplit("/", 1)[-1])
        texts.append(name if one.page is None else f'<a href="{escape(quote(one.page))}">{name}</a>')
    return ", ".join(texts)


def name_of(machine: Machine) -> str:
    return escape(machine.name) or "<i>unnamed</i>"
