"""Starts the command line. Until it runs, Ctrl-C ends the process without a word.

A command makes little garbage and ends soon: garbage is looked for seldom, and never among the modules."""

from __future__ import annotations

import gc
import signal

GARBAGE_AFTER = 50_000  # new objects, more than a short command makes; Python has 700


def main() -> None:
    """Runs the command line."""
    gc.set_threshold(GARBAGE_AFTER)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a script runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from traincompute.cli import main as run

    gc.freeze()
    run()


if __name__ == "__main__":
    main()
