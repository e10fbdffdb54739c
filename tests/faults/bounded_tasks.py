"""What the tests have a bounded process do, in a module that it reads at once."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path


def write_a_file(data: bytes) -> str:
    Path(os.fsdecode(data)).write_text("written")
    return "written"


def take_memory(data: bytes) -> int:
    return len(bytearray(int(data)))


def never_end(_: bytes) -> None:
    while True:
        pass


def die(_: bytes) -> None:
    os.abort()


def find_pandas(_: bytes) -> None:
    find_spec("pandas")
