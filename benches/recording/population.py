"""Processes to record: as many as on a server, most of them idle, some not, some short-lived."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from processes import pids

NUM_WORKERS = 24


class Population:
    """Fills the machine up to a number of processes, for the time of a `with`."""

    def __init__(self, num_processes):
        self.num_processes = num_processes
        self.children = []

    def __enter__(self):
        if self.num_processes:
            self.children.append(subprocess.Popen([sys.executable, __file__], start_new_session=True))
            time.sleep(1.5)
        while len(pids()) < self.num_processes:
            self.children.append(subprocess.Popen(["sleep", "86400"]))
        return self

    def __exit__(self, *_):
        for child in self.children:
            try:
                # The workers are a session of their own.
                is_leader = os.getpgid(child.pid) == child.pid
                (os.killpg if is_leader else os.kill)(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()


def work(seed):
    """Now and then a little: some CPU time, some memory, some bytes written and read."""
    numbers = random.Random(seed)
    held = bytearray()
    with tempfile.TemporaryFile() as file:
        while True:
            time.sleep(numbers.uniform(0.2, 12))
            sum(range(numbers.randrange(1000, 60_000)))
            held = bytearray(numbers.randrange(1, 2 << 20))
            file.seek(numbers.randrange(0, 1 << 20))
            file.write(held[: numbers.randrange(1, 1 << 16)])
            file.flush()
            if numbers.random() < 0.1:
                subprocess.run(["sleep", str(numbers.uniform(0.1, 20))], check=False)


def main():
    for seed in range(NUM_WORKERS):
        if os.fork() == 0:
            work(seed)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
