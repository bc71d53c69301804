"""The tables."""

import statistics

import tools

AIM_LOOP = 1.3
AIM_PEAK = 32_000_000


def median(measured, key):
    return statistics.median(one[key] for one in measured)


def print_cpu(found, options):
    """CPU time and memory, and the ratios that were aimed at."""
    print(f"\nCPU time and memory (median, and range, of {options.rounds} x {options.seconds} s)")
    print(f"{'':<24}{'us/sample':>11}{'range':>16}{'values':>9}{'ns/value':>10}{'peak MB':>9}{'others':>9}")
    per_value = {}
    for name, measured in found.items():
        cpu = median(measured, "cpu_ns")
        lowest, highest = (of(one["cpu_ns"] for one in measured) / 1e3 for of in (min, max))
        values, each = "", ""
        if measured[0]["values"]:
            num_values = median(measured, "values")
            per_value[name] = cpu / num_values
            values, each = f"{num_values:.0f}", f"{per_value[name]:.1f}"
        peak = max(one["peak"] for one in measured) / 1e6
        others = median(measured, "others")
        print(
            f"{name:<24}{cpu / 1e3:>11.0f}{f'{lowest:.0f}..{highest:.0f}':>16}{values:>9}{each:>10}"
            f"{peak:>9.1f}{others:>8.1%}"
        )
    steal = max(one["steal"] for measured in found.values() for one in measured)
    print(f"others: what else ran meanwhile, of all processors; the hypervisor took {steal:.1%} at most\n")
    print_ratios(found, per_value)


def print_ratios(found, per_value):
    ours, measured = tools.Recount.name, found[tools.Recount.name]
    for loop in (tools.ReadLoop.name, tools.ReopenLoop.name):
        # Of the same round, so that what changes slowly doesn't matter.
        ratios = [one["cpu_ns"] / other["cpu_ns"] for one, other in zip(measured, found[loop])]
        aim = f" (aim: at most {AIM_LOOP})" if loop == tools.ReadLoop.name else ""
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"CPU time, recount / {loop}: {statistics.median(ratios):.2f}{aim}; by round {each}")
    for name, value in per_value.items():
        if name != ours:
            print(f"CPU time per value, recount / {name}: {per_value[ours] / value:.3f} (aim: below 1)")
    peak = max(one["peak"] for one in measured)
    print(f"peak memory of recount: {peak / 1e6:.1f} MB (aim: below {AIM_PEAK / 1e6:.0f})")


def print_sizes(found):
    """Bytes per sample and per value, as written and compressed."""
    print("\nsizes, all recording at once")
    print(f"{'':<44}{'bytes':>12}{'/sample':>10}{'/value':>9}{'x recount':>11}")
    ours = next(one for one in found if one["name"] == tools.Recount.name)
    our_value = ours["sizes"]["as written"] / ours["values"]
    for one in found:
        print(f"{one['name']}: {one['samples']} samples, {one['values'] / one['samples']:.0f} values each, "
              f"peak {one['peak'] / 1e6:.1f} MB")
        for how, size in one["sizes"].items():
            each = size / one["values"]
            print(f"  {how:<42}{size:>12}{size / one['samples']:>10.0f}{each:>9.3f}{each / our_value:>11.2f}")
    sizes = ours["sizes"]
    written = sizes["as written"]
    print(f"raw blocks / recount: {sizes['raw blocks'] / written:.1f} (aim: 30 on long captures)")
    best = sizes["raw blocks, zstd -19 --long=27"]
    print(f"recount / raw blocks, zstd -19 --long=27: {written / best:.2f} (aim: below 0.5)")
    print("x recount: bytes per value over recount's")
