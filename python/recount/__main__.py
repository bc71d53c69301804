"""The command ``recount``."""

from __future__ import annotations

import signal
import sys

from ._recount import main as run


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command handles Ctrl-C, not Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["recount", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
