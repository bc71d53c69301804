"""Injected faults: records the machine while something goes wrong, and asks `recount moved` what it was.

    python3 benches/faults/run.py record FOLDER [ROUNDS]    each fault so often, a small log of each
    python3 benches/faults/run.py judge FOLDER              the share of faults that the first five groups name

RECOUNT names the program (default: target/release/recount). It has to run as root for the throttled group. Every third log is kept apart:
it is reported by itself, and nothing was tuned on it.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faults import FAULTS, FOLDER, name

RECOUNT = os.environ.get("RECOUNT", "target/release/recount")
# Seconds before the fault, of it, and after it.
CALM, LASTS, AFTER = 40, 10, 3
FIRST = 5


def record(folder, rounds):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        for kind in FAULTS:
            log = folder / f"{kind}-{number}.rcap"
            if not log.exists():
                record_one(kind, log)


def record_one(kind, log):
    whole = CALM + LASTS + AFTER + 5
    recorder = subprocess.Popen([RECOUNT, "record", "--quiet", "--for", f"{whole}s", "-o", log])
    time.sleep(CALM + 1)
    room = tempfile.mkdtemp(prefix="recount-fault-", dir=FOLDER)
    begin = time.time()
    script = Path(__file__).with_name("faults.py")
    fault = subprocess.Popen([sys.executable, script, kind, room], start_new_session=True, stdout=subprocess.PIPE)
    if kind == "read-disk":
        # It has to write first what it reads.
        fault.stdout.readline()
        begin = time.time()
    time.sleep(LASTS)
    end = time.time()
    # Only its own group: this script began it.
    os.killpg(fault.pid, signal.SIGKILL)
    fault.wait()
    shutil.rmtree(room, ignore_errors=True)
    recorder.wait()
    for group in Path("/sys/fs/cgroup/cpu").glob("recount-fault-*"):
        group.rmdir()
    stamp = lambda at: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03}Z"
    log.with_suffix(".json").write_text(json.dumps({"kind": kind, "begin": stamp(begin), "end": stamp(end), "pid": fault.pid}) + "\n")
    print(log, flush=True)


def answer(log, span):
    done = subprocess.run(
        [RECOUNT, "moved", log, "--span", span, "--format", "json"], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{log}: {done.stderr}")
    return json.loads(done.stdout)


def judge(folder):
    counts = {False: [0, 0, 0], True: [0, 0, 0]}
    for number, about in enumerate(sorted(folder.glob("*.json"))):
        fault = json.loads(about.read_text())
        found = answer(about.with_suffix(".rcap"), f"{fault['begin']}..{fault['end']}")
        wanted = re.compile("|".join([*FAULTS[fault["kind"]][1], re.escape(name(fault["kind"]))]))
        first = found["groups"][:FIRST]
        paths = lambda group: [group["leader"]["path"], *(member["path"] for member in group["members"])]
        in_group = [at for at, group in enumerate(first) if any(wanted.search(path) for path in paths(group))]
        culprit = re.compile(rf"\(pid {fault.get('pid', -1)}\)|{re.escape(name(fault['kind']))}")
        is_said = lambda group: wanted.search(group["leader"]["path"]) or culprit.search(group["headline"])
        said = [at for at, group in enumerate(first) if is_said(group)]
        is_apart = number % 3 == 2
        for place, is_met in enumerate([True, bool(in_group), bool(said)]):
            counts[is_apart][place] += is_met
        rank = lambda places: str(places[0] + 1) if places else "-"
        print(f"{about.stem:<20} {'apart' if is_apart else 'tuned':<6} group {rank(in_group)}  leader or process {rank(said)}")
        if not said:
            for group in first:
                print("      ", group["headline"])
    for is_apart, (number, of_group, of_leader) in counts.items():
        label = "kept apart" if is_apart else "seen while tuning"
        if number:
            print(f"{label}: of {number} faults {of_group} in a group of the first {FIRST}, {of_leader} by its leader or process")


if __name__ == "__main__":
    task, where = sys.argv[1], Path(sys.argv[2])
    if task == "record":
        record(where, int(sys.argv[3]) if len(sys.argv) > 3 else 2)
    else:
        judge(where)
