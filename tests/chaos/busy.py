"""Runs the whole test suite many times on a machine that is busy with other things:

    python tests/chaos/busy.py --times 10 --at-once 4 --write

Beside four endless loops, that many suites at once, each in a clone of the last commit. Exit code 1 where a suite fails,
whose clone and output stay. It is no part of the suite: ten times take two hours on two cores. --write enters what was
measured into figures.csv, which docs/quality.md shows.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from run import Tally, enter

ROOT = Path(__file__).resolve().parents[2]
LOOPS = 4
WORKERS = 4  # of each suite
PYTEST = ("-m", "pytest", "-n", str(WORKERS), "--dist", "loadfile", "--no-loadscope-reorder")


@contextmanager
def endless_loops() -> Iterator[None]:
    """Processes that do nothing but keep the processors busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()


def run_suite(folder: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The tests of a fresh clone of the checkout."""
    clone = folder / "checkout"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    upstream = os.environ.get("TRAINCOMPUTE_UPSTREAM") or str(ROOT.parent / "shared" / "upstream")
    env = os.environ | {"PYTHONPATH": str(clone), "TRAINCOMPUTE_UPSTREAM": upstream}
    done = subprocess.run([sys.executable, *PYTEST, *tests], cwd=clone, env=env, capture_output=True, text=True)
    (folder / "output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=4, help="suites at a time")
    parser.add_argument("--write", action="store_true", help="enter what was measured into figures.csv")
    parser.add_argument("tests", nargs="*", help="files of tests, if not all")
    given = parser.parse_args()
    if given.write and given.tests:
        parser.error("--write enters a figure of all tests, not of some")
    tally = Tally()
    tally.begin("pytest", f"the whole suite beside {LOOPS} endless loops, {given.at_once} at once")
    folders = [Path(tempfile.mkdtemp(prefix=f"traincompute-busy-{number}-")) for number in range(given.times)]
    with endless_loops(), ThreadPoolExecutor(given.at_once) as pool:
        for folder, done in zip(folders, pool.map(lambda one: run_suite(one, given.tests), folders), strict=True):
            tally.count()
            print(f"{folder}: {(done.stdout or done.stderr).splitlines()[-1]}", flush=True)
            if done.returncode:
                tally.note(f"see {folder / 'output.txt'}")
            else:
                shutil.rmtree(folder)
    if given.write:
        enter(tally)
    sys.exit(1 if any(tally.faults.values()) else 0)


if __name__ == "__main__":
    main()
