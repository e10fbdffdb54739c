"""Blocks of a page are run, and its links are checked."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths
from pipeline.site import docs
from pipeline.site.docs import slug, write_docs
from pipeline.site.printed import renewed
from pipeline.site.site import Site


@pytest.fixture
def paths(tiny_release: Path) -> Paths:
    return Paths(CHECKOUT, output=tiny_release)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<!-- run: python -->\n```python\nn = 20\n```\n\n```python\nprint(n + 1)\n```\n\n```text\nold\n```\n",
            "```text\n21\n```\n",
        ),
        (
            "<!-- run: sql -->\n```sql\nSELECT 7 AS n\n```\n\n| old |\n|---|\n\nText.\n",
            "```\n\n| n |\n|---:|\n| 7 |\n\nText.\n",
        ),
        ("<!-- run: console -->\n```console\n$ echo new\nold\n```\n", "```console\n$ echo new\nnew\n```\n"),
        ("<!-- python\nprint(paths.root.is_dir())\n-->\nold\n<!-- end -->\n", "-->\n\nTrue\n\n<!-- end -->\n"),
        ("<!-- sql\nSELECT 7 AS n\n-->\n<!-- end -->\n", "-->\n\n| n |\n|---:|\n| 7 |\n\n<!-- end -->\n"),
    ],
)
def test_what_a_block_prints_stands_below_it(before: str, after: str, paths: Paths) -> None:
    page = renewed(before, "a.md", paths)
    assert page.endswith(after)
    assert "old" not in page
    assert renewed(page, "a.md", paths) == page


def test_a_block_that_no_line_names_is_not_run(paths: Paths) -> None:
    page = "<!-- run: sql -->\n```python\n1 / 0\n```\n"
    assert renewed(page, "a.md", paths) == page


@pytest.mark.parametrize("block", ["```python\n1 / 0\n```", "```sql\nSELECT no\n```", "```console\n$ false\n```"])
def test_a_block_that_fails_is_named(block: str, paths: Paths) -> None:
    first = block.splitlines()[1]
    with pytest.raises(DataError, match=rf"a\.md \[{re.escape(first)}\]: "):
        renewed(f"<!-- run: sql, python, console -->\n{block}\n", "a.md", paths)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two pages of docs."""
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    (tmp_path / "LICENSE").write_text("MIT")
    (tmp_path / "mkdocs").mkdir()
    (tmp_path / "docs" / "figures" / "a.svg").write_text('<svg width="5" height="7"></svg>')
    (tmp_path / "README.md").write_text(
        "# About\n\n[b](docs/b.md#az-table), [licence](LICENSE)\n\n![a](docs/figures/a.svg)\n"
    )
    (tmp_path / "docs" / "b.md").write_text(
        "# B <&\n\n[About](../README.md)\n\n## A–Z: table\n\n<!-- python\nx\n-->\n| a |\n|--:|\n| 1 |\n"
    )
    config = tmp_path / "mkdocs.yml"
    config.write_text(docs.CONFIG.read_text().partition("nav:\n  -")[0] + "nav: [README.md, {More: [b.md]}]\n")
    monkeypatch.setattr(docs, "CONFIG", config)
    return tmp_path


def written(root: Path, name: str = "out") -> dict[str, str]:
    site = Site(root, root / name, duckdb.connect())
    write_docs(site, root)
    return {file.name: file.read_text(encoding="utf-8") for file in (root / name / "docs").iterdir() if file.is_file()}


def test_pages_are_written_in_the_frame_of_the_site(root: Path) -> None:
    pytest.importorskip("mkdocs")
    pages = written(root)
    assert pages.keys() == {"index.html", "b.html", "license.txt"}
    assert '<a href="b.html#az-table">b</a>, <a href="license.txt">licence</a>' in pages["index.html"]
    assert '<a href="index.html">About</a>' in pages["b.html"]
    assert '<img width="5" height="7" loading="lazy" alt="a" src="figures/a.svg"' in pages["index.html"]
    assert "<title itemprop=name>B &lt;&amp; · traincompute</title>" in pages["b.html"]
    assert '<th align="right">a</th>' in pages["b.html"]
    assert "&lt;!--" not in pages["b.html"]
    assert '<a href="../docs/b.html" aria-current="page">' in pages["b.html"]
    assert written(root, "again") == pages


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("b.md", "[c](c.md)", "'c.md', but the target is not found"),
        ("b.md", "[a](README.md#nothing)", "does not contain an anchor '#nothing'"),
        ("b.md", "![a](figures/b.svg)", "'figures/b.svg', but the target is not found"),
        ("c.md", "text", 'not included in the "nav" configuration:\n  - c.md'),
    ],
)
def test_a_dead_link_and_a_page_that_is_not_listed_stop_the_site(root: Path, name: str, text: str, reason: str) -> None:
    pytest.importorskip("mkdocs")
    (root / "docs" / name).write_text(f"# A\n\n## A–Z: table\n\n{text}\n")
    with pytest.raises(DataError, match=reason):
        written(root)


def test_without_the_extra_there_is_one_page_that_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "find_spec", lambda _: None)
    site = Site(root, root / "out", duckdb.connect())
    write_docs(site, root)
    assert "the extra <code>site</code>" in (root / "out" / "docs" / "index.html").read_text(encoding="utf-8")


def test_anchors_are_those_of_the_code_host() -> None:
    assert slug("A–Z: what is `it`?", "-") == "az-what-is-it"
