"""A service under an open load: requests come whether it keeps up or not, and each one writes its record.

    shop SECONDS SEED WORK SWING

WORK is what a request costs, in thousands of steps; SWING is the standard deviation of the logarithm of the rate.
The load wanders like real load does: what it is now, it will mostly be in a second. So samples of it are not independent,
which is what `two-builds.ipynb` is about. The counter of write calls counts requests, as each writes once.
"""

import math
import random
import sys
import time

RATE = 60.0  # requests per second, on average
MEMORY = 1.5  # seconds after which the load has forgotten most of what it was


def main():
    seconds, work, swing = float(sys.argv[1]), float(sys.argv[3]), float(sys.argv[4])
    source = random.Random(int(sys.argv[2]))
    begin = due = time.monotonic()
    mood = source.gauss(0, swing)
    with open("shop.log", "ab", buffering=0) as log:
        while due - begin < seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            log.write(b"request %d\n" % serve(int(work * 1000)))
            step = source.expovariate(RATE * math.exp(mood - swing * swing / 2))
            keep = math.exp(-step / MEMORY)
            mood = mood * keep + source.gauss(0, swing * math.sqrt(1 - keep * keep))
            due += step


def serve(steps):
    state = 1
    for _ in range(steps):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return state


main()
