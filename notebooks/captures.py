"""The captures of the notebooks, and the tables that `recount convert` makes of them.

In a notebook: `captures.tables("fleet")` is the folder that the environment variable RECOUNT_TABLES names, or else one that
is made here, below `target/notebooks/`. The command is that of the environment variable RECOUNT, of `target/release`, or of
the path.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fleet_dumps

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# Seconds of the post-mortem: of the recording, and of the job that disturbs it.
LEN_RECORDING, JOB_BEGINS, LEN_JOB = 36, 12, 12
# Seconds of a run of a build, and what a request of it costs. Base, new, new, base: what drifts hits both.
LEN_RUN = 15
RUNS = [("base-1", 11, 40), ("new-1", 12, 64), ("new-2", 13, 64), ("base-2", 14, 40)]


def tables(notebook):
    given = os.environ.get("RECOUNT_TABLES")
    if given:
        if not Path(given).is_dir():
            # A notebook runs in its own folder, whatever the folder is in which it was started.
            raise RuntimeError(f"RECOUNT_TABLES is {given}, and no such folder is seen from {Path.cwd()}: give its whole path")
        return Path(given)
    folder = ROOT / "target" / "notebooks" / notebook
    if not folder.exists():
        print(f"recording and converting, which takes up to a minute: {notebook}")
        make(notebook, command(), folder)
    return folder


def command():
    built = ROOT / "target" / "release" / "recount"
    found = os.environ.get("RECOUNT") or (built if built.exists() else shutil.which("recount"))
    if not found:
        raise RuntimeError("no recount: set RECOUNT to its path, or RECOUNT_TABLES to tables that it made")
    return Path(found).resolve()


def make(notebook, recount, folder):
    """Complete or not at all: a folder that is there is used the next time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "made"
        MAKERS[notebook](recount, Path(scratch), made)
        made.rename(folder)


def postmortem(recount, scratch, made):
    """A service, two bystanders, and a job that comes and goes. What was done is in truth.json."""
    capture = scratch / "evening.rcap"
    others = [
        load("shop", scratch, LEN_RECORDING + 2, 7, 30, 0.1),
        load("bystander", scratch, LEN_RECORDING + 2, 400, 0, name="cache"),
        load("bystander", scratch, LEN_RECORDING + 2, 10, 0.6, name="metrics"),
    ]
    time.sleep(1)
    recorder = run(recount, "record", "-q", "-o", capture, "--interval", "500ms", "--for", f"{LEN_RECORDING}s")
    time.sleep(JOB_BEGINS)
    begin = time.time()
    job = load("reindex", scratch, LEN_JOB)
    finish(job)
    end = time.time()
    finish(recorder)
    stop(others)
    convert(recount, [capture], made)
    truth = {"culprit": "reindex", "id": job.pid, "begin": begin, "end": end}
    (made / "truth.json").write_text(json.dumps(truth))


def two_builds(recount, scratch, made):
    """Two builds of the service, in turns, each under a load of its own."""
    made.mkdir()
    for name, seed, work in RUNS:
        capture = scratch / f"{name}.rcap"
        shop = load("shop", scratch, LEN_RUN + 2, seed, work, 0.4)
        time.sleep(0.5)
        only = ["-c", r"\Process(*)\*", "-c", r"\Processor(*)\*"]
        finish(run(recount, "record", "-q", "-o", capture, "--interval", "100ms", "--for", f"{LEN_RUN}s", *only))
        stop([shop])
        convert(recount, [capture], made / name)


def fleet(recount, scratch, made):
    """Real captures and samples of five machines, and simulated dumps of eight web servers."""
    shared = (ROOT / os.environ.get("RECOUNT_SHARED", "../shared/data")).resolve()
    inputs = [shared / "blg" / "tx-basic.blg"]
    inputs += [ROOT / "samples" / name for name in ["objects.blg", "counters-dst.blg", "circular.blg", "rcap-1/closed.rcap"]]
    dumps = scratch / "dumps"
    names = fleet_dumps.write(dumps)
    options = ["--names", names, "--partition-by", "host,date"]
    convert(recount, [*inputs, *sorted(dumps.glob("*.bin"))], made, *options)


MAKERS = {"postmortem": postmortem, "two-builds": two_builds, "fleet": fleet}


def convert(recount, inputs, folder, *options):
    finish(run(recount, "convert", "-q", *inputs, "-o", folder, "--layout", "objects", *options))


def load(kind, scratch, *arguments, name=None):
    """A program of `loads/`, under a name of its own: a process is named by the file that was executed."""
    program = scratch / (name or kind)
    if not program.exists():
        program.symlink_to(Path(sys.executable).resolve())
    return run(program, HERE / "loads" / f"{kind}.py", *arguments, cwd=scratch)


def run(program, *arguments, cwd=None):
    # In a notebook there is no standard error to inherit; what is said is told if it fails.
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
