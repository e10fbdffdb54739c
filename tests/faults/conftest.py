"""What the fault tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from checkouts import copy_checkout
from misbehaving_server import MisbehavingServer, serve
from once import once_a_run
from revised_rows import revise
from strange_rows import build_strange

from pipeline.build import build
from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.publish.release import build_into


@pytest.fixture(scope="module")
def strange(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Tables]:
    """The small checkout with strange rows, and its tables."""
    return once_a_run(tmp_path_factory, "faults_strange", lambda folder: build_strange(small_template, folder))


@pytest.fixture(scope="session")
def revised(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Path]:
    """The small checkout after upstream revised two values and added seventy models, and a folder with the files of its
    build, as a release has them. Both are only to be read."""

    def make(folder: Path) -> tuple[Paths, Path]:
        paths = copy_checkout(small_template, folder / "checkout")
        revise(paths)
        build_into(paths, None, folder / "built", build)
        return paths, folder / "built"

    return once_a_run(tmp_path_factory, "faults_revised", make)


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with serve() as running:
        yield running
