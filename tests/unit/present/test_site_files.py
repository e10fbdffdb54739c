"""`traincompute site`: what it writes, without a browser; tests/browser/ looks at it in one."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
from graphlib import CycleError
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command_line import CliRunner

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths, build_version
from pipeline.present.cli import site
from pipeline.present.site import assemble, engine
from pipeline.present.site.assemble import COMMENT, EXPORT, IMPORT, PAGES, SCRIPTS, page_files, script
from pipeline.present.site.overview import describe, in_words, shortened
from pipeline.present.site.schema import questions
from pipeline.present.site.shards import shard_of
from pipeline.present.site.vintages import spans
from pipeline.present.site.write import Written, about
from pipeline.present.thresholds import load_thresholds, names_above
from traincompute import __version__
from traincompute.base.places import DUCKDB_NAME

PAGE = CHECKOUT / "pipeline" / "present" / "site" / "page"


@pytest.fixture
def database(built: Paths) -> Path:
    return built.processed / DUCKDB_NAME


@pytest.fixture
def folder(small_site: tuple[Path, Written]) -> Path:
    return small_site[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def overview(folder: Path) -> dict[str, Any]:
    text = (folder / "data" / "models.js").read_text(encoding="utf-8")
    return dict(json.loads(text.removeprefix("traincompute.receive(").removesuffix(");\n")))


def unpacked(file: Path, function: str) -> bytes:
    """What a script hands to that function of the page."""
    [base] = re.findall(rf'^traincompute\.{function}\("[\w/]+","(.*)"\);$', file.read_text(encoding="utf-8"))
    return gzip.decompress(base64.b64decode(base))


def test_every_model_stands_in_the_shard_that_the_page_asks_for(folder: Path) -> None:
    told = overview(folder)
    ids = next(column["values"] for column in told["columns"] if column["name"] == "model_id")
    assert len(ids) == len(told["shards"]) == len(set(ids))
    for key, shard in zip(ids, told["shards"], strict=True):
        text = unpacked(folder / "data" / "models" / f"{shard}.js", "receiveJson")
        assert f'"{key}":{{'.encode() in text


def test_the_shards_hold_every_claim_and_estimate(database: Path, folder: Path) -> None:
    counts = {"claims": 0, "estimates": 0, "corrections": 0}
    reasons: set[str] = set()
    for file in (folder / "data" / "models").iterdir():
        shard = json.loads(unpacked(file, "receiveJson"))
        reasons |= set(shard["words"])
        for tables in shard["models"].values():
            for name in counts:
                counts[name] += len(tables[name])
    with duckdb.connect(str(database), read_only=True) as connection:
        for name, count in counts.items():
            query = f"select count(*) from {name} where model_id in (select model_id from models)"
            assert (count,) == connection.execute(query).fetchone()
        ids = {row[0] for row in connection.execute("select claim_id from claims").fetchall()}
    assert not [text for text in reasons if text.split(" ")[-1] in ids], (
        "a reason names the place of a claim, not its id"
    )


def test_a_model_keeps_its_shard() -> None:
    # zlib.crc32(b"gpt-3-175b") % 64; another shard would break links of copies that are cached in part
    assert shard_of("gpt-3-175b") == "39"


def test_another_page_is_not_overwritten(database: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("<title>my page</title>")
    result = CliRunner().invoke(site, ["--to", str(mine), "--data", str(database.parent)])
    assert result.exit_code == 2
    assert "is another page" in result.output
    assert contents(mine) == {"index.html": b"<title>my page</title>"}


def test_a_column_without_a_value_is_left_out() -> None:
    column = {"name": "x", "type": "DOUBLE", "unit": None, "description": "", "derived": None}
    assert describe(column, [None, None]) is None


def test_a_column_carries_unit_meaning_and_derivation() -> None:
    meaning = {"unit": "petaflop/s-day", "description": "Days of work", "derived": "a / b"}
    made = describe({"name": "x", "type": "DOUBLE", **meaning}, [1.5, None]) or {}
    assert (made["unit"], made["about"], made["derived"]) == ("petaflop/s-day", "Days of work", "a / b")
    assert made["values"] == [1.5, None]


def test_words_are_numbered_in_their_order() -> None:
    assert in_words(["b", None, "a", "b"]) == {"words": ["a", "b"], "values": [1, -1, 0, 1]}


def loaded_by(page: bytes) -> set[str]:
    return set(re.findall(r'(?:src|href)="([^"#:]+\.(?:js|css))"', page.decode()))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_what_is_there_and_allows_no_other_script(page: str) -> None:
    files = page_files()
    text = files[f"{page}.html"].decode()
    made = {"data/models.js", "data/schema.js", "data/records.js"}
    assert loaded_by(text.encode()) - made <= files.keys()
    assert text.startswith("<!doctype html>")
    assert "default-src 'none'" in text
    assert [text.count("'wasm-unsafe-eval'"), text.count("blob:")] == [int(page == "sql")] * 2
    assert not re.findall(r"\son\w+=|\sstyle=|<script>", text)


def test_every_file_of_the_pages_is_loaded(folder: Path) -> None:
    files = page_files()
    docs = {Path(name).name for name in loaded_by((folder / "docs" / "index.html").read_bytes())}
    assert {name for name in files if not name.endswith(".html")} <= docs.union(*map(loaded_by, files.values()))
    joined = "".join(map(script, SCRIPTS))
    assert [file.name for file in PAGE.glob("*.js") if first_statement(file) not in joined] == []


def first_statement(file: Path) -> str:
    """The first line of a script that is neither a comment nor an import, without what exports it."""
    code = EXPORT.sub("", IMPORT.sub("", COMMENT.sub("", file.read_text(encoding="utf-8"))))
    return next(filter(None, code.splitlines()))


@pytest.mark.parametrize("entry", SCRIPTS)
def test_a_script_defines_what_it_takes_before_it_takes_it(entry: str) -> None:
    defined: set[str] = {"nextTheme", "themeName"} - set(EXPORT.findall((PAGE / f"{entry}.js").read_text()))
    for taken, returned in re.findall(
        r"const \{([^}]*)\} = traincompute;|^return \{ (.*) \};$", script(entry), re.MULTILINE
    ):
        assert {name.strip() for name in taken.split(",")} - {""} <= defined
        names = set(returned.split(", ")) - {""}
        assert not names & defined, "two modules of one page may not export the same name"
        defined |= names


def test_what_a_module_exports_is_used() -> None:
    modules = {file.name: file.read_text(encoding="utf-8") for file in PAGE.glob("*.js")}
    exported = {name for text in modules.values() for name in EXPORT.findall(text)}
    imported = {
        name for text in modules.values() for names, _ in IMPORT.findall(text) for name in re.findall(r"\w+", names)
    }
    browser = "".join(file.read_text(encoding="utf-8") for file in (CHECKOUT / "tests" / "browser").glob("*.py"))
    tried = set(re.findall(r"traincompute\.(\w+)", browser))
    assert {name for name in exported - imported - tried if not name.startswith("receive")} == set()


def test_modules_that_import_each_other_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "PAGE", tmp_path)
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.js").write_text(f'import {{ {other} }} from "./{other}.js";\n\nexport const {name} = 1;\n')
    with pytest.raises(CycleError):
        script("a")


def test_the_vendored_programs_are_those_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(engine.VENDOR, tmp_path / "vendor")
    monkeypatch.setattr(engine, "VENDOR", tmp_path / "vendor")
    (tmp_path / "vendor" / "duckdb-browser.cjs.gz").write_bytes(gzip.compress(b"another program"))
    with pytest.raises(DataError, match=r"duckdb-browser\.cjs"):
        engine.read_vendored()


def test_the_sql_page_holds_the_dataset_as_it_is_published(database: Path, folder: Path) -> None:
    assert unpacked(folder / "data" / "database.js", "receivePacked") == database.read_bytes()


def test_questions_have_the_headings_above_them() -> None:
    page = (
        "# Page\n\n## One\n\n### Who?\n\n```sql\nselect 1\n```\n\n| 1 |\n\n## Two\n\n### Why?\n```sql\nselect 2\n```\n"
    )
    assert questions(page) == [("One", "Who?", "select 1"), ("Two", "Why?", "select 2")]


def test_columns_that_repeat_others_are_told_in_short() -> None:
    lists = {"name": "organizations", **in_words([("B", "A"), None, ("A",)])}
    columns = [
        {"name": "model_id", "values": ["x", "y", "z"]},
        lists,
        {"name": "organization", "kind": "text", **in_words(["B", None, "A"])},
        {"name": "training_run_id", "kind": "text", **in_words(["x", "x", "z"])},
        {"name": "arxiv_id", "kind": "text", **in_words(["1706.03762", None, "2005.14165"])},
        {
            "name": "reference_url",
            "kind": "text",
            "values": ["https://arxiv.org/abs/1706.03762", None, "https://x.org"],
        },
        {"name": "training_compute_flop", "kind": "number", "values": [2.3e19, None, 3.14e23]},
        {"name": "training_compute_pfs_days", "kind": "number", "values": [0.266203703704, None, 3634.25925926]},
    ]
    made = {column["name"]: column for column in shortened(columns)}
    assert made["organization"] == {"name": "organization", "kind": "text", "first_of": "organizations"}
    assert made["training_run_id"]["values"] == [0, "x", 0]
    assert made["reference_url"]["values"] == [0, None, "https://x.org"]
    assert (made["reference_url"]["like"], made["reference_url"]["prefix"]) == ("arxiv_id", "https://arxiv.org/abs/")
    days = made["training_compute_pfs_days"]
    assert (days["ratio_of"], days["divisor"]) == ("training_compute_flop", 8.64e19)
    assert "values" not in days
    other = {**columns[2], **in_words(["A", None, "A"])}
    assert shortened([lists, other]) == [lists, other]


def test_the_version_is_that_of_the_data(database: Path, folder: Path) -> None:
    told = overview(folder)["about"]
    assert (told["version"], told["newest"]) == (build_version(), "2026-03-30")
    assert hashlib.sha256((database.parent / "manifest.json").read_bytes()).hexdigest() in told["citation"]
    assert not told["vintages"]  # its snapshots are not those of the checkout
    manifest = json.loads((database.parent / "manifest.json").read_bytes())
    released = manifest | {
        "version": __version__,
        "release": {"version": __version__, "date": "2026-11-30"},
        "sha256": "0" * 64,
    }
    assert f"Version {__version__} [data set]. Released 2026-11-30" in about(released)["citation"]
    assert about({})["citation"] is None


def test_a_span_ends_where_a_model_changes_or_is_gone() -> None:
    first, second = ("A", 1, 1e20, True), ("A", 1, 2e20, True)
    states = [{"a": first}, {"a": first, "b": first}, {"a": second, "b": first}, {}, *[{"a": second}] * 3]
    expected = [[0, 0, 1, *first], [0, 2, 2, *second], [0, 4, 6, *second], [1, 1, 2, *first]]
    assert spans(states, ["a", "b"]) == expected


def test_figures_and_explorer_name_a_threshold_alike() -> None:
    named = {entry["flop"]: entry["label"] for entry in load_thresholds()}
    assert names_above(1e25) == {25.0: f"1e25: {named[1e25]}", 26.0: f"1e26: {named[1e26]}"}


@pytest.mark.parametrize("file", sorted(PAGE.glob("*.js")), ids=lambda file: file.stem)
def test_no_script_writes_markup_or_asks_the_net(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new"
        r" Function|fetch\(|XMLHttpRequest|WebSocket|import\("
    )
    assert not re.findall(forbidden, text)
    assert len(text.splitlines()) < 300
