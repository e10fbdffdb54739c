"""The generated parts of docs/: every query, command and block of Python runs, and prints what the page shows below
it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths
from pipeline.present.docs.notebook import notebook, with_printed
from pipeline.present.docs.pages import PYTHON, TRANSCRIPTS, pages

DOCS = CHECKOUT / "docs"
# tests/data/test_reproductions.py compares that page with the results that it looks at anyway
OF_MANY_COMMANDS = ["audit-a-number.md", "count-above-threshold.md", "frontier.md"]
NAMES = sorted(pages(Paths(CHECKOUT)).keys() - {"reproductions.md", *OF_MANY_COMMANDS})


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_current(name: str, published: Path) -> None:
    made = pages(Paths(CHECKOUT, output=published))[name]()
    assert made == (DOCS / name).read_text(encoding="utf-8"), "run `traincompute docs`"


def test_nothing_contradicts_itself() -> None:
    page = (DOCS / "quality.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| n \|\n\|---:\|\n\| (.*) \|$", page, re.MULTILINE)
    assert len(answers) >= 11
    assert set(answers) == {"0"}


def test_pages_that_print_have_something_to_run() -> None:
    for name in TRANSCRIPTS:
        assert (DOCS / name).read_text(encoding="utf-8").count("\n$ traincompute") >= 2, name
    assert (DOCS / PYTHON).read_text(encoding="utf-8").count("```python") >= 5


def test_a_block_of_python_knows_those_before_it_and_prints_below_itself(tmp_path: Path) -> None:
    page = "```python\nn = 20\n```\n\n```python\nprint(n + 1)\n```\n\n```text\nold\n```\n"
    assert with_printed(page, "a.md", tmp_path) == page.replace("old", "21")
    with pytest.raises(DataError, match=r"a\.md \[print\(m\)\]: NameError"):
        with_printed("```python\nprint(m)\nm = 2\n```\n", "a.md", tmp_path)


def test_a_page_as_a_notebook() -> None:
    page = "# Ä\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\nText.\n"
    made = json.loads(notebook(page))
    assert notebook(page) == json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    text, code, last = made["cells"]
    assert (text["source"], last["source"]) == (["# Ä"], ["Text."])
    assert code["source"] == ["print(1)"]
    assert code["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
    assert len({cell["id"] for cell in made["cells"]}) == 3
