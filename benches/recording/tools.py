"""The recorders: how each is started and stopped, and how what it wrote is counted."""

import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from processes import Child, cpu_ns, peak_bytes, tree

TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(os.path.dirname(__file__), "../../target"))
TARGET = os.path.abspath(TARGET)
RECOUNT = f"{TARGET}/release/recount"
EXAMPLES = f"{TARGET}/release/examples"


class Tool:
    """A program that takes a sample every second."""

    name = ""
    end_signal = signal.SIGTERM
    allowed_status = (0,)

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.child = None
        self.helpers = []

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def start(self):
        self.child = Child(self.command(), self.folder, self.environment())

    def cpu_ns(self):
        """So far, helpers included."""
        own = self.child.cpu_ns() if self.child.status is not None else cpu_ns(self.child.pid)
        return own + sum(cpu_ns(pid) for pid in self.helpers)

    def peak_bytes(self):
        own = self.child.peak_bytes() if self.child.status is not None else peak_bytes(self.child.pid)
        return own + sum(peak_bytes(pid) for pid in self.helpers)

    def stop(self):
        """Ends the recorder; its helpers go on until `close`."""
        self.child.stop(self.end_signal, self.allowed_status)

    def close(self):
        """Ends whatever still runs."""
        if self.child and self.child.status is None:
            self.child.stop(signal.SIGKILL, allowed=(0, -signal.SIGKILL))

    def files(self):
        """What it wrote."""
        return []

    def num_samples_and_values(self):
        raise NotImplementedError

    def len_bytes(self):
        return sum(os.path.getsize(path) for path in self.files())


class Recount(Tool):
    """Default profile and settings. Values: raw values of the instances, without bases and without `_Total`."""

    name = "recount record"

    def command(self):
        return [RECOUNT, "record", "-q", "-f", "-i", "1s", "-o", "capture.rcap"]

    def files(self):
        return [f"{self.folder}/capture.rcap"]

    def numbers(self, raw=None):
        command = [f"{EXAMPLES}/capture-numbers", *self.files()] + (["--raw", raw] if raw else [])
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def num_samples_and_values(self):
        numbers = self.numbers()
        return numbers["samples"], numbers["own_values"]


class ReadLoop(Tool):
    """Reads the same files the same way, and does nothing with them."""

    name = "read loop"
    options = ()
    allowed_status = (0, -signal.SIGTERM)

    def command(self):
        return [f"{EXAMPLES}/read-proc", "--samples", "1000000", *self.options]

    def num_samples_and_values(self):
        return None, None


class ReopenLoop(ReadLoop):
    """The same, but opens, reads and closes each file every time."""

    name = "read loop, reopening"
    options = ("--reopen",)


class Pcp(Tool):
    """pmlogger with pmcd and its agents. Values: as pmdumplog shows them."""

    name = "pmlogger (PCP)"
    agents = {"proc": (3, "proc/pmdaproc -d 3"), "linux": (60, "linux/pmdalinux")}

    def start(self):
        config = "root 1 pipe binary /var/lib/pcp/pmdas/root/pmdaroot\n"
        for name, (domain, command) in self.agents.items():
            config += f"{name} {domain} pipe binary /var/lib/pcp/pmdas/{command}\n"
        with open(f"{self.folder}/pmcd.conf", "w") as file:
            file.write(config)
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copy(f"{here}/pmlogger.conf", self.folder)
        # A name space of these agents only, so that nothing of the system's own is touched.
        names = [f"/var/lib/pcp/pmns/root_{name}" for name in ("root", "pmcd", "linux", "proc")]
        subprocess.run(["/usr/lib/pcp/bin/pmnsmerge", "-f", *names, f"{self.folder}/pmns"], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        daemon = ["/usr/lib/pcp/bin/pmcd", "-f", "-U", "root", "-i", "127.0.0.1", "-p", str(self.port)]
        daemon += ["-n", "pmns", "-c", "pmcd.conf", "-l", "pmcd.log", "-s", f"{self.folder}/pmcd.socket"]
        self.daemon = Child(daemon, self.folder)
        self.wait_for_agents()
        self.helpers = tree(self.daemon.pid)
        super().start()

    def host(self):
        # Through the socket pmcd learns who asks, without which it tells nothing of processes.
        return f"unix://{self.folder}/pmcd.socket"

    def wait_for_agents(self):
        for _ in range(100):
            time.sleep(0.1)
            asked = ["pminfo", "-h", self.host(), "-f", "proc.nprocs", "kernel.all.uptime"]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
            if answer.count("    value") == 2:
                return
        raise RuntimeError(f"pmcd doesn't answer: {open(f'{self.folder}/pmcd.log').read()}")

    def command(self):
        pmlogger = ["pmlogger", "-h", self.host(), "-c", "pmlogger.conf", "-l", "pmlogger.log"]
        return [*pmlogger, "-t", "1sec", "archive"]

    def close(self):
        super().close()
        if hasattr(self, "daemon"):
            agents = tree(self.daemon.pid)[1:]
            self.daemon.stop(signal.SIGTERM, allowed=(0, -signal.SIGTERM))
            for pid in agents:
                try:
                    os.kill(pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def files(self):
        # Debian's PCP starts a new volume at 100 MB.
        return sorted(glob.glob(f"{self.folder}/archive.*"))

    def num_samples_and_values(self):
        dump = subprocess.Popen(["pmdumplog", f"{self.folder}/archive"], stdout=subprocess.PIPE, text=True)
        num_values, stamps = 0, set()
        stamp = None
        for line in dump.stdout:
            if re.match(r"\d\d:\d\d:\d\d\.", line):
                stamp = line.split(".")[0]
            elif " value " in line and "pmcd.pmlogger" not in line and "(pmcd." not in line:
                num_values += 1
                stamps.add(stamp)
        if dump.wait():
            raise RuntimeError(f"pmdumplog ended with {dump.returncode}")
        return len(stamps), num_values


class Sadc(Tool):
    """sysstat's collector with all it can: nothing of processes. Values: as sadf computes them."""

    name = "sadc -S ALL"
    # It writes each sample at once; SIGINT would give it exit code 1.
    allowed_status = (0, -signal.SIGTERM)

    def command(self):
        return ["/usr/lib/sysstat/sadc", "-S", "ALL", "1", "sa.data"]

    def files(self):
        return [f"{self.folder}/sa.data"]

    def num_samples_and_values(self):
        shown = ["sadf", "-j", *self.files(), "--", "-A"]
        text = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
        statistics = json.loads(text)["sysstat"]["hosts"][0]["statistics"]
        for sample in statistics:
            sample.pop("timestamp", None)
        # The first sample isn't shown: the values are rates.
        num_values = sum(num_numbers(sample) for sample in statistics)
        num_samples = len(statistics) + 1
        return num_samples, num_values * num_samples / max(1, len(statistics))


class Atop(Tool):
    """Processes too; without process accounting, netatop and GPUs. Values: the numbers that it shows for parsing."""

    name = "atop -w"
    # It ends with the signal's number.
    allowed_status = (signal.SIGTERM,)
    # Of processes: network and GPU, which are all zeros here.
    left_out = ("PRN", "PRE", "RESET", "SEP")

    def command(self):
        return ["atop", "-w", "atop.raw", "1"]

    def environment(self):
        return {"ATOPACCT": ""}

    def files(self):
        return [f"{self.folder}/atop.raw"]

    def num_samples_and_values(self):
        shown = ["atop", "-r", *self.files(), "-P", "ALL"]
        dump = subprocess.Popen(shown, stdout=subprocess.PIPE, text=True, errors="replace")
        num_samples = num_values = 0
        for line in dump.stdout:
            label = line.split(" ", 1)[0].strip()
            num_samples += label == "SEP"
            if label not in self.left_out:
                # Label, host, epoch, date, time and interval stand before the values; names and commands in brackets.
                fields = re.sub(r"\(.*\)", "", line).split()[6:]
                num_values += sum(bool(re.fullmatch(r"-?[0-9.]+", field)) for field in fields)
        if dump.wait():
            raise RuntimeError(f"atop -r ended with {dump.returncode}")
        return num_samples, num_values


def num_numbers(value):
    """Numbers anywhere in decoded JSON."""
    if isinstance(value, dict):
        return sum(num_numbers(part) for part in value.values())
    if isinstance(value, list):
        return sum(num_numbers(part) for part in value)
    return int(isinstance(value, (int, float)) and not isinstance(value, bool))


ALL = [Recount, ReadLoop, ReopenLoop, Pcp, Sadc, Atop]
