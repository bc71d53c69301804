"""Runs the notebooks with a real kernel, on captures that are made for it.

    python notebooks/run.py             checks: exit code 1 and the reason, if a notebook fails
    python notebooks/run.py --write     renews the results that are in the notebooks
    python notebooks/run.py fleet       only this one

A notebook fails if a cell does (they assert what they find), if one writes to standard error, or if the results that are committed
with it were made by other sources. Those of `fleet`, whose captures are the same each time, have to come out again to the letter.
Needs the package `recount`, `notebooks/requirements.txt`, and Linux, as captures are recorded.
"""

import argparse
import ast
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

# Nothing that Python or Jupyter leaves behind gets into the tree.
sys.dont_write_bytecode = True
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

import captures  # noqa: E402

HERE = Path(__file__).resolve().parent
NOTEBOOKS = ["postmortem", "two-builds", "fleet"]
# Not recorded but made of files, so that the results are known.
REPEATABLE = {"fleet"}
MAX_LEN = 300_000
MIN_ASSERTS = 3
CELL_TIMEOUT_S = 300


class Wrong(Exception):
    """What is wrong with a notebook, and what to do."""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="renew the results in the notebooks")
    options.add_argument("notebooks", nargs="*", default=NOTEBOOKS, metavar="NAME", help=f"default: {' '.join(NOTEBOOKS)}")
    options = options.parse_args()
    if unknown := set(options.notebooks) - set(NOTEBOOKS):
        options.error(f"no such notebook: {', '.join(sorted(unknown))}; there are {', '.join(NOTEBOOKS)}")
    if strangers := {path.stem for path in HERE.glob("*.ipynb")} ^ set(NOTEBOOKS):
        sys.exit(f"notebooks/ and NOTEBOOKS of {Path(__file__).name} don't agree: {', '.join(sorted(strangers))}")
    num_failed = 0
    for name in options.notebooks:
        begin = time.monotonic()
        try:
            check(name, options.write)
            print(f"{name}: ok, {time.monotonic() - begin:.0f} s", flush=True)
        except Wrong as wrong:
            num_failed += 1
            print(f"{name}: {wrong}", file=sys.stderr, flush=True)
    sys.exit(1 if num_failed else 0)


def check(name, write):
    path = HERE / f"{name}.ipynb"
    committed = nbformat.read(path, as_version=4)
    check_sources(committed)
    if not write:
        check_committed(path, committed)
    with tempfile.TemporaryDirectory(prefix="recount-notebooks-") as scratch:
        executed = execute(name, committed, Path(scratch))
        check_results(executed)
        if write:
            check_private(executed, [scratch, str(HERE), str(Path.home())])
    if write:
        executed.metadata["recount"] = {"sources": fingerprint(executed)}
        nbformat.write(executed, path)
        check_committed(path, nbformat.read(path, as_version=4))
    elif name in REPEATABLE:
        check_repeated(committed, executed)


def execute(name, notebook, scratch):
    folder = scratch / "captures"
    captures.make(name, folder)
    settings = {"RECOUNT_CAPTURES": folder, "IPYTHONDIR": scratch / "ipython", "MPLCONFIGDIR": scratch / "matplotlib"}
    os.environ.update({key: str(value) for key, value in settings.items()})
    executed = nbformat.from_dict(notebook)
    for cell in code_cells(executed):
        cell.outputs, cell.execution_count = [], None
    where = {"metadata": {"path": str(HERE)}}
    # Sockets in a folder instead of ports, which others on this computer could read.
    sockets = Config({"KernelManager": {"transport": "ipc", "ip": str(scratch / "kernel")}})
    options = {"timeout": CELL_TIMEOUT_S, "kernel_name": "python3", "resources": where, "record_timing": False}
    client = NotebookClient(executed, config=sockets, **options)
    try:
        client.execute()
    except CellExecutionError as error:
        raise Wrong(f"a cell failed\n{error}") from error
    # What the kernel adds about itself differs from desk to desk.
    executed.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return executed


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def fingerprint(notebook):
    """Of all that was written by hand: the results belong to it."""
    sources = "\0".join(f"{cell.cell_type}\0{cell.source}" for cell in notebook.cells)
    return hashlib.sha256(sources.encode()).hexdigest()


def check_sources(notebook):
    cells = code_cells(notebook)
    if '"RECOUNT_CAPTURES"' not in cells[0].source:
        raise Wrong("the first cell of code doesn't take its captures from the folder RECOUNT_CAPTURES")
    trees = [ast.parse(cell.source) for cell in cells]
    num_asserts = sum(isinstance(node, ast.Assert) for tree in trees for node in ast.walk(tree))
    if num_asserts < MIN_ASSERTS:
        raise Wrong(f"{num_asserts} asserts: a notebook has to check what it says, by {MIN_ASSERTS} at least")


def check_committed(path, notebook):
    if notebook.metadata.get("recount", {}).get("sources") != fingerprint(notebook):
        raise Wrong("the results in it were made by other sources: python notebooks/run.py --write")
    if path.stat().st_size > MAX_LEN:
        raise Wrong(f"{path.stat().st_size} bytes, more than {MAX_LEN}: smaller or fewer plots")
    check_results(notebook)


def check_results(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        raise Wrong(f"the cells weren't run once each, from top to bottom: {counts}")
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                raise Wrong(f"cell {cell.execution_count} complains:\n{output.get('text') or output.get('evalue')}")
    if not any("image/png" in output.get("data", {}) for cell in code_cells(notebook) for output in cell.outputs):
        raise Wrong("no plot was drawn")


def check_private(notebook, paths):
    text = "\n".join(texts(notebook))
    if told := [path for path in paths if path in text]:
        raise Wrong(f"its results tell where it was run: {', '.join(told)}")


def texts(notebook):
    """What was printed and what is shown, but for plots, per cell."""

    def text(output):
        data = output.get("data", {})
        return output.get("text", "") + "".join(data[kind] for kind in sorted(data) if kind.startswith("text/"))

    return ["".join(map(text, cell.outputs)) for cell in code_cells(notebook)]


def check_repeated(committed, executed):
    for number, (before, now) in enumerate(zip(texts(committed), texts(executed)), 1):
        if before != now:
            raise Wrong(f"cell {number} printed\n{now}\nand what is committed is\n{before}\nIf that is right: --write")


if __name__ == "__main__":
    main()
