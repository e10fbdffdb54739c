"""A page whose Python blocks are run in order, with what they print below each; and the same page as a notebook."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.errors import DataError

# a block of Python and, after a blank line, what it printed
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.DOTALL)
DATA = "TRAINCOMPUTE_DATA"


def with_printed(page: str, name: str, data: Path) -> str:
    """The page with what each ```python block prints in a ```text block below it, for the dataset in `data`.

    Raises DataError with the line that failed."""
    with TemporaryDirectory() as folder, _working_in(Path(folder), data):
        names: dict[str, Any] = {}
        return BLOCK.sub(lambda found: _renewed(found["code"], name, names), page)


def _renewed(code: str, name: str, names: dict[str, Any]) -> str:
    printed = _run(code, name, names)
    return f"```python\n{code}```\n" + (f"\n```text\n{printed}```\n" if printed else "")


def _run(code: str, name: str, names: dict[str, Any]) -> str:
    """What a block prints. `names` are the variables of the blocks before it."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(code, name, "exec"), names)
    except Exception as error:
        first = code.strip().splitlines()[0]
        raise DataError.of(name, f"{type(error).__name__}: {error}", "correct the block", record=first) from error
    return out.getvalue()


@contextlib.contextmanager
def _working_in(folder: Path, data: Path) -> Iterator[None]:
    """Blocks read the dataset in `data`, and what they save is thrown away."""
    before = os.environ.get(DATA)
    os.environ[DATA] = str(data)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.pop(DATA)
        if before is not None:
            os.environ[DATA] = before


def notebook(page: str) -> str:
    """The page as a Jupyter notebook (nbformat 4.5): text and code in cells, what was printed as output."""
    cells = [cell | {"id": f"cell-{place}"} for place, cell in enumerate(filter(_is_filled, _cells(page)))]
    document = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def _cells(page: str) -> Iterator[dict[str, Any]]:
    end = 0
    for found in BLOCK.finditer(page):
        yield _text(page[end : found.start()])
        yield _code(found["code"], found["printed"] or "")
        end = found.end()
    yield _text(page[end:])


def _is_filled(cell: dict[str, Any]) -> bool:
    return bool(cell["source"])


def _text(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text.strip())}


def _code(code: str, printed: str) -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": _lines(printed)}] if printed else []
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "source": _lines(code.rstrip()),
        "outputs": outputs,
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
