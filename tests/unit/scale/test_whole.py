"""A whole build in chunks: the same rows as the build in memory, and the same bytes whatever the number of processes."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.normalize.facts import load_file
from pipeline.normalize.identity import default_ids
from pipeline.normalize.revisions import columns_of
from pipeline.publish.table_files import write_files
from pipeline.registry.context import load_context
from pipeline.registry.frames import Tables, arrow_schema, conform, from_arrow, to_arrow
from pipeline.scale import whole, write
from pipeline.scale.chunk import write_tables
from pipeline.scale.join import in_order, small_tables
from pipeline.scale.parts import read_part
from pipeline.scale.split import assign_chunks, load_columns, load_routes, route, write_columns
from pipeline.scale.whole import Task, _run, build

LEFT_OUT = {"aliases", "corrections"}
HEADER = "record,field,value_text,locator,since,until\n"


def ledger(paths: Paths) -> dict[str, list[Path]]:
    """The files of the sources that are about models."""
    sources = load_context(paths).sources.values()
    return {s.id: sorted((paths.raw / s.id).glob("facts*.csv")) for s in sources if s.subject == "models"}


def digests(folder: Path) -> dict[str, str]:
    files = [file for file in folder.iterdir() if file.suffix in (".parquet", ".csv", ".json")]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def in_chunks(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small checkout, built in chunks of three models on one processor."""
    target = tmp_path_factory.mktemp("whole")
    build(built, ledger(built), target, jobs=1, models=3)
    return target


def test_chunks_have_the_rows_of_a_build_in_memory(built: Paths, in_chunks: Path) -> None:
    context = load_context(built)
    for name in context.schemas.keys() - LEFT_OUT:
        expected = parquet.read_table(built.processed / f"{name}.parquet")
        found = parquet.read_table(in_chunks / f"{name}.parquet")
        assert found.to_pylist() == expected.to_pylist(), name


def test_the_files_do_not_depend_on_the_number_of_processes(built: Paths, in_chunks: Path, tmp_path: Path) -> None:
    build(built, ledger(built), tmp_path, jobs=2, models=3)
    assert digests(tmp_path) == digests(in_chunks)


def test_the_duckdb_file_has_the_rows_of_the_parquet_files(built: Paths, in_chunks: Path) -> None:
    with duckdb.connect(str(in_chunks / "traincompute.duckdb"), read_only=True) as connection:
        for name in load_context(built).schemas:
            file = in_chunks / f"{name}.parquet"
            assert (
                connection.sql(f'SELECT * FROM "{name}"').fetchall()
                == connection.sql(f"SELECT * FROM '{file}'").fetchall()
            ), name


def test_a_column_that_only_models_of_other_chunks_have_is_known(small: Paths, tmp_path: Path) -> None:
    """Otherwise Z's compute would pass for a new column, and its parameters for a column that is gone."""
    lock = json.loads(small.lock.read_text())
    [(older, about)] = lock["epoch_notable"]["snapshots"].items()
    newer = "2026-08-19"
    lock["epoch_notable"]["snapshots"][newer] = about
    small.lock.write_text(json.dumps(lock))
    lines = {
        "epoch_all": [("Z", "name", "Z", ""), ("Z", "parameters", "7", "")],
        "epoch_notable": [
            *((name, "name", name, "") for name in "AZ"),
            *(("A", field, "7", "") for field in ("parameters", "training_compute_flop")),
            ("Z", "parameters", "7", newer),
        ],
    }
    files = {name: [tmp_path / f"{name}.csv"] for name in lines}
    for name, facts in lines.items():
        cells = [f"{record},{field},{text},,{older},{until}\n" for record, field, text, until in facts]
        files[name][0].write_text(HEADER + "".join(cells))
    with files["epoch_notable"][0].open("a") as file:
        file.write(f"Z,training_compute_flop,7,,{newer},\n")
    for models in (1, 100):
        build(small, files, tmp_path / f"{models}", jobs=1, models=models)
    for file in (tmp_path / "1").glob("*.csv"):  # Parquet has the rows of each chunk apart
        assert file.read_bytes() == (tmp_path / "100" / file.name).read_bytes(), file.name
    found = parquet.read_table(tmp_path / "1" / "revisions.parquet", columns=["model_id", "field", "kind"]).to_pylist()
    assert [tuple(row.values()) for row in found] == [
        ("z", "parameters", "blanked"),
        ("z", "training_compute_flop", "filled"),
    ]
    claims = parquet.read_table(tmp_path / "1" / "claims.parquet", columns=["field", "source_id", "reason_code"])
    assert {"field": "parameters", "source_id": "epoch_all", "reason_code": "withdrawn"} in claims.to_pylist()


def test_the_columns_of_a_ledger_are_those_of_its_files_together(built: Paths, tmp_path: Path) -> None:
    cells = [("a", "name", "", "2024-01-01", ""), ("a", "name", "", "2023-01-01", "2024-01-01")]
    cells += [("b", "name", "", "2022-01-01", "2022-06-01"), ("b", "gone", "", "2022-01-01", "2022-06-01")]
    cells += [("b", "name", "in a note", "2020-01-01", "")]
    frame = pd.DataFrame(cells, columns=["source_id", "field", "locator", "since", "until"]).astype("str")
    for place in range(2):
        write_columns(pa.Table.from_pandas(frame[place::2], preserve_index=False), tmp_path / f"{place}.arrow")
    days = {name: pd.to_datetime(frame[name], errors="coerce").astype("datetime64[s]") for name in ("since", "until")}
    expected = columns_of(frame.assign(**days)[frame["locator"] == ""])
    pd.testing.assert_frame_equal(load_columns(sorted(tmp_path.iterdir())), expected)


def test_sources_snapshots_and_organizations_count_over_all_chunks(built: Paths, tmp_path: Path) -> None:
    context, folders = load_context(built), [tmp_path / "1", tmp_path / "2"]
    whole = from_arrow(parquet.read_table(built.processed / "sources.parquet"), context.schemas["sources"])
    older = whole.assign(snapshot=whole["snapshot"] - pd.Timedelta(days=1))
    models = from_arrow(parquet.read_table(built.processed / "models.parquet"), context.schemas["models"])
    nobody = {"organizations": "Nobody", "organization_category": "industry", "countries": "France"}
    models = models.assign(**{name: models[name].mask(models.index == 0, text) for name, text in nobody.items()})
    snapshots = from_arrow(parquet.read_table(built.processed / "snapshots.parquet"), context.schemas["snapshots"])
    for folder, sources in zip(folders, (older, whole), strict=True):
        write_tables(context, {"sources": sources, "models": models, "snapshots": snapshots}, folder)
    none = {name: table.head(0) for name, table in {"sources": whole, "snapshots": snapshots}.items()}
    made = small_tables(context, folders, none)
    assert made["sources"]["snapshot"].tolist() == whole["snapshot"].tolist()
    assert made["sources"]["facts"].tolist() == (2 * whole["facts"]).tolist()
    (alone,) = made["organizations"].query("organization == 'Nobody'").to_dict("records")
    assert (alone["category"], alone["country"], alone["models"]) == ("industry", "France", 2)


def test_the_tables_that_are_made_of_all_chunks_are_checked(
    built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = load_context(built)
    place = whole.Place(built, tuple(ledger(built)), tmp_path, tmp_path)
    monkeypatch.setattr(whole, "_folders", lambda place: [])
    monkeypatch.setattr(whole, "_reference", lambda place: {})
    strange = conform(
        pd.DataFrame({"organization": ["A"], "models": [1], "category": ["['industry']"]}),
        context.schemas["organizations"],
    )
    monkeypatch.setattr(whole.join, "small_tables", lambda *about: {"organizations": strange})
    with pytest.raises(DataError, match="industry"):
        whole._small(place)
    row = {"trend_id": "a", "quantity": "parameters", "n": -1}
    monkeypatch.setattr(whole.join, "trends", lambda *about: conform(pd.DataFrame([row]), context.schemas["trends"]))
    with pytest.raises(DataError, match="trends"):
        whole._write_trends(place)


def test_a_task_waits_for_those_it_comes_after(tmp_path: Path) -> None:
    tasks = {
        "last": Task(partial(read_all, tmp_path), after=("second", "first")),
        "second": Task(partial(append, tmp_path / "2", tmp_path / "1"), after=("first",)),
        "first": Task(partial(append, tmp_path / "1")),
    }
    done, _ = _run(2, tasks)
    assert list(done) == ["last", "second", "first"]
    assert done["last"] == ["1", "2"]


def append(file: Path, needed: Path | None = None) -> None:
    assert needed is None or needed.exists()
    file.touch()


def read_all(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def write_facts(paths: Paths, folder: Path, facts: list[tuple[str, str, str]]) -> dict[str, list[Path]]:
    """A ledger of record, field and text; every second line is in another file."""
    files = [folder / "facts_1.csv", folder / "facts_2.csv"]
    for place, file in enumerate(files):
        lines = [f'{record},{field},"{text}",,2026-03-30,\n' for record, field, text in facts[place::2]]
        file.write_text(HEADER + "".join(lines))
    return {"epoch_all": files}


def chunks(paths: Paths, folder: Path, facts: list[tuple[str, str, str]], size: int) -> list[dict[str, bool]]:
    """By chunk: each model, and whether it is a guest there."""
    sources, files = load_context(paths).sources, write_facts(paths, folder, facts)
    count, routes = assign_chunks(sources, files, folder / "routes.arrow", size), load_routes(folder / "routes.arrow")
    for file in files["epoch_all"]:
        route(load_file(paths, sources["epoch_all"], file), routes, count, file.with_suffix(".arrow"))
    parts = [file.with_suffix(".arrow") for file in files["epoch_all"]]
    lines = [[line for file in parts for line in read_part(file, n).to_pylist()] for n in range(count)]
    return [{line["model_id"]: line["is_guest"] for line in some} for some in lines]


def test_a_chunk_has_the_models_that_its_own_are_made_from_as_guests(built: Paths, tmp_path: Path) -> None:
    named = [(name, "name", name) for name in ("A", "B", "C", "D", "E @ x", "F")]
    made_from = [
        ("A", "base_model", "D"),
        ("D", "training_run", "E"),
        ("B", "base_model", "C, F"),
        ("F", "base_model", "F"),
    ]
    found = chunks(built, tmp_path, named + made_from, 2)
    assert found == [
        {"a": False, "b": False, "c": True, "d": True, "e-x": True, "f": True},
        {"c": False, "d": False, "e-x": True},
        {"e-x": False, "f": False},
    ]


def test_no_cut_separates_an_id_from_one_that_continues_it(built: Paths, tmp_path: Path) -> None:
    found = chunks(built, tmp_path, [(name, "name", name) for name in ("GPT", "GPT 2", "GPT2", "GPTX", "H")], 1)
    assert [*map(list, map(sorted, found))] == [["gpt", "gpt-2", "gpt2"], ["gptx"], ["h"]]


def test_ids_are_those_of_a_build_in_memory(built: Paths, tmp_path: Path) -> None:
    names = ["GPT-2", "GPT 2", "gpt_2", "Command R+", "Command R", "Möbius", "α-model", "++", "$\\infty$-former", ".5B"]
    [found] = chunks(built, tmp_path, [(name, "name", name) for name in names], 100)
    assert set(found) == set(default_ids(dict.fromkeys(names, "2026-03-30")).values())


def test_a_file_with_other_columns_is_refused(built: Paths, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("record,field,value_text,place,since,until\nA,name,A,,2026-03-30,\n")
    with pytest.raises(DataError, match="column 'locator' is missing"):
        assign_chunks(load_context(built).sources, {"epoch_all": [tmp_path / "facts.csv"]}, tmp_path / "routes", 10)


@pytest.mark.parametrize("names", [["A", "B"], ["A", "=1+1"], ["-x", "B"]])
def test_a_table_written_in_parts_has_the_texts_and_digests_of_one_written_at_once(
    built: Paths, tmp_path: Path, names: list[str]
) -> None:
    table = load_context(built).schemas["organizations"]
    parts = [to_arrow(conform(pd.DataFrame({"organization": [name], "models": [1]}), table), table) for name in names]
    (tmp_path / "parts").mkdir()
    entry = write.write_files(table, parts, tmp_path / "parts")
    whole = write_files(table.name, pa.concat_tables(parts), tmp_path)
    csv = "organizations.csv"
    assert (tmp_path / "parts" / csv).read_bytes() == (tmp_path / csv).read_bytes()
    assert entry["files"][csv] == whole["files"][csv]
    assert {name: entry[name] for name in ("rows", "columns", "content_sha256")} == {
        name: whole[name] for name in ("rows", "columns", "content_sha256")
    }
    assert parquet.read_table(tmp_path / "parts" / "organizations.parquet").equals(pa.concat_tables(parts))


def test_no_table_is_written_with_more_memory_than_is_allowed(
    built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of them, too."""
    context = load_context(built)
    table = context.schemas["organizations"]
    names = [f"{number * 7919 % 1_000_003:060}" for number in range(300_000)]
    large = to_arrow(conform(pd.DataFrame({"organization": names, "models": 1}), table), table)
    monkeypatch.setattr("pipeline.scale.write.MEMORY", "1MB")
    write.make_duckdb(context, tmp_path)
    none = arrow_schema(context.schemas["columns"]).empty_table()
    with pytest.raises(duckdb.OutOfMemoryException):
        write.fill_duckdb(context, {"columns": [none], table.name: [large]}, tmp_path)


def test_a_key_that_two_chunks_have_is_refused(built: Paths, tmp_path: Path) -> None:
    context, tables = load_context(built), read_built(built)
    folders = [tmp_path / "1", tmp_path / "2"]
    for folder, first in zip(folders, (0, 1), strict=True):
        write_tables(context, {name: frame.iloc[first : first + 3] for name, frame in tables.items()}, folder)
    for name, key in (
        ("claims", tables["claims"]["claim_id"][1]),
        ("predictions", tables["predictions"]["model_id"][1]),
    ):
        with pytest.raises(DataError, match=rf"{name} \[{key}\].*more than one row"):
            list(in_order(context, folders, name))


def test_revisions_come_source_by_source_in_the_order_of_their_keys(built: Paths, tmp_path: Path) -> None:
    context = load_context(built)
    folders = [tmp_path / "1", tmp_path / "2"]
    for folder, models in zip(folders, (["a", "b"], ["c", "d"]), strict=True):
        keys = [f"{source}:{model}:name:2024-01-01" for source in ("epoch_all", "epoch_notable") for model in models]
        frame = conform(pd.DataFrame({"revision_id": keys}), context.schemas["revisions"])
        write_tables(context, {"revisions": frame}, folder)
    found = [key for some in in_order(context, folders, "revisions") for key in some["revision_id"].to_pylist()]
    assert found == sorted(found)
    assert len(found) == 8


def read_built(paths: Paths) -> Tables:
    schemas = load_context(paths).schemas
    names = ("claims", "predictions")
    return {name: from_arrow(parquet.read_table(paths.processed / f"{name}.parquet"), schemas[name]) for name in names}
