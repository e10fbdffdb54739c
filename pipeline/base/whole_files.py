"""Texts that are written completely or not at all, and how much of a file has arrived."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from traincompute.base.disk import write_whole


def show_progress(url: str) -> Callable[[int, int | None], None] | None:
    """Shows on a terminal how much has been downloaded; None where the output is piped."""
    if not sys.stderr.isatty():
        return None
    name = PurePosixPath(urlsplit(url).path).name

    def show(done: int, total: int | None) -> None:
        print(f"\r{name}: {done / 1e6:.1f} MB" + (f" of {total / 1e6:.1f}" if total else ""), end="", file=sys.stderr)
        if done == total:
            print(file=sys.stderr)

    return show


def replace_file(path: Path, text: str) -> None:
    """Writes a text completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
