"""What is costly is made once a run, by the first to ask."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from traincompute.base.files import locked

Made = TypeVar("Made")
BUILDS = ("small", "built", "real", "explained")
KEPT = os.environ.get("BUILDS_OF_TESTS")  # a folder where the next run of tests finds them, too


def once_a_run(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What `make` returns for a folder of that name, which all workers share and only read. Each gets its own copy of
    the result, which must be something that can be pickled."""
    own = factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    if KEPT and name in BUILDS:
        shared = Path(KEPT)
    place, result = shared / name, shared / f"{name}.pickle"
    place.mkdir(exist_ok=True)
    with locked(place):
        if not result.exists():
            folder = place / "made"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            result.write_bytes(pickle.dumps(make(folder)))
    return pickle.loads(result.read_bytes())  # type: ignore[no-any-return]
