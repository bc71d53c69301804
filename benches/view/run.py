"""`recount view` over a day's capture and a 1 GB log: how long until there is something to see, and how long each look takes.

`python3 benches/view/run.py` builds what it needs, generates the inputs below target/bench-data unless they are there, and prints a table.
With --page the same is done in Chromium, too. See ../README.md.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../target")))
RECOUNT = f"{TARGET}/release/recount"
WIDTH = 600


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="*", help="captures [the generated day, and a generated log of 1 GB]")
    parser.add_argument("--zooms", type=int, default=300, help="random windows of six charts of ten series [300]")
    parser.add_argument("--page", action="store_true", help="measures the page in Chromium, too: once the tests of the viewer have installed what drives it")
    parser.add_argument("--no-build", action="store_true", help="measures the program as it is")
    return parser.parse_args()


def generated(name, example, *more):
    path = f"{TARGET}/bench-data/{name}"
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run([f"{TARGET}/release/examples/{example}", path, *more], check=True, stdout=subprocess.DEVNULL)
    return path


class Server:
    """A viewer, and what is asked of it as its page asks."""

    def __init__(self, capture):
        self.begun = time.monotonic()
        self.child = subprocess.Popen([RECOUNT, "view", "--no-open", "-q", capture], stdout=subprocess.PIPE, text=True)
        self.port, self.token = re.match(r"http://127\.0\.0\.1:(\d+)/(\w+)/", self.child.stdout.readline()).groups()
        self.local = threading.local()

    def ask(self, name, body=None):
        """An answer, over a connection that stays open until the server closes it, because it is idle."""
        now = time.monotonic()
        if now - getattr(self.local, "used", float("-inf")) > 1:
            self.local.connection = http.client.HTTPConnection("127.0.0.1", int(self.port))
        self.local.used = now
        text = None if body is None else json.dumps(body)
        headers = {"content-type": "application/json", "origin": f"http://127.0.0.1:{self.port}"}
        self.local.connection.request("GET" if body is None else "POST", f"/{self.token}/api/{name}", text, headers)
        answer = self.local.connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{name}: {answer.status} {said[:200]}")
        return said

    def memory(self):
        """The highest resident set, and the anonymous memory of now, in MB: the rest are pages of the mapped file."""
        with open(f"/proc/{self.child.pid}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        return [int(status[key].split()[0]) * 1024 / 1e6 for key in ("VmHWM", "RssAnon")]

    def end(self):
        self.child.terminate()
        self.child.wait()


class Look:
    """Six charts of ten series, which are asked for at once, a request per object, six at a time as a browser does."""

    def __init__(self, server, capture, rows, dice):
        self.server, self.rows, self.dice = server, rows, dice
        self.begin, self.end = capture["begin_ms"], capture["end_ms"]
        self.paths = [path for side in capture["sides"][:1] for path in paths_of(side)]
        self.charts = [[{"side": 0, "path": path} for path in self.dice.sample(self.paths, 10)] for _ in range(6)]
        self.pool = concurrent.futures.ThreadPoolExecutor(6)

    def window(self):
        """From the whole to a minute, each scale as often."""
        length = (self.end - self.begin) * 10 ** (-3.2 * self.dice.random())
        begin = self.begin + self.dice.random() * (self.end - self.begin - length)
        return begin, begin + length

    def picture(self, charts, window, wait=False):
        """Seconds until all charts have points, and whether these are exact."""
        begun = time.perf_counter()
        objects = {}
        for series in (one for chart in charts for one in chart):
            objects.setdefault(object_of(series["path"]), []).append(series)
        asked = [{"from": window[0], "to": window[1], "width": WIDTH, "series": series, "wait": wait} for series in objects.values()]
        answers = list(self.pool.map(lambda body: self.server.ask("points", body), asked))
        seconds = time.perf_counter() - begun
        return seconds, all(one["exact"] for answer in answers for one in json.loads(answer)["series"])

    def zooms(self, what, num):
        """First pictures of random windows; of some, exact ones, too, which the page asks for once it rests."""
        first, exact = [], []
        for number in range(num):
            # Other charts now and then, so that nothing stays warm.
            if number % 50 == 0:
                self.charts = [[{"side": 0, "path": path} for path in self.dice.sample(self.paths, 10)] for _ in range(6)]
            window = self.window()
            seconds, is_exact = self.picture(self.charts, window)
            first.append(seconds)
            if number % 20 == 10:
                exact.append(seconds if is_exact else seconds + self.picture(self.charts, window, wait=True)[0])
        self.rows.add(f"{what}: first picture", first, "100 / 250")
        if exact:
            self.rows.add(f"{what}: exact, of {len(exact)} windows", exact)

    def unseen(self, what, num):
        """Series that nobody asked for yet, over everything."""
        taken = []
        for path in self.dice.sample(self.paths, num):
            taken.append(self.picture([[{"side": 0, "path": path}]], (self.begin, self.end))[0])
        self.rows.add(what, taken, "300")

    def steps(self, num):
        """The time machine: a jump somewhere, then steps from there."""
        jumps, steps = [], []
        for _ in range(max(1, num // 10)):
            at, step = self.begin + self.dice.random() * (self.end - self.begin), 0
            for _ in range(10):
                begun = time.perf_counter()
                answer = self.server.ask("instances", {"side": 0, "object": "Process", "at": at, "step": step})
                (steps if step else jumps).append(time.perf_counter() - begun)
                at, step = json.loads(answer)["time_ms"] + 0.002, 1
        self.rows.add("time machine: a jump", jumps)
        self.rows.add("time machine: a step", steps, "50")

    def tops(self, num):
        """Who it was, in random windows."""
        taken = []
        for _ in range(num):
            begin, end = self.window()
            begun = time.perf_counter()
            self.server.ask("top", {"side": 0, "object": "Process", "counter": "% Processor Time", "from": begin, "to": end, "limit": 30})
            taken.append(time.perf_counter() - begun)
        self.rows.add("top of a window, and of the one before", taken)


class Rows:
    def __init__(self):
        print(f"{'what':<62} {'median':>8} {'p99':>8}  aim")

    def add(self, what, seconds, aim=""):
        """In milliseconds: the median and the 99th percentile, which of few is the largest."""
        ordered = sorted(seconds)
        last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        few = f"{last * 1e3:>8.0f}" if len(ordered) > 1 else " " * 8
        print(f"{what:<62} {statistics.median(ordered) * 1e3:>8.0f} {few}  {aim}", flush=True)


def object_of(path):
    """What the page asks for together."""
    return path.split("(")[0] if "(" in path else path.rsplit("\\", 1)[0]


def paths_of(side):
    """The paths of all series of a side."""
    for thing in side["objects"]:
        for instance in thing["instances"]:
            name = f"({instance['name']})" if thing["instanced"] else ""
            for counter in thing["counters"]:
                yield f"\\{thing['name']}{name}\\{counter['name']}"


def measure(path, num_zooms):
    print(f"\n{os.path.basename(path)}, {os.path.getsize(path) / 1e6:,.0f} MB, {os.cpu_count()} threads")
    rows = Rows()
    server = Server(path)
    try:
        rows.add("address printed", [time.monotonic() - server.begun])
        capture = json.loads(server.ask("capture"))
        look = Look(server, capture, rows, random.Random(20261122))
        charts = [chart["series"] for chart in capture["overview"]]
        look.picture(charts, (look.begin, look.end))
        rows.add(f"points of the first {len(charts)} charts", [time.monotonic() - server.begun], "1000")
        look.zooms("zoom while it is being counted", min(10, num_zooms))
        look.unseen("unseen series over everything, while it is being counted", 10)
        while json.loads(server.ask("progress"))["state"] != "done":
            time.sleep(0.1)
        rows.add("all counted", [time.monotonic() - server.begun])
        look.paths = list(paths_of(json.loads(server.ask("capture"))["sides"][0]))
        print(f"{len(look.paths):,} series")
        look.zooms("zoom", num_zooms)
        look.unseen("unseen series over everything", 50)
        look.steps(200)
        look.tops(30)
        peak, anonymous = server.memory()
        print(f"memory: resident {peak:.0f} MB at the highest, anonymous {anonymous:.0f} MB (aim: 1,000)")
    finally:
        server.end()


def main():
    options = arguments()
    if not options.no_build:
        build = ["cargo", "build", "--release", "--locked", "-q"]
        subprocess.run([*build, "-p", "recount-cli", "--bin", "recount"], check=True)
        subprocess.run([*build, "-p", "recount-bench", "--example", "generate-rcap", "--example", "generate-blg"], check=True)
    inputs = options.inputs or [
        generated("day-86400.rcap", "generate-rcap", "--samples", "86400"),
        generated("objects-1GB.blg", "generate-blg", "--size", "1GB", "--flavour", "objects", "--seed", "1"),
    ]
    for path in inputs:
        measure(path, options.zooms)
        if options.page:
            script = [f"{HERE}/page.mjs", RECOUNT, path, str(min(options.zooms, 100))]
            subprocess.run(["node", *script], check=True, env={"RECOUNT_BROWSER": f"{TARGET}/browser", **os.environ})


if __name__ == "__main__":
    sys.exit(main())
