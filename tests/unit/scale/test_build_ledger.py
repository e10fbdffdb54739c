"""A whole build in chunks: the same rows as the build in memory, and the same bytes whatever the engine, the size of a chunk
and the number of processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from machine import needs_semaphores, needs_spark
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.normalize.facts import load_file
from pipeline.normalize.identity import default_ids
from pipeline.normalize.revisions import columns_of
from pipeline.registry.context import load_context
from pipeline.registry.frames import arrow_schema, conform, from_arrow, to_arrow
from pipeline.scale import among_all, local, publish
from pipeline.scale.build import COLUMNS, Files, build, find_files, share
from pipeline.scale.chunk import Place, Shared, load_columns
from pipeline.scale.local import Local, _execute
from pipeline.scale.routes import NAMES, assign_chunks
from traincompute.cli import group

LEFT_OUT = {"aliases", "corrections"}
HEADER = "record,field,value_text,locator,since,until\n"
SOURCES = ("epoch_all", "epoch_notable")
SIZE = 10  # models in a chunk
# a short job spends its time in Java's second compiler, and gains nothing from it
JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "SPARK_LOCAL_IP": "127.0.0.1"}


pytestmark = needs_semaphores


def ledger(paths: Paths, folder: Path) -> Path:
    """The files of the sources that are about models, as a ledger, with their lines unsorted."""
    for name, source in load_context(paths).sources.items():
        if source.subject == "models":
            shutil.copytree(paths.raw / name, folder / name)
    for file in folder.glob("*/facts.csv"):
        head, *rows = file.read_text().splitlines(keepends=True)
        file.write_text("".join([head, *reversed(rows)]))
    return folder


class Here:
    """A pool of processes that is none: what it is given is done at once, without the start of a Python."""

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    map = staticmethod(map)

    @staticmethod
    def submit(work: Callable[..., Any], *values: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*values))
        return done


def build_here(paths: Paths, places: Files, target: Path, models: int) -> None:
    """The build in chunks, in this process."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (local, publish):
            patched.setattr(module, "process_pool", lambda *_: Here())
        build(paths, places, target, jobs=1, models=models)


def files(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.suffix in (".parquet", ".csv", ".json")}


@pytest.fixture(scope="module")
def in_chunks(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small checkout in two chunks on one processor."""
    folder = tmp_path_factory.mktemp("chunks")
    build_here(built, find_files(built, ledger(built, folder / "ledger")), folder / "processed", SIZE)
    return folder / "processed"


def test_chunks_have_the_rows_of_a_build_in_memory(built: Paths, in_chunks: Path) -> None:
    for name in load_context(built).schemas.keys() - LEFT_OUT:
        expected = parquet.read_table(built.processed / f"{name}.parquet")
        assert parquet.read_table(in_chunks / f"{name}.parquet").to_pylist() == expected.to_pylist(), name
    models = parquet.read_table(in_chunks / "models.parquet")
    assert models.num_rows > SIZE
    assert models["frontier_rank"].null_count < models.num_rows


def test_what_is_in_quarantine_of_the_chips_stands_beside_that_of_the_chunks(small: Paths, tmp_path: Path) -> None:
    chips = small.raw / "epoch_hardware" / "facts.csv"
    name, *_ = chips.read_text().splitlines()[1].split(",")
    with chips.open("a") as target:
        target.write(f"{name},tdp_w,a lot,elsewhere,2026-03-30,\n")
    place = Place(small, SOURCES, tmp_path)
    share(place)
    (held,) = among_all.in_order(place.made, load_context(small).schemas["quarantine"])
    assert held.select(["source_id", "field"]).to_pylist() == [{"source_id": "epoch_hardware", "field": "tdp_w"}]


@pytest.mark.thorough
def test_the_files_depend_neither_on_the_chunks_nor_on_the_number_of_processes(
    built: Paths, in_chunks: Path, tmp_path: Path
) -> None:
    build(built, find_files(built, ledger(built, tmp_path / "ledger")), tmp_path / "processed", jobs=2, models=12)
    assert files(tmp_path / "processed") == files(in_chunks)


@pytest.mark.thorough
@needs_spark
def test_spark_writes_the_same_files(built: Paths, in_chunks: Path, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("traincompute"), "dev", "build-ledger", "--engine", "spark"]
    command += ["--ledger", ledger(built, tmp_path / "ledger"), "--to", tmp_path / "processed", "--models", f"{SIZE}"]
    environment = {**os.environ, **JAVA, "PYTHONPATH": str(CHECKOUT), "TRAINCOMPUTE_ROOT": str(built.root)}
    done = subprocess.run(command, env=environment, timeout=600, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert files(tmp_path / "processed") == files(in_chunks)


@pytest.mark.thorough
def test_the_duckdb_file_has_the_rows_of_the_parquet_files(built: Paths, in_chunks: Path) -> None:
    with duckdb.connect(str(in_chunks / "traincompute.duckdb"), read_only=True) as connection:
        for name in load_context(built).schemas:
            stored, file = (connection.sql(f"FROM {place}") for place in (f'"{name}"', f"'{in_chunks}/{name}.parquet'"))
            assert stored.fetchall() == file.fetchall(), name


def test_the_command_says_what_is_wrong_with_a_ledger(
    built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built.root))
    command = ["dev", "build-ledger", "--ledger", str(tmp_path), "--to", str(tmp_path / "to")]
    assert "there are no files <source>/facts*.csv" in str(CliRunner().invoke(group, command).exception)
    (tmp_path / "epoch_hardware").mkdir()
    assert "no source of models has this name; name it after one of" in str(
        CliRunner().invoke(group, command).exception
    )


@pytest.mark.thorough
@pytest.mark.parametrize("sizes", [(1,), (1, 100)])
def test_a_column_that_only_models_of_other_chunks_have_is_known(
    small: Paths, tmp_path: Path, sizes: tuple[int, ...]
) -> None:
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
    places = {name: [tmp_path / f"{name}.csv"] for name in lines}
    for name, facts in lines.items():
        cells = [f"{record},{field},{text},,{older},{until}\n" for record, field, text, until in facts]
        places[name][0].write_text(HEADER + "".join(cells))
    with places["epoch_notable"][0].open("a") as file:
        file.write(f"Z,training_compute_flop,7,,{newer},\n")
    for models in sizes:
        build_here(small, places, tmp_path / f"{models}", models)
    assert files(tmp_path / "1") == files(tmp_path / f"{sizes[-1]}")
    changed = parquet.read_table(tmp_path / "1" / "revisions.parquet", columns=["model_id", "field", "kind"])
    assert [tuple(row.values()) for row in changed.to_pylist()] == [
        ("z", "parameters", "blanked"),
        ("z", "training_compute_flop", "filled"),
    ]
    claims = parquet.read_table(tmp_path / "1" / "claims.parquet", columns=["field", "source_id", "reason_code"])
    assert {"field": "parameters", "source_id": "epoch_all", "reason_code": "withdrawn"} in claims.to_pylist()


def test_a_fact_that_cannot_be_read_is_reported_with_its_line(built: Paths, tmp_path: Path) -> None:
    facts = tmp_path / "facts.csv"
    facts.write_text(HEADER + "A,name,A,,2026-03-30,\nA,parameters,,,2026-03-30,\n")
    with pytest.raises(DataError, match=r"facts.csv:3 \[A\]: parameters: .* must be filled"):
        build_here(built, {"epoch_all": [facts]}, tmp_path / "to", 1)
    facts.write_text("record,field,value_text,place,since,until\nA,name,A,,2026-03-30,\n")
    with pytest.raises(DataError, match="column 'locator' is missing"):
        build_here(built, {"epoch_all": [facts]}, tmp_path / "to", 1)


@pytest.mark.thorough
def test_the_columns_of_a_ledger_are_those_of_its_files_together(tmp_path: Path) -> None:
    cells = [("a", "name", "", "2024-01-01", ""), ("a", "name", "", "2023-01-01", "2024-01-01")]
    cells += [("b", "name", "", "2022-01-01", "2022-06-01"), ("b", "gone", "", "2022-01-01", "2022-06-01")]
    cells += [("b", "name", "in a note", "2020-01-01", "")]
    frame = pd.DataFrame(cells, columns=["source_id", "field", "locator", "since", "until"]).astype("str")
    (tmp_path / "lines").mkdir()
    for place in range(2):
        frame[place::2].to_parquet(tmp_path / "lines" / f"{place}.parquet")
    Local(tmp_path, 1).query(COLUMNS, tmp_path / "columns.parquet")
    columns = load_columns(Place(Paths(CHECKOUT), (), tmp_path)).sort_index()
    days = {name: pd.to_datetime(frame[name], errors="coerce").astype("datetime64[s]") for name in ("since", "until")}
    expected = columns_of(frame.assign(**days)[frame["locator"] == ""])
    pd.testing.assert_frame_equal(columns, expected)


@pytest.fixture
def shared(built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place without reference tables."""
    nothing = Shared(load_context(built), {}, pd.DataFrame(), None)  # type: ignore[arg-type]
    monkeypatch.setattr(publish, "load_shared", lambda place: nothing)
    return Place(built, SOURCES, tmp_path)


def test_sources_snapshots_and_organizations_count_over_all_chunks(built: Paths, tmp_path: Path) -> None:
    context = load_context(built)
    tables = {
        name: from_arrow(parquet.read_table(built.processed / f"{name}.parquet"), context.schemas[name])
        for name in ("sources", "models", "snapshots")
    }
    sources, models = tables["sources"], tables["models"]
    nobody = {"organizations": "Nobody", "organization_category": "industry", "countries": "France"}
    tables["models"] = models.assign(**{key: models[key].mask(models.index == 0, text) for key, text in nobody.items()})
    older = sources.assign(snapshot=sources["snapshot"] - pd.Timedelta(days=1))
    for number, chunk in enumerate(({**tables, "sources": older}, tables)):
        among_all.save(
            tmp_path, number, {name: to_arrow(frame, context.schemas[name]) for name, frame in chunk.items()}
        )
    counted = among_all.counted_tables(context, tmp_path, {name: frame.head(0) for name, frame in tables.items()})
    assert counted["sources"]["snapshot"].tolist() == sources["snapshot"].tolist()
    assert counted["sources"]["facts"].tolist() == (2 * sources["facts"]).tolist()
    assert counted["snapshots"]["records"].tolist() == (2 * tables["snapshots"]["records"]).tolist()
    (alone,) = counted["organizations"].query("organization == 'Nobody'").to_dict("records")
    assert (alone["category"], alone["country"], alone["models"]) == ("industry", "France", 2)


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("organizations", {"organization": "A", "models": 1, "category": "['industry']"}),
        ("trends", {"trend_id": "a", "quantity": "parameters", "n": -1}),
        ("thresholds", {"threshold_id": "a", "runs": -1}),
    ],
)
def test_the_tables_that_are_made_of_all_chunks_are_checked(
    shared: Place, monkeypatch: pytest.MonkeyPatch, table: str, row: dict[str, object]
) -> None:
    schemas = load_context(shared.paths).schemas
    frames = {
        name: conform(pd.DataFrame([row] if name == table else []), schemas[name])
        for name in ("organizations", "trends", "thresholds")
    }
    monkeypatch.setattr(among_all, "counted_tables", lambda *_: {"organizations": frames["organizations"]})
    for name in ("trends", "thresholds"):
        monkeypatch.setattr(among_all, name, lambda *_, name=name: frames[name])
    with pytest.raises(DataError, match=table):
        publish.small_tables(shared)


def write_facts(folder: Path, facts: list[tuple[str, str, str]]) -> list[Path]:
    """A ledger of record, field and text; every second line is in another file."""
    places = [folder / "facts_1.csv", folder / "facts_2.csv"]
    for number, file in enumerate(places):
        lines = [f'{record},{field},"{text}",,2026-03-30,\n' for record, field, text in facts[number::2]]
        file.write_text(HEADER + "".join(lines))
    return places


def chunks(paths: Paths, folder: Path, facts: list[tuple[str, str, str]], size: int) -> list[dict[str, bool]]:
    """By chunk: each model, and whether it is a guest there."""
    source = load_context(paths).sources["epoch_all"]
    (folder / "lines").mkdir()
    for number, file in enumerate(write_facts(folder, facts)):
        parquet.write_table(load_file(paths, source, file), folder / "lines" / f"{number}.parquet")
    _execute(f"COPY ({NAMES}) TO '{folder}/names.parquet' (FORMAT parquet)", folder, 1)
    assign_chunks(folder / "names.parquet", folder / "routes.parquet", size)
    routes = parquet.read_table(folder / "routes.parquet").to_pandas()
    assert set(routes["record"]) == {record for record, _, _ in facts}
    return [dict(zip(some["model_id"], some["is_guest"], strict=True)) for _, some in routes.groupby("chunk")]


def test_a_chunk_has_the_models_that_its_own_are_made_from_as_guests(built: Paths, tmp_path: Path) -> None:
    named = [(name, "name", name) for name in ("A", "B", "C", "D", "E @ x", "F")]
    made_from = [
        ("A", "base_model", "D"),
        ("D", "training_run", "E"),
        ("B", "base_model", "C, F"),
        ("F", "base_model", "F"),
    ]
    assert chunks(built, tmp_path, named + made_from, 2) == [
        {"a": False, "b": False, "c": True, "d": True, "e-x": True, "f": True},
        {"c": False, "d": False, "e-x": True},
        {"e-x": False, "f": False},
    ]


def test_no_cut_separates_an_id_from_one_that_continues_it(built: Paths, tmp_path: Path) -> None:
    apart = chunks(built, tmp_path, [(name, "name", name) for name in ("GPT", "GPT 2", "GPT2", "GPTX", "H")], 1)
    assert [*map(list, map(sorted, apart))] == [["gpt", "gpt-2", "gpt2"], ["gptx"], ["h"]]


def test_ids_are_those_of_a_build_in_memory(built: Paths, tmp_path: Path) -> None:
    names = ["GPT-2", "GPT 2", "gpt_2", "Command R+", "Command R", "Möbius", "α-model", "++", "$\\infty$-former", ".5B"]
    [together] = chunks(built, tmp_path, [(name, "name", name) for name in names], 100)
    assert set(together) == set(default_ids(dict.fromkeys(names, "2026-03-30")).values())


def test_the_rows_of_parts_are_grouped_anew() -> None:
    parts = [
        pa.table({"a": pa.array(range(start, end), pa.int64())}) for start, end in ((0, 3), (3, 4), (4, 4), (4, 11))
    ]
    groups = [group["a"].to_pylist() for group in among_all.in_groups(parts, 4)]
    assert groups == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]


def test_a_key_that_two_chunks_have_is_refused(built: Paths, tmp_path: Path) -> None:
    schemas = load_context(built).schemas
    for name in ("claims", "predictions", "model_hardware"):
        table = parquet.read_table(built.processed / f"{name}.parquet").cast(arrow_schema(schemas[name]))
        for number in (0, 1):
            among_all.save(tmp_path, number, {name: table.slice(number, 3)})
        key = " ".join(str(table[column][1]) for column in schemas[name].primary_key[:1])
        with pytest.raises(DataError, match=rf"{name} \[{key}.*more than one row"):
            list(among_all.in_order(tmp_path, schemas[name]))


def test_revisions_come_source_by_source_in_the_order_of_their_keys(built: Paths, tmp_path: Path) -> None:
    table = load_context(built).schemas["revisions"]
    for number, models in enumerate((["a", "b"], ["c", "d"])):
        keys = [(source, f"{source}:{model}:name") for source in ("epoch_all", "epoch_all2") for model in models]
        frame = conform(pd.DataFrame(keys, columns=["source_id", "revision_id"]), table)
        among_all.save(tmp_path, number, {"revisions": to_arrow(frame, table)})
    read = [key for some in among_all.in_order(tmp_path, table) for key in some["revision_id"].to_pylist()]
    assert read == sorted(read)
    assert len(read) == 8
