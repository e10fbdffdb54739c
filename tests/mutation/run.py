"""Changes the code that decides numbers, one operator or number at a time, and counts what its tests notice:

    python tests/mutation/run.py                                        # every module of modules.csv, in its order
    python tests/mutation/run.py --only pipeline/normalize/identity.py
    python tests/mutation/run.py --only traincompute/thresholds.py --sample 40   # a draw of its changes, always the same

Needs cosmic-ray, which mutates a copy of the checkout as cosmic-ray.toml says. Writes scores.csv and survivors.csv, which
docs/quality.md shows; a reason that a person entered beside a survivor stays as long as the survivor does. Exit code 1
where one has no reason. It is no part of the test suite: a mutant takes as long as the tests that modules.csv names.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from cosmic_ray.config import load_config, serialize_config
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEFT_OUT = ("__pycache__", ".git", ".venv", "processed", "node_modules", ".*_cache", ".hypothesis")
SCORES = ("module", "mutants", "run", "killed", "measured")
SURVIVORS = ("module", "line", "was", "became", "reason")
SEED = 40
AFTER_A_BUILD = ("bench/", "pipeline/commands/", "pipeline/present/", "traincompute/commands/", "traincompute/explain/")
Row = dict[str, str]


def left_out(folder: str, names: list[str]) -> set[str]:
    """What the copy does not need. Of the folders named cache that is data/cache alone: traincompute/cache is code."""
    downloads = {"cache"} if Path(folder) == ROOT / "data" else set()
    return shutil.ignore_patterns(*LEFT_OUT)(folder, names) | downloads


def never_run(file: Path) -> set[tuple[int, int]]:
    """Line and column of what stands in an annotation, of `strict=` in a zip, whose lists are equally long, and of a number
    so large that one more is the same number."""
    places: set[tuple[int, int]] = set()
    text = file.read_text(encoding="utf-8")
    lines = [line.encode() for line in text.split("\n")]  # an offset of ast counts bytes, a column of parso characters
    for node in ast.walk(ast.parse(text)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += [node.value] if isinstance(node, ast.keyword) and node.arg == "strict" else []
        parts += [node] if isinstance(node, ast.Constant) and is_large(node.value) else []
        for part in filter(None, parts):
            first, last = (
                len(lines[part.lineno - 1][:end].decode(errors="ignore"))
                for end in (part.col_offset, part.end_col_offset)
            )
            places |= {(part.lineno, column) for column in range(first, last + 1)}
    return places


def is_large(value: object) -> bool:
    return isinstance(value, float) and value + 1 == value - 1 == value


def mutate(module: str, tests: list[str], given: argparse.Namespace, copy: Path) -> tuple[Row, list[Row]]:
    """The score of one module, and its survivors. Raises CalledProcessError where its tests fail without any mutant."""
    config, session = copy / "cosmic-ray.toml", copy / "session.sqlite"
    session.unlink(missing_ok=True)
    with served(copy, given.python, tests, keeps_builds=module.startswith(AFTER_A_BUILD)) as command:
        settings = {**load_config(HERE / "cosmic-ray.toml"), "module-path": module, "test-command": command}
        config.write_text(serialize_config(settings), encoding="utf-8")
        run(copy, "cosmic-ray", "baseline", config)
        run(copy, "cosmic-ray", "init", config, session)
        run(copy, "cr-filter-operators", session, config)
        with use_db(session, WorkDB.Mode.open) as database:
            skip(database, never_run(copy / module))
            mutants = len(database.pending_work_items)
            draw(database, given.sample or mutants)
        run(copy, "cosmic-ray", "exec", config, session)
        run(copy, "cosmic-ray", "baseline", config)  # no mutant has spoilt what the others read
    with use_db(session, WorkDB.Mode.open) as database:
        ends = [result for _, result in database.results if result.worker_outcome == WorkerOutcome.NORMAL]
    left = [end for end in ends if end.test_outcome == TestOutcome.SURVIVED]
    day = datetime.now(UTC).date().isoformat()
    counts = (str(mutants), str(len(ends)), str(len(ends) - len(left)))
    return dict(zip(SCORES, (module, *counts, day), strict=True)), [survivor(module, end.diff or "") for end in left]


@contextmanager
def served(copy: Path, python: str, tests: list[str], keeps_builds: bool) -> Iterator[str]:
    """The command that has serve.py run the tests. Those of a module that no build uses read the same builds each time."""
    place = Path(tempfile.mkdtemp(prefix="tc-")) / "tests"
    command = [python, str(HERE / "serve.py"), str(place)]
    kept = {"BUILDS_OF_TESTS": str(place.parent)} if keeps_builds else {}
    with subprocess.Popen([*command, *tests], cwd=copy, env=environment(copy) | kept) as server:
        while not place.exists() and server.poll() is None:
            time.sleep(0.05)
        try:
            yield shlex.join([python, "-S", *command[1:]])
        finally:
            server.terminate()
            shutil.rmtree(place.parent)


def environment(copy: Path) -> dict[str, str]:
    """What the tests start imports the copy too, and never keeps what it compiled: two mutants may be as long and as old."""
    return {**os.environ, "PYTHONPATH": f"{copy}", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(copy: Path, tool: str, *arguments: object) -> None:
    command = [Path(sys.executable).with_name(tool), *map(str, arguments)]
    subprocess.run(command, cwd=copy, env=environment(copy), check=True, stdout=subprocess.DEVNULL)


def skip(database: WorkDB, places: set[tuple[int, int]]) -> None:
    for item in list(database.pending_work_items):
        if item.mutations[0].start_pos in places:
            database.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def draw(database: WorkDB, size: int) -> None:
    """Leaves so many of the mutants, always the same of a module."""
    items = sorted(database.pending_work_items, key=lambda item: (str(item.mutations[0]), item.job_id))
    for item in Random(SEED).sample(items, max(0, len(items) - size)):
        database.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def survivor(module: str, diff: str) -> Row:
    """Line and texts of a diff of one changed line."""
    at = re.search(r"^@@ -(\d+)", diff, re.M)
    lines = diff.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("-") and not line.startswith("---"))
    head = next(i for i, line in enumerate(lines) if line.startswith("@@"))
    number = int(at[1]) + first - head - 1 if at else 0
    became = next((line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")), "")
    return dict(zip(SURVIVORS, (module, str(number), lines[first][1:].strip(), became, ""), strict=True))


def read(name: str) -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def write(name: str, columns: Iterable[str], rows: Iterable[Row]) -> None:
    with (HERE / name).open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def enter(score: Row, left: list[Row]) -> None:
    """Puts the score and the survivors of one module in the place of those of its last run."""
    module = score["module"]
    scores = {row["module"]: row for row in read("scores.csv")} | {module: score}
    order = [row["module"] for row in read("modules.csv")]
    write("scores.csv", SCORES, (scores[name] for name in order if name in scores))
    known = read("survivors.csv")
    reasons = {(row["was"], row["became"]): row["reason"] for row in known if row["module"] == module}
    left = [{**row, "reason": reasons.get((row["was"], row["became"]), "")} for row in left]
    rows = [row for row in known if row["module"] != module] + left
    write("survivors.csv", SURVIVORS, sorted(rows, key=lambda row: (order.index(row["module"]), int(row["line"]))))


def modules(only: list[str]) -> Iterator[Row]:
    yield from (row for row in read("modules.csv") if not only or row["module"] in only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="MODULE")
    parser.add_argument("--sample", type=int, metavar="N", help="try N changes of each module, not all")
    parser.add_argument("--python", default=sys.executable, help="with which the tests are run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="traincompute-mutants-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=left_out, symlinks=True)
        # what has been compiled is used again where the text is the same, however old
        checked = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "pipeline", "traincompute", "tests"]
        subprocess.run([given.python, *checked], cwd=copy, check=True)
        for row in modules(given.only):
            score, left = mutate(row["module"], row["tests"].split(), given, copy)
            enter(score, left)
            print(f"{row['module']}: {score['killed']} of {score['run']} noticed", flush=True)
    sys.exit(1 if any(not row["reason"] for row in read("survivors.csv")) else 0)


if __name__ == "__main__":
    main()
