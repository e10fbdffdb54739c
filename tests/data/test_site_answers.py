"""The API files: their schemas, and numbers as in SQL."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, FormatChecker

from pipeline.paths import CHECKOUT
from pipeline.site.api import write_api
from pipeline.site.site import open_site
from traincompute.cli import group

Row = dict[str, Any]

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(scope="module")
def files(published: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("site")
    with open_site(published, out) as site:
        write_api(site)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def schemas(files: dict[str, bytes]) -> dict[str, Row]:
    return {name: json.loads(files[f"api/schema/{name}.json"]) for name in ("model", "thresholds", "index")}


def asked(published: Path, query: str) -> list[Row]:
    result = CliRunner().invoke(group, ["sql", query, "--json", "--data", str(published)])
    assert result.exit_code == 0, result.output
    return [{name: value for name, value in row.items() if value is not None} for row in json.loads(result.stdout)]


def models_of(files: dict[str, bytes]) -> Iterator[tuple[str, Row]]:
    for name, content in files.items():
        if found := re.fullmatch(r"api/models/(.+)\.json", name):
            yield found[1], json.loads(content)


def columns_of(part: Row) -> tuple[str, list[str]]:
    """The table and the columns that the schema of a part names."""
    sayings = [member["sql"].split(".") for member in part.get("items", part)["properties"].values()]
    [table] = {table for table, _ in sayings}
    return table, [column for _, column in sayings]


def frozen(row: Row) -> str:
    return json.dumps(row, sort_keys=True)


# which rows of a table the files hold, said here once more and in other words than theirs
WHICH = {
    "model": "",
    "prediction": "",
    "probabilities": "where threshold_flop in (1e23, 1e25, 1e26)",
    "claims": "where field in ('training_compute_flop') or length(reference) > 0",
    "estimates": "where field = 'training_compute_flop' and (value > 0 or low > 0 or high > 0)",
    "revisions": (
        "where (field = 'training_compute_flop' or kind like 'record%') and model_id in (select model_id from models)"
    ),
    "counts": "",
    "models": "where probability >= 0.01 and threshold_flop in (1e25, 1e26)",
}


@pytest.mark.parametrize("key", ["model", "prediction", "probabilities", "claims", "estimates", "revisions"])
def test_every_number_of_a_model_is_that_of_sql(
    key: str, published: Path, files: dict[str, bytes], schemas: dict[str, Row]
) -> None:
    table, columns = columns_of(schemas["model"]["properties"][key])
    names = ", ".join(dict.fromkeys(["model_id", *columns]))
    expected = Counter(map(frozen, asked(published, f"select {names} from {table} {WHICH[key]}")))
    held = [
        {"model_id": model, **row}
        for model, content in models_of(files)
        for row in (content[key] if isinstance(content[key], list) else [content[key]])
        if row  # nothing is predicted of a program that trained nothing
    ]
    assert Counter(map(frozen, held)) == expected
    assert len(held) > 500


@pytest.mark.parametrize("key", ["counts", "models"])
def test_every_number_of_the_thresholds_is_that_of_sql(
    key: str, published: Path, files: dict[str, bytes], schemas: dict[str, Row]
) -> None:
    table, columns = columns_of(schemas["thresholds"]["properties"][key])
    expected = asked(published, f"select {', '.join(columns)} from {table} {WHICH[key]}")
    held = json.loads(files["api/thresholds.json"])[key]
    assert Counter(map(frozen, held)) == Counter(map(frozen, expected))
    assert len(held) >= 80


def test_every_model_has_a_file_that_the_index_lists(published: Path, files: dict[str, bytes]) -> None:
    known = [row["model_id"] for row in asked(published, "select model_id from models order by 1")]
    assert [row["model_id"] for row in json.loads(files["api/index.json"])["models"]] == known
    named = asked(published, "select model_id, name from models order by model_id")
    assert json.loads(files["api/index.json"])["models"] == named
    assert sorted(model for model, _ in models_of(files)) == known


def test_the_files_keep_their_schemas(files: dict[str, bytes], schemas: dict[str, Row]) -> None:
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema, format_checker=FormatChecker())
        if name == "model":
            for model, content in list(models_of(files))[::7]:
                assert validator.is_valid(content), model
        else:
            validator.validate(json.loads(files[f"api/{name}.json"]))


def test_a_file_that_breaks_its_schema_is_seen(files: dict[str, bytes], schemas: dict[str, Row]) -> None:
    validator = Draft202012Validator(schemas["model"], format_checker=FormatChecker())
    good = json.loads(files["api/models/gpt-4.json"])
    for key, value in {
        "prediction": {"flop_50": "2.1e25"},
        "unknown": 1,
        "model": {"publication_date": "2023"},
    }.items():
        assert not validator.is_valid({**good, key: value})
    assert not validator.is_valid({key: value for key, value in good.items() if key != "prediction"})


def test_every_member_says_what_it_means(schemas: dict[str, Row]) -> None:
    parts = [part for schema in schemas.values() for part in schema["properties"].values() if "properties" in str(part)]
    members = [one for part in parts for one in part.get("items", part)["properties"].values() if "sql" in one]
    assert len(members) > 70
    assert [member["sql"] for member in members if not member["description"]] == []
    flop = schemas["model"]["properties"]["prediction"]["properties"]["flop_50"]
    assert (flop["type"], flop["unit"], flop["sql"]) == ("number", "FLOP", "predictions.flop_50")


def test_the_page_names_every_file_and_part(files: dict[str, bytes], schemas: dict[str, Row]) -> None:
    page = (CHECKOUT / "docs" / "reading.md").read_text(encoding="utf-8")
    for name in files:
        said = "api/models/ID.json" if name.startswith("api/models/") else name.removeprefix("api/schema/")
        assert f"{said}`" in page, name
    parts = {part for name in ("model", "thresholds") for part in schemas[name]["properties"]}
    unsaid = {part for part in parts if not re.search(rf"`{part}\b", page)}
    assert unsaid == set()
