"""The examples in docstrings run on the real dataset."""

from __future__ import annotations

import builtins
import doctest
import re
from pathlib import Path

import pytest
from release_folders import write_index, write_release

import traincompute as t
from pipeline.paths import CHECKOUT, Paths
from traincompute import reader, releases, units
from traincompute.base import errors

ROW = re.compile(r"^\| `(\w+Error)` \| (.+?) \|", re.MULTILINE)
CODE = re.compile(r"`(\w+)`")
OWN = {name: value for name, value in vars(errors).items() if name.endswith("Error")}
EXAMPLES = [
    example
    for module in (t, reader, releases, units)
    for example in doctest.DocTestFinder().find(module, extraglobs={"t": t})
    if example.examples
]


@pytest.fixture(scope="module")
def index(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two releases of the small checkout."""
    releases = tmp_path_factory.mktemp("docstrings")
    write_index(releases, [write_release(built.processed, releases, version) for version in ("2026.9.0", "2026.11.0")])
    return releases


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_give_what_they_show(
    example: doctest.DocTest, published: Path, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(published))
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(index))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    assert not doctest.DocTestRunner().run(example, out=report.append, clear_globs=False).failed, "".join(report)


@pytest.mark.parametrize("name", t.__all__)
def test_a_public_function_shows_an_example_and_says_what_it_raises(name: str) -> None:
    text = getattr(t, name).__doc__
    raised = re.findall(r"\w+Error\b", text.partition("Raises ")[2])
    assert re.search(rf">>> .*\bt\.{name}\(", text)
    assert raised
    assert set(raised) <= set(OWN)


def test_the_page_lists_every_exception_with_its_ordinary_base_classes() -> None:
    listed = dict(ROW.findall((CHECKOUT / "docs" / "reading.md").read_text(encoding="utf-8")))
    assert set(listed) == set(OWN) - {"TraincomputeError"}
    for name, bases in listed.items():
        assert all(issubclass(OWN[name], getattr(builtins, base)) for base in CODE.findall(bases)), name
