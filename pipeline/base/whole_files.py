"""Files that are written completely or not at all, and their hashes."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit


def sha256_of(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def show_progress(url: str) -> Callable[[int, int | None], None] | None:
    """Shows on a terminal how much has been downloaded; None where the output is piped."""
    if not sys.stderr.isatty():
        return None
    name = urlsplit(url).path.rsplit("/", 1)[-1]

    def show(done: int, total: int | None) -> None:
        print(f"\r{name}: {done / 1e6:.1f} MB" + (f" of {total / 1e6:.1f}" if total else ""), end="", file=sys.stderr)
        if done == total:
            print(file=sys.stderr)

    return show


def replace_file(path: Path, text: str) -> None:
    """Writes a file completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
