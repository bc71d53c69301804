"""Judges our probabilities: reads lines of JSON, each a case with what we computed."""

import json
import sys

import numpy as np
from scipy import stats

worst = {}
for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    kind, ours = case["kind"], case["ours"]
    if kind == "kolmogorov":
        found = stats.ks_2samp(case["base"], case["new"], method="exact")
        assert abs(found.statistic - case["distance"]) < 1e-12, (found, case)
        # Ours is the limit of many values, with Stephens' correction: within 42 % of the exact one down to 1e-6; below that by
        # a factor of 4.5 or, where nobody asks for the number, 4 % of the exponent.
        limit = 0.35 if found.pvalue > 1e-6 else max(1.5, 0.04 * abs(np.log(found.pvalue)))
        error = abs(np.log(max(ours, 1e-300) / found.pvalue)) if found.pvalue < 0.2 else abs(ours - found.pvalue)
        assert error < limit, (error, ours, found.pvalue, len(case["base"]), len(case["new"]))
        worst[kind] = max(worst.get(kind, 0.0), error)
    elif kind == "delta":
        greater = stats.mannwhitneyu(case["new"], case["base"]).statistic
        theirs = 2 * greater / (len(case["new"]) * len(case["base"])) - 1
        assert abs(theirs - ours) < 1e-12, (theirs, ours)
    elif kind == "corrected":
        theirs = stats.false_discovery_control(case["probabilities"], method="by")
        assert np.allclose(np.minimum(ours, 1), theirs, rtol=1e-12, atol=0), case
    else:
        raise SystemExit(f"unknown kind {kind}")
print(worst)
