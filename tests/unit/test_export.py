"""`traincompute export`: each format opened again by a reader of its own, with the same values; what is refused."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result
from command_line import CliRunner
from pyarrow import parquet

import traincompute as t
from pipeline.config import load_sources
from pipeline.normalize.tables import make_columns
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from traincompute.cli import group
from traincompute.export import EPOCH

GPT_3 = "gpt-3-175b-davinci"
KINDS = ("csv", "json", "parquet")


@pytest.fixture
def at_hand(built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small dataset is at hand, and the working directory is empty."""
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    monkeypatch.chdir(tmp_path)
    return built.processed


@pytest.fixture(scope="module")
def exported(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table models in every format."""
    folder = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TRAINCOMPUTE_DATA", str(built.processed))
        patched.chdir(folder)
        for kind in KINDS:
            export("models", "--to", f"models.{kind}")
    return folder


def export(*words: str) -> Result:
    result = CliRunner().invoke(group, ["export", *words])
    assert result.exit_code == 0, result.output
    return result


def opened(file: Path) -> pd.DataFrame:
    """The file as another program reads it."""
    return {
        "csv": pd.read_csv,
        "json": partial(pd.read_json, precise_float=True),
        "parquet": pd.read_parquet,
    }[file.suffix[1:]](file)


@pytest.mark.usefixtures("at_hand")
@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_read_again_with_the_same_values(exported: Path, kind: str) -> None:
    found, wanted = opened(exported / f"models.{kind}"), t.load("models", lists="joined")
    assert list(found.columns) == list(wanted.columns)
    order = wanted.sort_values(["is_notable", "publication_date", "model_id"], ascending=[False, False, True])
    assert found["model_id"].tolist() == (order if kind == "csv" else wanted)["model_id"].tolist()
    row, expected = found.set_index("model_id").loc[GPT_3], wanted.set_index("model_id").loc[GPT_3]
    assert (row["training_compute_flop"], row["parameters"]) == (3.14e23, 174_600_000_000)
    assert pd.Timestamp(row["publication_date"]) == pd.Timestamp("2020-05-28")
    assert bool(row["is_notable"])
    organizations = row["organizations"]
    assert (
        (organizations if isinstance(organizations, str) else ";".join(organizations))
        == expected["organizations"]
        == "OpenAI"
    )


def test_csv_and_json_are_described_beside_them(at_hand: Path, exported: Path) -> None:
    for file in ("models.csv", "models.json"):
        about = json.loads((exported / f"{file}.datapackage.json").read_bytes())
        assert about["version"] == t.load("models").attrs["version"]
        assert {"CC-BY-4.0"} == {licence["name"] for licence in about["licenses"]}
        assert any("Epoch AI" in source["title"] for source in about["sources"])
        fields = {field["name"]: field for field in about["resources"][0]["schema"]["fields"]}
        assert {name: field["unit"] for name, field in fields.items() if "unit" in field} == t.load("models").attrs[
            "units"
        ]
    assert (exported / "models.csv").read_bytes() == (at_hand / "models.csv").read_bytes(), "as in a release"


@pytest.mark.usefixtures("at_hand")
def test_parquet_holds_units_version_and_sources_themselves(exported: Path) -> None:
    schema = parquet.read_schema(exported / "models.parquet")
    assert schema.field("training_compute_flop").metadata[b"unit"] == b"FLOP"
    assert b"Epoch AI" in schema.metadata[b"citation"]
    described = {file.name.split(".")[1] for file in exported.glob("*.datapackage.json")}
    assert described == {"csv", "json"}


def test_the_result_of_a_query_is_exported_with_what_its_columns_mean(at_hand: Path) -> None:
    query = (
        "select name, training_compute_flop, hardware, 1.5::decimal(4, 1) as x, {'a': 1} as s from models order by name"
    )
    export("--sql", query, "--to", "q.json")
    first = json.loads(Path("q.json").read_bytes())[0]
    assert (type(first["x"]), first["s"]) == (float, {"a": 1})
    export("--sql", "select [[1, 2], [3]] as a, map {'b': 1} as c", "--to", "q.csv")
    assert Path("q.csv").read_text().splitlines()[1] == '"[[1, 2], [3]]","[[""b"", 1]]"'
    fields = json.loads(Path("q.json.datapackage.json").read_bytes())["resources"][0]["schema"]["fields"]
    assert (fields[1]["unit"], fields[3]["description"]) == ("FLOP", "")


@pytest.mark.usefixtures("at_hand")
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_facts_give_the_same_bytes(exported: Path, kind: str) -> None:
    export("models", "--to", f"again.{kind}")
    assert Path(f"again.{kind}").read_bytes() == (exported / f"models.{kind}").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["models", "--to", "x.sav"], 2, "ends in none of .csv, .json, .parquet"),
        (["trends", "--as", "epoch", "--to", "x.csv"], 2, "--as epoch exports the table models only"),
        (["--to", "x.csv"], 2, "give one of TABLE and --sql"),
        (["--sql", "drop table models", "--to", "x.csv"], 1, "only reads"),
        (["models", "--to", "nowhere/x.csv"], 1, "cannot be written"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(at_hand: Path, words: list[str], code: int, message: str) -> None:
    result = CliRunner().invoke(group, ["export", *words])
    assert result.exit_code == code
    assert message in result.stderr
    assert not list(Path().iterdir())


def test_a_file_on_a_full_disk_is_one_line_and_leaves_nothing(
    at_hand: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TMPDIR", str(tmp_path)), ("PYTHONPATH", str(CHECKOUT)), ("PYTHONDONTWRITEBYTECODE", "1")):
        monkeypatch.setenv(name, value)
    words = f"ulimit -f 8; {shlex.quote(sys.executable)} -m traincompute export models --to models.csv"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(r"Error: models.csv cannot be written: .*File too large.*\n", done.stderr)
    assert list(tmp_path.iterdir()) == []


def test_lists_may_be_loaded_as_text(at_hand: Path) -> None:
    joined, lists = t.load("models", lists="joined"), t.load("models")
    assert joined["organizations"].fillna("").tolist() == [";".join(v or []) for v in lists["organizations"]]
    with pytest.raises(ValueError, match='it may be "list" or "joined"'):
        t.load("models", lists="text")


def test_the_columns_of_epoch_ai_hold_their_words_and_published_values_alone(at_hand: Path) -> None:
    export("models", "--as", "epoch", "--to", "theirs.csv")
    export("models", "--as", "epoch", "--with-imputed", "--to", "all.csv")
    published, everything = (pd.read_csv(name).set_index("Model") for name in ("theirs.csv", "all.csv"))
    models = t.load("models").set_index("name")
    notable = models[models["is_notable"]]
    flop, imputed = "Training compute (FLOP)", notable["training_compute_source"].eq("imputed").fillna(False)
    assert len(published) == len(notable)
    assert published[flop].count() == notable["training_compute_flop"].count() - imputed.sum()
    assert everything[flop].count() == notable["training_compute_flop"].count() > published[flop].count()
    row = published.loc["GPT-3 175B (davinci)"]
    assert row[["Country (of organization)", "Confidence", "Publication date", flop, "Abstract"]].fillna(
        ""
    ).tolist() == [*("United States of America", "Confident", "2020-05-28", 3.14e23, "")]
    assert not published["Domain"].str.contains(";").any()


def test_each_column_of_epoch_ai_that_we_hold_is_in_its_place() -> None:
    source = load_sources(Paths(CHECKOUT))["epoch_notable"]
    current = {columns[0] for columns in source.fields.values()} | {*source.notes, *source.ignored}
    theirs = dict(line.split(",") for line in EPOCH.read_text(encoding="utf-8").splitlines())
    assert len(theirs) == 47
    assert set(theirs) <= current
    made = make_columns(load_schemas(Paths(CHECKOUT)), {source.id: source})
    held = made[made["table_name"] == "models"].set_index("column_name")["upstream_name"]
    assert held["training_compute_flop"] == "Training compute (FLOP)"
    assert held.drop(["organization", "base_model_id"]).dropna().is_unique
    claimed = {name for name, field in theirs.items() if field}
    assert set(theirs) - {*held, *claimed} == set(theirs) & {*source.notes, *source.ignored}
