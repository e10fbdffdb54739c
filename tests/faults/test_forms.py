"""Row 76 of the fault list: an upstream file of whatever form is a fault of its source, which stops no other."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkouts import copy_declarations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from misbehaving_server import MisbehavingServer, ok

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.pull.adapter import read_upstream
from pipeline.registry.sources import Source, load_lock, load_sources
from traincompute.cli import main

SOURCES = {name: source for name, source in load_sources(Paths(CHECKOUT)).items() if source.urls}
KEYS = ("models", "name", "display_name", "meta", "origin", "outs", "date_accessed", "md5", "size", "key", "metadata")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.dates().map(date.isoformat)


def values(source: Source) -> st.SearchStrategy[Any]:
    """Documents of any shape, with the keys that adapters ask for."""
    columns = [column for names in source.fields.values() for column in names]
    keys = st.sampled_from([*KEYS, *columns]) | st.text(max_size=3)
    return st.recursive(
        SCALARS, lambda part: st.lists(part, max_size=3) | st.dictionaries(keys, part, max_size=4), max_leaves=12
    )


def as_toml(document: Any) -> str:
    pairs = document.items() if isinstance(document, dict) else [("name", document)]
    return "".join(f"{json.dumps(str(key))} = {json.dumps(value)}\n" for key, value in pairs)


def as_csv(document: Any, source: Source) -> str:
    """A table with the columns of the source; its cells are what the document holds, over and over."""
    columns = dict.fromkeys(column for names in source.fields.values() for column in names[:1])
    cells = [str(value) for value in (document.values() if isinstance(document, dict) else [document])] or [""]
    buffer = io.StringIO()
    rows = [[cells[(row + place) % len(cells)] for place, _ in enumerate(columns)] for row in range(3)]
    csv.writer(buffer).writerows([list(columns), *rows])
    return buffer.getvalue()


def written(document: Any, source: Source) -> list[str]:
    return [
        json.dumps(document),
        ":::MLLOG " + json.dumps(document),
        yaml.safe_dump(document),
        as_toml(document),
        as_csv(document, source),
        "| System | Model |\n|---|---|\n| " + str(document) + " |\n",
    ]


def is_read_or_refused(source: Source, text: str, where: str) -> bool:
    """Whether the file gives facts, all of text, or an error that names it."""
    try:
        reading = read_upstream(source, text.encode(errors="replace"), where)
    except DataError as error:
        return all(problem.where.startswith(where) and problem.reason for problem in error.problems)
    return all(isinstance(part, str) for fact in reading.facts for part in fact)


OF_ADAPTER = {source.adapter: name for name, source in reversed(SOURCES.items())}  # the first that each of them reads


@pytest.mark.parametrize(
    "name",
    [name for name, source in SOURCES.items() if name == OF_ADAPTER[source.adapter]],
)
def test_fault_76_a_file_of_whatever_form_is_read_or_refused_by_name(name: str) -> None:
    source = SOURCES[name]
    where = source.mirror_paths[0] if source.mirror_paths else source.urls[0]
    few = 1 if source.adapter == "top500" else 10  # a workbook is read in a process of its own

    @settings(max_examples=few, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(values(source))
    def check(document: Any) -> None:
        for text in written(document, source):
            assert is_read_or_refused(source, text, where)

    check()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("helm", b"{}", "models: the key is missing"),
        (
            "helm",
            b"models: [{name: a/b, display_name: [B]}]",
            "[a/b]: models.item 1.display_name: is a list, not a text",
        ),
        ("helm", b"models: &a [*a, *a]", "YAML aliases"),
        ("helm", b"models: " + b"[" * 3000, "levels deep"),
        ("models_dev", b"name = ['a']", "name: is a list, not"),
        ("llmstats", b"[1, 2]", "is a list, not a mapping"),
        ("llmstats", b"[" * 100_000, "cannot be read"),
        ("owid_epoch", b"meta: 3\nouts: []", 'meta "3": is a number, not a mapping'),
        ("owid_epoch", b"meta: {origin: {date_accessed: 2026-01-01}}\nouts: []", "not of the form that owid_dvc reads"),
    ],
)
def test_fault_76_the_place_is_named(name: str, content: bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        read_upstream(SOURCES[name], content, "served")
    assert said in str(refused.value)
    assert str(refused.value).startswith("served")


STATES = b"date_accessed,commit,md5,bytes\n2025-04-14,f7449bc532,e92dd16288c14963087815f8e954cdb4,1043627\n"


def test_fault_76_a_source_of_another_form_does_not_stop_the_others(
    tmp_path: Path, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = Paths(tmp_path / "checkout")
    copy_declarations(paths.root)
    for name, content in (("helm", b"{}"), ("owid_epoch", STATES)):
        (paths.raw / name).mkdir()
        shutil.copy(CHECKOUT / "data" / "raw" / name / "source.yml", paths.raw / name)
        server.script(f"/{SOURCES[name].mirror_paths[0]}", ok(content, Content_Type="text/plain"))
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    monkeypatch.setattr("sys.argv", ["traincompute", "pull", "--update", "--mirror", server.address("")])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capfd.readouterr()
    assert ended.value.code == 1
    assert "helm/model_metadata.yaml: models: the key is missing" in said.err
    assert "Traceback" not in said.err
    assert "owid_epoch: snapshot" in said.out
    assert list(load_lock(paths)) == ["owid_epoch"]
