"""Starts the command line, and ends the process when it is done: Python would take a tenth of the time of a short
command to clear away what ends with the process anyway. Until it runs, Ctrl-C ends the process without a word.

A command makes little garbage: it is looked for seldom, and never among the modules."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress

GARBAGE_AFTER = 50_000  # new objects, more than a short command makes; Python has 700


def main(at_once: bool = True) -> None:
    """Runs the command line; unless the end is `at_once`, as Python ends, for a profiler that calls this module."""
    gc.set_threshold(GARBAGE_AFTER)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a script runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from traincompute.cli import main as run

    gc.freeze()
    try:
        run()
    except SystemExit as end:
        if not at_once:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # nobody reads it any more
                stream.flush()
        os._exit(end.code if isinstance(end.code, int) else 1)


if __name__ == "__main__":
    main(at_once=False)
