"""The steps of a build in chunks, one at a time on a few made-up rows, and what each hands to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import feather, parquet
from stand_ins import just

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.base.spark import spark_session
from pipeline.registry.frames import arrow_schema, conform, to_arrow
from pipeline.registry.schema import TableSchema, load_schemas
from pipeline.registry.vocabularies import load_vocabularies
from pipeline.scale import among_all, build, chunk, local, publish, spark
from pipeline.scale.chunk import Place
from pipeline.scale.routes import NAMES, assign_chunks

Notes = list[Any]
Put = Callable[..., None]


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts stand-ins into a module."""

    def into(module: Any, **names: Any) -> None:
        for name, value in names.items():
            monkeypatch.setattr(module, name, value)

    return into


@pytest.fixture
def notes() -> Notes:
    return []


@pytest.fixture
def noted(notes: Notes) -> Callable[..., Any]:
    """A function that notes what it was given, and returns this."""

    def make(name: str, value: Any = None) -> Any:
        return lambda *given, **more: notes.append((name, *given, *more.items())) or value

    return make


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Notes:
    """The sizes of the pools that were opened, of which each works in this process."""
    sizes: Notes = []

    class Here:
        map = staticmethod(map)

        def submit(self, work: Callable[..., Any], *values: Any) -> Future[Any]:
            done: Future[Any] = Future()
            done.set_result(work(*values))
            return done

    for module in (local, publish):
        monkeypatch.setattr(module, "process_pool", lambda jobs, run: sizes.append((jobs, run)) or nullcontext(Here()))
    return sizes


def table(name: str, *keys: str) -> TableSchema:
    return TableSchema(name, "", "", keys, ())


def keys(folder: Path, of: TableSchema) -> list[Any]:
    return [
        list(row.values()) for part in among_all.in_order(folder, of) for row in part.select(of.primary_key).to_pylist()
    ]


def test_rows_come_in_the_order_of_their_keys_whatever_the_chunk(tmp_path: Path) -> None:
    chunks: list[dict[str, dict[str, list[Any]]]] = [
        {"claims": {"claim_id": ["b10", "0a1", "b11"]}, "model_hardware": {"model_id": ["a", "a"], "ordinal": [2, 10]},
         "revisions": {"source_id": ["s", "s2"], "revision_id": ["s:a", "s2:a"]}, "models": {"model_id": ["a", "b"], "rank": [0, 0]}},
        {"claims": {"claim_id": ["0b0", "0a0"]}, "model_hardware": {"model_id": ["b", "b"], "ordinal": [999_999_999, 1_000_000_000]},
         "revisions": {"source_id": ["s", "s2"], "revision_id": ["s:b", "s2:b"]}, "models": {"model_id": ["c"], "rank": [0]}},
    ]  # fmt: skip
    for number, tables in enumerate(chunks):
        among_all.save(tmp_path, number, {name: pa.table(columns) for name, columns in tables.items()})
    feather.write_feather(pa.table({"rank": [7, 8, 9]}), tmp_path / among_all.COMPARED)
    assert sorted(file.name for file in (tmp_path / "claims").iterdir()) == ["0a", "0b", "b1"]
    assert keys(tmp_path, table("claims", "claim_id")) == [["0a0"], ["0a1"], ["0b0"], ["b10"], ["b11"]]
    assert keys(tmp_path, table("model_hardware", "model_id", "ordinal")) == [
        ["a", 2],
        ["a", 10],
        ["b", 999_999_999],
        ["b", 1_000_000_000],
    ]
    assert keys(tmp_path, table("revisions", "revision_id")) == [["s2:a"], ["s2:b"], ["s:a"], ["s:b"]]
    read = [row for part in among_all.in_order(tmp_path, table("models", "model_id")) for row in part.to_pylist()]
    assert [(row["model_id"], row["rank"]) for row in read] == [("a", 7), ("b", 8), ("c", 9)]


@pytest.mark.parametrize("parts", [[["a", "b"], ["b", "c"]], [["a"], ["a0", "b", "b", "c"]], [["a", "c"], ["b", "d"]]])
def test_a_key_of_two_rows_is_named(tmp_path: Path, parts: list[list[str]]) -> None:
    for number, ids in enumerate(parts):
        among_all.save(tmp_path, number, {"predictions": pa.table({"model_id": ids, "ordinal": [1] * len(ids)})})
    for more in ((), ("ordinal",)):
        with pytest.raises(DataError) as caught:
            keys(tmp_path, table("predictions", "model_id", *more))
        assert str(caught.value).startswith(f"predictions [b{' 0000000001' * len(more)}]: occurs in more than one row")


def test_a_group_of_rows_is_full_before_the_next_begins() -> None:
    made = among_all.in_groups([pa.table({"a": np.arange(rows)}) for rows in (200_000, 62_144, 0)])
    assert [group.num_rows for group in made] == [131_072, 131_072]


def test_tables_of_all_chunks_are_compared_and_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: Notes
) -> None:
    paths = Paths(CHECKOUT)
    schemas = load_schemas(paths)
    context: Any = SimpleNamespace(schemas=schemas, vocabularies=load_vocabularies(paths), constants={})
    counts = {"source_id": ["s"], "snapshot_id": ["s:1"], "records": [2], "facts": [5]}
    models = {
        "model_id": ["a", "b"],
        "organizations": ["Lab", "Lab;Other"],
        "training_run_id": ["r", "q"],
        "training_compute_flop": [1e20, None],
    }
    for number, day in enumerate(("2024-01-02", "2024-01-01")):
        own = {"models": {name: values[number : number + 1] for name, values in models.items()}}
        own |= {name: {**counts, "snapshot": [pd.Timestamp(day)]} for name in ("sources", "snapshots")}
        among_all.save(
            tmp_path,
            number,
            {name: to_arrow(conform(pd.DataFrame(rows), schemas[name]), schemas[name]) for name, rows in own.items()},
        )
    empty = {name: conform(pd.DataFrame(), schemas[name]) for name in ("sources", "snapshots")}
    counted = among_all.counted_tables(context, tmp_path, empty)
    assert counted.keys() == {"organizations", "sources", "snapshots"}
    shown = {
        name: counted[name].dropna(axis=1, how="all").astype("str").to_dict("list") for name in ("sources", "snapshots")
    }
    assert shown["sources"] == {"source_id": ["s"], "snapshot": ["2024-01-02"], "records": ["4"], "facts": ["10"]}
    assert shown["snapshots"]["records"] == ["4"]
    assert dict(zip(counted["organizations"]["organization"], counted["organizations"]["models"], strict=True)) == {
        "Lab": 2,
        "Other": 1,
    }

    def compared(frame: pd.DataFrame, run: np.ndarray, constants: Any) -> dict[str, Any]:
        notes.append((frame["training_compute_flop"].tolist(), run[:1].tolist()))
        return {"frontier_rank": np.array([3, np.nan])}

    monkeypatch.setattr(among_all, "among_all", compared)
    among_all.compare(context, tmp_path)
    assert notes[0][0][0] == 1e20
    assert notes[0][1] == [0]
    assert feather.read_table(tmp_path / among_all.COMPARED).to_pydict() == {"frontier_rank": [3, None]}
    read = pa.concat_tables(among_all.in_order(tmp_path, schemas["models"]))
    assert (read["frontier_rank"].to_pylist(), read.schema.names) == (
        [3, None],
        [*arrow_schema(schemas["models"]).names],
    )
    monkeypatch.setattr(among_all, "make_thresholds", lambda *given: [(len(one), [*one]) for one in given[:2]])
    assert among_all.thresholds(context, tmp_path)[1][0] == 0, "no chunk has predictions"
    assert [rows for rows, _ in among_all.thresholds(context, tmp_path)] == [2, 0]


def test_a_build_goes_from_step_to_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: Notes, noted: Callable[..., Any]
) -> None:
    engine = SimpleNamespace(read_lines=noted("lines"), query=noted("query"), make_chunks=noted("chunks"))

    @contextmanager
    def work_folder(target: Path) -> Iterator[str]:
        yield f"work of {target.name}"

    monkeypatch.setattr(build, "work_folder", work_folder)
    for name in ("share", "assign_chunks", "publish", "swap_in"):
        monkeypatch.setattr(build, name, noted(name))
    monkeypatch.setattr(build, "Local", lambda scratch, jobs: notes.append(("local", jobs)) or engine)
    files = {"s": [Path("1"), Path("2")], "t": [Path("3")]}
    for given in ({}, {"models": 5, "engine": lambda scratch: engine, "told": noted("told")}):
        build.build(Paths(CHECKOUT), files, tmp_path, jobs=3, **given)
    shown = [tuple(getattr(one, "name", getattr(one, "sources", one)) for one in note) for note in notes]
    shown = [tuple("given" if callable(one) else one for one in note) for note in shown]
    steps: Notes = [
        ("share", ("s", "t")), ("lines", "given", [("s", Path("1")), ("s", Path("2")), ("t", Path("3"))]),
        ("query", build.COLUMNS, "columns.parquet"), ("query", NAMES, "names.parquet"),
        ("assign_chunks", "names.parquet", "routes.parquet", 18_000), ("chunks", "given", "routes.parquet"),
        ("publish", ("s", "t"), f"work of {tmp_path.name}", 3), ("swap_in", f"work of {tmp_path.name}", tmp_path.name),
    ]  # fmt: skip
    assert shown[:9] == [("local", 3), *steps]
    steps[4] = (*steps[4][:3], 5)
    told = [("told", step) for step in ("read", "spread", "build", "publish")]
    assert shown[9:] == [told[0], *steps[:3], told[1], *steps[3:5], told[2], steps[5], told[3], *steps[6:]]


def test_what_all_chunks_share_is_written_once(
    tmp_path: Path, notes: Notes, noted: Callable[..., Any], put: Put
) -> None:
    place = Place(Paths(CHECKOUT), ("epoch_all",), tmp_path)
    put(build, reference_tables=just({"hardware": [1], "quarantine": [2]}))
    put(build, measured_tables=lambda _, tables: {"witnesses": [len(tables)]})
    put(build, to_arrow=lambda frame, schema: pa.table({"of": [schema.name], "made": frame}))
    put(among_all, save=noted("save"))
    build.share(place)
    assert notes == [
        ("save", tmp_path / "made", 999_999, {"quarantine": pa.table({"of": ["quarantine"], "made": [2]})})
    ]
    put(chunk, from_arrow=lambda data, schema: (schema.name, data.to_pylist()), load_calibrated=just("calibrated"))
    days = {"source_id": ["s"], "field": ["f"], "first": ["2024-01-01"], "last": [""], "ended": [0], "spans": [1]}
    pd.DataFrame(days).to_parquet(tmp_path / "columns.parquet")
    shared = chunk.load_shared(place)
    assert shared.reference == {
        name: (name, [{"of": name, "made": made}]) for name, made in (("hardware", 1), ("witnesses", 2))
    }
    assert ([*shared.context.sources], shared.calibrated) == (["epoch_all"], "calibrated")
    row = shared.columns.loc[("s", "f")]
    assert (str(row["first"]), row["last"] is pd.NaT, row["spans"]) == ("2024-01-01 00:00:00", True, 1)


def test_a_ledger_is_named_after_sources_of_models(tmp_path: Path) -> None:
    paths = Paths(CHECKOUT)
    with pytest.raises(DataError) as nothing:
        build.find_files(paths, tmp_path)
    for name in ("epoch_all", "epoch_hardware", "unknown"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "facts_1.csv").write_text("")
    with pytest.raises(DataError) as caught:
        build.find_files(paths, tmp_path)
    told = [(problem.where, problem.reason, problem.remedy[:21]) for problem in caught.value.problems]
    words = ("no source of models has this name", "name it after one of ")
    assert told == [(f"{tmp_path}/{name}", *words) for name in ("epoch_hardware", "unknown")]
    assert str(nothing.value) == f"{tmp_path}: there are no files <source>/facts*.csv"
    for name in ("epoch_hardware", "unknown"):
        (tmp_path / name / "facts_1.csv").unlink()
        (tmp_path / name).rmdir()
    assert build.find_files(paths, tmp_path) == {"epoch_all": [tmp_path / "epoch_all" / "facts_1.csv"]}


def test_a_chunk_makes_the_tables_of_its_own_models(notes: Notes, noted: Callable[..., Any], put: Put) -> None:
    cells = {"source_id": ["s", "s"], "field": ["gone", "there"], "ended": [2, 1], "spans": [2, 2]}
    names = ("sources", "revisions", "claims", "quarantine", "models", "model_hardware", "estimates", "predictions")
    context: Any = SimpleNamespace(schemas={name: name for name in names}, lock={}, sources={"s": 1})
    reference: Any = {"hardware": "H", "sources": pd.DataFrame({"n": [1]})}
    columns = pd.DataFrame(cells).set_index(["source_id", "field"])
    shared = chunk.Shared(context, reference, columns, "calibrated")
    ids = {"model_id": ["guest", "guest", "own"], "is_guest": [True, True, False]}
    lines = pd.DataFrame({name: [*"xyz"] for name in (*chunk.COLUMNS, "line")} | ids)
    facts = pd.DataFrame({name: [*"xyz"] for name in (*chunk.COUNTED, *chunk.SPANS)} | ids)

    def counted(_: Any, spans: pd.DataFrame, typed: pd.DataFrame, day: None) -> dict[str, pd.DataFrame]:
        return {"sources": pd.DataFrame({"n": [len(spans), len(typed)]})}

    def arrow(made: Any, _: str) -> pa.Table:
        return pa.Table.from_pandas(made) if isinstance(made, pd.DataFrame) else pa.table({"v": [str(made)]})

    put(chunk, typed_spans=just(facts), read_ledger=just(SimpleNamespace(ledger=facts, readings="readings")))
    put(chunk, read_vintage=lambda *given: notes.append(given[3]) or facts, locked_snapshots=lambda _, name: [name])
    put(chunk, about_sources=counted, hold=just("held"), quarantine_bounds=just("bounded"), select_claims=just(facts))
    put(chunk, model_tables=just({"models": facts, "model_hardware": facts}), conform=lambda made, _: made)
    put(chunk, make_quarantine=lambda judged, others, _: others, without_rules=just("no rules"), to_arrow=arrow)
    put(chunk, with_estimates=lambda _, tables, how: {**tables, "estimates": how, "predictions": sorted(tables)})
    put(chunk, check_tables=noted("check"), check_links=noted("link"))
    put(chunk.revisions, make_revisions=lambda *given: [given[2], len(given[5])])
    made = chunk.make_tables(shared, pa.Table.from_pandas(lines))
    standing = {"index": [0], "columns": ["source_id", "field"], "data": [["s", "there"]]}
    assert notes[0].to_dict("split") == standing, "all spans of a column that is gone ended"
    assert [made.pop(name).num_rows for name in names] == [2, 1, 1, 0, 1, 1, 1, 1]
    assert made == {}
    (_, rules, checked), (_, _, linked) = notes[1:3]
    assert (rules, linked.keys() - checked.keys()) == ("no rules", {"hardware"})
    assert checked["predictions"] == sorted([*names[:6], "hardware"])
    assert (checked["revisions"], checked["estimates"]) == ([{"s": ["s"]}, 2], "calibrated")
    assert linked["sources"]["n"].tolist() == [1, 1, 1], "a guest counts where it is at home"
    assert chunk.make_tables(shared, pa.Table.from_pandas(lines[2:]))["claims"].num_rows == 3


def test_each_table_goes_into_its_files_and_the_models_last(
    tmp_path: Path, notes: Notes, noted: Callable[..., Any], pools: Notes, put: Put
) -> None:
    schemas = {name: table(name, "id") for name in (*publish.LARGE, "sources", "trends")}
    context, database = SimpleNamespace(schemas=schemas, views="views"), nullcontext()
    put(publish, load_shared=just(SimpleNamespace(context=context)), open_duckdb=noted("open", database))
    put(
        publish,
        close_duckdb=noted("close", "catalogue"),
        insert_table=noted("insert"),
        write_manifest=noted("manifest"),
    )
    for name in ("parquet", "csv"):
        put(
            publish,
            **{f"write_{name}": lambda *given, name=name, **more: notes.append((name, given[0], more)) or {name: 1}},
        )
    put(publish, small_tables=just({"trends": "T"}), write_files=lambda name, data, _: {"small": data})
    put(publish, to_arrow=lambda frame, _: len(frame), from_arrow=just("sources"), arrow_schema=just(1))
    put(publish, joined=lambda *forms: forms, manifest_head=lambda *given: given[1:], conform=lambda frame, _: frame)
    put(among_all, compare=noted("compare"))
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "sources.parquet")
    publish.publish(Place(Paths(CHECKOUT), (), tmp_path), tmp_path, 4)
    large = ["claims", "estimates", "predictions", "revisions", "model_hardware", "quarantine", "models"]
    options = {"compression_level": 1, "use_dictionary": []}
    entries: dict[str, Any] = {"sources": {"small": 0}, "trends": {"small": 1}}
    entries |= {name: ({"parquet": 1}, {"csv": 1}) for name in large}
    assert pools == [(4, "pipeline.scale.build")]
    assert notes == [
        ("open", tmp_path / "traincompute.duckdb", schemas, "views"), ("compare", context, tmp_path / "made"),
        *(form for name in large for form in (("parquet", name, options), ("csv", name, {}))),
        *(("insert", database, tmp_path / f"{name}.parquet", name, "500MB") for name in (*large, "sources", "trends")),
        ("close", database), ("manifest", tmp_path, ({"sources": "sources"}, None), entries, "catalogue"),
    ]  # fmt: skip


def test_the_small_tables_are_checked_where_they_were_counted(notes: Notes, put: Put) -> None:
    shared = SimpleNamespace(context="context", reference={"hardware": "H"})
    put(publish, load_shared=just(shared), check_tables=lambda _, tables: notes.append(sorted(tables)) or tables)
    put(among_all, counted_tables=just({"sources": "S"}), trends=just("T"), thresholds=just("L"))
    made: Any = publish.small_tables(Place(Paths(CHECKOUT), (), Path("scratch")))
    assert made == {"hardware": "H", "sources": "S", "trends": "T", "thresholds": "L"}
    assert notes == [["sources", "thresholds", "trends"]]


def test_lines_are_read_named_and_spread_on_one_machine(tmp_path: Path, pools: Notes, notes: Notes) -> None:
    facts = [
        ("A 1", "name", "A 1"),
        ("A 1", "base_model", "C"),
        ("A 2", "name", "A 2"),
        ("B", "name", "B"),
        ("C", "name", "C"),
    ]
    names = ("record", "field", "value_text")

    def read(file: tuple[str, Path]) -> pa.Table:
        rows = facts[int(file[1].name) :: 2]
        return pa.table(
            {name: [row[place] for row in rows] for place, name in enumerate(names)}
            | {"since": ["2024-01-01"] * len(rows)}
        )

    engine = local.Local(tmp_path, 2)
    engine.read_lines(read, [("s", Path("0")), ("s", Path("1"))])
    engine.query(NAMES, tmp_path / "names.parquet")
    assign_chunks(tmp_path / "names.parquet", tmp_path / "routes.parquet", 1)
    engine.make_chunks(lambda number, lines: notes.append((number, lines)), tmp_path / "routes.parquet")
    assert sorted(file.name for file in (tmp_path / "lines").iterdir()) == ["000000.parquet", "000001.parquet"]
    ids = [{*zip(*lines.select(["model_id", "is_guest"]).to_pydict().values(), strict=True)} for _, lines in notes]
    assert ids == [{("a-1", False), ("c", True)}, {("a-2", False)}, {("b", False)}, {("c", False)}]
    assert [(number, lines.num_rows) for number, lines in notes] == [(0, 3), (1, 1), (2, 1), (3, 1)]
    assert pools == [(size, "pipeline.scale.build") for size in (2, 1, 1, 2)]


def test_versions_of_one_number_are_a_family_whose_members_are_guests(tmp_path: Path) -> None:
    named = pa.array([[], [], []], pa.list_(pa.string()))
    rows = {
        "record": ["Nova 3 mini", "Nova 3.1 max (June 2024)", "Nova 4"],
        "since": ["2024-01-01"] * 3,
        "named": named,
    }
    parquet.write_table(pa.table(rows), tmp_path / "names.parquet")
    assign_chunks(tmp_path / "names.parquet", tmp_path / "routes.parquet", 1)
    routes = parquet.read_table(tmp_path / "routes.parquet")
    guests = routes.filter(pc.field("is_guest")).select(["record", "chunk"]).to_pylist()
    assert sorted((row["record"], row["chunk"]) for row in guests) == [
        ("Nova 3 mini", 1),
        ("Nova 3.1 max (June 2024)", 0),
    ]


def test_spark_is_asked_for_lines_queries_and_chunks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: Notes
) -> None:
    session = MagicMock(name="session")
    monkeypatch.setattr(spark, "spark_session", lambda master: session)

    class PySparkError(Exception):
        pass

    monkeypatch.setitem(sys.modules, "pyspark.errors", SimpleNamespace(PySparkException=PySparkError))
    parquet.write_table(pa.table({"chunk": [0, 2, 1]}), tmp_path / "routes.parquet")
    engine = spark.Spark(tmp_path, "local")
    session.sql.return_value.toArrow.return_value = pa.table({"a": [1]})
    engine.read_lines(lambda file: pa.table({"of": [str(file)]}), [("s", Path("1")), ("t", Path("2"))])
    engine.query("SELECT 1", tmp_path / "found.parquet")
    engine.make_chunks(lambda number, lines: notes.append((number, lines.num_rows)), tmp_path / "routes.parquet")
    calls = "\n".join(map(str, session.mock_calls))
    assert "createDataFrame([('s', '1'), ('t', '2')], 'source STRING, file STRING')" in calls
    assert ".repartition(2)" in calls
    assert spark.LINE.startswith("`source_id` STRING, `record` STRING, ")
    assert spark.LINE.endswith("` STRING, line BIGINT")
    for written in (f".write.parquet('{tmp_path}/lines')", f"call.read.parquet('{tmp_path}/lines')"):
        assert written in calls
    assert ".repartitionByRange(3, 'chunk')" in calls
    assert parquet.read_table(tmp_path / "found.parquet").to_pydict() == {"a": [1]}
    batches = pa.table({"source": ["s", "t"], "file": ["1", "2"]}).to_batches()
    read = spark._reader(lambda file: pa.table({"of": [f"{file[0]} {file[1].name}"]}))(iter(batches))
    assert [row for batch in read for row in batch["of"].to_pylist()] == ["s 1", "t 2"]
    made = spark._maker(lambda number, lines: notes.append((number, lines.num_rows)))(pa.table({"chunk": [7, 8]}))
    assert (made.to_pydict(), notes) == ({"chunk": [7]}, [(7, 2)])
    with pytest.raises(DataError) as caught, spark._data_errors():
        raise PySparkError(f"in a worker: {spark.RAISED}a.csv: wrong\nb.csv: wrong, too\n\nJVM stacktrace")
    assert [problem.where for problem in caught.value.problems] == ["a.csv: wrong", "b.csv: wrong, too"]
    with pytest.raises(PySparkError, match="out of memory"), spark._data_errors():
        raise PySparkError("out of memory")


def test_a_session_has_the_settings_of_its_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = MagicMock(name="builder")
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=SimpleNamespace(builder=builder)))
    monkeypatch.setenv("PYSPARK_PYTHON", "python")
    monkeypatch.setenv("PYTHONWARNINGS", "")
    spark_session("local[3]")
    calls = "\n".join(map(str, builder.mock_calls))
    assert calls.startswith("call.master('local[3]')\ncall.master().appName('traincompute')\n")
    for setting in (
        "spark.ui.enabled', 'false'",
        "spark.sql.session.timeZone', 'UTC'",
        "spark.sql.shuffle.partitions', '8'",
    ):
        assert f"config('{setting})" in calls
    assert calls.endswith(".sparkContext.setLogLevel('ERROR')")
