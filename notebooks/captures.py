"""Makes the captures of the notebooks, below `target/notebooks/`.

    python notebooks/captures.py                the captures of all notebooks, those that aren't there yet
    python notebooks/captures.py postmortem     only these
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fleet_dumps
import recount

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# Seconds of the post-mortem: of the recording, and of the job that disturbs it.
LEN_RECORDING, JOB_BEGINS, LEN_JOB = 36, 12, 12
# Seconds of a run of a build, and what a request of it costs. Base, new, new, base: what drifts hits both.
LEN_RUN = 15
RUNS = [("base-1", 11, 40), ("new-1", 12, 64), ("new-2", 13, 64), ("base-2", 14, 40)]


def main():
    for notebook in sys.argv[1:] or MAKERS:
        folder = ROOT / "target" / "notebooks" / notebook
        if not folder.exists():
            print(f"{notebook}: up to a minute", flush=True)
            make(notebook, folder)


def make(notebook, folder):
    """Complete or not at all: a folder that is there is used the next time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        MAKERS[notebook](Path(scratch), made)
        made.rename(folder)


def postmortem(scratch, made):
    """A service, two bystanders, and a job that comes and goes. What was done is in truth.json."""
    others = [
        load("shop", scratch, LEN_RECORDING + 2, 7, 30, 0.1),
        load("bystander", scratch, LEN_RECORDING + 2, 400, 0, name="cache"),
        load("bystander", scratch, LEN_RECORDING + 2, 10, 0.6, name="metrics"),
    ]
    time.sleep(1)
    with ThreadPoolExecutor() as pool:
        recorder = pool.submit(recount.record, made / "evening.rcap", duration=LEN_RECORDING, interval=0.5)
        time.sleep(JOB_BEGINS)
        begin = time.time()
        job = load("reindex", scratch, LEN_JOB)
        finish(job)
        end = time.time()
        recorder.result()
    stop(others)
    truth = {"culprit": "reindex", "id": job.pid, "begin": begin, "end": end}
    (made / "truth.json").write_text(json.dumps(truth))


def two_builds(scratch, made):
    """Two builds of the service, in turns, each under a load of its own."""
    only = [r"\Process(*)\*", r"\Processor(*)\*"]
    for name, seed, work in RUNS:
        shop = load("shop", scratch, LEN_RUN + 2, seed, work, 0.4)
        time.sleep(0.5)
        recount.record(made / f"{name}.rcap", duration=LEN_RUN, interval=0.1, counters=only)
        stop([shop])


def fleet(scratch, made):
    """Real captures and samples of five machines, and simulated ones of eight web servers."""
    shared = (ROOT / os.environ.get("RECOUNT_SHARED", "../shared/data")).resolve()
    names = ["objects.blg", "counters-dst.blg", "circular.blg", "rcap-1/closed.rcap"]
    for path in [shared / "blg" / "tx-basic.blg", *(ROOT / "samples" / name for name in names)]:
        shutil.copy(path, made)
    dumps = scratch / "dumps"
    names = fleet_dumps.write(dumps)
    for dump in sorted(dumps.glob("*.bin")):
        log = made / f"{dump.stem}.rcap"
        finish(run(sys.executable, "-m", "recount", "record", "-q", "--source", dump, "--names", names, "-o", log))


MAKERS = {"postmortem": postmortem, "two-builds": two_builds, "fleet": fleet}


def load(kind, scratch, *arguments, name=None):
    """A program of `loads/`, under a name of its own: a process is named by the file that was executed."""
    program = scratch / (name or kind)
    if not program.exists():
        program.symlink_to(Path(sys.executable).resolve())
    return run(program, HERE / "loads" / f"{kind}.py", *arguments, cwd=scratch)


def run(program, *arguments, cwd=None):
    # What is said matters only if it fails.
    said = tempfile.TemporaryFile()
    process = subprocess.Popen([str(program), *map(str, arguments)], cwd=cwd, stdout=said, stderr=said)
    process.said = said
    return process


def finish(process):
    if process.wait() != 0:
        process.said.seek(0)
        said = process.said.read().decode(errors="replace")
        raise RuntimeError(f"{' '.join(process.args)}: exit code {process.returncode}\n{said}")


def stop(processes):
    """Ends what would end by itself; one that isn't running any more has failed."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
            process.wait()
        else:
            finish(process)
            raise RuntimeError(f"{' '.join(process.args)}: ended before the recording")


if __name__ == "__main__":
    main()
