"""Writes reports of made-up captures: `samples.py FOLDER [report] [large] [hostile] [bare] [diff]`, all of them if none is named."""

import sys
import time
from pathlib import Path

import contract
from made_diff import diff
from made_report import bare, hostile, large, report

KINDS = {
    "report": ("page.html", report), "large": ("page.html", large), "hostile": ("page.html", hostile),
    "bare": ("page.html", bare), "diff": ("diff.html", diff),
}


def main(folder, *kinds):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds or KINDS:
        begin = time.time()
        template, make = KINDS[kind]
        context, blob = make()
        page = contract.render(template, context, blob)
        path = folder / f"{kind}.html"
        path.write_text(page, encoding="utf-8")
        print(f"{path}: {len(page.encode()) / 1e6:.2f} MB, {time.time() - begin:.1f} s")


main(*sys.argv[1:])
