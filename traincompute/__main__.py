"""Starts the command line. Until it runs, Ctrl-C ends the process without a word."""

from __future__ import annotations

import gc
import os
import signal


def main(at_once: bool = True) -> None:
    """Runs the command line, and ends `at_once`: Python would take a tenth of a short command's time to clear away."""
    gc.set_threshold(50_000)  # new objects, more than a short command makes; Python has 700
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a script runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from traincompute.cli import main as run

    try:
        run()
    except SystemExit as end:
        if not at_once:
            raise
        os._exit(int(end.code or 0))


if __name__ == "__main__":
    main(at_once=False)  # as Python ends, for a profiler
