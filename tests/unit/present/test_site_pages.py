"""The pages of the docs on the site: every link and picture leads somewhere, and nothing is loaded from the network."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT
from pipeline.present.site.assemble import page_files
from pipeline.present.site.markup import render_markdown, slug
from pipeline.present.site.pages import link_of, write_pages
from pipeline.present.site.tables import files_of

# what traincompute site writes beside docs/
EXPLORER = set(page_files())


class Read(HTMLParser):
    """What a browser would load, follow or jump to, and what a screen reader needs to find its way."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.followed: list[str] = []
        self.ids: list[str] = []
        self.levels: list[int] = []
        self.labels: list[str] = []
        self.inline: list[str] = []
        self.pictures_without_text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        if tag in ("link", "script", "img"):
            self.loaded.append(have.get("href") or have.get("src") or "")
        if tag == "a":
            self.followed.append(have["href"])
        if tag == "img" and not have.get("alt"):
            self.pictures_without_text.append(have["src"])
        self.ids += [have["id"]] if "id" in have else []
        self.levels += [int(tag[1])] if tag in ("h1", "h2", "h3", "h4") else []
        self.labels += [have["aria-label"]] if tag == "nav" else []
        self.inline += [name for name in have if name == "style" or name.startswith("on")]


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return write_pages(CHECKOUT)


@pytest.fixture(scope="module")
def pages(files: dict[str, bytes]) -> dict[str, Read]:
    return {name: Read(content.decode()) for name, content in files.items() if name.endswith(".html")}


def test_every_page_of_the_docs_is_there(pages: dict[str, Read]) -> None:
    wanted = {f"docs/{file.stem}.html" for file in (CHECKOUT / "docs").glob("*.md") if file.stem != "README"}
    assert wanted | {"docs/index.html", "docs/readme.html", "docs/contributing.html"} <= set(pages)


def test_the_index_lists_every_page(pages: dict[str, Read]) -> None:
    """Nobody on GitHub would find a page that docs/README.md does not list."""
    text = (CHECKOUT / "docs" / "README.md").read_text(encoding="utf-8")
    unlisted = [file.name for file in (CHECKOUT / "docs").glob("*.md") if f"]({file.name})" not in text]
    assert unlisted == ["README.md"]


def test_every_link_and_anchor_leads_somewhere(files: dict[str, bytes], pages: dict[str, Read]) -> None:
    places = set(files) | EXPLORER
    checked = 0
    for name, page in pages.items():
        for address in page.followed + page.loaded:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (Path("/docs") / unquote(parts.path)).resolve().relative_to("/") if parts.path else Path(name)
            assert str(target) in places, f"{name}: {address}"
            if parts.fragment:
                assert parts.fragment in pages[str(target)].ids, f"{name}: {address}"
            checked += 1
    assert checked > 20 * len(pages)


def test_nothing_is_loaded_from_the_net(files: dict[str, bytes], pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        assert [a for a in page.loaded if urlsplit(a).scheme not in ("", "data") or urlsplit(a).netloc] == [], name
        assert page.inline == [], f"{name}: the policy refuses style and event attributes"
        assert b"default-src 'none'" in files[name]
        assert b"<script>" not in files[name]
    for name, content in files.items():
        if name.endswith((".css", ".js")) and name != "docs/search-index.js":  # which is text and no code
            assert b"url(" not in content
            assert b"http" not in content


def test_the_pages_can_be_walked_through_by_ear(pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert page.pictures_without_text == [], name
        assert {"Pages", "Site"} <= set(page.labels)
        outline = page.levels[page.levels.index(1) :]
        assert page.levels.count(1) == 1, name
        assert all(below - above <= 1 for above, below in pairwise(outline)), f"{name}: {outline}"


def test_each_table_has_a_page_with_what_can_be_downloaded() -> None:
    made = write_pages(CHECKOUT, ["data/tables/models.parquet", "data/tables/models.csv"])
    page, other, all_of_them = (
        made[f"docs/{name}.html"].decode() for name in ("table-models", "table-claims", "data-dictionary")
    )
    assert "training_compute_flop" in page
    for text in (page, all_of_them):
        assert 'href="../data/tables/models.parquet"' in text
        assert 'href="../data/tables/models.csv"' in text
    assert "data/tables/" not in other, "the site does not have its files"
    tables = re.findall(
        r"^## (\w+)$", (CHECKOUT / "docs" / "data-dictionary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {f"docs/table-{name}.html" for name in tables} <= made.keys()


def test_large_files_are_left_to_the_release(tmp_path: Path) -> None:
    csv, parquet = 800_000, 900_000
    sizes = {
        "models.csv": csv + 1,
        "models.parquet": 1,
        "b.csv": csv + 1,
        "b.parquet": parquet + 1,
        "d.csv": csv + 1,
        "d.parquet": 1,
    }
    sizes |= {"a.csv": csv, "a.parquet": parquet, "e.csv": 1, "e.parquet": parquet + 1}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    found = files_of(tmp_path, ["models", "a", "b", "c", "d", "e"])
    assert found.keys() == {f"data/tables/{name}.{kind}" for name in ("models", "a") for kind in ("csv", "parquet")}


def test_the_search_index_has_every_section_as_text(files: dict[str, bytes], pages: dict[str, Read]) -> None:
    written = files["docs/search-index.js"].decode()
    packed = written.removeprefix('traincompute.receiveSearch("').removesuffix('");\n')
    entries = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert {f"docs/{page}" for page, *_ in entries} == pages.keys()
    assert all(anchor in pages[f"docs/{page}"].ids for page, _, anchor, _, _ in entries)
    (found,) = [text for page, _, _, heading, text in entries if (page, heading) == ("releases.html", "Check one")]
    assert "<" not in found
    assert len(found) > 100


def test_a_link_to_nowhere_is_refused() -> None:
    places = {"docs/queries.md": "queries.html", "LICENSE": "license.txt"}
    assert link_of("README.md", "docs/queries.md#machines", places) == "queries.html#machines"
    assert link_of("docs/method.md", "../LICENSE", places) == "license.txt"
    for address in ("#how", "?q=1#how", "http://example.org", "mailto:a@example.org"):
        assert link_of("docs/method.md", address, places) == address
    elsewhere = ("//example.org/x", "//example.org", "//example.org/docs/queries.md", "tel:", "file:queries.md")
    for address in ("../schemas/models.yml", "file:///etc/passwd", "javascript:alert(1)", *elsewhere):
        with pytest.raises(DataError, match="the site has no such page"):
            link_of("docs/method.md", address, places)


def test_a_link_to_a_section_that_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "LICENSE").write_text("free")
    (tmp_path / "docs" / "README.md").write_text("# A\n\n[b](b.md#right)\n")
    (tmp_path / "docs" / "b.md").write_text("# B\n\n## Right\n")
    assert b'href="b.html#right"' in write_pages(tmp_path)["docs/index.html"]
    (tmp_path / "docs" / "b.md").write_text("# B\n\n## Wrong\n")
    with pytest.raises(DataError, match=r'docs/README.md \[b\]: link "b.html#right": the page has no such section'):
        write_pages(tmp_path)


def test_titles_are_text_and_never_markup(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "LICENSE").write_text("free")
    (tmp_path / "docs" / "README.md").write_text("# Index\n\n## Group `<i>`\n\n[`<u>`](b.md)\n")
    (tmp_path / "docs" / "b.md").write_text(
        '# `<b>` & "c"\n\n## `<s>`\n\n## D\n\n## E\n\n## F\n\n| x |\n|---|\n| y |\n'
    )
    page = write_pages(tmp_path)["docs/b.html"].decode()
    assert "<title>&lt;b&gt; &amp; &#34;c&#34; · traincompute</title>" in page
    assert '<ul aria-label="Group `&lt;i&gt;`">' in page
    assert '<a href="b.html" aria-current="page">&lt;u&gt;</a>' in page
    assert '<li class="level-2"><a href="#s">&lt;s&gt;</a></li>' in page
    assert 'aria-label="Link to the section &lt;s&gt;"' in page
    assert not {"<b>", "<i>", "<u>", "<s>"} & set(re.findall("<.>", page))


def test_pictures_come_along(tmp_path: Path) -> None:
    figures = tmp_path / "docs" / "figures"
    figures.mkdir(parents=True)
    (figures / "growth.svg").write_bytes(b"<svg/>")
    (tmp_path / "LICENSE").write_text("free")
    (tmp_path / "README.md").write_text("# R\n\n![Growth](docs/figures/growth.svg)\n")
    (tmp_path / "docs" / "README.md").write_text("# A\n")
    made = write_pages(tmp_path)
    assert made["docs/figures/growth.svg"] == b"<svg/>"
    assert b'<img src="figures/growth.svg" alt="Growth"' in made["docs/readme.html"]


def test_markdown_becomes_html_that_the_policy_allows() -> None:
    made = render_markdown("# A\n\n<!-- note -->\n\n| x |\n|--:|\n| `a<b` |\n\n## A\n\n    <b>\n", str).html
    assert "note" not in made
    assert '<div class="scroll" role="group" tabindex="0" aria-label="Table: A">' in made
    assert '<td class="right"><code>a&lt;b</code></td>' in made
    assert '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>' in made
    assert '<h2 id="a-1">' in made
    with pytest.raises(ValueError, match="is HTML"):
        render_markdown("a <b>c</b>", str)


def test_a_part_of_a_page_can_be_folded() -> None:
    html = render_markdown("<details>\n<summary>Proof</summary>\n\n*q.e.d.*\n\n</details>\n", str).html
    assert html == "<details>\n<summary>Proof</summary>\n<p><em>q.e.d.</em></p>\n</details>\n"
    with pytest.raises(ValueError, match="is HTML"):
        render_markdown('<details onclick="x">\n<summary>Proof</summary>\n\n</details>\n', str)


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("What is it?", "what-is-it"),
        ("epoch_all", "epoch_all"),
        ("Add (five minutes)", "add-five-minutes"),
        ("Cost & energy", "cost--energy"),
    ],
)
def test_anchors_are_those_of_github(title: str, anchor: str) -> None:
    assert slug(title) == anchor
