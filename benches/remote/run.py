"""What another machine costs the recorder: bytes, round trips, CPU; and a thousand machines.

    python3 benches/remote/run.py [--target DIR] [--profile release|debug] [--servers 1000]

Builds nothing: `cargo build --release -p recount-cli --features recount-cli/remote` and
`cargo build --release -p recount-remote --example cost` come first.
"""

import argparse
import os
import resource
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

arguments = argparse.ArgumentParser()
arguments.add_argument("--target", type=Path, default=Path("target"))
arguments.add_argument("--profile", default="release")
arguments.add_argument("--servers", type=int, default=1000)
arguments.add_argument("--rounds", type=int, default=8)
arguments = arguments.parse_args()
programs = arguments.target / arguments.profile
RECOUNT, COST = programs / "recount", programs / "examples" / "cost"
NUM_SAMPLES = 60


class Counter:
    """Passes a connection on; counts bytes, and how often the side that speaks changes."""

    def __init__(self, to):
        self.to, self.bytes, self.turns, self.last = to, {"client": 0, "server": 0}, 0, None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.to)
            for side, one, other in (("client", client, server), ("server", server, client)):
                threading.Thread(target=self.pass_on, args=(side, one, other), daemon=True).start()

    def pass_on(self, side, one, other):
        while data := one.recv(65536):
            self.bytes[side] += len(data)
            if side != self.last:
                self.turns, self.last = self.turns + 1, side
            other.sendall(data)
        other.close()


def record(folder, name, *source):
    """Seconds of CPU for a log."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([RECOUNT, "record", "--quiet", "--force", "-o", folder / name, "--sync", "none", *source], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    dump, password = folder / "dump.bin", folder / "password"
    subprocess.run([COST, "dump", dump], check=True)
    password.write_text("correct horse\n")
    names = ["--names", f"{dump}.txt"]
    server = subprocess.Popen(
        [RECOUNT, "serve", dump, *names, "--user", "monitor", "--password-file", password], stdout=subprocess.PIPE, text=True
    )
    host, port = server.stdout.readline().strip().rsplit(":", 1)
    try:
        len_block = os.path.getsize(dump) / 120
        user = ["--user", "monitor", "--password-file", password]
        for via in ("pcq", "registry"):
            figures = []
            for num_samples in (10, 10 + NUM_SAMPLES):
                counter = Counter((host, int(port)))
                options = ["--host", counter.address, "--via", via, *user, "--interval", "20ms", "--count", str(num_samples)]
                cpu = record(folder, f"{via}.rcap", *options)
                figures.append((sum(counter.bytes.values()), counter.turns, cpu))
            # Connecting, and what is asked once, is in both.
            each = [(second - first) / NUM_SAMPLES for first, second in zip(*figures)]
            print(f"{via}: {each[0]:.0f} bytes a sample, {each[0] / len_block:.2f} of its block; {each[1] / 2:.2f} round trips;")
            print(f"    {each[2] * 1000:.2f} ms of CPU a sample; {figures[0][0]} bytes and {figures[0][2]:.2f} s with the first 10")
        cpus = [record(folder, "local.rcap", "--source", dump, *names, "--count", str(n), "--interval", "20ms") for n in (10, 10 + NUM_SAMPLES)]
        print(f"local replay: {(cpus[1] - cpus[0]) / NUM_SAMPLES * 1000:.2f} ms of CPU a sample")
    finally:
        server.terminate()
        server.wait()
subprocess.run([COST, "fleet", str(arguments.servers), str(arguments.rounds)], check=True)
