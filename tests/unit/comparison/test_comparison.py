"""Two small states of the dataset compared: every kind of change with its cause, and how it is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import CliRunner
from pyarrow import parquet

import traincompute as t
from traincompute.base.files import file_sha256
from traincompute.cli import group
from traincompute.comparison import GROWTH, Comparison, compare

Row = dict[str, Any]
FLOP, DAYS = "training_compute_flop", "training_compute_pfs_days"
TEXT, NUMBER = pa.string(), pa.float64()
SCHEMA = pa.schema(
    {"model_id": TEXT, "name": TEXT, "organizations": pa.list_(TEXT), "is_notable": pa.bool_(), "parameters": NUMBER,
     FLOP: NUMBER, DAYS: NUMBER, "frontier_rank": pa.int64(), "base_model_id": TEXT},
)  # fmt: skip
COLUMNS = pa.table(
    {
        "table_name": ["models"] * 3,
        "column_name": ["organizations", DAYS, "frontier_rank"],
        "derived": [None, f"{FLOP} / 8.64e19", None],
        "claim": ["organization", None, None],
    }
)


def model(model_id: str, flop: float | None = None, **more: object) -> Row:
    days = None if flop is None else flop / 8.64e19
    row = {"model_id": model_id, "name": model_id.upper(), "organizations": ["A", "B"], "is_notable": True}
    return row | {FLOP: flop, DAYS: days, **more}


def claim(claim_id: str, model_id: str, field: str = FLOP, source: str = "epoch_all", **others: str) -> Row:
    row = {"record": model_id.upper(), "status": "selected", "reason_code": "first", "reason": "newest"}
    return {"claim_id": claim_id, "model_id": model_id, "field": field, "source_id": source, **row, **others}


def state(folder: Path, models: list[Row], claims: list[Row], growth: float = 4.5, **more: pa.Table) -> Path:
    """A folder like that of a build."""
    folder.mkdir()
    tables = {
        "models": pa.Table.from_pylist(models, schema=SCHEMA),
        "claims": pa.Table.from_pylist(claims),
        "columns": COLUMNS,
        "trends": pa.table({"trend_id": [GROWTH], "growth_per_year": [growth]}),
        **more,
    }
    entries = {}
    for name, table in tables.items():
        parquet.write_table(table, folder / f"{name}.parquet")
        entries[name] = {"rows": table.num_rows, "content_sha256": str(table.to_pylist())}
        entries[name]["files"] = {f"{name}.parquet": {"sha256": file_sha256(folder / f"{name}.parquet")}}
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
            model("child", 1e21, base_model_id="estimated"),
            model("corrected", 3e24),
            model("curated"),
            model("estimated", 1e20, parameters=1e8),
            model("gone", 1e23),
            model("merged"),
            model("old-name", 1e24, name="Old name"),
            model("ranked", 1e26, frontier_rank=1),
            model("reread", 1e22),
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
        ],
        thresholds=pa.table({"year": [2023, 2024]}),
        sources=pa.table({"source_id": ["epoch_all"], "n": [1]}),
    )
    state(
        folder / "new",
        [
            model("blanked"),
            model("=came", 5e25),
            model("child", 2e21, base_model_id="estimated"),
            model("corrected", 3e23),
            model("curated", 4e20),
            model("estimated", 2e20, parameters=2e8),
            model("old-name", 1e24, name="New name"),
            model("ours", 1e20),
            model("ranked", 1e26, frontier_rank=2),
            model("reread", 2e22),
            model("switched", 2e21),
        ],
        [
            claim("c1", "corrected", status="conflicting", reason_code="corrected"),
            claim("c2", "corrected", source="epoch_notable"),
            claim("k1", "curated", source="curated"),
            claim("a1", "=came"),
            claim("m1", "ranked", "name", record="MERGED"),
            claim("n2", "old-name", "name", record="New name"),
            claim("o1", "ours", source="curated"),
            claim("r1", "reread"),
            claim("s1", "switched", status="superseded", reason="older"),
            claim("s2", "switched", source="epoch_notable"),
            claim("p1", "estimated", "parameters", status="superseded"),
            claim("p2", "estimated", "parameters", source="curated"),
        ],
        4.25,
        sources=pa.table({"source_id": ["epoch_all", "helm"], "n": [1.0, 2.0], "more": [1, 2]}),
    )
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> Comparison:
    return compare(folder / "old", folder / "new")


EXPECTED = """
=came - model_added: upstream revision
blanked training_compute_flop blanked: upstream revision
blanked training_compute_pfs_days blanked: upstream revision
child training_compute_flop changed: new curated fact
child training_compute_pfs_days changed: new curated fact
corrected training_compute_flop changed: our correction
corrected training_compute_pfs_days changed: our correction
curated training_compute_flop filled: new curated fact
curated training_compute_pfs_days filled: new curated fact
estimated parameters changed: new curated fact
estimated training_compute_flop changed: new curated fact
estimated training_compute_pfs_days changed: new curated fact
gone - model_removed: upstream revision
merged - model_removed: identity
old-name name model_renamed: upstream revision
ours - model_added: new curated fact
ranked frontier_rank changed: upstream revision
reread training_compute_flop changed: changed method
reread training_compute_pfs_days changed: changed method
switched training_compute_flop changed: selection
switched training_compute_pfs_days changed: selection
"""


def test_each_change_has_its_kind_and_cause(found: Comparison) -> None:
    lines = [f"{row['model_id']} {row['column'] or '-'} {row['kind']}: {row['cause']}" for row in found.changes]
    assert sorted(lines) == EXPECTED.strip().splitlines()
    merged = next(row for row in found.changes if row["model_id"] == "merged")
    assert merged["detail"] == "its record stands under ranked"
    ratios = {row["model_id"]: row["ratio"] for row in found.changes if row["column"] == FLOP and row["ratio"]}
    assert ratios == {"child": 2.0, "corrected": 0.1, "estimated": 2.0, "reread": 2.0, "switched": 2.0}


def test_headlines_tell_revisions_from_new_models_and_rows_of_tables_are_counted(found: Comparison) -> None:
    figures = {entry["figure"]: (entry["old"], entry["new"]) for entry in found.headlines}
    assert figures["models"] == (11, 11)
    assert figures["notable models, at least 1e25 FLOP"] == (2, 2)
    assert figures["growth of FLOP per year, notable since 2010"] == (4.5, 4.25)
    counts = {entry["table"]: (entry["old"], entry["new"]) for entry in found.tables}
    rows = {"claims": (9, 12), "models": (11, 11), "sources": (1, 2), "thresholds": (2, None), "trends": (1, 1)}
    assert counts == rows, "columns are equal"


def test_a_cause_is_told_along_a_chain_of_five_base_models(tmp_path: Path) -> None:
    chain = ["root", "first", "second", "third", "fourth", "fifth", "sixth"]
    bases = dict(zip(chain, [None, *chain], strict=False))
    sides = [[model(name, flop, base_model_id=base) for name, base in bases.items()] for flop in (1e22, 2e22)]
    old = state(tmp_path / "old", sides[0], [claim("r1", "root")])
    new = state(tmp_path / "new", sides[1], [claim("r2", "root", source="curated")])
    causes = {row["model_id"]: row["cause"] for row in compare(old, new).changes if row["column"] == FLOP}
    assert causes == dict.fromkeys(chain, "new curated fact") | {"sixth": "changed method"}


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(group, ["diff", *map(str, words)])
    return done.exit_code, done.output or str(done.exception)


def test_the_command_prints_what_matters_most_first(folder: Path) -> None:
    code, text = run(folder / "old", folder / "new", "--limit", "4")
    head, *parts = text.split("\n\n")
    assert (code, head) == (1, "old -> new")
    assert [part.splitlines()[0].split(",")[0] for part in parts] == [
        *("Figures", "Rows of tables that differ", "Models and cells by cause", "Cells by column"),
        "Changes (4 of 21; --csv prints all of them)",
    ]
    shown = [line.split()[0] for line in parts[-1].splitlines()[3:]]
    assert shown == ["BLANKED", "CORRECTED", "CHILD", "ESTIMATED"], "blanked first, then by the factor either way"


def test_current_is_the_build_of_the_checkout_also_where_an_index_is_set(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root" / "data").mkdir(parents=True)
    (tmp_path / "root" / "data" / "processed").symlink_to(folder / "new")
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", "https://example.org/releases.json")
    assert run(folder / "old")[0] == 1
    assert run(folder / "new")[1] == "new -> processed: no difference\n"
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tmp_path / "nowhere"))
    assert "no index can be read there" in run(folder / "old")[1], "without a build it is the dataset in use"


def test_markdown_names_every_model_that_came_went_or_is_large(folder: Path) -> None:
    code, text = run(folder / "old", folder / "new", "--markdown", "--limit", "0")
    large, came, went = text.split("**")[1:6:2]
    assert (code, large) == (1, "At least 1e25 FLOP: all 2 models and values that came, went or changed")
    assert (came, went) == ("All 2: model added", "All 2: model removed")


def test_csv_and_json_have_every_change_and_python_the_same(folder: Path) -> None:
    _, text = run(folder / "old", folder / "new", "--csv")
    assert text.splitlines()[1] == f"blanked,blanked,BLANKED,{FLOP},2e+25,,,upstream revision,epoch_all,"
    computed = "computed from other cells of the model"
    assert f"\nblanked,blanked,BLANKED,{DAYS},{2e25 / 8.64e19!r},,,upstream revision,epoch_all,{computed}\n" in text
    assert "\nmodel_added,'=came,'=CAME,,,5e+25,," in text
    body = json.loads(run(folder / "old", folder / "new", "--json")[1])
    assert (len(body["changes"]), body["causes"]["identity"]) == (21, 1)
    frame = t.diff(str(folder / "old"), str(folder / "new"))
    assert frame["cause"].tolist() == [row["cause"] for row in body["changes"]]
    assert frame["ratio"].notna().sum() == sum(row["ratio"] is not None for row in body["changes"])


def test_a_renamed_column_is_named_and_an_altered_table_refused(tmp_path: Path) -> None:
    renamed = COLUMNS.set_column(1, "column_name", pa.array(["makers", DAYS, "frontier_rank"]))
    old = state(tmp_path / "old", [model("m")], [claim("c", "m")])
    new = state(tmp_path / "new", [model("m", 1e20)], [claim("c", "m")], columns=renamed)
    assert [(each["table"], each["columns"]) for each in compare(old, new).tables] == [
        ("columns", ""),
        ("models", "+makers -organizations"),
    ]
    (new / "trends.parquet").write_bytes((new / "trends.parquet").read_bytes().replace(b"PAR1", b"PAR2"))
    assert run(old, new)[0] == 1
    assert "trends.parquet has sha256" in run(old, new)[1]


def test_equal_states_end_with_0_and_a_folder_that_is_none_with_an_error(folder: Path) -> None:
    assert run(folder / "old", folder / "old") == (0, "old -> old: no difference\n")
    assert "is no folder with a manifest.json" in run(folder, folder / "new")[1]
