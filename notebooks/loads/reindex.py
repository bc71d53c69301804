"""The job that nobody told the operators of: a core, memory that only grows, and a disk that is kept busy.

    reindex SECONDS
"""

import os
import sys
import time

MEMORY_PER_SECOND = 40_000_000
WRITES_PER_SECOND = 40_000_000
LEN_PIECE = 1 << 20


def main():
    seconds = float(sys.argv[1])
    begin = time.monotonic()
    kept, num_written = [], 0
    piece = os.urandom(LEN_PIECE)
    with open("index.tmp", "wb", buffering=0) as index:
        while (elapsed := time.monotonic() - begin) < seconds:
            sum(number * number for number in range(20_000))
            if len(kept) * LEN_PIECE < elapsed * MEMORY_PER_SECOND:
                kept.append(bytearray(piece))
            if num_written < elapsed * WRITES_PER_SECOND:
                num_written += index.write(piece)
                # Each piece at once, so that the disk is kept busy evenly.
                os.fdatasync(index.fileno())
                if num_written % (64 * LEN_PIECE) == 0:
                    index.seek(0)


main()
