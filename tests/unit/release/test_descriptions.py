"""What the files of a release say of it: of two tables, whose every word is known."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import yaml
from release_folders import EPOCH
from tiny_release import MODELS, write_tiny_build

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.release.describe import changes
from pipeline.release.describe.changes import write_changes
from pipeline.release.describe.citation import citation_cff, zenodo
from pipeline.release.describe.description import describe
from traincompute.base.disk import file_sha256
from traincompute.comparison.cells import COLUMNS
from traincompute.comparison.compare import Comparison
from traincompute.comparison.side import Side

OWN = EPOCH | {"source_id": "curated", "publisher": "we", "title": "Löhne", "url": None, "attribution": None}
UNUSED = EPOCH | {"source_id": "unused", "title": "no facts", "facts": 0}
RELEASE = {"version": "2026.11.0", "channel": "release", "date": "2026-11-22", "commit": "c0ffee", "previous": None}
ABOUT = {
    "title": "Compute",
    "description": "All.",
    "creators": ["we", "you"],
    "licence": "CC-BY-4.0",
    "licence_url": "https://l.org",
    "keywords": ["größe"],
}


def schema(name: str, columns: list[str]) -> str:
    fields = [{"name": column, "type": "string", "description": f"The {column}"} for column in columns]
    return json.dumps({"name": name, "title": f"All {name}", "description": "x", "fields": fields, "primaryKey": columns[:1]}) + "\n"  # fmt: skip


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a described release of the tables models and sources."""
    root = tmp_path_factory.mktemp("described")
    paths, folder = Paths(root), root / "v2026.11.0"
    tables = {"models": MODELS, "sources": pa.Table.from_pylist([EPOCH, OWN, UNUSED])}
    paths.schemas.mkdir()
    for name, table in tables.items():
        (paths.schemas / f"{name}.yml").write_text(schema(name, table.column_names))
    paths.known_issues.parent.mkdir()
    paths.known_issues.write_text('[{"issue": "{n} models are known.", "count": "select count(*) from models"}]\n')
    manifest = json.loads((write_tiny_build(folder, tables) / "manifest.json").read_text())
    told = manifest | {"as_of": "2026-11-20", "snapshots": {"epoch_all": "2026-11-19", "bls": "2026-11-18"}}
    (folder / "manifest.json").write_text(json.dumps(told | {"note": "größer"}))
    describe(paths, folder, None, RELEASE)
    return folder


def test_the_manifest_names_the_release(described: Path) -> None:
    text = (described / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert (manifest["version"], manifest["release"]) == ("2026.11.0", RELEASE)
    assert text.startswith('{\n "name": "traincompute",\n')
    assert text.endswith("\n}\n")
    assert "größer" in text


def test_views_are_described_beside_the_sources_that_have_facts(described: Path) -> None:
    package = json.loads((described / "datapackage.json").read_text(encoding="utf-8"))
    assert package["views"] == {"leaders": ["name"]}
    assert [source["title"] for source in package["sources"]] == ["all models", "Löhne"]
    assert [table["name"] for table in package["resources"]] == ["models", "sources"]


def test_the_bibtex_entry_holds_the_hash_of_the_manifest(described: Path) -> None:
    entry = (described / "traincompute.bib").read_text(encoding="utf-8")
    assert f"SHA-256 of manifest.json: {file_sha256(described / 'manifest.json')}" in entry
    assert "@misc{epoch_all," in entry


def test_a_view_may_not_lose_a_column_without_a_new_schema_version(described: Path, tmp_path: Path) -> None:
    package = json.loads((described / "datapackage.json").read_text(encoding="utf-8"))
    before = tmp_path / "v2026.10.0"
    before.mkdir()
    (before / "datapackage.json").write_text(json.dumps(package | {"views": {"leaders": ["name", "rank"]}}))
    with pytest.raises(DataError, match=r"schema \[leaders\.rank\]: column of a view removed"):
        describe(Paths(described.parent), described, before, RELEASE)


def test_the_card_for_people_and_for_hubs(described: Path) -> None:
    _, head, text = (described / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["size_categories"] == ["n<1K"]
    assert about["configs"] == [
        {"config_name": "models", "data_files": "models.parquet", "default": True},
        {"config_name": "sources", "data_files": "sources.parquet"},
    ]
    assert (
        "Version **2026.11.0** of 2026-11-22, the dataset as it stood on 2026-11-20; schema version 0.2.0."
        " Built from commit `c0ffee`. Snapshots of its sources: epoch_all 2026-11-19, bls 2026-11-18.\n\n## Tables\n\n| table |"
    ) in text
    assert "| `models` | 3 | 6 | All models |\n| `sources` | 3 | 7 | All sources |\n\nEach is a Parquet file" in text
    assert "## Known issues\n\n- 3 models are known.\n\n## How to cite\n\nThe traincompute contributors (2026)." in text
    assert "```bibtex\n@dataset{traincompute_2026_11_0,\n" in text
    assert text.endswith(
        "credited:\n\n- Epoch AI, 'Data on AI Models', https://epoch.ai/data/ai-models (CC-BY-4.0)\n- Löhne (CC-BY-4.0)\n"
    )


def test_the_citation_file_says_all_that_is_known() -> None:
    text = citation_cff(ABOUT, RELEASE, [EPOCH, OWN])
    file = yaml.safe_load(text)
    assert file["commit"] == "c0ffee"
    assert file["authors"] == [{"name": "we"}, {"name": "you"}]
    assert [reference["title"] for reference in file["references"]] == ["all models"], "what has an address"
    assert 'keywords: ["größe"]\n' in text
    assert "commit" not in yaml.safe_load(citation_cff(ABOUT, RELEASE | {"commit": None}, []))


def test_the_deposit_names_its_sources_once() -> None:
    text = zenodo(ABOUT, RELEASE, iter([EPOCH, OWN, EPOCH]))
    assert text.startswith('{\n "title": "Compute",\n')
    assert text.endswith("\n}\n")
    assert (
        '"notes": "Contains facts from: Epoch AI, \'Data on AI Models\', https://epoch.ai/data/ai-models; Löhne",\n'
        in text
    )
    assert json.loads(text)["creators"] == [{"name": "We"}, {"name": "You"}]
    assert [entry["identifier"] for entry in json.loads(text)["related_identifiers"]] == [EPOCH["url"]] * 2


def comparison(before: Path, after: Path) -> Comparison:
    """One with 31 changed cells, one more than the changelog shows."""
    row = dict(zip(COLUMNS, ("changed", "m", "M", "parameters", "1", "2", 2.0, "c", "s", ""), strict=True))
    sides = [Side(folder, folder.name, {"tables": {"models": {"content_sha256": folder.name}}}) for folder in (before, after)]  # fmt: skip
    return Comparison(sides[0], sides[1], pd.DataFrame([row] * 31), [], [], {}, pd.Series({"m": 1e20}))


def test_the_first_release_has_no_changes(tmp_path: Path) -> None:
    write_changes(tmp_path, None, RELEASE)
    assert (tmp_path / "CHANGELOG.md").read_text() == "# Changelog\n\n## 2026.11.0 (2026-11-22)\n\nThe first release of its channel.\n"  # fmt: skip
    assert (tmp_path / "changes.csv").read_text() == "kind,model_id,name,column,old,new,ratio,cause,source_id,detail\n"


def test_a_later_release_lists_all_changes_and_shows_thirty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = tmp_path / "v2026.10.0", tmp_path / "v2026.11.0"
    for folder in (before, after):
        folder.mkdir()
    monkeypatch.setattr(changes, "compare", comparison)
    (before / "CHANGELOG.md").write_text("# Changelog\n\n## 2026.10.0 (2026-10-22)\n\nThe first.\n")
    write_changes(after, before, RELEASE)
    log = (after / "CHANGELOG.md").read_text()
    assert log.startswith("# Changelog\n\n## 2026.11.0 (2026-11-22)\n\nCompared with v2026.10.0.\n\n")
    assert "Changes (30 of 31; all of them are in changes.csv" in log
    assert log.endswith("\n\n## 2026.10.0 (2026-10-22)\n\nThe first.\n")
    lines = (after / "changes.csv").read_text().splitlines()
    assert lines[1:] == ["changed,m,M,parameters,1,2,2.0,c,s,"] * 31


def test_a_release_in_which_nothing_differs_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "compare", lambda before, _: comparison(before, before))
    with pytest.raises(DataError, match=r"nothing differs from v2026\.10\.0; there is no need for a release"):
        write_changes(tmp_path, tmp_path / "v2026.10.0", RELEASE)
