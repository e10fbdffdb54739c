"""Starts and ends the command line. Ctrl-C before it runs, while modules are read, or after it ends it without a word.

A command makes little garbage and ends soon: garbage is looked for seldom, and never among what is there before a
command is read, mostly modules. What a command reads later has to be cleared away at the end, or DuckDB calls it
leaked."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading

THREAD = "query of traincompute"  # as traincompute/query/run.py names it
GARBAGE_AFTER = 50_000  # new objects, more than a short command makes; Python has 700


def main() -> None:
    """Runs the command line."""
    gc.set_threshold(GARBAGE_AFTER)
    _end_at_once()
    from traincompute.cli import main as run

    gc.freeze()
    try:
        run()
    except SystemExit as end:
        _end_with_queries(end.code)
        raise
    finally:
        _end_at_once()


def _end_with_queries(code: object) -> None:
    """Ends the process where a query goes on that listens to no interruption; what it holds may not be cleared away."""
    if any(thread.name == THREAD for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _end_at_once() -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a script runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
