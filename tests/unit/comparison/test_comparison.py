"""Two small states of the dataset compared: every kind of change with its cause."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import CliRunner
from pyarrow import parquet

from traincompute.cli import group
from traincompute.comparison.compare import Comparison, compare

Row = dict[str, Any]
FLOP = "training_compute_flop"
SCHEMA = pa.schema(
    [
        pa.field("model_id", pa.string()),
        pa.field("name", pa.string()),
        pa.field("organizations", pa.list_(pa.string()), metadata={"claim": "organization"}),
        pa.field("publication_date", pa.date32()),
        pa.field("is_notable", pa.bool_()),
        pa.field("parameters", pa.float64()),
        pa.field(FLOP, pa.float64()),
        pa.field("training_compute_pfs_days", pa.float64(), metadata={"derived": "training_compute_flop / 8.64e19"}),
        pa.field("base_model_id", pa.string()),
    ],
    metadata={"primary_key": "model_id"},
)
CLAIMS = ["claim_id", "model_id", "field", "source_id", "record", "status", "reason_code", "reason"]


def model(
    model_id: str, flop: float | None = None, name: str = "", base: str | None = None, parameters: float | None = None
) -> Row:
    days = None if flop is None else flop / 8.64e19
    return {
        "model_id": model_id,
        "name": name or model_id.upper(),
        "organizations": ["A", "B"],
        "publication_date": date(2023, 1, 1),
        "is_notable": True,
        "parameters": parameters,
        FLOP: flop,
        "training_compute_pfs_days": days,
        "base_model_id": base,
    }


def claim(claim_id: str, model_id: str, field: str = FLOP, source: str = "epoch_all", **others: str) -> Row:
    row = {"record": model_id.upper(), "status": "selected", "reason_code": "first", "reason": "newest"}
    return {"claim_id": claim_id, "model_id": model_id, "field": field, "source_id": source, **row, **others}


def state(folder: Path, models: list[Row], claims: list[Row], inputs: dict[str, list[str]], **more: pa.Table) -> Path:
    """A folder like that of a build."""
    folder.mkdir()
    tables = {
        "models": pa.Table.from_pylist(models, schema=SCHEMA),
        "claims": pa.table({name: [row[name] for row in claims] for name in CLAIMS}).replace_schema_metadata(
            {"primary_key": "claim_id"}
        ),
        "estimates": pa.table(
            {
                "model_id": list(inputs),
                "field": [FLOP] * len(inputs),
                "inputs": pa.array(list(inputs.values()), pa.list_(pa.string())),
                "is_selected": [True] * len(inputs),
            }
        ),
        **more,
    }
    entries = {}
    for name, table in tables.items():
        parquet.write_table(table, folder / f"{name}.parquet")
        entries[name] = {"rows": table.num_rows, "content_sha256": str(table.to_pylist())}
    (folder / "manifest.json").write_text(json.dumps({"tables": entries}))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two states, `old` and `new`: one model per kind of change."""
    folder = tmp_path_factory.mktemp("states")
    state(
        folder / "old",
        [
            model("blanked", 2e25),
            model("child", 1e21, base="estimated"),
            model("corrected", 3e24),
            model("curated"),
            model("estimated", 1e20, parameters=1e8),
            model("gone", 1e23),
            model("merged"),
            model("method", 1e20),
            model("old-name", 1e24, name="Old name"),
            model("reread", 1e22),
            model("same", 1e26),
            model("switched", 1e21),
        ],
        [
            claim("b1", "blanked"),
            claim("c1", "corrected"),
            claim("g1", "gone"),
            claim("m1", "merged", "name"),
            claim("n1", "old-name", "name"),
            claim("r1", "reread"),
            claim("s1", "switched"),
            claim("s2", "switched", source="epoch_notable", status="superseded"),
            claim("p1", "estimated", "parameters"),
            claim("p3", "method", "parameters"),
        ],
        {"child": ["estimated:x"], "estimated": ["p1"], "method": ["p3"]},
        aliases=pa.table({"alias": ["a", "a"], "model_id": ["same", "gone"]}),
        sources=pa.table({"source_id": ["epoch_all"]}),
        thresholds=pa.table({"year": [2023, 2024]}),
    )
    state(
        folder / "new",
        [
            model("blanked"),
            model("came", 5e25),
            model("child", 2e21, base="estimated"),
            model("corrected", 3e23),
            model("curated", 4e20),
            model("estimated", 2e20, parameters=2e8),
            model("method", 3e20),
            model("old-name", 1e24, name="New name"),
            model("ours", 1e20),
            model("reread", 2e22),
            model("same", 1e26),
            model("switched", 2e21),
        ],
        [
            claim("c1", "corrected", status="conflicting", reason_code="corrected"),
            claim("c2", "corrected", source="epoch_notable"),
            claim("k1", "curated", source="curated"),
            claim("a1", "came"),
            claim("m1", "same", "name", record="MERGED"),
            claim("n2", "old-name", "name", record="New name"),
            claim("o1", "ours", source="curated"),
            claim("r1", "reread"),
            claim("s1", "switched", status="superseded", reason="older"),
            claim("s2", "switched", source="epoch_notable"),
            claim("p1", "estimated", "parameters", status="superseded"),
            claim("p2", "estimated", "parameters", source="curated"),
            claim("p3", "method", "parameters"),
        ],
        {"child": ["estimated:x"], "estimated": ["p2"], "method": ["p3"]},
        aliases=pa.table(
            {"alias": ["a", "a", "b"], "model_id": ["same", "ours", "same"], "since": [2023, 2024, 2024]}
        ).replace_schema_metadata({"primary_key": "alias;model_id"}),
        sources=pa.table({"source_id": ["epoch_all"]}),
        hardware=pa.table({"hardware_id": ["a", "b", "c"]}),
    )
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> Comparison:
    return compare(folder / "old", folder / "new")


EXPECTED = """
blanked training_compute_flop blanked: upstream revision
blanked training_compute_pfs_days blanked: upstream revision
came - model_added: upstream revision
child training_compute_flop changed: new curated fact
child training_compute_pfs_days changed: new curated fact
corrected training_compute_flop changed: our correction
curated training_compute_flop filled: new curated fact
estimated training_compute_flop changed: new curated fact
gone - model_removed: upstream revision
merged - model_removed: identity
method training_compute_flop changed: changed method
old-name name model_renamed: upstream revision
ours - model_added: new curated fact
reread training_compute_flop changed: changed method
switched training_compute_flop changed: selection
"""


def test_each_change_has_its_kind_and_cause(found: Comparison) -> None:
    rows = found.changes.fillna({"column": "-"})
    lines = {f"{row.model_id} {row.column} {row.kind}: {row.cause}" for row in rows.itertuples()}
    assert set(EXPECTED.strip().splitlines()) <= lines


def test_nothing_else_changed_and_ratios_are_new_by_old(found: Comparison) -> None:
    cells = found.changes[found.changes["column"] == FLOP].set_index("model_id")
    assert cells["ratio"].dropna().to_dict() == {
        "child": 2.0,
        "corrected": 0.1,
        "estimated": 2.0,
        "method": 3.0,
        "reread": 2.0,
        "switched": 2.0,
    }
    assert "same" not in set(found.changes["model_id"])
    assert (
        len(found.changes) == 22
    )  # two came, two went, one has a new name; eight have other FLOP and petaflop/s-days, one other parameters
    assert not found.is_equal


def test_headlines_tell_revisions_from_new_models(found: Comparison) -> None:
    figures = {entry["figure"]: (entry["old"], entry["new"]) for entry in found.headlines}
    assert figures["models"] == (12, 12)
    assert figures["notable models, at least 1e25 FLOP"] == (2, 2)
    assert figures["notable models in both, at least 1e25 FLOP"] == (2, 1)


def test_rows_of_tables_are_counted_by_their_key(found: Comparison) -> None:
    columns = ("old", "new", "added", "removed", "changed")
    counts = {entry["table"]: tuple(map(entry.get, columns)) for entry in found.tables}
    assert counts["models"] == (12, 12, 2, 2, 9)
    assert counts["claims"] == (10, 13, 6, 3, 5)  # c1, m1, p1, s1 and s2 say something else than before
    assert counts["estimates"] == (3, 3, 0, 0, 1)  # by its first column, as it names no key
    assert counts["aliases"] == (2, 3, 2, 1, 0)
    assert counts["sources"] == (1, 1, 0, 0, 0)
    assert counts["hardware"] == (None, 3, 3, 0, 0)
    assert counts["thresholds"] == (2, None, 0, 2, 0)


def test_a_model_that_was_split_off_names_the_one_under_which_its_record_stood(tmp_path: Path) -> None:
    both = claim("n1", "a", "name"), claim("n2", "a", "name", record="B", status="superseded")
    old = state(tmp_path / "old", [model("a")], list(both), {})
    new = state(tmp_path / "new", [model("a"), model("b")], [both[0], both[1] | {"model_id": "b"}], {})
    row = compare(old, new).changes.query("kind == 'model_added'").iloc[0]
    assert row[["model_id", "cause", "detail"]].tolist() == ["b", "identity", "its record stood under a"]


def test_a_cause_is_told_along_a_chain_of_five_base_models(tmp_path: Path) -> None:
    chain = ["root", "first", "second", "third", "fourth", "fifth", "sixth"]
    bases = dict(zip(chain, [None, *chain], strict=False))
    sides = [[model(name, flop, base=base) for name, base in bases.items()] for flop in (1e22, 2e22)]
    inputs = {name: [f"{base}:x"] for name, base in bases.items() if base}
    old = state(tmp_path / "old", sides[0], [claim("r1", "root")], inputs)
    new = state(tmp_path / "new", sides[1], [claim("r2", "root", source="curated")], inputs)
    found = compare(old, new).changes.query("column == @FLOP").set_index("model_id")["cause"]
    assert found.to_dict() == dict.fromkeys(chain, "new curated fact") | {"sixth": "changed method"}


def test_the_command_prints_each_form_and_ends_with_1(
    folder: Path, found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["diff", str(folder / "old"), str(folder / "new")]
    assert CliRunner().invoke(group, words).output.startswith("old -> new")
    monkeypatch.setattr("traincompute.comparison.compare.compare", lambda *_: found)
    for form, start in (("--markdown", "**At least 1e25 FLOP: all 2 "), ("--csv", "kind,model_id,")):
        result = CliRunner().invoke(group, [*words, form])
        assert (result.exit_code, result.output.startswith(start)) == (1, True)


def test_the_command_as_json_and_for_equal_states(folder: Path) -> None:
    result = CliRunner().invoke(group, ["diff", str(folder / "old"), str(folder / "new"), "--json"])
    body = json.loads(result.output)
    assert len(body["changes"]) == 22
    assert body["causes"]["identity"] == 1
    result = CliRunner().invoke(group, ["diff", str(folder / "old"), str(folder / "old")])
    assert (result.exit_code, result.output) == (0, "old -> old: no difference\n")


def test_the_command_with_a_folder_that_is_none_ends_with_2(folder: Path) -> None:
    result = CliRunner().invoke(group, ["diff", str(folder), str(folder / "new")])
    assert result.exit_code == 2
    assert "holds no manifest.json" in result.output
    result = CliRunner().invoke(group, ["diff", str(folder / "old"), str(folder / "new"), "--column", "flops"])
    assert result.exit_code == 2
