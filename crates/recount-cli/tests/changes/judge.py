"""Change points of planted series, found by recount, by ruptures and by otava.

    judge.py RECOUNT [SERIES OF EACH KIND] [SEED]

The others get every advantage: the setting that gives the best F1 over all series, of ruptures for each of its methods and with a noise that
is known from differences. recount runs as it is, over all series at once, in a PDH text.
"""

import datetime
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import ruptures
from otava.analysis import compute_change_points
from planted import NUM_VALUES, counted, f1, margin, series

STEP_S = 10
# Length of the windows and probability; its own setting is the first.
OTAVA = [(50, 0.001), (50, 0.0001), (50, 0.00001), (100, 0.001), (100, 0.0001), (200, 0.0001), (400, 0.001), (400, 0.00001)]
BEGIN = datetime.datetime(2026, 11, 21, 10, 0, 0)


def written(all_series, path):
    names = [rf"\\A\Planted({number})\Value" for number in range(len(all_series))]
    lines = [",".join(f'"{cell}"' for cell in ["(PDH-CSV 4.0) (UTC)(0)", *names])]
    for at in range(NUM_VALUES):
        time = (BEGIN + datetime.timedelta(seconds=at * STEP_S)).strftime("%m/%d/%Y %H:%M:%S.000")
        cells = [time, *(repr(float(values[at])) for _, values, _ in all_series)]
        lines.append(",".join(f'"{cell}"' for cell in cells))
    path.write_text("\n".join(lines) + "\n")


def of_recount(recount, all_series):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.csv"
        written(all_series, path)
        command = [recount, "stats", path, "--changes", "-c", r"\Planted(*)\Value", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [[] for _ in all_series]
    for change in json.loads(done.stdout):
        time = datetime.datetime.fromisoformat(change["time"]).replace(tzinfo=None)
        found[int(change["instance"])].append(round((time - BEGIN).total_seconds() / STEP_S))
    return found


def of_ruptures(kernel, factor, all_series):
    found = []
    for _, values, _ in all_series:
        steps = np.diff(values)
        noise = 1.4826 * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2)
        penalty = factor * np.log(NUM_VALUES) * (noise * noise if kernel == "linear" else 1)
        places = ruptures.KernelCPD(kernel=kernel, min_size=5).fit(values).predict(pen=penalty)
        found.append([place for place in places if place < NUM_VALUES])
    return found


def of_otava(window, probability, all_series):
    found = []
    for _, values, _ in all_series:
        points, _ = compute_change_points([float(value) for value in values], window_len=window, max_pvalue=probability)
        found.append([int(point.index) for point in points])
    return found


def totals(all_series, found):
    of_kinds = defaultdict(lambda: np.zeros(3, int))
    for (kind, _, truth), places in zip(all_series, found):
        of_kinds[kind] += counted(truth, places, margin(kind))
    return sum(of_kinds.values()), of_kinds


def main(recount, each="20", seed="1"):
    all_series = series(int(seed), int(each))
    ours, of_kinds = totals(all_series, of_recount(recount, all_series))
    candidates = [("linear", factor) for factor in (2, 3, 5, 8, 15, 30, 60)]
    candidates += [("rbf", factor) for factor in (0.5, 1, 1.5, 2, 3, 5)]
    rivals = {
        "ruptures": {which: totals(all_series, of_ruptures(*which, all_series)) for which in candidates},
        "otava": {which: totals(all_series, of_otava(*which, all_series)) for which in OTAVA},
    }
    best = {name: max(theirs, key=lambda which: f1(theirs[which][0])) for name, theirs in rivals.items()}
    print(f"{len(all_series)} series; ruptures at its best: kernel {best['ruptures'][0]}, penalty {best['ruptures'][1]} log n;")
    print(f"otava at its best: windows of {best['otava'][0]}, probability {best['otava'][1]}")
    columns = [("recount", (ours, of_kinds)), *((name, rivals[name][which]) for name, which in best.items())]
    print(f"{'':<28}" + "".join(f"{name:>26}" for name, _ in columns))
    print(f"{'':<28}" + f"{'found  false missed    F1':>26}" * len(columns))
    text = lambda it: "".join(f"{number:>6}" for number in it) + (f"{f1(it):>8.3f}" if it[0] + it[2] else f"{'':>8}")
    for kind in [*of_kinds, "all"]:
        print(f"{kind:<28}" + "".join(text(counts if kind == "all" else kinds[kind]) for _, (counts, kinds) in columns))
    # Against each setting on steps alone, which the others were made for.
    steps = lambda kinds: f1(sum(kinds[kind] for kind in ("steps", "steps in correlated noise", "steps and spikes")))
    best_steps = {name: max(steps(kinds) for _, kinds in theirs.values()) for name, theirs in rivals.items()}
    print(f"steps alone: recount {steps(of_kinds):.3f}; at their best for these: " + ", ".join(f"{name} {it:.3f}" for name, it in best_steps.items()))
    for name, which in best.items():
        counts, _ = rivals[name][which]
        assert f1(ours) >= f1(counts), f"F1 of {name}"
        assert ours[1] <= counts[1] / 2, f"false alarms of {name}"
    assert f1(ours) >= 0.95 and steps(of_kinds) >= max(best_steps.values()) - 0.02, "what was reached before"


if __name__ == "__main__":
    main(*sys.argv[1:])
