"""What the files of a release say of it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
import yaml
from release_folders import EPOCH
from tiny_release import MODELS, write_tiny_build

from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.publish.describe import describe, fill_in, known_issues
from pipeline.schema import Column, TableSchema

OWN = EPOCH | {"source_id": "curated", "publisher": "we", "title": "Löhne", "url": None, "attribution": None}
UNUSED = EPOCH | {"source_id": "unused", "title": "no facts", "facts": 0}
RELEASE = {"version": "2026.11.0", "channel": "release", "date": "2026-11-22", "commit": "c0ffee"}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a described release of two tables."""
    root = tmp_path_factory.mktemp("described")
    paths, folder = Paths(root), root / "v2026.11.0"
    tables = {"models": MODELS, "sources": pa.Table.from_pylist([EPOCH, OWN, UNUSED])}
    paths.schemas.mkdir()
    for name, table in tables.items():
        columns = [{"name": column, "type": "string", "description": "x"} for column in table.column_names]
        schema = {"name": name, "title": f"All {name}", "description": "x", "fields": columns}
        (paths.schemas / f"{name}.yml").write_text(json.dumps(schema | {"primaryKey": table.column_names[:1]}) + "\n")
    paths.known_issues.parent.mkdir()
    paths.known_issues.write_text('[{"issue": "{n} models are known.", "count": "select count(*) from models"}]\n')
    manifest = json.loads((write_tiny_build(folder, tables) / "manifest.json").read_text())
    manifest |= {"as_of": "2026-11-20", "snapshots": {"epoch_all": "2026-11-19", "bls": "2026-11-18"}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    describe(paths, folder, RELEASE)
    return folder


def test_manifest_package_and_citation_name_the_release_and_its_sources(described: Path) -> None:
    manifest, package, citation = (
        yaml.safe_load((described / name).read_text(encoding="utf-8"))
        for name in ("manifest.json", "datapackage.json", "CITATION.cff")
    )
    assert (manifest["version"], manifest["release"]) == ("2026.11.0", RELEASE)
    assert package["views"] == {"leaders": ["name"]}
    assert [source["title"] for source in package["sources"]] == ["all models", "Löhne"], "those with facts"
    assert [table["name"] for table in package["resources"]] == ["models", "sources"]
    assert (citation["cff-version"], citation["commit"]) == ("1.2.0", "c0ffee")
    assert [reference["title"] for reference in citation["references"]] == ["all models"], "what has an address"


TABLE = TableSchema(
    "models",
    "Models",
    "All.",
    ("id",),
    (
        Column("id", "string", "Key", constraints={"required": True}),
        Column("flop", "number", "FLOP", unit="FLOP", constraints={"exclusiveMinimum": 0}, example=1e25),
        Column("day", "date", "Day", constraints={"minimum": date(1950, 1, 1)}, example=date(2020, 5, 28)),
        Column("tags", "list", "Tags", references="others.id", example="a"),
        Column("base", "string", "Base", references="models.id", example=7),
    ),
)
FILES = {"models.csv": {"bytes": 7, "sha256": "ab"}, "models.parquet": {"bytes": 9, "sha256": "cd"}}
MANIFEST = {"release": RELEASE, "schema_version": "0.1.0", "tables": {"models": {"files": FILES}}}
ABOUT = {
    **dict.fromkeys(("name", "title", "description", "licence", "licence_title", "licence_url"), "x"),
    "keywords": [],
    "creators": ["we"],
}


def test_the_data_package_of_a_table() -> None:
    text = fill_in("datapackage.json", ABOUT, MANIFEST, {"models": TABLE}, {"sources": [], "views": {}})
    (resource,) = json.loads(text)["resources"]
    fields = {field["name"]: field for field in resource["schema"]["fields"]}
    assert resource["hash"] == "sha256:ab"
    assert fields["flop"]["constraints"] == {"minimum": 0}
    assert fields["flop"]["unit"] == "FLOP"
    assert (fields["day"]["constraints"], fields["day"]["example"]) == ({"minimum": "1950-01-01"}, "2020-05-28")
    assert (fields["tags"]["type"], fields["tags"]["delimiter"]) == ("string", ";")
    assert fields["base"] == {"name": "base", "type": "string", "description": "Base", "example": "7"}
    itself = {"resource": "models", "fields": ["id"]}  # the table that the tags point at is not in the release
    assert resource["schema"]["foreignKeys"] == [{"fields": ["base"], "reference": itself}]


def test_the_croissant_of_a_table() -> None:
    described = json.loads(fill_in("croissant.json", ABOUT, MANIFEST, {"models": TABLE}, {}))
    (file,), (records,) = described["distribution"], described["recordSet"]
    assert (file["@id"], file["contentSize"], file["sha256"]) == ("models.parquet", "9 B", "cd")
    fields = {field["name"]: field for field in records["field"]}
    assert fields["flop"]["description"] == "FLOP [FLOP]"
    types = {name: field["dataType"] for name, field in fields.items()}
    assert types == {"id": "sc:Text", "flop": "sc:Float", "day": "sc:Date", "tags": "sc:Text", "base": "sc:Text"}
    assert (fields["tags"]["isArray"], "references" in fields["tags"]) == (True, False)
    assert fields["base"]["references"] == {"field": {"@id": "models/id"}}


def test_known_issues_have_a_number_and_its_query_or_neither(tmp_path: Path) -> None:
    paths, database = Paths(tmp_path), tmp_path / "set.duckdb"
    paths.known_issues.parent.mkdir()
    with duckdb.connect(str(database)) as connection:
        connection.execute("""create table claims as select 'recalled' as evidence
            from range(1203)""")

    def issues(text: str) -> list[str]:
        paths.known_issues.write_text(text)
        return known_issues(paths, database)

    entries = '[{issue: "{n} facts", count: "select count(*), 1 from claims"}, {issue: Some tokens.}]\n'
    assert issues(entries) == ["1,203 facts", "Some tokens."]
    assert issues("[]\n") == []
    for entry in ('[{issue: "{n} facts"}]\n', "[{issue: some facts, count: select 1}]\n"):
        with pytest.raises(DataError, match=r"known_issues\.yml.*go together"):
            issues(entry)
