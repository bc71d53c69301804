"""Faults to inject: each is a function that runs until it is ended, in a process named after it.

Of each, patterns of counters that say it: the guilty counter, or another that shows the same thing.
"""

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
# On a disk, which /tmp may not be.
FOLDER = os.environ.get("RECOUNT_FAULTS_FOLDER", "/var/tmp")


def spin(_):
    while True:
        pass


def spin_twice(folder):
    if os.fork() == 0:
        spin(folder)
    spin(folder)


def write_disk(folder):
    block = os.urandom(4 * MIB)
    while True:
        with open(os.path.join(folder, "written"), "wb") as file:
            for _ in range(50):
                file.write(block)
                file.flush()
                os.fsync(file.fileno())


def sync_often(folder):
    with open(os.path.join(folder, "synced"), "wb") as file:
        while True:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())


def dirty_pages(folder):
    block = os.urandom(4 * MIB)
    with open(os.path.join(folder, "dirty"), "wb") as file:
        for _ in range(100):
            file.write(block)
            file.flush()
            time.sleep(0.01)
    time.sleep(60)


def read_disk(folder):
    path = os.path.join(folder, "read")
    with open(path, "wb") as file:
        for _ in range(64):
            file.write(os.urandom(4 * MIB))
        file.flush()
        os.fsync(file.fileno())
    print("ready", flush=True)
    while True:
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while file.read(MIB):
                pass


def take_memory(_):
    held = []
    for _ in range(30):
        held.append(bytearray(os.urandom(1)) * (64 * MIB))
        time.sleep(0.05)
    time.sleep(60)


def leak_memory(_):
    held = []
    while True:
        held.append(b"\1" * (24 * MIB))
        time.sleep(0.1)


def fill_shared_memory(_):
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        for _ in range(300):
            file.write(b"\1" * (4 * MIB))
        file.flush()
        time.sleep(60)


def fault_pages(_):
    import mmap

    while True:
        with mmap.mmap(-1, 8 * MIB) as pages:
            for at in range(0, 8 * MIB, 4096):
                pages[at] = 1


def contend(_):
    lock = threading.Condition()

    def turn(own):
        while True:
            with lock:
                lock.notify_all()
                lock.wait()

    for own in range(8):
        threading.Thread(target=turn, args=(own,), daemon=True).start()
    while True:
        with lock:
            lock.notify_all()


def ping_pong(_):
    (a, b), (c, d) = os.pipe(), os.pipe()
    if os.fork() == 0:
        while True:
            os.read(a, 1)
            os.write(d, b"x")
    while True:
        os.write(b, b"x")
        os.read(c, 1)


def wake_often(_):
    def wake():
        while True:
            time.sleep(0.00005)

    for _ in range(3):
        threading.Thread(target=wake, daemon=True).start()
    wake()


def fork_storm(_):
    while True:
        if os.fork() == 0:
            os._exit(0)
        os.wait()


def run_storm(_):
    while True:
        subprocess.run(["/bin/true"], check=True)


def thread_storm(_):
    threading.stack_size(64 * 1024)
    for _ in range(1500):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    time.sleep(60)


def many_processes(_):
    for _ in range(150):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    time.sleep(60)


def leak_files(_):
    import resource

    most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 60_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = []
    while len(held) < most - 100:
        held.append(os.open("/dev/null", os.O_RDONLY))
    time.sleep(60)


def leak_sockets(_):
    server = socket.create_server(("127.0.0.1", 0), backlog=4000)
    held = []
    for _ in range(400):
        held.append(socket.create_connection(server.getsockname()))
        held.append(server.accept()[0])
    time.sleep(60)


def small_files(folder):
    number = 0
    while True:
        number += 1
        with open(os.path.join(folder, f"small-{number % 5000}"), "wb") as file:
            file.write(b"x" * 100)
        if number >= 5000:
            os.unlink(os.path.join(folder, f"small-{(number + 1) % 5000}"))


def udp_flood(_):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    address = server.getsockname()

    def receive():
        while True:
            server.recv(2000)

    threading.Thread(target=receive, daemon=True).start()
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        client.sendto(b"x" * 1400, address)


def udp_overflow(_):
    """Nobody receives: the kernel drops what doesn't fit."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        client.sendto(b"x" * 1400, server.getsockname())


def tcp_traffic(_):
    server = socket.create_server(("127.0.0.1", 0))

    def receive():
        connection = server.accept()[0]
        while connection.recv(MIB):
            pass

    threading.Thread(target=receive, daemon=True).start()
    client = socket.create_connection(server.getsockname())
    while True:
        client.sendall(b"x" * MIB)
        time.sleep(0.01)


def connect_storm(_):
    server = socket.create_server(("127.0.0.1", 0), backlog=1000)
    address = server.getsockname()

    def accept():
        while True:
            server.accept()[0].close()

    threading.Thread(target=accept, daemon=True).start()
    while True:
        socket.create_connection(address).close()


def refused_storm(_):
    """Nobody listens."""
    while True:
        with socket.socket() as client:
            client.connect_ex(("127.0.0.1", 9))


def throttled(_):
    """Wants two processors and may have a tenth of one."""
    group = f"/sys/fs/cgroup/cpu/recount-fault-{os.getpid()}"
    os.mkdir(group)
    for name, value in [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "10000"), ("tasks", str(os.getpid()))]:
        with open(os.path.join(group, name), "w") as file:
            file.write(value)
    spin_twice(None)


def pipe_bytes(_):
    a, b = os.pipe()
    if os.fork() == 0:
        while os.read(a, 65536):
            pass
    while True:
        os.write(b, b"x" * 65536)


PROCESSOR = [r"\\Processor.*\\% (Processor|User|Privileged) Time", r"\\System\\(Processor Queue|Runnable)", r"CPU Pressure"]
SWITCHES = [r"\\System\\Context Switches", r"\\Processor.*\\(Interrupts|Context)", r"Context Switches"]
DISK_WRITES = [r"Disk\(.*\\.*(Write|Transfer|Disk Bytes|Disk Time|Queue|Idle|Flush)", r"IO Pressure", r"IO Wait"]
# Kind, function, patterns of paths that say it; a process of this name always does.
FAULTS = {
    "spin": (spin, PROCESSOR),
    "spin-twice": (spin_twice, PROCESSOR),
    "write-disk": (write_disk, DISK_WRITES),
    "sync-often": (sync_often, DISK_WRITES),
    "dirty-pages": (dirty_pages, [r"\\Memory\\.*(Dirty|Cache|Writeback|Inactive|Modified)", *DISK_WRITES]),
    "read-disk": (read_disk, [r"Disk\(.*\\.*(Read|Transfer|Disk Bytes|Disk Time|Queue|Idle)", r"IO Pressure", r"IO Wait"]),
    "take-memory": (take_memory, [r"\\Memory\\.*(Available|Anonymous|Committed|Free|% )"]),
    "leak-memory": (leak_memory, [r"\\Memory\\.*(Available|Anonymous|Committed|Free|% )"]),
    "shared-memory": (fill_shared_memory, [r"\\Memory\\.*(Shared|Available|Cache|Free|Committed)", r"LogicalDisk\(.*shm.*\\.*(Free|Used)"]),
    "fault-pages": (fault_pages, [r"\\Memory\\.*Fault"]),
    "contend": (contend, SWITCHES),
    "ping-pong": (ping_pong, SWITCHES),
    "wake-often": (wake_often, SWITCHES),
    "fork-storm": (fork_storm, [r"\\System\\.*(Processes|Threads) Created", r"\\Memory\\.*(Fault|Zero|Copies)"]),
    "run-storm": (run_storm, [r"\\System\\.*(Processes|Threads) Created", r"\\Memory\\.*(Fault|Zero|Copies)"]),
    "thread-storm": (thread_storm, [r"\\System\\Threads", r"Thread Count"]),
    "many-processes": (many_processes, [r"\\System\\(Processes|Threads)"]),
    "leak-files": (leak_files, [r"Open Files", r"Handle Count"]),
    "leak-sockets": (leak_sockets, [r"TCP.*\\.*(Connections|Sockets)", r"Socket", r"Open Files"]),
    "small-files": (small_files, [r"Inode", r"\\Memory\\.*(Slab|Dentr)", r"\\System\\.*File", *DISK_WRITES]),
    "udp-flood": (udp_flood, [r"UDP", r"Datagram", r"Network Interface\(lo\)", r"\\IP"]),
    "udp-overflow": (udp_overflow, [r"UDP", r"Datagram", r"Network Interface\(lo\)", r"\\IP"]),
    "tcp-traffic": (tcp_traffic, [r"TCP", r"Network Interface\(lo\)", r"\\IP"]),
    "connect-storm": (connect_storm, [r"TCP", r"Network Interface\(lo\)", r"\\IP", r"Socket"]),
    "refused-storm": (refused_storm, [r"TCP", r"Network Interface\(lo\)", r"\\IP", r"Socket"]),
    "throttled": (throttled, [r"Throttl", r"recount-fault"]),
    "pipe-bytes": (pipe_bytes, [*SWITCHES, r"\\System\\File"]),
}


def main(kind, folder):
    # PR_SET_NAME, up to 15 bytes.
    ctypes.CDLL(None).prctl(15, name(kind).encode(), 0, 0, 0)
    FAULTS[kind][0](folder)


def name(kind):
    return f"rf-{kind}"[:15]


if __name__ == "__main__":
    main(*sys.argv[1:3])
