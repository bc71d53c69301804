"""Context and blob of `recount diff`: two runs of one load, the second longer, one thing worse and one better."""

from contract import Blob
from shapes import bursts, leak, walk

STEP, NUM_BASE, NUM_NEW = 1000, 900, 1020
WORDS = ["same", "regression", "improvement", "change", "unsure"]


def pair_up(blob, place, base, new):
    sides = []
    for values in (base, new):
        times = [(k + 1) * STEP for k in range(len(values or []))]
        sides.append(None if values is None else blob.add(place, values, times, blob.head["num_buckets"], True))
    return sides


def diff():
    counters = [{"name": "% Processor Time", "unit": "%", "help": "Time spent running."}, {"name": "Working Set", "unit": "bytes"},
                {"name": "IO Data Bytes/sec", "unit": "bytes/sec"}]
    instances = [{"name": f"service-{k}", "id": str(100 + k)} for k in range(120)]
    blob = Blob(begin_ms=0, step_ms=STEP, num_buckets=NUM_NEW, offset_min=0, zone="", elapsed=True, hosts=1,
                objects=[{"name": "Process", "counters": counters, "instances": instances}], gaps=[[300_000, 330_000]],
                base_gaps=[], marks=[{"ms": 240_000, "text": "load"}], findings=[])
    pairs = {name: [] for name in ("base", "new", "v", "p", "e", "note")}
    for k in range(len(instances)):
        shift = 1.6 if k == 3 else 0.6 if k == 5 else 1
        makes = [lambda seed, n, f: bursts(seed, n, 5 * f, 30 * f), lambda seed, n, f: leak(seed, n, 2e8, 2e8 + 3e8 * (f - 0.98)),
                 lambda seed, n, f: walk(seed, n, 4e6 * f, 1e4)]
        for c, make in enumerate(makes):
            base = None if k == 7 else make((k, c, 0), NUM_BASE, 1)
            new = None if k == 8 else make((k, c, 1), NUM_NEW, shift)
            b, n = pair_up(blob, (0, c, k), base, new)
            verdict = 4 if b is None or n is None else 1 if shift > 1 else 2 if shift < 1 else 3 if c == 2 and k % 9 == 0 else 0
            note = "only in new" if b is None else "only in base" if n is None else ""
            for name, value in zip(pairs, (b, n, verdict, None if note else 0.8 if verdict == 0 else 0.0004, (shift - 1) * 2, note)):
                pairs[name].append(value)
    blob.head["pairs"] = pairs
    order = sorted((k for k, v in enumerate(pairs["v"]) if v), key=lambda k: [1, 2, 3, 4].index(pairs["v"][k]))
    changes = [change(blob, pairs, k, instances, counters) for k in order[:200]]
    block = {"hosts": ["db1"], "os": "Linux 6.1", "zone": "CEST", "num_samples": "900", "interval": "1 s", "num_series": 357, "num_objects": 1}
    counts = {f"num_{w}": pairs["v"].count(k) for k, w in enumerate(WORDS)}
    return {
        "title": "monday.rcap against tuesday.rcap", "changes": changes, "top": order[:6], **counts,
        "base": dict(block, label="monday.rcap", names=["monday.rcap"], begin="2026-09-21 10:00:00", end="2026-09-21 10:15:00", duration="15 min", is_sound=True),
        "new": dict(block, label="tuesday.rcap", names=["tuesday.rcap"], begin="2026-09-22 10:00:00", end="2026-09-22 10:17:00", duration="17 min", is_sound=False),
        "regressions": [{"rule_id": "cpu-per-process", "title": "Process uses more processor time", "where": "service-3 (103)",
                         "text": "mean rose by 60 % (p = 0.0004)", "pair": 9}],
        "notes": ["The new capture is 2 min longer; only the first 15 min are compared."],
        "method": ["A change counts where the p-value of a Mann-Whitney test over averages of 10 s is below 0.01 and the mean moved by more than 5 %."],
    }, blob


def change(blob, pairs, k, instances, counters):
    side = {"base": pairs["base"][k], "new": pairs["new"][k]}
    one = next(s for s in side.values() if s is not None)
    columns = blob.columns

    def of(name, column):
        return "" if side[name] is None else f"{columns[column][side[name]]:.4g}"

    def moved(column):
        if None in side.values():
            return ""
        base, new = (columns[column][side[s]] for s in ("base", "new"))
        return f"{(new - base) / abs(base) * 100:+.1f} %" if base else ""

    instance, counter = instances[columns["i"][one]]["name"], counters[columns["c"][one]]
    return {"path": rf"\Process({instance})\{counter['name']}", "object": "Process", "instance": instance, "counter": counter["name"],
            "unit": counter["unit"], "base_mean": of("base", "mean"), "new_mean": of("new", "mean"), "mean_change": moved("mean"),
            "base_p95": of("base", "p95"), "new_p95": of("new", "p95"), "p95_change": moved("p95"), "pair": k,
            "p_value": "" if pairs["p"][k] is None else f"{pairs['p'][k]:.2g}", "effect": f"{pairs['e'][k]:.2f}",
            "verdict": WORDS[pairs["v"][k]], "note": pairs["note"][k]}
