"""The renderer's side of src/report/html/README.md (recount-analysis), for made-up contexts: blob, texts, hashes, template."""

import array
import base64
import gzip
import hashlib
import json
import math
import struct
import sys
from pathlib import Path

import jinja2

HTML = Path(__file__).resolve().parents[3] / "recount-analysis/src/report/html"
COLUMNS = "o c i n x min mean p50 p95 p99 max sd first last trend lo hi at b m".split()


def six_digits(value):
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


class Blob:
    """Series are added one by one; `text()` is the base64 text of the blob."""

    def __init__(self, **head):
        self.head = head
        self.columns = {name: [] for name in COLUMNS}
        self.words = array.array("H")

    def add(self, place, values, times, buckets, means=False):
        """One series: (object, counter, instance), its values (None where null), and the bucket of each in 0..buckets."""
        obj, counter, instance = place
        known = [v for v in values if v is not None]
        row = dict.fromkeys(COLUMNS)
        row.update(o=obj, c=counter, i=instance, n=len(known), x=len(values) - len(known), at=-1, b=buckets, m=int(means))
        if known:
            row.update(statistics(known, [t for v, t in zip(values, times) if v is not None]))
            row.update(lo=row["min"], hi=row["max"], at=len(self.words))
            self.words.extend(self.rows(values, times, buckets, means, row["lo"], row["hi"]))
        for name in COLUMNS:
            self.columns[name].append(six_digits(row[name]))
        return len(self.columns["o"]) - 1

    def rows(self, values, times, buckets, means, lo, hi):
        filled = [[] for _ in range(buckets)]
        span = self.head["step_ms"] * self.head["num_buckets"]
        for value, time in zip(values, times):
            if value is not None:
                k = math.ceil((time - self.head["begin_ms"]) * buckets / span) - 1
                filled[min(max(k, 0), buckets - 1)].append(value)

        def word(value):
            return 0 if hi == lo else round((value - lo) / (hi - lo) * 65534)

        kinds = [min, max] + ([lambda b: sum(b) / len(b)] if means else [])
        return [word(kind(b)) if b else 65535 for kind in kinds for b in filled]

    def text(self):
        head = dict(self.head, series=self.columns)
        body = json.dumps(head, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        body += b" " * (-len(body) % 4)
        if sys.byteorder == "big":
            self.words.byteswap()
        whole = struct.pack("<I", len(body)) + body + self.words.tobytes()
        return base64.b64encode(gzip.compress(whole, mtime=0)).decode()


def statistics(known, times):
    ordered = sorted(known)
    mean = sum(known) / len(known)
    hours = [(t - times[0]) / 3.6e6 for t in times]
    middle = sum(hours) / len(hours)
    spread = sum((h - middle) ** 2 for h in hours)

    def quantile(q):
        return ordered[min(len(ordered) - 1, math.ceil(q * len(ordered)) - 1)]

    return {
        "min": ordered[0], "max": ordered[-1], "mean": mean,
        "p50": quantile(0.5), "p95": quantile(0.95), "p99": quantile(0.99),
        "sd": math.sqrt(sum((v - mean) ** 2 for v in known) / (len(known) - 1)) if len(known) > 1 else None,
        "first": known[0], "last": known[-1],
        "trend": sum((h - middle) * (v - mean) for h, v in zip(hours, known)) / spread if spread else None,
    }


def texts():
    def joined(folder, suffix):
        return "".join(p.read_text(encoding="utf-8") + "\n" for p in sorted((HTML / folder).glob("*" + suffix)))

    style = (HTML / "uplot/uPlot.min.css").read_text(encoding="utf-8") + "\n" + joined("css", ".css")
    plot = (HTML / "uplot/uPlot.iife.min.js").read_text(encoding="utf-8")
    script = '(() => {\n"use strict";\n' + plot + "\n" + joined("js", ".js") + "})();\n"
    for text in (style, script):
        for end in ("</script", "</style", "<!--", "\r"):
            assert end not in text, f"{end!r} may not stand in the style sheet or the script"
    return style, script


def sha256(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(template, context, blob):
    style, script = texts()
    loader = jinja2.FileSystemLoader(HTML)
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.ChainableUndefined)
    data = blob if isinstance(blob, str) else blob.text()
    whole = dict(context, generator="recount 0.1.0", style=style, script=script, data=data,
                 style_hash=sha256(style), script_hash=sha256(script), len_data_text=f"{len(data) / 1e6:.1f} MB")
    return environment.get_template(template).render(whole)
