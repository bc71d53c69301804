"""Contexts and blobs of `recount report`: a database machine over six hours, one of 10,000 series, one of hostile names, an empty one."""

import random

from contract import Blob
from shapes import bursts, capped, holed, leak, spikes, stretches, walk

BEGIN = 1_789_977_600_000  # 2026-09-21 08:00 UTC
STEP, NUM = 5000, 4320
OFFSET = 120
TIMES = [BEGIN + (k + 1) * STEP for k in range(NUM)]
HOLES = [(1500, 1560)]
PROCESSES = ["postgres", "python3", "nginx", "java", "rsync", "containerd", "kswapd0", "sshd"]


def clock(ms):
    s = ms // 1000 + OFFSET * 60
    return f"{s // 3600 % 24:02}:{s // 60 % 60:02}:{s % 60:02}"


def span(begin, end):
    length = (end - begin) // 1000
    words = f"{length // 60} min {length % 60} s" if length >= 60 else f"{length} s"
    return {"begin": clock(begin), "end": clock(end), "duration": words, "begin_ms": begin, "end_ms": end}


class Capture:
    """Objects, counters, instances and series together, by name."""

    def __init__(self, buckets=1080, means=True, host=None):
        self.objects, self.index, self.buckets, self.means, self.host = [], {}, buckets, means, host
        self.values = {}
        self.blob = Blob(begin_ms=BEGIN, step_ms=STEP * NUM / buckets, num_buckets=buckets, offset_min=OFFSET, zone="CEST",
                         elapsed=False, hosts=2 if host else 1, objects=self.objects)

    def add(self, name, counter, instance, values, unit="", ident=None, buckets=None, means=None):
        obj = self.place(self.objects, ("o", name), {"name": name, "counters": [], "instances": []})
        entry = self.objects[obj]
        c = self.place(entry["counters"], (name, "c", counter), {
            "name": counter, "unit": unit, "help": f"{counter} of {name}, as the source describes it."})
        i = None
        if instance is not None:
            fields = {"name": instance, "id": ident}
            if self.host:
                fields["host"] = self.host
            i = self.place(entry["instances"], (name, "i", instance, ident), fields)
        series = self.blob.add((obj, c, i), values, TIMES, buckets or self.buckets, self.means if means is None else means)
        self.values[series] = values
        return series

    def place(self, items, key, value):
        if key not in self.index:
            self.index[key] = len(items)
            items.append(value)
        return self.index[key]

    def listed(self):
        counts = [self.blob.columns["o"].count(k) for k in range(len(self.objects))]
        return [{"name": o["name"], "num_instances": len(o["instances"]) or 1, "num_series": n, "slug": f"o{k}"}
                for k, (o, n) in enumerate(zip(self.objects, counts))]


def finding(capture, series, severity, limit, title, where, unit, **more):
    found = stretches(capture.values[series], limit)
    found = sorted((f for f in found if f[1] - f[0] >= 3), key=lambda f: f[0] - f[1])[:40]
    spans = sorted((span(TIMES[b] - STEP, TIMES[e]) for b, e in found), key=lambda s: s["begin_ms"])
    over = sum(s["end_ms"] - s["begin_ms"] for s in spans) // 1000
    top = capture.blob.columns["max"][series]
    fields = {
        "severity": severity, "rule_id": title.lower().replace(" ", "-"), "title": title, "group": "Processor", "where": where,
        "host": None, "headline": f"above {limit:g} {unit} for {over // 60} min {over % 60} s, at most {top:.4g} {unit}",
        "spans": spans[:6], "spans_more": max(0, len(spans) - 6), "value": f"{top:.4g} {unit}", "threshold": f"more than {limit:g} {unit}",
        "measure": "average over 15 s", "series": series, "links": ["https://docs.kernel.org/admin-guide/pm/"],
        "explanation": ["The machine was busy for longer than a burst. Requests that come in meanwhile wait for a processor.",
                        "Look at the processes with the most processor time in the same span, and at the run queue."],
    }
    fields.update(more)
    return fields, {"series": series, "severity": severity, "spans": [[s["begin_ms"], s["end_ms"]] for s in spans]}


def context(capture, findings, overview, **more):
    capture.blob.head.update(findings=[f[1] for f in findings])
    shown = [f[0] for f in findings]
    num = {f"num_{s}": sum(f["severity"] == s for f in shown) for s in ("critical", "warning", "info")}
    fields = {
        "title": "db1.rcap", "findings": shown, "overview": overview, "objects": capture.listed(),
        "capture": {"names": ["db1.rcap"], "hosts": ["db1"], "os": "Linux 6.1.0-37-amd64", "begin": "2026-09-21 10:00:00",
                    "end": "2026-09-21 16:00:00", "zone": "CEST", "duration": "6 h", "num_samples": "4,260", "interval": "5 s",
                    "num_series": len(capture.values), "num_objects": len(capture.objects)},
        "rules": {"num_rules": 58, "num_evaluated": 49, "sets": ["linux", "general"], "without_counters": [
            {"rule_id": "network-errors", "title": "Network errors", "reason": r"\NetworkInterface(*)\Errors/sec isn't in the capture"},
            {"rule_id": "numa-misses", "title": "NUMA misses", "reason": r"\NUMA Node(*)\Misses/sec isn't in the capture"}]},
        "health": {"is_sound": True, "findings": [], "more": 0, "gaps": [], "nulls": [], "notes": []}, "marks": [], **num}
    fields.update(more)
    return fields


def machine(capture):
    """Series of one machine, by a short name."""
    s = {}
    total = capped(bursts("cpu", NUM, 14, 96, 1100, 160), 100)
    s["cpu"] = capture.add("Processor", "% Processor Time", "_Total", holed(total, HOLES), "%")
    for k in range(8):
        values = capped([v * f for v, f in zip(total, walk(k, NUM, 1, 0.02))], 100)
        s[f"cpu{k}"] = capture.add("Processor", "% Processor Time", str(k), holed(values, HOLES), "%")
        capture.add("Processor", "% User Time", str(k), holed([v * 0.7 for v in values], HOLES), "%", means=False, buckets=270)
    gib = 2.0 ** 30
    s["avail"] = capture.add("Memory", "Available Bytes", None, holed(leak("a", NUM, 22 * gib, 1.2 * gib), HOLES), "bytes")
    s["cache"] = capture.add("Memory", "Cache Bytes", None, holed(walk("c", NUM, 6 * gib, gib / 80), HOLES), "bytes")
    s["faults"] = capture.add("Memory", "Page Faults/sec", None, holed(spikes("f", NUM, 900, 21000), HOLES), "/sec")
    for disk in ("sda", "sdb"):
        s[disk] = capture.add("PhysicalDisk", "% Disk Time", disk, holed(capped(bursts(disk, NUM, 8, 90, 1300, 110), 100), HOLES), "%")
        s[disk + "w"] = capture.add("PhysicalDisk", "Disk Write Bytes/sec", disk, holed(spikes(disk + "w", NUM, 2e6, 3e8), HOLES), "bytes/sec")
        s[disk + "l"] = capture.add("PhysicalDisk", "Avg. Disk sec/Transfer", disk, holed(spikes(disk + "l", NUM, 8e-4, 0.09), HOLES), "sec")
    s["rx"] = capture.add("Network Interface", "Bytes Received/sec", "eth0", holed(bursts("rx", NUM, 3e5, 4e7, 700, 120), HOLES), "bytes/sec")
    s["tx"] = capture.add("Network Interface", "Bytes Sent/sec", "eth0", holed(bursts("tx", NUM, 2e5, 1e7, 700, 90), HOLES), "bytes/sec")
    for k, name in enumerate(PROCESSES):
        ident, short = str(1200 + 371 * k), name
        s[short] = capture.add("Process", "% Processor Time", name, holed(bursts(name, NUM, 30 / (k + 1), 420 / (k + 1), 1100, 150), HOLES), "%", ident)
        memory = leak(name, NUM, 0.3 * gib, 9 * gib) if name == "java" else walk(name, NUM, gib * 3 / (k + 1), gib / 400)
        s[short + "m"] = capture.add("Process", "Working Set", name, holed(memory, HOLES), "bytes", ident)
        s[short + "i"] = capture.add("Process", "IO Data Bytes/sec", name, holed(spikes(name + "i", NUM, 4e5 / (k + 1), 9e7 / (k + 1)), HOLES), "bytes/sec", ident)
        capture.add("Process", "Handle Count", name, [40.0 + k] * NUM, "", ident, means=False, buckets=64)
        late = [None] * (NUM // 2) + walk(name, NUM - NUM // 2, 12, 0.4)
        capture.add("Process", "Thread Count", name, late, "", ident, means=False, buckets=120)
    capture.add("Process", "Elapsed Time", "zombie", [None] * NUM, "sec", "99")
    return s


def charts(s):
    top = PROCESSES[:6]
    return [
        {"title": "Processor", "unit": "%", "series": [s["cpu"]], "note": "all processors"},
        {"title": "Memory", "unit": "bytes", "series": [s["avail"], s["cache"]]},
        {"title": "Disk", "unit": "%", "series": [s["sda"], s["sdb"]]},
        {"title": "Network", "unit": "bytes/sec", "series": [s["rx"], s["tx"]]},
        {"title": "Processes by processor time", "unit": "%", "series": [s[p] for p in top], "note": "100 % is one processor"},
        {"title": "Processes by memory", "unit": "bytes", "series": [s[p + "m"] for p in top]},
        {"title": "Processes by input and output", "unit": "bytes/sec", "series": [s[p + "i"] for p in top]},
    ]


def report():
    capture = Capture()
    s = machine(capture)
    found = [
        finding(capture, s["cpu"], "critical", 80, "Processor saturated", r"\Processor(_Total)", "%"),
        finding(capture, s["javam"], "critical", 7e9, "Process leaks memory", "java (pid 2313)", "bytes", group="Memory",
                headline="grew by 1.4 GiB per hour for 6 h, without ever giving back", value="8.9 GiB", threshold="more than 100 MiB per hour"),
        finding(capture, s["sdal"], "warning", 0.0011, "Disk slow", r"\PhysicalDisk(sda)", "sec", group="Disk"),
        finding(capture, s["sdb"], "warning", 60, "Disk busy", r"\PhysicalDisk(sdb)", "%", group="Disk"),
        finding(capture, s["postgres"], "warning", 300, "Process uses much processor time", "postgres (pid 1200)", "%"),
        finding(capture, s["rsync"], "warning", 60, "Process uses much processor time", "rsync (pid 2684)", "%"),
        finding(capture, s["faults"], "info", 1050, "Many page faults", r"\Memory", "/sec", group="Memory"),
        finding(capture, s["tx"], "info", 9e6, "Network busy", r"\Network Interface(eth0)", "bytes/sec", group="Network", links=[]),
    ]
    gap = span(TIMES[1499], TIMES[1560])
    marks = [{"time": clock(BEGIN + ms), "time_ms": BEGIN + ms, "text": t} for ms, t in
             ((3_600_000, "deploy 4.2"), (9_000_000, "load test begins"), (14_000_000, "load test ends"), (14_200_000, "cache warmed"))]
    capture.blob.head.update(gaps=[[gap["begin_ms"], gap["end_ms"]]], marks=[{"ms": m["time_ms"], "text": m["text"]} for m in marks])
    health = {"is_sound": False, "more": 3, "gaps": [gap], "notes": ["2 samples were late, by 1.2 s at most.", "60 samples were missed."],
              "findings": [{"kind": "checksum", "text": "chunk at 0x12f000: CRC-32C is 0x8812aa01, expected 0x11d0fe02; 60 samples are lost"}],
              "nulls": [{"reason": "first sample", "meaning": "a rate needs two samples", "count": "86", "share": "0.02 %"},
                        {"reason": "not there", "meaning": "the instance wasn't there at that time", "count": "17,340", "share": "4.7 %"}]}
    return context(capture, found, charts(s), health=health, marks=marks), capture.blob


def large():
    """10,000 series, as few buckets as fit the size that is promised."""
    capture = Capture()
    s = machine(capture)
    rng = random.Random(4)
    counters = [("% Processor Time", "%"), ("Working Set", "bytes"), ("Handle Count", ""), ("IO Read Bytes/sec", "bytes/sec"),
                ("IO Write Bytes/sec", "bytes/sec"), ("Page Faults/sec", "/sec"), ("Thread Count", ""), ("% User Time", "%")]
    thinned = TIMES[::30]
    for k in range(1240):
        name, ident = f"worker-{k % 61}", str(3000 + k)
        for counter, unit in counters:
            base = 10 ** rng.uniform(-1, 6)
            values = [None if rng.random() < 0.01 else base * rng.lognormvariate(0, 0.4) for _ in thinned]
            series = capture.blob.add(place(capture, name, ident, counter, unit), values, thinned, 64)
            capture.values[series] = values
    found = [finding(capture, s["cpu"], "critical", 80, "Processor saturated", r"\Processor(_Total)", "%")]
    found += [finding(capture, s[p], "warning", 30, "Process uses much processor time", p, "%") for p in PROCESSES] * 12
    return context(capture, found, charts(s), title="large.rcap"), capture.blob


def place(capture, name, ident, counter, unit):
    obj = capture.place(capture.objects, ("o", "Workers"), {"name": "Workers", "counters": [], "instances": []})
    entry = capture.objects[obj]
    return (obj, capture.place(entry["counters"], ("w", counter), {"name": counter, "unit": unit}),
            capture.place(entry["instances"], ("w", name, ident), {"name": name, "id": ident}))


def hostile():
    """Names that try to be markup, script, template or directions; very long ones; with two hosts."""
    nasty = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{ 7*7 }}{% raw %}", "a" * 256,
             "שלום עולם (\u05d0)", "مرحبا/بالعالم", "&lt;b&gt;&amp;", "\"' onmouseover='alert(1)", "␀␛[31m␊", "…\ufffd\u2066x\u2069",
             "javascript:alert(1)", "__proto__", "constructor", "name with  spaces   in it", "<!--", "]]>", "w" * 40 + " " + "m" * 200]
    capture = Capture(buckets=120, host="<b>host</b>")
    series = {}
    for k, name in enumerate(nasty):
        for counter in nasty[:4] + ["__proto__"]:
            series[name] = capture.add(nasty[k % 5], counter, name, bursts(k, NUM, 10, 80), nasty[k % 3][:20], f"<i>{k}</i>")
    capture.add("__proto__", "toString", None, bursts(1, NUM, 3, 9), "%")
    found = [finding(capture, series[n], ("critical", "warning", "info")[k % 3], 60, n, n, n[:30], headline=n, group=n, host="<b>h",
                     explanation=[n, n], links=["https://example.org/?a=1&b=<script>"], measure=n) for k, n in enumerate(nasty)]
    found.sort(key=lambda f: ("critical", "warning", "info").index(f[0]["severity"]))
    marks = [{"time": clock(BEGIN + k * 400_000), "time_ms": BEGIN + k * 400_000, "text": n} for k, n in enumerate(nasty)]
    capture.blob.head.update(marks=[{"ms": m["time_ms"], "text": m["text"]} for m in marks], gaps=[])
    overview = [{"title": n, "unit": n[:9], "series": list(series.values())[:8], "note": n} for n in nasty[:4]]
    health = {"is_sound": False, "more": 0, "gaps": [], "notes": nasty, "nulls": [], "findings": [{"kind": n, "text": n} for n in nasty]}
    fields = context(capture, found, overview, title=nasty[0], marks=marks, health=health)
    fields["capture"].update(names=nasty, hosts=nasty, os=nasty[0])
    fields["rules"].update(sets=nasty, without_counters=[{"rule_id": n, "title": n, "reason": n} for n in nasty])
    return fields, capture.blob


def bare():
    """Nothing found, nothing marked, no rules asked for, one series, of one value."""
    capture = Capture(buckets=1, means=False)
    series = capture.add("Memory", "Pages", None, [3.0] * NUM)
    fields = context(capture, [], [{"title": "Pages", "unit": "", "series": [series]}])
    fields["rules"] = {"num_rules": 0, "num_evaluated": 0, "without_counters": [], "sets": []}
    return fields, capture.blob
