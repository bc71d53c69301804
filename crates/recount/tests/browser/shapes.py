"""Made-up courses of values: what load on a machine looks like, from a seed."""

import math
import random


def bursts(seed, num, low, high, period=300, width=60):
    rng = random.Random(str(seed))
    values, shift = [], rng.random() * period
    for k in range(num):
        busy = ((k + shift) % period) < width
        level = high if busy else low
        values.append(max(0.0, level * (1 + 0.25 * rng.gauss(0, 1)) + 0.05 * high * math.sin(k / 40)))
    return values


def walk(seed, num, begin, step, floor=0.0):
    rng = random.Random(str(seed))
    value, values = begin, []
    for _ in range(num):
        value = max(floor, value + rng.gauss(0, step))
        values.append(value)
    return values


def leak(seed, num, begin, end):
    rng = random.Random(str(seed))
    return [begin + (end - begin) * (k / num) ** 1.2 + rng.gauss(0, abs(end - begin) / 200) for k in range(num)]


def spikes(seed, num, low, high, chance=0.01):
    rng = random.Random(str(seed))
    return [high * rng.uniform(0.5, 1) if rng.random() < chance else low * rng.uniform(0.6, 1.4) for _ in range(num)]


def capped(values, top):
    return [min(top, v) for v in values]


def holed(values, holes):
    """None in each (from, to) of indices."""
    values = list(values)
    for begin, end in holes:
        values[begin:end] = [None] * (end - begin)
    return values


def stretches(values, limit):
    """(from, to) of indices where values are above a limit."""
    found, begin = [], None
    for k, value in enumerate(values + [None]):
        above = value is not None and value > limit
        if above and begin is None:
            begin = k
        if not above and begin is not None:
            found.append((begin, k - 1))
            begin = None
    return found
