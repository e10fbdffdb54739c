"""Keeps docs/quality.md current: the answers of its queries, the known issues as a release prints them, the faults that are
tested, and what was measured by the scripts in tests/chaos and by tests/mutation/run.py."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.base.paths import Paths
from pipeline.present.docs.markdown import between_marks, row
from pipeline.present.docs.queries import with_output
from pipeline.publish.known_issues import known_issues

HEAD = "| # | what happens | what must follow | tests |\n|--:|---|---|---|\n"
KILLS = "| command | what | times | torn, lost, left or failed | measured |\n|---|---|--:|--:|---|\n"
REPLAY = "| snapshot | entered | build | held | set aside |\n|---|---|---|--:|--:|\n"
MUTANTS = "| module | mutants | tried | noticed | percent | measured |\n|---|--:|--:|--:|--:|---|\n"


def quality(page: str, paths: Paths, database: Path) -> str:
    """The page with today's answers, and the lists between its marks."""
    issues = "".join(f"- {issue}\n" for issue in known_issues(paths, database))
    tests = paths.root / "tests"
    listed = {
        "known issues": issues,
        "faults": HEAD + "".join(_faults(tests / "faults")),
        "kills": KILLS + "".join(row(*line.values()) for line in _read(tests / "chaos" / "figures.csv")),
        "replay": REPLAY + "".join(_days(tests / "chaos" / "replay.csv")),
        "mutants": MUTANTS + "".join(_scores(tests / "mutation" / "scores.csv")),
    }
    page = with_output(page, database)
    for name, text in listed.items():
        page = between_marks(page, name, text)
    return page


def _faults(folder: Path) -> Iterator[str]:
    """A row of the table for each fault of faults.csv, with its tests in rows.csv."""
    tests = defaultdict(list)
    for line in _read(folder / "rows.csv"):
        tests[line["row"]].append(f"`{line['test'].removeprefix('tests/')}`")
    for line in _read(folder / "faults.csv"):
        yield row(line["row"], line["fault"], line["expected"], ", ".join(tests[line["row"]]))


def _days(file: Path) -> Iterator[str]:
    """A row for each snapshot that was replayed; what its gates said stands in the file alone."""
    for line in _read(file):
        how = line["pull"].partition(":")[0].replace("gate", "by hand, as a gate was closed")
        yield row(line["snapshot"], how, line["build"], line["held"], line["set_aside"])


def _scores(file: Path) -> Iterator[str]:
    """A row for each module whose code was changed."""
    for line in _read(file):
        percent = f"{100 * int(line['killed']) / int(line['run']):.0f}"
        figures = (line["mutants"], line["run"], line["killed"], percent)
        yield row(f"`{line['module']}`", *figures, line["measured"])


def _read(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle)
