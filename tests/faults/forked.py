"""Processes to be killed, forked after the imports."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from traincompute.cli import main

resource = pytest.importorskip("resource", reason="Windows bounds and kills no process as POSIX does")
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    ["pytest", "pipeline.build", "pipeline.publish.release", "pipeline.cli", "traincompute.cli"]
)


def command(root: Path, words: list[str], said: Path, largest: int = -1) -> None:
    """`traincompute WORDS` in that checkout, to be forked: what it says goes to a file, and the system lets no file
    grow beyond `largest` bytes."""
    with said.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))  # -1 is no limit
    os.environ["TRAINCOMPUTE_ROOT"] = str(root)
    sys.argv[1:] = words
    main()
