"""What the commands that list tables, releases and matches print, line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import duckdb
import pytest
from click.testing import CliRunner, Result

from traincompute.base.places import ReleaseError
from traincompute.commands import match as matching
from traincompute.commands import releases, tables
from traincompute.names.resolve import NOTHING

WORDS = "word " * 19  # 95 signs
COLUMN = {"name": "a", "type": "INT", "unit": None, "meaning": "", "derived": None, "fill_rate": None, "example": None}
MODELS = {"table": "models", "rows": 1234, "columns": 2, "description": f"{WORDS}x"}
VIEW = {"table": "v", "rows": None, "columns": 1, "description": "like ä"}


def run(command: click.Command, *words: str) -> Result:
    return CliRunner().invoke(command, list(words))


def names(shown: Result) -> list[str]:
    return [entry["table"] for entry in json.loads(shown.output)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a dataset of one model, with the listing of another build beside it."""
    folder = tmp_path_factory.mktemp("list")
    with duckdb.connect(str(folder / "traincompute.duckdb")) as connection:
        connection.execute("""create table models as select 'gpt' as model_id, 3e23 as flop, 'ä' as text;
            create table predictions as select 'gpt' as model_id, 1e23 as flop_05; create view leaders as from models""")
    (folder / "other.duckdb").write_bytes((folder / "traincompute.duckdb").read_bytes())
    (folder / "manifest.json").write_text(json.dumps({"catalogue": [MODELS, VIEW]}))
    return folder


@pytest.fixture
def data(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, which is at hand."""
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(made))
    return made


@pytest.mark.usefixtures("data")
def test_the_listing_of_the_build_is_shown_without_opening_its_file() -> None:
    end = "`traincompute tables TABLE` shows the columns of one."
    first = [f"models  1,234 rows  {WORDS[:79]}", f"{' ' * 20}word word word x"]
    assert run(tables.tables).output.splitlines() == [*first, "v             view  like ä", "", end]
    assert run(tables.tables, "--json").output == json.dumps([MODELS, VIEW], ensure_ascii=False, indent=1) + "\n"
    rows = [
        "| table | rows | description |",
        "|---|---:|---|",
        f"| `models` | 1,234 | {WORDS}x |",
        "| `v` | view | like ä |",
    ]
    assert run(tables.tables, "--markdown").output.splitlines() == rows


def test_a_table_is_looked_up_in_the_file(data: Path) -> None:
    assert names(run(tables.tables, "--json", "--data", str(data / "other.duckdb"))) == [
        "leaders",
        "models",
        "predictions",
    ]
    rows = ["model_id  VARCHAR    100 %    gpt", "flop_05   DOUBLE     100 %    1e+23"]
    assert run(tables.tables, "Predictions").output.splitlines() == ["predictions: 1 row, 2 columns", "", *rows]
    described = run(tables.tables, "models", "--json").output
    assert described.startswith('{\n "table": "models",\n')
    assert '"example": "ä"' in described
    assert run(tables.tables, "leaders", "--markdown").output.startswith("## leaders\n\n 1 row.\n\n| column | type |")
    assert run(tables.tables, "modles").output == "Error: no table modles; did you mean models?\n"


def test_a_column_has_a_line_of_facts_and_its_meaning_below() -> None:
    columns = [
        COLUMN | {"unit": "FLOP", "meaning": f"{WORDS}x", "derived": "b / 2", "fill_rate": 0.5, "example": "x" * 41},
        COLUMN | {"name": "longer", "fill_rate": 0.123, "example": " y\n" + "x" * 38},
    ]
    entry = MODELS | {"columns": columns, "description": "d"}
    first, last = f"a       INT  FLOP  50.0 %    {'x' * 30}…", f"longer  INT        12.3 %    y {'x' * 28}…"
    meaning = [f"    {WORDS[:54]}", f"    {WORDS[:39]} x. Derived: b /", "    2"]
    assert tables._columns_text(entry, 60).splitlines() == [
        "models: 1,234 rows, 2 columns",
        "d",
        "",
        first,
        *meaning,
        last,
    ]
    narrow = tables._columns_text(entry, 59).splitlines()  # nothing is aligned there
    assert [narrow[3], narrow[-1]] == [
        f"a  INT  FLOP  50.0 %    {'x' * 34}…",
        f"longer  INT    12.3 %    y {'x' * 31}…",
    ]
    assert tables._columns_markdown(entry).splitlines()[5:] == [
        "|---|---|---|---|---:|---|",
        f"| `a` | INT | FLOP | {WORDS}x. Derived: b / 2 | 50.0 % | {'x' * 39}… |",
        f"| `longer` | INT |  |  | 12.3 % | y {'x' * 38} |",
    ]
    hang = {width: tables._tables_text([MODELS], width).splitlines()[1].index("w") for width in (59, 60)}
    assert hang == {59: 4, 60: 20}
    shares = {None: "", 0: "0 %", 1.0: "100 %", 0.0001: "0.1 %", 0.9999: "99.9 %"}
    assert {share: tables._percent({"fill_rate": share}) for share in shares} == shares


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What an index and the checks say, for a test to change: a release of 3 MB in two files that lies nowhere. What the
    commands asked for stands under `asked`."""
    about = {"version": "1.0", "date": "2026-11-21", "models": 16, "notable": None, "bytes": 2_500_000}
    files = {name: SimpleNamespace(bytes=1_500_000) for name in "ab"}
    release = SimpleNamespace(version="1.0", is_signed=False, manifest_sha256="0f", files=files, cached=tmp_path / "c")
    rows = [about, {"version": "0.9", "models": 5}]
    found = {row["version"]: SimpleNamespace(about=row, is_here=row != about) for row in rows}
    index = SimpleNamespace(address="ä.json", serial=3, latest="1.0", releases=found)
    told = {"index": index, "release": release, "signers": None, "home": None, "problems": [], "asked": []}

    def tell(name: str) -> Callable[..., Any]:
        return lambda *given, **named: told["asked"].append((name, *given[1:], *named.values())) or told[name]

    for place, name in {"cache.index.read_index": "index", "cache.index.find_release": "release", "cache.folders.home": "home",
                        "verification.signature.known_signers": "signers", "verification.verify.verify_release": "problems",
                        "verification.carried.carried_problems": "problems"}.items():  # fmt: skip
        monkeypatch.setattr(f"traincompute.{place}", tell(name))
    monkeypatch.setattr("traincompute.cache.folders.download_release", lambda _, to, show: show(1_500_000) or to)
    return told


def test_releases_have_their_figures_and_say_where_they_are(listed: dict[str, Any]) -> None:
    assert run(releases.releases).output.splitlines() == [
        "version  date        models  notable     size",
        "1.0      2026-11-21      16            2.5 MB  latest",
        "0.9                       5           0 bytes  on this machine",
    ]
    body = run(releases.releases, "--json").output
    assert body.startswith(
        '{\n "index": "ä.json",\n "serial": 3,\n "latest": "1.0",\n "releases": [\n  {\n   "version"'
    )
    second = dict.fromkeys(releases.SHOWN) | {"version": "0.9", "models": 5, "here": True}
    assert json.loads(body)["releases"][1] == second
    listed["index"].releases = {}
    assert run(releases.releases).output == "ä.json lists no release yet\n"


def test_a_download_says_what_was_verified(listed: dict[str, Any]) -> None:
    said = "place: release 1.0, 2 files, 3 MB, verified"
    assert run(releases.download, "--to", "place").output == f"{said}, but not signed\n"
    listed["release"].is_signed = True
    assert run(releases.download, "--to", "place").output == f"{said}{releases.UNCHECKED}\n"
    listed["signers"] = Path("signers")
    assert run(releases.download, "--to", "place").output == f"{said}\n"
    entry = {"version": "1.0", "folder": "place", "files": 2, "bytes": 3_000_000, "manifest_sha256": "0f"}
    assert run(releases.download, "--to", "place", "--json").output == json.dumps(entry, indent=1) + "\n"


def test_at_a_terminal_each_percent_of_a_download_is_shown_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release: Any = SimpleNamespace(version="1.0")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    show = releases._progress(release, 2000)
    for done in (0, 15, 19, 1999, 2000):
        show(done)
    for done, total in ((0, 0), (1, 100)):
        releases._progress(release, total)(done)
    lines = ["  0 % of 2 kB", " 99 % of 2 kB", "100 % of 2 kB\n", "  0 % of 0 bytes\n", "  1 % of 100 bytes"]
    assert capsys.readouterr().err == "".join(f"\r1.0: {line}" for line in lines)


@pytest.mark.parametrize("problems", [[], ["ä is wrong", "b is missing"]])
def test_problems_are_told_and_end_with_1(listed: dict[str, Any], tmp_path: Path, problems: list[str]) -> None:
    listed["problems"] = problems
    (tmp_path / "signers").touch()
    words = [str(tmp_path), "--allowed-signers", str(tmp_path / "signers"), "--timeout", "0.5"]
    done = run(releases.verify, *words)
    assert (done.exit_code, done.output) == (bool(problems), "\n".join(problems or [f"{tmp_path}: verified"]) + "\n")
    assert listed["asked"] == [("problems", tmp_path / "signers", 0.5, False)]
    body = json.dumps({"folder": str(tmp_path), "problems": problems}, ensure_ascii=False, indent=1)
    assert run(releases.verify, *words, "--json").output == f"{body}\n"


def test_what_is_verified_is_a_folder_a_release_or_the_dataset_at_hand(listed: dict[str, Any], data: Path) -> None:
    assert run(releases.verify, "current").output == f"{data}: as its manifest says\n"
    with pytest.raises(
        ReleaseError, match=r"^release 1.0 is not on this machine; run `trainc.* download x`$"
    ) as caught:
        releases.folder_of("x", None)
    assert caught.value.exit_code == 2
    listed["release"].is_signed = True
    listed["release"].cached.mkdir()
    assert releases.found("x", None) == (listed["release"].cached, True)
    listed["home"] = data
    assert releases.found("x", None) == (data, True)
    assert releases.folder_of(str(data), None) == data


@pytest.fixture
def matched(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GPT is known; others are several, a fine-tune, or nothing, of which `near` resembles three."""
    rows = {"GPT": {"model_id": "gpt", "name": "G", "how": "exact", "taken_off": ["a", "b"]}, "tune": {"how": "base", "base_model_id": "gpt"},
            "six": {"how": "ambiguous", "candidates": [*"abcdef"]}, "many": {"how": "ambiguous", "candidates": [*"abcdefgh"]}}  # fmt: skip
    answers = {name: [{"model_id": letter} for letter in "xyzw"] for name in ("near",)}
    monkeypatch.setattr("traincompute.names.resolve.search", lambda _, name, most: answers.get(name, [])[:most])
    resolve = "traincompute.names.resolve.resolve"
    monkeypatch.setattr(resolve, lambda _, asked: [NOTHING | {"asked": name} | rows.get(name, {}) for name in asked])


HEAD, GPT, FAR = "model_id,name,how,candidates,base_model_id,taken_off,flop", "gpt,G,exact,,,a;b,3e+23", ",,none,,,,"


@pytest.mark.usefixtures("matched")
def test_names_are_joined_with_models_and_what_stands_for_none_is_reported(tmp_path: Path) -> None:
    done = run(matching.match, "GPT", "many", "tune", "six", "near", "far", " ", "--add", "flop", "--add", "flop_05")
    assert (done.exit_code, done.stdout.splitlines()[:2]) == (1, [f"asked,{HEAD},flop_05", f"GPT,{GPT},1e+23"])
    assert done.stdout.endswith(f"\n ,{FAR},\n")
    assert done.stderr == (
        "7 names: 1 exact, 0 normalised, 0 alias, 0 unique part, 2 ambiguous, 1 base, 3 none\n"
        "many: ambiguous: a, b, c, d, e, f and 2 more\ntune: no model; made from gpt, by its name\n"
        "six: ambiguous: a, b, c, d, e, f\nnear: no model; did you mean x or y or z?\nfar: no model\n : no model\n"
    )
    file = tmp_path / "a.csv"
    done = run(matching.match, "GPT", "--add", "flop", "--to", str(file))
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (0, "", 1)
    assert file.read_text() == f"asked,{HEAD}\nGPT,{GPT}\n"
    file.write_text("id,how\n1,GPT\n\n2,far\n")  # its own columns stay
    lines = run(matching.match, str(file), "more", "--column", "how", "--add", "flop").stdout.splitlines()
    assert lines == [f"id,how,{HEAD.replace('how', 'traincompute_how')}", f"1,GPT,{GPT}", f"2,far,{FAR}"]


@pytest.mark.parametrize(("words", "content", "said"), [
    ("a.csv", "", "say which column of a.csv has the names, with --column NAME"),
    ("x B.CSV", "", "B.CSV does not exist; give a CSV file with --column NAME, or names of models"),
    ("b.csv --column x", "", "b.csv does not exist; with --column the first argument is a CSV file"),
    ("a.csv --column x", "", "a.csv has no column 'x'; it has none"), ("a.csv --column x", "a,b\n1,2\n", "a.csv has no column 'x'; it has a, b"),
    ("a.csv --column a", "a,b\n1,2\n3\n", "a.csv, row 3: 1 cells under 2 columns; mend the row"),
    ("a.csv --column a", 'a\n"b', "a.csv is not CSV in UTF-8: unexpected end of data; save it as such"),
    ("x --add flopp", "", "models has no column 'flopp'; did you mean flop?"), ("x", "", "models has no column 'publication_date'"),
])  # fmt: skip
@pytest.mark.usefixtures("matched")
def test_what_cannot_be_matched_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, content: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(content)
    refused = run(matching.match, *words.split())
    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (2, f"Error: {said}")
