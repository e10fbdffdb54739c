"""Runs what README.md and the pages of docs/ print, and puts the output below it, so that they say what the dataset
does.

A page with the line `<!-- run: sql, python, console -->` has its blocks of these languages run, in order: below a query
stands its answer as a table, below a block of Python what it prints in a ```text block, and after each line of a
console block that begins with `$ ` what the command prints. What a reader need not see is in a comment, and its output
goes between it and `<!-- end -->`, as Markdown:

    <!-- python
    print("\\n".join(f"- {name}" for name in ("a", "b")))
    -->

    <!-- end -->

The blocks of Python of a page share their variables, among them `paths`, the checkout, and `table`, which prints rows
as a table of Markdown."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.site.generated import GENERATED, render_page
from traincompute.commands.examples import PAGE as QUESTIONS
from traincompute.commands.sql import sql
from traincompute.show.rows import print_rows

RUN = re.compile(r"^<!-- run: (.*) -->$", re.MULTILINE)
BLOCK = re.compile(
    r"^```(?P<shown>sql|python|console)\n(?P<code>.*?)^```\n(?:\n(?:```text\n.*?^```|\|[^\n]*(?:\n\|[^\n]*)*)\n)?"
    r"|^<!-- (?P<hidden>sql|python|console)\n(?P<program>.*?)^-->\n.*?^<!-- end -->\n",
    re.MULTILINE | re.DOTALL,
)
PROMPT = "$ "
LONGEST_S = 120
COMMAND = 'import sys; sys.argv[0] = "traincompute"; from traincompute.cli import main; main()'


def pages(paths: Paths) -> dict[Path, str]:
    """The pages of docs/ and README.md with their texts: that of docs/questions.md is the package's, and those of
    generated pages are made from their templates."""
    texts = {"questions.md": QUESTIONS.read_text(encoding="utf-8")}
    texts |= {name: render_page(name, paths) for name in GENERATED}
    files = [*sorted(paths.docs.glob("*.md")), paths.root / "README.md"]
    return {file: texts.get(file.name) or file.read_text(encoding="utf-8") for file in files}


def renewed(page: str, name: str, paths: Paths) -> str:
    """The page with what its blocks print now, of the dataset that is built in the checkout.

    Raises DataError with the first line of a block that fails."""
    marked = RUN.search(page)
    kinds = marked[1].split(", ") if marked else []
    names: dict[str, Any] = {"paths": paths, "table": _print_table}

    def run(block: re.Match[str]) -> str:
        kind, code = block["shown"] or block["hidden"], block["code"] or block["program"]
        if block["shown"] and kind not in kinds:
            return block[0]
        try:
            output = _output(kind, code, names, prompts=bool(block["shown"]))
        except Exception as error:
            first = code.strip().splitlines()[0]
            raise DataError.of(name, f"{type(error).__name__}: {error}", "correct the block", record=first) from error
        if block["hidden"]:
            return f"<!-- {kind}\n{code}-->\n\n{output.strip()}\n\n<!-- end -->\n"
        if kind == "console":
            return f"```console\n{output}```\n"
        below = f"\n```text\n{output}```\n" if output and kind == "python" else f"\n{output}" if output else ""
        return f"```{kind}\n{code}```\n{below}"

    # blocks read the dataset of the checkout, and what they save is thrown away
    data = patch.dict(os.environ, TRAINCOMPUTE_DATA=str(paths.processed))
    with TemporaryDirectory() as folder, contextlib.chdir(folder), data:
        return BLOCK.sub(run, page)


def _output(kind: str, code: str, names: dict[str, Any], *, prompts: bool) -> str:
    """What a block prints: the answer of a query as Markdown; what Python prints, with these variables; what the
    commands print in a shell at the root, 100 columns wide, each after its line if `prompts`."""
    if kind == "sql":
        asked = ["--data", str(names["paths"].processed), "--markdown", "--human", code]
        return CliRunner().invoke(sql, asked, standalone_mode=False, catch_exceptions=False).stdout
    if kind == "python":
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as printed:
            exec(compile(code, "docs", "exec"), names)
        printed.seek(0)
        return printed.read()
    root = names["paths"].root
    function = f"traincompute() {{ {shlex.quote(sys.executable)} -c '{COMMAND}' \"$@\"; }}; set -o pipefail; "
    settings = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(root)}
    shown = []
    for line in (line for line in code.splitlines() if line.startswith(PROMPT)):
        command = ["bash", "-c", function + line.removeprefix(PROMPT)]
        done = subprocess.run(
            command, cwd=root, env=settings, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
        if done.returncode:
            raise ChildProcessError(f"{line}: {done.stderr.strip()[-300:]}")
        shown += [line] * prompts + [printed.rstrip() for printed in done.stdout.splitlines()]
    return "".join(f"{line}\n" for line in shown)


def _print_table(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    """Prints rows under the names of their columns."""
    print_rows([dict(zip(names, row, strict=True)) for row in rows], "markdown")
