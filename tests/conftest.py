"""A small checkout of real rows; see golden/README.md."""

from __future__ import annotations

import atexit
import csv
import gc
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import date
from getpass import getuser
from pathlib import Path
from tempfile import gettempdir

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # one processor for each worker: waiting threads would take the others

# the reader's own databases of the datasets that tests read are made once, and not among those of the user
os.environ.setdefault("TRAINCOMPUTE_CACHE", str(Path(gettempdir()) / f"traincompute-tests-{getuser()}"))

import hypothesis
import pytest
from checkouts import SITE, copy_checkout, copy_declarations, linked_checkout
from machine import MISSING
from once import once_a_run
from tiny_release import write_tiny_release

from pipeline import build
from pipeline.config import load_lock, load_sources
from pipeline.frames import Tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.ledger import Span, read_ledger, write_ledger
from pipeline.pull.snapshot import Request, pull_source
from pipeline.site.write import Written, write_site

# The same 12 examples in each run, and no deadline; `--hypothesis-profile=search` looks for others
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, max_examples=12)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("same")
GOLDEN = Path(__file__).parent / "golden"
DAY = date(2026, 3, 30)


def pytest_report_header() -> list[str]:
    return [
        *(f"skipped: {lack}" for lack in MISSING),
    ]


def pytest_configure(config: pytest.Config) -> None:
    """The order of `_in_order` is that in which `--dist loadfile` hands out the files. Every other worker collects the
    folders from the last to the first, and so finds half of the tests compiled by its neighbour."""
    config.option.loadscopereorder = False
    if int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2:
        config.args.reverse()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = _in_order(items)


def pytest_collection_finish() -> None:
    """Garbage is looked for seldom, and never among the modules and tests that are there before the first one runs:
    that took a fifteenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000)  # new objects; Python has 700


def _in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The file that makes the site first, then what needs none of it while it is made, then what builds all facts, and
    the many short files last: so no worker waits for another. Of each kind the files with the most tests come first."""
    count = Counter(item.path for item in items)
    of_all = {item.path for item in items if "_real_once" in getattr(item, "fixturenames", ())}
    maker = min((item.path for item in items if "site" in getattr(item, "fixturenames", ())), default=None)
    kinds = [
        lambda file: file == maker,
        lambda file: "faults" in file.parts and file not in of_all,
        of_all.__contains__,
        lambda file: "data" in file.parts,
    ]

    def key(item: pytest.Item) -> tuple[int, int, str]:
        kind = next((number for number, holds in enumerate(kinds) if holds(item.path)), len(kinds))
        return kind, -count[item.path], str(item.path)

    return sorted(items, key=key)


def pytest_unconfigure(config: pytest.Config) -> None:
    """A worker ends without the sixty lines in which DuckDB's bindings count what they left to the interpreter's
    end."""
    gc.unfreeze()
    if hasattr(config, "workerinput"):
        atexit.register(os.dup2, os.open(os.devnull, os.O_WRONLY), 2)


GATES = "gates:\n  min_rows: 5\n  max_shrink: 0.02\n  max_names_gone: 0.25\n"  # that fit the golden rows


@pytest.fixture(scope="session")
def small_template(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The golden rows pulled as the snapshot of 2026-03-30: full file, notable file and hardware. All workers have the
    same, with the same time of the pull."""
    return once_a_run(tmp_path_factory, "small", _pull_golden)


def _pull_golden(root: Path) -> Paths:
    paths = Paths(root)
    copy_declarations(paths.root)
    named = [name for name, source in load_sources(Paths(CHECKOUT)).items() if source.subject == "models"]
    for name in ("epoch_hardware", *named):  # selection.yml names every source of models
        (paths.raw / name).mkdir(parents=True, exist_ok=True)
        folder = CHECKOUT / "data" / "raw" / name
        for file in folder.glob("*.txt"):
            shutil.copy(file, paths.raw / name)
        about = (folder / "source.yml").read_text(encoding="utf-8")
        fitting = re.sub(r"gates:\n(  .*\n)+", GATES, about)
        (paths.raw / name / "source.yml").write_text(fitting, encoding="utf-8")
    shutil.copy(CHECKOUT / "data" / "raw" / "selection.yml", paths.raw)
    sources = load_sources(paths)
    for name, file in (
        ("epoch_all", "epoch_models"),
        ("epoch_notable", "epoch_models"),
        ("epoch_hardware", "epoch_hardware"),
    ):
        pull_source(paths, sources[name], Request(files=(GOLDEN / f"{file}.csv",), as_of=DAY), lambda _: None)
    for name in ("epoch_all", "epoch_notable"):
        _add_noted(paths, name)
    return paths


def _add_noted(paths: Paths, name: str) -> None:
    """Adds facts that were once read in notes."""
    file, lock = paths.raw / name / "facts.csv", load_lock(paths)
    with (GOLDEN / "read_in_notes.csv").open(encoding="utf-8", newline="") as lines:
        noted = [Span(*row, str(DAY), "") for row in list(csv.reader(lines))[1:]]
    spans = sorted([*read_ledger(file.read_text(encoding="utf-8")), *noted])
    file.write_text(write_ledger(spans), encoding="utf-8")
    lock[name]["lines"] = len(spans)
    paths.lock.write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")


@pytest.fixture
def small(small_template: Paths, tmp_path: Path) -> Paths:
    """A fresh copy of the small checkout."""
    return copy_checkout(small_template, tmp_path / "checkout")


@pytest.fixture(scope="session")
def _built_once(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Paths, Tables]]:
    def make(folder: Path) -> tuple[Paths, Tables, dict[Path, int]]:
        paths = copy_checkout(small_template, folder / "checkout")
        return paths, build.build(paths).tables, _state(paths.root)

    paths, tables, before = once_a_run(tmp_path_factory, "built", make)
    yield paths, tables
    assert _state(paths.root) == before, "a test has written to the build that all tests read"


def _state(root: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in root.rglob("*")}


@pytest.fixture(scope="session")
def built(_built_once: tuple[Paths, Tables]) -> Paths:
    """The small checkout, built once and only to be read."""
    return _built_once[0]


@pytest.fixture(scope="session")
def built_tables(_built_once: tuple[Paths, Tables]) -> Tables:
    """The tables that the build of `built` returned."""
    return _built_once[1]


@pytest.fixture(scope="session")
def small_site(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    """The site of the small checkout, only to be read."""

    def make(folder: Path) -> tuple[Path, Written]:
        return folder / "site", write_site(built.processed, folder / "site", SITE)

    return once_a_run(tmp_path_factory, "small_site", make)


@pytest.fixture
def built_copy(built: Paths, tmp_path: Path) -> Paths:
    """A fresh copy of the built checkout."""
    return copy_checkout(built, tmp_path / "checkout")


@pytest.fixture(scope="session")
def _real_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Tables]:
    """The committed facts, built once, and their tables."""

    def make(folder: Path) -> tuple[Paths, Tables]:
        paths = linked_checkout(folder)
        made = build.build(paths).tables
        if place := os.environ.get("REAL_BUILD"):  # for .ci/run, which holds it against a build with other settings
            Path(place).write_text(str(paths.processed))
        return paths, made

    return once_a_run(tmp_path_factory, "real", make)


@pytest.fixture(scope="session")
def site(_real_once: tuple[Paths, Tables], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    """The site of the committed facts, written once."""

    def make(folder: Path) -> tuple[Path, Written]:
        return folder / "site", write_site(_real_once[0].processed, folder / "site")

    return once_a_run(tmp_path_factory, "site", make)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of two small tables, only to be read."""
    return write_tiny_release(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def tiny_release(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may damage."""
    return shutil.copytree(sound, tmp_path / sound.name)
