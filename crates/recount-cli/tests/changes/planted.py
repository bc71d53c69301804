"""Series with planted changes, and how well somebody found them."""

import numpy as np

NUM_VALUES = 400
# A place counts as found within so many values.
MARGIN = 8


def noise(random, memory, size=1.0):
    """Autoregressive, of the given deviation."""
    values = random.normal(0, size * np.sqrt(1 - memory * memory), NUM_VALUES)
    values[0] /= np.sqrt(1 - memory * memory)
    for at in range(1, NUM_VALUES):
        values[at] += memory * values[at - 1]
    return values


def places(random, number):
    while True:
        found = np.sort(random.integers(30, NUM_VALUES - 30, number))
        if np.all(np.diff(found) >= 35):
            return found


def stepped(random, number, least=2.0, most=8.0):
    values, level = np.zeros(NUM_VALUES), 0.0
    found = places(random, number)
    for first in found:
        level += random.choice([-1, 1]) * random.uniform(least, most)
        values[first:] = level
    return values, list(found)


def spikes(random):
    values = np.zeros(NUM_VALUES)
    for at in random.integers(5, NUM_VALUES - 5, random.integers(1, 8)):
        values[at : at + random.integers(1, 3)] += random.uniform(8, 40)
    return values


def season(random):
    period, phase = random.uniform(20, 100), random.uniform(0, 7)
    angle = 2 * np.pi * np.arange(NUM_VALUES) / period + phase
    return random.uniform(2, 5) * (np.sin(angle) + random.uniform(0, 0.4) * np.sin(2 * angle))


def ramp(random):
    first, last = np.sort(random.integers(60, NUM_VALUES - 60, 2))
    if last - first < 60:
        return ramp(random)
    rise = random.choice([-1, 1]) * random.uniform(10, 30)
    values = np.clip((np.arange(NUM_VALUES) - first) / (last - first), 0, 1) * rise
    return values, [first, last]


def trend(random):
    return np.linspace(0, random.choice([-1, 1]) * random.uniform(5, 40), NUM_VALUES)


def burst(random):
    first = random.integers(40, NUM_VALUES - 80)
    last = first + random.integers(12, 40)
    values = np.zeros(NUM_VALUES)
    values[first:last] = random.uniform(4, 20)
    return values, [first, last]


def louder(random):
    """Levels whose noise grows with them."""
    first = random.integers(80, NUM_VALUES - 80)
    values = noise(random, 0.2)
    values[first:] = 12 + 5 * values[first:]
    return values, [first]


def series(seed, each):
    """Name of the kind, values, places; `each` of every kind."""
    random = np.random.default_rng(seed)
    none = lambda values: (values, [])
    kinds = {
        "noise": lambda: none(noise(random, 0.0)),
        "correlated noise": lambda: none(noise(random, random.uniform(0.3, 0.8))),
        "heavy tails": lambda: none(random.standard_t(2.5, NUM_VALUES)),
        "steps": lambda: with_noise(random, stepped(random, random.integers(1, 4)), 0.0),
        "steps in correlated noise": lambda: with_noise(random, stepped(random, random.integers(1, 3), 4, 10), 0.5),
        "steps and spikes": lambda: with_noise(random, stepped(random, random.integers(1, 3)), 0.0, spikes(random)),
        "spikes": lambda: with_noise(random, none(spikes(random)), 0.0),
        "trend": lambda: with_noise(random, none(trend(random)), 0.2),
        "trend and step": lambda: with_noise(random, stepped(random, 1, 5, 10), 0.0, trend(random)),
        "ramp": lambda: with_noise(random, ramp(random), 0.0),
        "season": lambda: with_noise(random, none(season(random)), 0.0),
        "season and step": lambda: with_noise(random, stepped(random, 1, 5, 10), 0.0, season(random)),
        "burst": lambda: with_noise(random, burst(random), 0.2),
        "louder": lambda: louder(random),
    }
    return [(name, *make()) for name, make in kinds.items() for _ in range(each)]


def with_noise(random, planted, memory, more=0.0):
    values, found = planted
    return values + more + noise(random, memory), found


def margin(name):
    """Where a ramp bends is less exact."""
    return 4 * MARGIN if name == "ramp" else MARGIN


def counted(truth, found, margin):
    """Found, false, missed: each place at most once."""
    left, hits = list(found), 0
    for place in truth:
        near = [other for other in left if abs(other - place) <= margin]
        if near:
            left.remove(min(near, key=lambda other: abs(other - place)))
            hits += 1
    return np.array([hits, len(left), len(truth) - hits])


def f1(counts):
    hits, false, missed = counts
    return 2 * hits / max(1, 2 * hits + false + missed)
