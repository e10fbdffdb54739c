"""Runs what README.md and the pages of docs/ print and puts the output below it, so that they say what the dataset
does.

A page with the line `<!-- run: sql, python, console -->` has its blocks of these languages run, in order: below a query
stands its answer as a table, below a block of Python what it prints in a ```text block, and after each line of a
console block that begins with `$ ` what the command prints. What a reader need not see is in a comment, and its output
goes between it and `<!-- end -->`, as Markdown:

    <!-- python
    print("\\n".join(f"- {name}" for name in ("a", "b")))
    -->

    <!-- end -->

The blocks of Python of a page share their variables, among them `paths`, the checkout."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

from pipeline.errors import DataError
from pipeline.paths import Paths
from traincompute.commands.sql import sql
from traincompute.examples.search import PAGE as QUESTIONS

RUN = re.compile(r"^<!-- run: (.*) -->$", re.MULTILINE)
SHOWN = re.compile(
    r"^```(?P<kind>sql|python|console)\n(?P<code>.*?)^```\n(?:\n(?:```text\n.*?^```|\|[^\n]*(?:\n\|[^\n]*)*)\n)?",
    re.MULTILINE | re.DOTALL,
)
HIDDEN = re.compile(r"^<!-- (?P<kind>sql|python)\n(?P<code>.*?)^-->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL)
PROMPT = "$ "
LONGEST_S = 120


def pages(paths: Paths) -> dict[Path, str]:
    """README.md and the pages of docs/ with their texts; that of docs/questions.md is the package's."""
    files = [paths.root / "README.md", *sorted(paths.docs.glob("*.md"))]
    sources = {paths.docs / "questions.md": QUESTIONS}
    return {file: sources.get(file, file).read_text(encoding="utf-8") for file in files}


def renewed(page: str, name: str, paths: Paths) -> str:
    """The page with what its blocks print now, of the dataset that is built in the checkout.

    Raises DataError with the first line of a block that fails."""
    marked = RUN.search(page)
    kinds = marked[1].split(", ") if marked else []
    run: dict[str, Callable[[str], str]] = {
        "sql": partial(_query, data=paths.processed),
        "python": partial(_python, names={"paths": paths}),
        "console": partial(_commands, paths=paths),
    }

    def printed(block: re.Match[str]) -> str:
        try:
            return run[block["kind"]](block["code"])
        except Exception as error:
            first = block["code"].strip().splitlines()[0]
            raise DataError.of(name, f"{type(error).__name__}: {error}", "correct the block", record=first) from error

    def shown(block: re.Match[str]) -> str:
        kind, code = block["kind"], block["code"]
        if kind not in kinds:
            return block[0]
        output = printed(block)
        if kind == "console":
            return f"```console\n{output}```\n"
        below = f"\n```text\n{output}```\n" if output and kind == "python" else f"\n{output}" if output else ""
        return f"```{kind}\n{code}```\n{below}"

    def hidden(block: re.Match[str]) -> str:
        return f"<!-- {block['kind']}\n{block['code']}-->\n\n{printed(block).strip()}\n\n<!-- end -->\n"

    with TemporaryDirectory() as folder, _working_in(Path(folder), paths.processed):
        return SHOWN.sub(shown, HIDDEN.sub(hidden, page))


def _query(query: str, data: Path) -> str:
    """What `traincompute sql --markdown --human` prints."""
    result = CliRunner().invoke(sql, ["--data", str(data), "--markdown", "--human", query], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


def _python(code: str, names: dict[str, Any]) -> str:
    """What a block prints; `names` are the variables of the blocks before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "docs", "exec"), names)
    return out.getvalue()


def _commands(block: str, paths: Paths) -> str:
    """The commands of a console block, each with what it prints in a shell at the root, 100 columns wide."""
    settings = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(paths.root)}
    code = 'import sys; sys.argv[0] = "traincompute"; from traincompute.cli import main; main()'
    function = f"traincompute() {{ {shlex.quote(sys.executable)} -c '{code}' \"$@\"; }}; set -o pipefail; "
    shown = []
    for line in block.splitlines():
        if not line.startswith(PROMPT):
            continue
        command = ["bash", "-c", function + line.removeprefix(PROMPT)]
        done = subprocess.run(
            command, cwd=paths.root, env=settings, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
        if done.returncode:
            raise ChildProcessError(f"{line}: {done.stderr.strip()[-300:]}")
        shown += [line, *(printed.rstrip() for printed in done.stdout.splitlines())]
    return "".join(f"{line}\n" for line in shown)


@contextlib.contextmanager
def _working_in(folder: Path, data: Path) -> Iterator[None]:
    """Blocks read the dataset in `data`, and what they save is thrown away."""
    before = os.environ.get("TRAINCOMPUTE_DATA")
    os.environ["TRAINCOMPUTE_DATA"] = str(data)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.pop("TRAINCOMPUTE_DATA")
        os.environ |= {"TRAINCOMPUTE_DATA": before} if before is not None else {}
