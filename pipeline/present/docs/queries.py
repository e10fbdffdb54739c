"""Keeps the output that the docs print below a query or a command current: the pages are run, not trusted."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from pipeline.errors import DataError
from traincompute.commands.sql import sql

# a query and, after a blank line, the Markdown table that it gave
QUERY = re.compile(r"(```sql\n(?P<query>[^`]*)```\n)(?:\n(?:\|[^\n]*\n)+)?")
TRANSCRIPT = re.compile(r"```console\n(?P<lines>.*?)```\n", re.DOTALL)
# headings and queries in the order of the page
PART = re.compile(r"^## (?P<section>.+)|^### (?P<title>.+)|^```sql\n(?P<query>[^`]*)```", re.MULTILINE)
PROMPT = "$ "
LONGEST_S = 120


class Question(NamedTuple):
    """A question of docs/queries.md: the section and heading above its query, and the query."""

    section: str
    title: str
    query: str


def questions(page: str) -> list[Question]:
    """The queries of a page with the headings above them."""
    section = title = ""
    found = []
    for part in PART.finditer(page):
        section = part["section"] or section
        title = part["title"] or title
        if part["query"]:
            found.append(Question(section, title, part["query"].strip()))
    return found


def with_output(page: str, database: Path) -> str:
    """The page with each table after a ```sql block as `traincompute sql --markdown --human` prints it now. Raises
    FileError where the dataset cannot be opened."""
    return QUERY.sub(lambda found: found[1] + "\n" + run_query(found["query"], database), page)


def run_query(query: str, database: Path, form: Sequence[str] = ("--markdown", "--human")) -> str:
    """What the command prints for a query. Raises DataError with its message if it fails."""
    result = CliRunner().invoke(sql, ["--data", str(database.parent), *form, query], standalone_mode=False)
    if error := result.exception:
        first = query.strip().splitlines()[0]
        raise DataError.of("docs/queries.md, docs/quality.md", str(error), "correct the query", record=first) from error
    return result.stdout


def with_transcript(page: str, root: Path, data: Path) -> str:
    """The page with the output after each `$ ` line in its ```console blocks as the command prints it now, 100 columns
    wide, for the dataset in `data`. Raises DataError if a command fails."""

    def renewed(block: re.Match[str]) -> str:
        commands = [line.removeprefix(PROMPT) for line in block["lines"].splitlines() if line.startswith(PROMPT)]
        shown = "".join(f"{PROMPT}{command}\n{run_command(command, root, data)}" for command in commands)
        return f"```console\n{shown}```\n"

    return TRANSCRIPT.sub(renewed, page)


def run_command(command: str, root: Path, data: Path) -> str:
    """What a command line prints in a shell below `root`; `traincompute` is that of the running Python."""
    settings = {"COLUMNS": "100", "NO_COLOR": "1", "TRAINCOMPUTE_DATA": str(data)}
    code = 'import sys; sys.argv[0] = "traincompute"; from traincompute.cli import main; main()'
    shell = f"traincompute() {{ {shlex.quote(sys.executable)} -c '{code}' \"$@\"; }}; set -o pipefail; {command}"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=root,
        env={**os.environ, **settings, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
    )
    if done.returncode:
        raise DataError.of("docs/first-hour.md", done.stderr.strip()[-300:], "correct the command", record=command)
    return "".join(_trimmed(done.stdout))


def _trimmed(text: str) -> Iterator[str]:
    """The lines without trailing white space."""
    yield from (line.rstrip() + "\n" for line in text.splitlines())
