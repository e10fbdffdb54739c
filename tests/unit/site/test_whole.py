"""The folder of the site, and its API."""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path

import pytest
from checkouts import SITE
from command_line import CliRunner
from jsonschema import Draft202012Validator

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.cli import site
from pipeline.site.folder import new_folder
from pipeline.site.write import Written, write_site
from traincompute.base.errors import InputError
from traincompute.database import open_database, rows


@pytest.fixture(scope="module")
def folder(small_site: tuple[Path, Written]) -> Path:
    return small_site[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written_is_counted_and_is_the_same_again(
    small_site: tuple[Path, Written], built: Paths, tmp_path: Path
) -> None:
    folder, told = small_site
    files = contents(folder)
    assert (told.files, told.bytes) == (len(files), sum(map(len, files.values())))
    write_site(built.processed, tmp_path / "again", SITE)
    assert contents(tmp_path / "again") == files


def test_pages_can_be_found_and_shared(folder: Path) -> None:
    pages = {name for name in contents(folder) if name.endswith(".html")} - {"404.html"}
    listed = (folder / "sitemap.txt").read_text().split()
    assert listed == sorted(f"{SITE}{page}" for page in pages)
    assert f"Sitemap: {SITE}sitemap.txt" in (folder / "robots.txt").read_text()
    for page in pages:
        text = (folder / page).read_text(encoding="utf-8")
        assert f'<link rel=canonical href="{SITE}{page}">' in text
        assert len(re.findall("<title itemprop=name>(.+) · traincompute</title>", text)) == 1
        [description] = re.findall(r'property=og:description itemprop=description content="([^"]+)">', text)
        assert len(description) > 25
        [policy] = re.findall(r'Content-Security-Policy content="([^"]+)"', text)
        assert policy.startswith("default-src 'self' file:; img-src 'self' file: data:")
        for data in re.findall(r'<script type="application/ld\+json">(.*?)</script>', text):
            assert json.loads(data)["@context"] == "https://schema.org"


def test_a_missing_page_leads_to_the_address_of_the_site(folder: Path) -> None:
    assert f"href={SITE}static/site.css" in (folder / "404.html").read_text(encoding="utf-8")


def test_the_queries_for_language_models_run(folder: Path, built: Paths) -> None:
    text = (folder / "llms.txt").read_text(encoding="utf-8")
    with open_database(built.processed) as connection:
        for page in (text, (CHECKOUT / "packaging" / "skill" / "SKILL.md").read_text(encoding="utf-8")):
            queries = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
            assert len(queries) == 3
            for query in queries:
                rows(connection, query)
        names = connection.execute("select table_name from duckdb_tables() where not internal").fetchall()
    assert all(f"- {name}: " in text for (name,) in names)


def test_the_api_keeps_to_its_schemas(folder: Path) -> None:
    api = folder / "api"
    for kind, files in {
        "model": sorted((api / "models").iterdir()),
        "thresholds": [api / "thresholds.json"],
        "index": [api / "index.json"],
    }.items():
        validator = Draft202012Validator(json.loads((api / "schema" / f"{kind}.json").read_bytes()))
        for file in files:
            validator.validate(json.loads(file.read_bytes()))


def test_the_api_has_the_cells_of_the_dataset(folder: Path, built: Paths) -> None:
    with open_database(built.processed) as connection:
        models = {row["model_id"]: row for row in rows(connection, "select * from models")}
        claims = rows(
            connection,
            """select model_id from claims
            where field = 'training_compute_flop'""",
        )
    index = json.loads((folder / "api" / "index.json").read_bytes())
    assert [entry["model_id"] for entry in index["models"]] == sorted(models)
    found = 0
    for key, model in models.items():
        answer = json.loads((folder / "api" / "models" / f"{key}.json").read_bytes())
        assert answer["model"].get("training_compute_flop") == model["training_compute_flop"]
        found += sum(claim["field"] == "training_compute_flop" for claim in answer["claims"])
    assert found == len(claims)


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_new_folder_replaces_the_old_one_and_keeps_what_others_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(ctypes, "CDLL", object)  # knows no renameat2
    target = tmp_path / "deep" / "site"
    for page in ("old", "new"):
        with new_folder(target) as work:
            (work / "index.html").write_text(f"traincompute {page}")
            (work / page).mkdir()
        (target / ".git").mkdir(exist_ok=True)
        (target / ".git" / "HEAD").write_text("mine")
        (target / "CNAME").write_text("example.org")
    assert (target / "index.html").read_text() == "traincompute new"
    assert ((target / ".git" / "HEAD").read_text(), (target / "CNAME").read_text()) == ("mine", "example.org")
    assert [path.name for path in target.parent.iterdir()] == ["site"]
    with pytest.raises(ZeroDivisionError), new_folder(target) as work:
        (work / "index.html").write_text(str(1 / 0))
    assert (target / "index.html").read_text() == "traincompute new"


def test_another_page_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>my page</title>")
    with pytest.raises(InputError, match="belongs to another site"), new_folder(tmp_path):
        pass


@pytest.mark.parametrize(
    "given", ["example.org", "ftp://example.org/", "https://", "https://a.org/?a=b", 'https://a"b/']
)
def test_what_is_no_address_of_a_site_is_refused(given: str, built: Paths, tmp_path: Path) -> None:
    result = CliRunner().invoke(site, ["--to", str(tmp_path / "a"), "--data", str(built.processed), "--address", given])
    assert result.exit_code == 2
    assert "expected an address such as" in result.output
    assert not (tmp_path / "a").exists()
