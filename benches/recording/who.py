"""Whose the processors' time is: what of it a recording of `recount record` gives to processes, in storms of short ones and under a mixed
load, beside atop's; and what that costs. See ../README.md, "Who it was". As root."""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import tools
from population import Population

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
# A process of a shell that counts for some milliseconds of processor time, then ends.
SPIN = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
WARM_UP_S = 3.5
# Before the commands of loads.
NICE = []


class Exits(tools.Recount):
    """The default: exit records and descriptions."""

    name = "recount record"


class NoExits(Exits):
    name = "--exits off --describe none"
    options = ("--exits", "off", "--describe", "none")

    def command(self):
        return [*super().command(), *self.options]


class OnlyExits(NoExits):
    name = "--describe none"
    options = ("--describe", "none")


class Nobody(Exits):
    name = "recount record, as nobody"

    def command(self):
        return [*NOBODY, *super().command()]

    def start(self):
        os.chmod(self.folder, 0o777)
        super().start()


class AtopAccounting(tools.Atop):
    """With process accounting, which it switches on: as it does by default."""

    name = "atop -w, accounting"

    def environment(self):
        return {}


def spins_per_ms():
    """How far a shell counts in a millisecond."""
    num = 400_000
    before = os.times()
    subprocess.run(["sh", "-c", SPIN.format(num)], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return num / (1000 * used)


def storm(num, per_ms, at_once=2, ends=None):
    """Shells that use 10 to 50 ms each, some at once. Returns their processor time in seconds, as the kernel gives it to who waits."""
    before = os.times()
    running, started = set(), 0
    while started < num or running:
        while started < num and len(running) < at_once and not (ends and time.monotonic() > ends):
            count = int(per_ms * (10 + started * 7 % 41))
            command = [*NICE, "sh", "-c", SPIN.format(count)]
            running.add(os.posix_spawnp(command[0], command, os.environ))
            started += 1
        if ends and time.monotonic() > ends:
            num = started
        if running:
            pid, _ = os.waitpid(-1, 0)
            running.discard(pid)
    after = os.times()
    return started, after.children_user + after.children_system - before.children_user - before.children_system


def means(log):
    """Means over a log of some counters, as shares of one processor in %, and the largest value of `Process(_Total)`."""
    command = [tools.RECOUNT, "show", log, r"\Process(_Total)\% Processor Time", r"\Processor(*)\% Processor Time", "--json"]
    series = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    of_processes = [one for one in series if "Process(_Total)" in one["path"]][0]
    busy = sum(one["mean"] for one in series if "Processor(" in one["path"] and "_Total" not in one["path"])
    return busy, of_processes["mean"], of_processes["max"]


def rest_of(log):
    """The last lines of `top --by command`: what isn't attributed, by the sum over all processes."""
    command = [tools.RECOUNT, "top", log, "--by", "command"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = [" ".join(line.split()) for line in (done.stdout + done.stderr).splitlines()]
    return "; ".join(line for line in lines if "not attributed" in line or "were started" in line or "lost" in line)


def of_atop(raw):
    """Seconds that the processors worked and that processes used, by a log of atop; without its first sample, which is since boot, and without
    the lines of threads, which have an n where processes have a y."""
    dump = subprocess.Popen(["atop", "-r", raw, "-P", "CPU,PRC"], stdout=subprocess.PIPE, text=True, errors="replace")
    busy = used = num_separators = 0
    for line in dump.stdout:
        num_separators += line.startswith("SEP")
        if num_separators == 0:
            continue
        fields = line.split()
        if fields[0] == "CPU":
            # Ticks per second, processors, system, user, nice, idle, wait, interrupts, soft ones, steal.
            ticks, _, system, user, nice, _, _, irq, soft, steal = map(int, fields[6:16])
            busy += (system + user + nice + irq + soft + steal) / ticks
        elif process := re.match(r"PRC .*?\(.*?\) [A-Z] (\d+) (\d+) (\d+) .* \d+ y ", line):
            ticks, user, system = map(int, process.groups())
            used += (user + system) / ticks
    dump.wait()
    return busy, used


def show(title, **numbers):
    shown = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in numbers.items())
    print(f"{title}: {shown}", flush=True)


def show_books(title, log, more):
    busy, used, most = means(log)
    show(
        title,
        busy=f"{busy:.2f} %",
        processes=f"{used:.2f} %",
        most=f"{most:.0f} %",
        share=f"{100 * used / busy:.2f} %",
        by_command=f"({rest_of(log)})",
        **more,
    )


def recorded(kinds, folder, load):
    """All of these record while `load` runs. Returns them, with the processor time that each used per sample in ms."""
    running = [kind(f"{folder}/{kind.__name__}") for kind in kinds]
    try:
        for tool in running:
            tool.start()
        time.sleep(WARM_UP_S)
        begun, before = time.monotonic(), [tool.cpu_ns() for tool in running]
        result = load()
        time.sleep(1.5)
        for tool in running:
            tool.stop()
        elapsed = time.monotonic() - begun
        costs = [(tool.cpu_ns() - cpu) / 1e6 / elapsed for tool, cpu in zip(running, before)]
    finally:
        for tool in running:
            tool.close()
    return running, costs, result


def measure(kinds, options, folder, load):
    """All record at once, so that they see the same."""
    running, costs, said = recorded(kinds, folder, load)
    for tool, cost in zip(running, costs):
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            for path in tool.files():
                shutil.copy(path, f"{options.keep}/{options.what}-{type(tool).__name__}{os.path.splitext(path)[1]}")
        more = {"recorder": f"{cost:.1f} ms of CPU per s", "load": said}
        if isinstance(tool, tools.Atop):
            busy, used = of_atop(tool.files()[0])
            show(tool.name, busy_s=round(busy, 1), processes_s=round(used, 1), share=f"{100 * used / busy:.2f} %", **more)
        else:
            show_books(tool.name, tool.files()[0], more)


def measure_storm(options, folder):
    """Short processes only."""
    per_ms = spins_per_ms()

    def load():
        num, used = storm(options.processes_of_storm, per_ms)
        return f"{num} processes, {used:.1f} s of CPU"

    measure([Exits, Nobody, AtopAccounting, tools.Atop], options, f"{folder}/storm", load)


def python(text):
    return subprocess.Popen([*NICE, sys.executable, "-c", text], start_new_session=True)


def mixed_load(seconds, per_ms, folder):
    """A burner, a leaker, a writer, namespaces, and storms that come and go."""
    end = time.monotonic() + seconds
    pause = "import time\nwhile True:\n    e = time.time() + 20\n    while time.time() < e: pass\n    time.sleep(20)"
    leak = "import time\nkept = []\nwhile True:\n    kept.append(bytearray(1 << 20))\n    time.sleep(1)"
    write = f"dd if=/dev/zero of={folder}/written bs=1M count=200 conv=fsync 2>/dev/null; sleep 5"
    inside = f"while true; do {SPIN.format(int(100 * per_ms))}; sleep 0.3; done"
    shells = [
        f"while true; do {write}; done",
        f"exec unshare --pid --mount-proc --fork sh -c '{inside}'",
    ]
    started = [python(pause), python(leak)]
    started += [subprocess.Popen([*NICE, "sh", "-c", shell], start_new_session=True) for shell in shells]
    num = 0
    try:
        while time.monotonic() < end:
            num += storm(10**9, per_ms, ends=min(end, time.monotonic() + 30))[0]
            time.sleep(max(0, min(30, end - time.monotonic())))
    finally:
        for one in started:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()
    return f"{num} processes in storms"


def measure_mixed(options, folder):
    """Everything."""
    per_ms = spins_per_ms()
    measure([Exits, NoExits, AtopAccounting], options, f"{folder}/mixed", lambda: mixed_load(options.seconds, per_ms, folder))


def measure_cost(options, folder):
    """Processor time per sample with 300 processes of which some do a little, in turns."""
    kinds = [NoExits, OnlyExits, Exits]
    found = {kind.name: [] for kind in kinds}
    with Population(300):
        for round_ in range(options.rounds):
            turn = round_ % len(kinds)
            for kind in kinds[turn:] + kinds[:turn]:
                _, (cost,), _ = recorded(
                    [kind], f"{folder}/cost-{round_}-{kind.__name__}", lambda: time.sleep(options.seconds)
                )
                found[kind.name].append(cost)
    for name, costs in found.items():
        ratios = [cost / base for cost, base in zip(costs, found[NoExits.name])]
        show(
            name,
            ms_per_sample=f"{statistics.median(costs):.2f} ({min(costs):.2f} to {max(costs):.2f})",
            ratio=f"{statistics.median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})",
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["storm", "mixed", "cost"])
    parser.add_argument("--processes-of-storm", default=10_000, type=int, metavar="N", help="[10000]")
    parser.add_argument("--seconds", type=int, metavar="N", help="of mixed load [720], of each measurement of cost [30]")
    parser.add_argument("--rounds", default=5, type=int, metavar="N", help="of cost [5]")
    parser.add_argument("--keep", metavar="DIR", help="keeps the logs here")
    parser.add_argument("--nice", action="store_true", help="the loads give way to other programs")
    options = parser.parse_args()
    NICE.extend(["nice", "-n", "10"] if options.nice else [])
    options.seconds = options.seconds or {"mixed": 720, "cost": 30}.get(options.what)
    base = f"{tools.TARGET}/bench-data"
    os.makedirs(base, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix="who-") as folder:
        os.chmod(folder, 0o755)
        {"storm": measure_storm, "mixed": measure_mixed, "cost": measure_cost}[options.what](options, folder)


if __name__ == "__main__":
    main()
