"""What processes cost: CPU time and memory, from /proc."""

import os
import resource
import subprocess

LEN_PAGE = resource.getpagesize()
NS_PER_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


def pids():
    """All processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def tree(root):
    """A process and all that descend from it."""
    parents = {}
    for pid in pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                parents[pid] = int(file.read().rsplit(b")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            pass
    found = [root]
    for parent in found:
        found += [pid for pid, of in parents.items() if of == parent]
    return found


def cpu_ns(pid):
    """CPU time of the threads that a process has now, in ns, as the scheduler counts it."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
        except FileNotFoundError:
            # A kernel without it counts ticks.
            with open(f"/proc/{pid}/task/{thread}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) * NS_PER_TICK
    return total


def peak_bytes(pid):
    """The most memory that was resident at a time, pages of files included."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def machine_busy_ns():
    """CPU time that anybody used, and that the hypervisor took."""
    with open("/proc/stat") as file:
        times = [int(field) for field in file.readline().split()[1:9]]
    user, nice, system, _idle, _wait, irq, soft, steal = times
    return (user + nice + system + irq + soft) * NS_PER_TICK, steal * NS_PER_TICK


class Child:
    """A program that was started here, whose resources are taken when it ends."""

    def __init__(self, command, folder, env=None):
        log = open(os.path.join(folder, os.path.basename(command[0]) + ".out"), "w+")
        self.name, self.log, self.usage, self.status = command[0], log, None, None
        self.own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        environment = dict(os.environ, **(env or {}))
        self.popen = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment
        )
        self.pid = self.popen.pid

    def is_running(self):
        return self.status is None and not os.waitid(
            os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT
        )

    def stop(self, signal, allowed=(0,)):
        """Ends it and waits for it."""
        if self.status is None:
            if self.is_running():
                os.kill(self.pid, signal)
            _, status, self.usage = os.wait4(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)
            self.popen.returncode = self.status
        if self.status not in allowed:
            raise RuntimeError(f"{self.name} ended with {self.status}: {self.output()}")

    def output(self):
        self.log.seek(0)
        return self.log.read()

    def cpu_ns(self):
        """All CPU time of a program that has ended."""
        return int((self.usage.ru_utime + self.usage.ru_stime) * 1e9)

    def peak_bytes(self):
        """Peak memory of a program that has ended; 0 if it can't be told from this process's, which it inherits."""
        peak = self.usage.ru_maxrss * 1024
        return peak if peak > self.own_peak else 0
