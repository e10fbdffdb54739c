"""What the files of a release say of it: of two tables, whose every word is known."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from release_folders import EPOCH
from tiny_release import MODELS, write_tiny_build

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.release.describe.citation import citation_cff
from pipeline.release.describe.description import describe

OWN = EPOCH | {"source_id": "curated", "publisher": "we", "title": "Löhne", "url": None, "attribution": None}
UNUSED = EPOCH | {"source_id": "unused", "title": "no facts", "facts": 0}
RELEASE = {"version": "2026.11.0", "channel": "release", "date": "2026-11-22", "commit": "c0ffee"}
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
    return (
        json.dumps(
            {"name": name, "title": f"All {name}", "description": "x", "fields": fields, "primaryKey": columns[:1]}
        )
        + "\n"
    )


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
        "Version **2026.11.0** of 2026-11-22, the dataset as it stood on 2026-11-20; schema version 0.2.0. Built from"
        " commit `c0ffee`. Snapshots of its sources: epoch_all 2026-11-19, bls 2026-11-18.\n\n## Tables\n\n| table |"
        in text
    )
    assert "| `models` | 3 | 6 | All models |\n| `sources` | 3 | 7 | All sources |\n\nEach is a Parquet file" in text
    assert "## Known issues\n\n- 3 models are known.\n\n## How to cite\n\nThe traincompute contributors (2026)." in text
    assert "```bibtex\n@dataset{traincompute_2026_11_0,\n" in text
    assert text.endswith(
        "credited:\n\n- Epoch AI, 'Data on AI Models', https://epoch.ai/data/ai-models (CC-BY-4.0)\n- Löhne"
        " (CC-BY-4.0)\n"
    )


def test_the_citation_file_says_all_that_is_known() -> None:
    text = citation_cff(ABOUT, RELEASE, [EPOCH, OWN])
    file = yaml.safe_load(text)
    assert file["commit"] == "c0ffee"
    assert file["authors"] == [{"name": "we"}, {"name": "you"}]
    assert [reference["title"] for reference in file["references"]] == ["all models"], "what has an address"
    assert 'keywords: ["größe"]\n' in text
    assert "commit" not in yaml.safe_load(citation_cff(ABOUT, RELEASE | {"commit": None}, []))
