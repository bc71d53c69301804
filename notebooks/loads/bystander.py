"""What runs on every machine, and looks guilty: one that holds much memory, or one that is busy again and again.

    NAME SECONDS MEGABYTES BUSY        BUSY: seconds of work in each two
"""

import sys
import time

PERIOD = 2.0


def main():
    seconds, megabytes, busy = map(float, sys.argv[1:])
    kept = bytearray(b"x") * int(megabytes * 1e6)
    begin = time.monotonic()
    while (elapsed := time.monotonic() - begin) < seconds:
        if elapsed % PERIOD < busy:
            kept.count(b"y", 0, 10_000)
        else:
            time.sleep(PERIOD - elapsed % PERIOD)


main()
