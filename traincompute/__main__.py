"""Starts and ends the command line. Ctrl-C before it runs, while modules are read, or after it ends it without a word."""

from __future__ import annotations

import signal


def main() -> None:
    """Runs the command line."""
    _end_at_once()
    from traincompute.cli import main as run

    try:
        run()
    finally:
        _end_at_once()


def _end_at_once() -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a script runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
