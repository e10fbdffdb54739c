"""Changes the code that decides numbers, one operator or number at a time, and counts what its tests notice:

    python tests/mutation/run.py                                        # every module of modules.csv, in its order
    python tests/mutation/run.py --only pipeline/normalize/identity.py
    python tests/mutation/run.py --most 40                              # of each module, chosen by chance, always the same
    python tests/mutation/run.py --survivors                            # after writing tests: what survived the last time

Needs cosmic-ray, which mutates a copy of the checkout. Writes scores.csv and survivors.csv, which docs/quality.md shows; a
reason that a person entered beside a survivor stays as long as the survivor does. Exit code 1 where one has no reason. It
is no part of the test suite: a mutant takes as long as the tests that modules.csv names for its module.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkResult

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# one other operator for each: cosmic-ray would try them all, most of which end in a TypeError
OPERATORS = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Mul|Mod_Mul|BitOr_BitAnd|BitAnd_BitOr)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|Is_IsNot|IsNot_Is)"
    r"|ReplaceUnaryOperator_Delete_(Not|Invert|USub)|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue"
    r"|ReplaceAndWithOr|ReplaceOrWithAnd|ReplaceBreakWithContinue|ReplaceContinueWithBreak|NumberReplacer"
    r"|ZeroIterationForLoop)"
)
LEFT_OUT = ("__pycache__", ".git", ".venv", "cache", "processed", ".*_cache", ".hypothesis")
SCORES = ("module", "mutants", "run", "killed", "measured")
SURVIVORS = ("module", "line", "was", "became", "reason")
Row = dict[str, str]


def types(file: Path) -> set[tuple[int, int]]:
    """Line and column of what stands in an annotation: `str | None` is never run."""
    found: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        for name in ("annotation", "returns"):
            if part := getattr(node, name, None):
                found |= {(part.lineno, column) for column in range(part.col_offset, part.end_col_offset + 1)}
    return found


@dataclass
class Given:
    """How many mutants of a module are run at most (0: all), or only those on lines where one survived the last time."""

    most: int
    survivors: bool


def choose(database: WorkDB, copy: Path, module: str, given: Given) -> tuple[int, int]:
    """Skips what is not asked for; returns how many mutants there are and how many of them are run, now or the last time."""
    file, wanted = copy / module, []
    annotated = types(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED)
    for item in list(database.pending_work_items):
        (mutation,) = item.mutations
        line, column = mutation.start_pos
        is_guard = lines[line - 1][:column].endswith("strict=")  # of zip: nothing that is shorter gets there
        if OPERATORS.fullmatch(mutation.operator_name) and (line, column) not in annotated and not is_guard:
            wanted.append((place(mutation), item.job_id))
        else:
            database.set_result(item.job_id, skipped)
    wanted.sort()
    run = random.Random(module).sample(wanted, min(given.most or len(wanted), len(wanted)))
    again = survived(module, lines) if given.survivors else set(range(len(lines) + 1))
    for at, job in wanted:
        if (at, job) not in run or at[0] not in again:
            database.set_result(job, skipped)
    return len(wanted), len(run)


def survived(module: str, lines: list[str]) -> set[int]:
    """Numbers of the lines of which a mutant survived. Raises RuntimeError where the module is no longer what was run."""
    rows = [row for row in read("survivors.csv") if row["module"] == module]
    if any(lines[int(row["line"]) - 1].strip() != row["was"] for row in rows):
        raise RuntimeError(f"{module}: has changed since it was run: run it whole")
    return {int(row["line"]) for row in rows}


def place(mutation: MutationSpec) -> tuple[object, ...]:
    return (*mutation.start_pos, mutation.operator_name, mutation.occurrence)


CLIENT = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
except OSError as error:
    sys.exit(print(error) or 1)
end = s.recv(1)
sys.exit(end[0] if end else print("out of time") or 1)
"""
LONGEST = 1800.0  # seconds by the clock of a test that waits for ever; the server limits the time of the processor
COLLECTED, FRESH, SLOW = "tests.socket", "fresh.socket", "slow.json"  # what the server leaves in the copy


@contextmanager
def serving(python: str, copy: Path, module: str, tests: list[str]) -> Iterator[str]:
    """The command that runs the tests once, in a fork of a server."""
    for left in (COLLECTED, FRESH, SLOW):
        (copy / left).unlink(missing_ok=True)
    command = [python, str(HERE / "server.py"), COLLECTED, module, *tests]
    with subprocess.Popen(command, cwd=copy, env=environment(copy), start_new_session=True) as server:
        try:
            while not (copy / COLLECTED).exists() and server.poll() is None:
                sleep(0.1)
            yield shlex.join([python, "-S", "-c", CLIENT, COLLECTED])
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def environment(copy: Path) -> dict[str, str]:
    """What the tests start imports the copy too, and never keeps what it compiled: two mutants may be as long and as old."""
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}


def mutate(module: str, tests: list[str], python: str, copy: Path, given: Given) -> tuple[Row, list[Row]]:
    """The score of one module, and its survivors. Raises RuntimeError where its tests fail without any mutant."""
    config, session = copy / "cosmic.toml", copy / "session.sqlite"
    session.unlink(missing_ok=True)
    tool = [str(Path(sys.executable).with_name("cosmic-ray"))]
    with serving(python, copy, module, tests) as command:
        config.write_text(
            f'[cosmic-ray]\nmodule-path = "{module}"\ntimeout = {LONGEST}\nexcluded-modules = []\n'
            f'test-command = {json.dumps(command)}\n[cosmic-ray.distributor]\nname = "local"\n'
        )
        check(module, [python, "-S", "-c", CLIENT, FRESH], copy)
        check(module, shlex.split(command), copy)
        subprocess.run([*tool, "init", config, session], cwd=copy, check=True, capture_output=True)
        with use_db(session, WorkDB.Mode.open) as database:
            mutants, run = choose(database, copy, module, given)
        subprocess.run([*tool, "exec", config, session], cwd=copy, check=True, capture_output=True)
    with use_db(session, WorkDB.Mode.open) as database:
        ends = [result for _, result in database.results if result.worker_outcome == WorkerOutcome.NORMAL]
    late = sum(end.output == "out of time\n" for end in ends)
    if odd := {end.output for end in ends} - {"", "out of time\n"}:
        raise RuntimeError(f"{module}: {odd}")
    if late:
        print(f"{module}: with {late} mutants its tests do not end")
    left = [end for end in ends if end.test_outcome == TestOutcome.SURVIVED]
    day = datetime.now(UTC).date().isoformat()
    score = dict(zip(SCORES, (module, str(mutants), str(run), str(run - len(left)), day), strict=True))
    return score, [survivor(module, end.diff or "") for end in left]


def check(module: str, command: list[str], copy: Path) -> None:
    if subprocess.run(command, cwd=copy).returncode:
        raise RuntimeError(f"{module}: its tests fail without any mutant")


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
    file = HERE / name
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as handle:
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
    parser.add_argument("--most", type=int, default=0, help="mutants of each module; 0 = all")
    parser.add_argument("--python", default=sys.executable, help="with which the tests are run")
    parser.add_argument("--survivors", action="store_true", help="only lines of which a mutant survived the last time")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="traincompute-mutants-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        for row in modules(given.only):
            score, left = mutate(
                row["module"], row["tests"].split(), given.python, copy, Given(given.most, given.survivors)
            )
            enter(score, left)
            print(
                f"{row['module']}: {score['killed']} of {score['run']} noticed ({score['mutants']} in all)", flush=True
            )
    sys.exit(1 if any(not row["reason"] for row in read("survivors.csv")) else 0)


if __name__ == "__main__":
    main()
