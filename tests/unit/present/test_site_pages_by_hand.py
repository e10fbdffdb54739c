"""What the site makes of a folder of docs, made up, page by page as in golden/site/pages.txt (see site_by_hand.py), and
its parts."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from threading import enumerate as enumerate_threads
from urllib.request import urlopen

import pytest
from jinja2 import UndefinedError
from kept import kept

from pipeline.errors import DataError
from pipeline.present.site import assemble, engine, gallery
from pipeline.present.site.pages import write_pages
from pipeline.present.site.serve import serving
from pipeline.present.thresholds import load_thresholds, names_above
from traincompute.base.places import DUCKDB_NAME

SQUARES = [str(number * number % 9973) for number in range(2000)]  # which each degree of compression packs otherwise
FIGURES = {"growth": {"query": "select 'a&b' as x"}, "other": {"query": "select 2 as y"}}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    for page in kept("site/docs.txt").split("===== ")[1:]:
        name, _, text = page.partition("\n")
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in (
        "LICENSE",
        "docs/figures/plain.png",
        "docs/figures/growth.svg",
        "docs/figures/other.svg",
        "docs/figures/data.csv",
        "docs/use.ipynb",
    ):
        (tmp_path / name).write_text(f"the file {name}")
    return tmp_path


@pytest.fixture
def two_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "ORDER", tuple(FIGURES))
    monkeypatch.setattr(gallery, "declared", FIGURES.__getitem__)


def own(page: str) -> str:
    """A page without the lines that all have: its title, its navigation and its content."""
    [title] = re.findall("<title>.*</title>\n", page)
    return title + page.partition("</form>\n")[2].partition("</main>")[0]


def entries(script: str) -> str:
    [packed] = re.findall(r'^traincompute\.receiveSearch\("(.*)"\);\n$', script)
    content = base64.b64decode(packed)
    assert content == gzip.compress(gzip.decompress(content), 7, mtime=0)
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in json.loads(gzip.decompress(content)))


def shown(name: str, content: bytes) -> str:
    text = content.decode()
    return own(text) if name.endswith(".html") else entries(text) if name.endswith(".js") else text + "\n"


@pytest.mark.usefixtures("two_figures")
def test_the_docs_as_pages(docs: Path) -> None:
    files = write_pages(docs, ["data/tables/models.parquet", "data/tables/models.csv"], ["growth"])
    assert "".join(f"===== {name}\n{shown(name, content)}" for name, content in files.items()) == kept("site/pages.txt")


def test_docs_without_a_dictionary_figures_or_pages_beside_them(docs: Path) -> None:
    for name in ("docs/data-dictionary.md", "docs/figures.md", "README.md", "CHANGELOG.md"):
        (docs / name).unlink()
    (docs / "docs" / "README.md").write_text("| a |\n|---|\n\n# B\n\n[c](a.md#twice) ![e](figures/plain.png)\n")
    (docs / "docs" / "a.md").write_text("# A\n\n## Twice\n")
    files = write_pages(docs)
    assert [name for name in files if name.endswith(".html")] == ["docs/index.html", "docs/a.html"]
    assert 'aria-label="Table">' in files["docs/index.html"].decode()


def test_each_dead_link_to_a_section_is_told(docs: Path) -> None:
    page = docs / "docs" / "a.md"
    page.write_text("# A\n\n[own *words*](#gone), [there](figures.md#gone), [no page](../LICENSE#gone)\n")
    with pytest.raises(DataError) as told:
        write_pages(docs)
    said = str(told.value)
    assert 'docs/README.md [a page]: link "a.html#twice-1": the page has no such section' in said
    assert 'docs/a.md [own words]: link "#gone": the page has no such section; write the words of its heading' in said
    assert 'docs/a.md [there]: link "figures.html#gone"' in said
    assert "no page" not in said
    page.write_text("# A\n\n<b>a</b>\n")
    with pytest.raises(DataError, match=r"docs/a\.md.*'<b>' is HTML; write it in Markdown"):
        write_pages(docs)


@pytest.mark.usefixtures("two_figures")
def test_figures_are_drawn_of_many_models_of_a_whole_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(models: int) -> list[str]:
        return gallery.figures_of(tmp_path / DUCKDB_NAME, {"tables": {"models": {"rows": models}}})

    assert drawn(gallery.ENOUGH) == [], "there is but a database"
    (tmp_path / "models.parquet").touch()
    assert drawn(gallery.ENOUGH) == ["growth", "other"]
    assert drawn(gallery.ENOUGH - 1) == gallery.figures_of(tmp_path / DUCKDB_NAME, {}) == []
    monkeypatch.setattr(gallery, "is_installed", lambda extra: extra != "site")
    assert drawn(gallery.ENOUGH) == []


@pytest.mark.usefixtures("two_figures")
def test_modules_become_functions_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "PAGE", tmp_path)
    *modules, made = kept("site/modules.txt").split("===== ")[1:]
    for module in modules:
        name, _, text = module.partition("\n")
        (tmp_path / name).write_text(text)
    assert f"made\n{assemble.script('main')}" == made


def test_each_page_stands_in_the_frame_as_its_template_has_it() -> None:
    files = assemble.page_files()
    assert [name for name in files if name.endswith(".html")] == ["index.html", "facts.html", "sql.html"]
    assert [name for name in files if name.endswith(".js")] == [f"{name}.js" for name in assemble.SCRIPTS]
    page = files["sql.html"].decode()
    assert page.startswith("<!doctype html>\n<html")
    assert page.endswith("</html>\n")
    assert "\n\n\n" not in page, "no line is left of what a template does"
    hostile = assemble.TEMPLATES.from_string("{{ text }}")
    assert hostile.render(text="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        hostile.render()


def test_the_engine_and_the_dataset_are_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = {name: f"the program {name}".encode() for name in [*engine.LIBRARIES.values(), *engine.PARTS.values()]}
    declared = []
    for name, content in contents.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
        sums = hashlib.sha256(content).hexdigest()
        declared.append({"package": "p", "version": "1", "licence": "MIT", "file": f"dist/{name}", "sha256": sums})
    (tmp_path / "vendor.yml").write_text(json.dumps({"files": declared}) + "\n")
    (tmp_path / "b.LICENSE.txt").write_text("B")
    (tmp_path / "a.LICENSE.txt").write_text("A")
    monkeypatch.setattr(engine, "VENDOR", tmp_path)
    database = tmp_path / "dataset"
    database.write_bytes(engine.as_json(SQUARES))
    files = engine.engine_files(database)
    assert files["vendor/duckdb.js"] == b"the program duckdb-browser.cjs"
    assert files["vendor/arrow.js"] == b"the program Arrow.es2015.min.js"
    packed = base64.b64encode(gzip.compress(engine.as_json(SQUARES), 8, mtime=0)).decode()
    assert files["data/database.js"].decode() == f'traincompute.receivePacked("database","{packed}");\n'
    assert "data/worker.js" in files
    assert list(files)[-2:] == ["vendor/a.LICENSE.txt", "vendor/b.LICENSE.txt"]
    (tmp_path / "duckdb-eh.wasm.gz").write_bytes(gzip.compress(b"another"))
    sums = hashlib.sha256(b"another").hexdigest()
    with pytest.raises(DataError, match=rf"\[duckdb-eh\.wasm\]: sha256.*its sha256 is {sums};"):
        engine.read_vendored()


def test_what_a_page_reads_is_json_in_few_bytes() -> None:
    assert engine.as_json({"a": [1, "é"], "b": None}) == '{"a":[1,"é"],"b":null}'.encode()
    assert engine.packed(SQUARES) == gzip.compress(json.dumps(SQUARES, separators=(",", ":")).encode(), 7, mtime=0)
    assert engine.as_script("k", b"x", "f") == b'traincompute.f("k","eA==");\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        engine.as_json(float("nan"))


def test_a_folder_is_served_on_this_machine_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("there")
    with serving(tmp_path) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d+", address)
        assert urlopen(f"{address}/a.txt", timeout=10).read() == b"there"
        assert [thread.daemon for thread in enumerate_threads() if "serve_forever" in thread.name] == [True]
    with pytest.raises(OSError, match="refused"):
        urlopen(f"{address}/a.txt", timeout=10)
    assert capfd.readouterr() == ("", "")


def test_thresholds_come_in_their_order_and_are_named_from_one_on() -> None:
    found = load_thresholds()
    assert [entry["flop"] for entry in found] == [1e23, 1e25, 1e26]
    assert names_above(1e26) == {26.0: "1e26: California SB 53"}
    assert names_above(1.1e25) == names_above(1e26)
    assert names_above(1e25) == {25.0: "1e25: EU AI Act", **names_above(1e26)}
