"""The generated parts of docs/ as they are made from a few rows: every cell, number and order is that of the copy in
tests/golden/docs/."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import few_rows
import pandas as pd
import pytest
from kept import GOLDEN, as_kept, as_lines
from stand_ins import just

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.normalize import facts
from pipeline.present.docs import (
    architecture,
    dictionary,
    figures,
    markdown,
    measured,
    method,
    moved_dates,
    pages,
    quality,
    queries,
    reproductions,
    shape_of_code,
    sources,
)
from pipeline.registry.constants import load_constants
from pipeline.registry.frames import Tables
from pipeline.registry.schema import Column, TableSchema

GIVEN = GOLDEN / "docs" / "given"


def write(root: Path, files: Mapping[str, str]) -> Paths:
    """A checkout that has these files alone."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Paths(root)


def given_rows(_: Paths, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((GIVEN / f"{name}.csv").read_text(encoding="utf-8").splitlines()))


ROOMS = {
    "pyproject.toml": """
        [[tool.importlinter.contracts]]
        type = "forbidden"
        [[tool.importlinter.contracts]]
        type = "layers"
        containers = ["traincompute"]
        layers = ["cli", "reader | names | show", "base"]
        [[tool.importlinter.contracts]]
        type = "layers"
        containers = ["pipeline"]
        layers = ["commands", "curate | present", "base"]
        """,
    "pipeline/commands/__init__.py": '"""What a curator types."""',
    "pipeline/commands/make.py": "import json\nfrom pipeline.present import pages\nimport pipeline.base.files\n",
    "pipeline/curate/__init__.py": f'"""{"Finds what is missing & says so; " * 8}"""',
    "pipeline/curate/find.py": "def f():\n    from traincompute.names import x\n    from pipeline.curate import y\n",
    "pipeline/present/__init__.py": '"""Figures, pages\nand < a site."""',
    "pipeline/present/pages/page.py": "import pipeline.base\nimport pipeline.baseline\n",
    "pipeline/base/__init__.py": "",
    "traincompute/cli.py": '"""The commands.\n\nOnly their names are read."""\nfrom traincompute.reader import r\nimport csv',
    "traincompute/reader.py": '"""A release as tables."""\nimport traincompute.base.places',
    "traincompute/names/__init__.py": '"""Which model a name means."""',
    "traincompute/show/__init__.py": '"""Rows for people."""',
    "traincompute/base/__init__.py": '"""Places and errors."""',
}


def test_the_rooms_are_drawn_and_listed_with_what_they_import(tmp_path: Path) -> None:
    paths = write(tmp_path, ROOMS)
    assert as_kept(architecture.architecture(paths), "docs/architecture.svg", tmp_path)
    assert architecture.with_rooms("A\n<!-- rooms -->\nold\n<!-- /rooms -->\nB\n", paths) == (
        "A\n<!-- rooms -->\n| room of `pipeline/` | what it does |\n|---|---|\n"
        "| `commands` | What a curator types. |\n"
        f"| `curate` | {'Finds what is missing & says so; ' * 7}Finds what is missing & says so; |\n"
        "| `present` | Figures, pages and < a site. |\n| `base` |  |\n\n"
        "| room of `traincompute/` | what it does |\n|---|---|\n"
        "| `cli` | The commands. |\n| `reader` | A release as tables. |\n| `names` | Which model a name means. |\n"
        "| `show` | Rows for people. |\n| `base` | Places and errors. |\n<!-- /rooms -->\nB\n"
    )


def test_cells_are_escaped_and_only_what_is_between_the_marks_changes() -> None:
    assert markdown.row(None, "a|b\nc", 0) == "|  | a\\|b c | 0 |\n"
    page = "<!-- a -->\n1\n<!-- /a -->\n<!-- b -->\n2\n<!-- /b -->\n"
    assert markdown.between_marks(page, "a", r"\1" + "\n") == page.replace("\n1\n", "\n\\1\n")


def test_the_dictionary_says_all_of_a_column() -> None:
    columns = (
        Column("chip_id", "string", "Our id", constraints={"required": True}, example="a100"),
        Column("kind", "list", "Kinds.", "FLOP", vocab="kinds", derived="from the name"),
    )
    made = dictionary.dictionary({"chips": TableSchema("chips", "Chips", "One a row.", ("chip_id", "kind"), columns)})
    assert made == (
        "# Data dictionary\n\nGenerated from `schemas/*.yml` by `traincompute dev docs`; edit those files, not this one.\n"
        "\n## chips\n\nChips. One a row.\n\nKey: `chip_id, kind`\n\n"
        "| column | type | unit | meaning | example |\n|---|---|---|---|---|\n"
        "| `chip_id` | text |  | Our id. Never null. | a100 |\n"
        "| `kind` | list of text | FLOP | Kinds. *Derived:* from the name. Codes: `schemas/vocab/kinds.yml`. |  |\n"
    )


def test_a_figure_stands_on_the_page_with_its_caption_and_query() -> None:
    made = figures.figures_page([figures.Figure("cost", "Cost", "In *dollars*.", "select 1")])
    section = "\n## Cost\n\n![Cost](figures/cost.svg)\n\nIn *dollars*.\n\n```sql\nselect 1\n```\n"
    assert made == figures.HEAD + section
    names = [figure.name for figure in figures.declared_figures()]
    assert (names[0], len(names)) == ("training-compute", 19)


def test_the_tables_of_measured_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "read_rows", given_rows)
    page = measured.with_measured("<!-- measured -->\n<!-- /measured -->\n", Paths())
    assert as_kept(page, "docs/measured.md", tmp_path)


def test_the_tables_of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "read_rows", given_rows)
    page = method.with_targets("<!-- targets -->\n<!-- /targets -->\n", Paths())
    assert as_kept(page, "docs/targets.md", tmp_path)


def test_what_the_dates_of_papers_change(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "d.duckdb") as connection:
        connection.execute((GIVEN / "dated.sql").read_text(encoding="utf-8"))
    assert as_kept(moved_dates.moved_dates(tmp_path / "d.duckdb", load_constants(Paths())), "docs/dates.md", tmp_path)


TESTED = {
    "tests/faults/faults.csv": "row,fault,expected\n1,a cut file,a refusal\n2,no disk,a message\n",
    "tests/faults/rows.csv": "row,test\n1,tests/a.py::b\n1,tests/unit/c.py\n2,tests/d.py\n",
    "tests/chaos/figures.csv": "command,what,times,torn,measured\nbuild,killed,300,0,2026-11-28\n",
    "tests/chaos/replay.csv": "snapshot,pull,build,held,set_aside\n2026-01-05,pulled: 3 rows,built,12,3\n2026-02-05,gate: closed,built,0,0\n",
    "tests/mutation/scores.csv": "module,mutants,run,killed,measured\na.py,80,40,39,2026-11-28\nb.py,3,3,3,2026-11-27\n",
}


def test_the_page_of_quality_lists_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "known_issues", just(["One is late.", "Two are short."]))
    monkeypatch.setattr(quality, "with_output", lambda page, database: f"{page}{database.name}\n")
    marks = "".join(
        f"<!-- {name} -->\n<!-- /{name} -->\n" for name in ("known issues", "faults", "kills", "replay", "mutants")
    )
    made = quality.quality(marks, write(tmp_path, TESTED), Path("d.duckdb"))
    assert as_kept(made, "docs/quality.md", tmp_path)


ASKED = """# Q
## First
### How many?
```sql
select n from models
```

| n |
|---:|
| 0 |

### Which?
## Second
```sql
select 1e23 as flop
```
"""


def test_the_output_of_queries_is_put_below_them(tmp_path: Path) -> None:
    database = tmp_path / "traincompute.duckdb"
    with duckdb.connect(database) as connection:
        connection.execute("create table models as select unnest([7, 8]) as n")
    assert queries.with_output(ASKED, database) == (
        ASKED.replace("| 0 |", "| 7 |\n| 8 |") + "\n| flop |\n|---:|\n| 1e23 |\n"
    )
    assert queries.questions(ASKED) == [
        ("First", "How many?", "select n from models"),
        ("Second", "Which?", "select 1e23 as flop"),
    ]
    with pytest.raises(DataError) as caught:
        queries.run_query("\nselect m\nfrom models", database)
    assert str(caught.value) == (
        "docs/queries.md, docs/quality.md [select m]: no column m in models; `traincompute tables models` lists its columns; "
        "correct the query"
    )
    with pytest.raises(DataError, match=r"\[select 1\]: .*no\.duckdb.*; correct the query$"):
        queries.run_query("select 1", tmp_path / "no.duckdb")


def test_a_transcript_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def ran(words: list[str], **settings: Any) -> SimpleNamespace:
        asked.append({"words": words, **settings})
        failed = words[-1].endswith("false")
        return SimpleNamespace(returncode=int(failed), stdout="a  \n\nb\n", stderr="x" * 400 + " no such command \n")

    monkeypatch.setattr(queries, "subprocess", SimpleNamespace(run=ran))
    page = "A\n```console\n$ traincompute a | wc\nold\n$ echo\n```\nB\n"
    made = queries.with_transcript(page, tmp_path, Path("built"))
    assert made == "A\n```console\n$ traincompute a | wc\na\n\nb\n$ echo\na\n\nb\n```\nB\n"
    first, second = asked
    assert first["words"][:2] == ["bash", "-c"]
    assert first["words"][2].endswith("set -o pipefail; traincompute a | wc")
    assert second["words"][2].endswith("; echo")
    wanted = {"COLUMNS": "100", "NO_COLOR": "1", "TRAINCOMPUTE_DATA": "built", "PYTHONPATH": str(tmp_path)}
    assert wanted.items() <= first["env"].items()
    assert "PATH" in first["env"]
    assert {key: first[key] for key in ("cwd", "capture_output", "text", "timeout")} == {
        "cwd": tmp_path, "capture_output": True, "text": True, "timeout": 120,
    }  # fmt: skip
    with pytest.raises(DataError) as caught:
        queries.run_command("false", tmp_path, tmp_path)
    assert str(caught.value) == f"docs/first-hour.md [false]: {'x' * 284} no such command; correct the command"


def test_published_figures_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables({name: few_rows.table(name) for name in ("models", "supercomputers")})
    claims = [
        ("gpt-4", "training_compute_flop", "selected", "OpenAI"),
        ("bert", "training_compute_flop", "selected", "Epoch AI"),
        ("gpt-2", "training_compute_flop", "replaced", "OpenAI"),
        ("alexnet", "parameters", "selected", "OpenAI"),
    ]
    tables["claims"] = pd.DataFrame(claims, columns=["model_id", "field", "status", "publisher"])
    days: list[date] = []

    def normalized(_: object, day: date, read: str) -> Tables:
        assert read == "read ledger"
        days.append(day)
        return tables

    monkeypatch.setattr(reproductions, "PUBLISHED", GIVEN / "published.yml")
    monkeypatch.setattr(reproductions, "load_context", just(SimpleNamespace(paths=Paths())))
    monkeypatch.setattr(reproductions, "load_ledger", just("ledger"))
    monkeypatch.setattr(reproductions, "read_ledger", lambda _, ledger: f"read {ledger}")
    monkeypatch.setattr(reproductions, "normalize_tables", normalized)
    monkeypatch.setattr(reproductions, "shape_of_code", lambda _, made: f"\nlast, of {', '.join(made)}\n")
    assert as_kept(reproductions.reproductions(Paths()), "docs/reproductions.md", tmp_path)
    assert days == [date(2022, 5, 3), date(2024, 7, 16)]


@pytest.mark.parametrize(
    ("value", "n", "published", "agrees"),
    [
        (4.0, 9, {"value": 4, "low": 4.0, "high": 5.0}, True),
        (5.0, 9, {"value": 4, "low": 4.0, "high": 5.0}, True),
        (3.9, 9, {"value": 4, "low": 4.0, "high": 5.0}, False),
        (5.1, 9, {"value": 4, "low": 4.0, "high": 5.0}, False),
        (5.0, 9, {"value": 4, "tolerance": 0.25, "n": 9}, True),
        (3.0, 9, {"value": 4, "tolerance": 0.25, "n": 9}, True),
        (5.1, 9, {"value": 4, "tolerance": 0.25, "n": 9}, False),
        (4.0, 8, {"value": 4, "tolerance": 0.25, "n": 9}, False),
    ],
)
def test_ours_agrees_within_the_interval_or_the_tolerance(
    value: float, n: int, published: dict[str, Any], agrees: bool
) -> None:
    assert reproductions.Result(published, value, (0, 0), (0, 0), n).agrees is agrees


def test_the_economic_eras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [
        ("epoch_all", 1, "name", "A"), ("epoch_all", 2, "name", "B"), ("epoch_all", 3, "name", "C"),
        ("epoch_all", 1, "training_compute_flop", "1e9"), ("epoch_all", 2, "training_compute_flop", "1e9"),
        ("epoch_all", 1, "parameters", "7"), ("epoch_all", 2, "parameters", "7"), ("epoch_all", 3, "parameters", "7"),
        ("epoch_all", 1, "publication_date", "2020"), ("epoch_all", 2, "publication_date", "Forthcoming"),
        ("epoch_all", 3, "publication_date", "2021"), ("top500", 9, "name", "Summit"),
    ]  # fmt: skip
    sheet = pd.DataFrame(cells, columns=["source_id", "record", "field", "value_text"])
    monkeypatch.setattr(facts, "load_facts", just("ledger"))
    monkeypatch.setattr(facts, "vintage", lambda *given: {("ledger", date(2022, 5, 3)): sheet}[given[0], given[-1]])
    made = {name: few_rows.table(name) for name in ("models", "supercomputers")}
    context: Any = SimpleNamespace(paths=Paths(), sources={}, lock={})
    assert as_kept(shape_of_code.shape_of_code(context, made), "docs/eras.md", tmp_path)


SOURCE = """
id: {0}
title: The file of {0}
publisher: A
licence: CC BY 4.0
redistribute: {1}
attribution: A, 2026
adapter: plain_table
subject: {2}
priority: 1
"""


def of_files(n: int) -> dict[str, dict[str, Any]]:
    return {
        f"https://a.example/{i}.csv": {"sha256": f"{i:04x}" * 16, "size": 1000 + i, "md5": f"m{i}"} for i in range(n)
    }


def test_the_page_of_sources(tmp_path: Path) -> None:
    fields = "fields:\n  name:\n    columns: {Model: 2026-01-05/, Old: 2025-01-05/2025-06-05, Once: 2025-06-05/2025-06-05, None: /}\n"
    more = "urls: [https://a.example/0.csv, https://a.example/1.csv]\nnotes: [Notes, Abstract]\nignored: [B, A]\nmakes_models: false\nderived_from: many\n"
    listed = "file_list: {file: list.txt, url: 'https://b.example/{0}', mirror: '{0}'}\n"
    seen = "urls: [https://w.example/raw/master/seen.csv]\n"
    snapshots = {
        "2026-02-01": {"retrieved_at": "2026-02-01T10", "looked_at": "2026-03-01T10", "files": of_files(1)},
        "2026-01-05": {"retrieved_at": "2026-01-05T10", "files": of_files(50)},
        "2025-12-01": {"retrieved_at": "2025-12-01T10", "files": of_files(51)},
    }
    facts = "record,field,value_text,locator,since,until\nabc,bytes,1000,,2026-02-01,\nabc,md5,m0,,2026-02-01,\n"
    paths = write(
        tmp_path,
        {
            "data/raw/few/source.yml": SOURCE.format("few", "true", "models") + more + fields,
            "data/raw/many/source.yml": SOURCE.format("many", "false", "models") + listed,
            "data/raw/many/list.txt": "one\ntwo\n",
            "data/raw/seen/source.yml": SOURCE.format("seen", "true", "witnesses") + seen,
            "data/raw/seen/facts.csv": facts,
            "data/raw/lock.json": json.dumps({"few": {"lines": 3, "snapshots": snapshots}}),
        },
    )
    assert as_kept(sources.sources_page(paths), "docs/sources.md", tmp_path)


MAKERS = (
    "architecture", "with_rooms", "dictionary", "load_schemas", "errata", "moved_dates", "load_constants", "figures_page",
    "declared_figures", "sources_page", "with_counts", "with_measured", "with_targets", "reproductions", "with_output",
    "quality", "with_printed", "notebook", "with_transcript",
)  # fmt: skip


def test_each_page_is_made_from_its_text_and_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def called(name: str, given: Iterable[Any]) -> str:
        words = (word.relative_to(tmp_path) if isinstance(word, Path) else word for word in given)
        return f"{name}({', '.join('paths' if isinstance(word, Paths) else str(word) for word in words)})"

    for name in MAKERS:
        monkeypatch.setattr(pages, name, lambda *given, name=name: called(name, given))
    monkeypatch.setattr(pages, "PAGE", tmp_path / "examples.md")
    names = ("architecture", "method", "queries", "quality", "fit-growth", *(t[:-3] for t in pages.TRANSCRIPTS))
    paths = write(tmp_path, {"examples.md": "PAGE"} | {f"docs/{name}.md": name.upper() for name in names})
    made = {name: make() for name, make in pages.pages(paths).items()}
    assert as_kept(as_lines(made), "docs/pages.json", tmp_path)
