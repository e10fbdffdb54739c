"""Bad input to a build: rows 21-28, 33, 34."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator

import duckdb
import pandas as pd
import pytest
from checkouts import copy_checkout
from strange_rows import NAMES, NO_NUMBERS, curate

from pipeline import build
from pipeline.errors import DataError
from pipeline.frames import Tables
from pipeline.paths import Paths
from traincompute.cli import main


def fact(field: str, value: str, record: str = "AlexNet") -> str:
    return f"{record},{field},{value},table 1,2026-11-21,,arXiv:1404.5997,seen,2026-11-21\n"


def published(paths: Paths) -> dict[str, str]:
    return {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(paths.processed.iterdir()) if p.is_file()
    }


@pytest.fixture(scope="module")
def kept(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, dict[str, str]]:
    """A copy of the built checkout, and what is published there."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("kept") / "checkout")
    return paths, published(paths)


@pytest.fixture
def standing(kept: tuple[Paths, dict[str, str]], built: Paths) -> Iterator[Paths]:
    """A checkout with a build that must still be there, byte for byte, when the test is over. The facts are as they
    were."""
    paths, before = kept
    shutil.rmtree(paths.raw)
    shutil.copytree(built.raw, paths.raw, symlinks=True)
    yield paths
    assert published(paths) == before
    assert [p.name for p in (paths.processed / ".builds").iterdir()] == [(paths.processed / ".current").resolve().name]


# lines that no build can read, and what is said of each: those that are told together
BAD_LINES = [
    [
        (
            fact("parameters", "6e7").replace("seen", "sure"),
            r'facts\.csv:2 .*evidence "sure" is not known; one of seen, secondary, recalled',
        ),
        (
            fact("parameters", "6e7").replace("table 1", "paper"),
            r'facts\.csv:3 \[AlexNet\].*locator "paper" leads nowhere.*section, table or page',
        ),
    ],
    [(fact("colour", "red"), r'facts\.csv:2 \[AlexNet\]: colour "red": no such field')],
    [(fact("parameters", "6e7") * 2, r'facts\.csv:2 \[AlexNet\]: parameters "6e7": the same fact stands twice')],
    [
        (
            fact("parameters", "175 billons"),
            r'facts\.csv:2 \[AlexNet\]: parameters "175 billons": unknown unit "billons"',
        ),
        (fact("publication_date", "2024-02-30"), r'facts\.csv:3 \[AlexNet\]: publication_date "2024-02-30"'),
        (
            fact("country", "Atlantis"),
            r'facts\.csv:4 .*"Atlantis" is not in the vocabulary countries; add it to schemas/vocab/countries\.yml',
        ),
    ],
]


@pytest.mark.parametrize("bad", BAD_LINES, ids=["of no source", "of no field", "doubled", "not to be read"])
def test_a_curated_line_that_cannot_be_read_stops_the_build(standing: Paths, bad: list[tuple[str, str]]) -> None:
    curate(standing, *(line for line, _ in bad))
    with pytest.raises(DataError) as caught:
        build.build(standing)
    said = [str(problem) for problem in caught.value.problems]
    for line, message in bad:
        assert any(re.search(message, problem) for problem in said), (line, said)


@pytest.mark.parametrize(("record", "text"), NO_NUMBERS.items())
def test_an_upstream_number_that_is_none_is_quarantined_and_the_row_kept(
    strange: tuple[Paths, Tables], record: str, text: str
) -> None:
    models, held = strange[1]["models"].set_index("name"), strange[1]["quarantine"]
    if record == "CaLM":  # the only one that a method estimates
        assert models.loc[record, "training_compute_source"] == "imputed"
    else:
        assert pd.isna(models.loc[record, "training_compute_flop"])
    held = held[(held["record"] == record) & (held["field"] == "training_compute_flop")]
    assert set(held["value_text"]) == {text}
    assert (held["reason"] != "").all()


@pytest.mark.parametrize("cut", [300, 350])
def test_a_facts_file_cut_in_the_middle_is_refused(standing: Paths, cut: int) -> None:
    file = standing.raw / "epoch_all" / "facts.csv"
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(DataError, match=r"data/raw/epoch_all/facts\.csv.*(cut|not well-formed|no line break)"):
        build.build(standing)


@pytest.mark.parametrize("name", NAMES)
def test_strange_names_are_kept_as_they_are(strange: tuple[Paths, Tables], name: str) -> None:
    path = strange[0].processed
    with duckdb.connect(str(path / "traincompute.duckdb"), read_only=True) as connection:
        assert connection.execute("select name from models where name = ?", [name]).fetchall() == [(name,)]
    assert name in set(pd.read_parquet(path / "models.parquet")["name"])
    names = pd.read_csv(path / "models.csv", keep_default_na=False)["name"]
    assert ("'" + name if name.startswith("=") else name) in set(names)


def test_yaml_bombs_and_object_tags_are_refused(standing: Paths) -> None:
    file = standing.curated / "corrections.yml"
    for text in ("a: &a [x]\nb: *a\n", "!!python/object/apply:os.system [echo]\n", "a: [unclosed\n"):
        file.write_text(text)
        with pytest.raises(DataError, match=r"data/raw/curated/corrections\.yml"):
            build.build(standing)


GPT_3, FLOP, BOTH = "GPT-3 175B (davinci)", "training_compute_flop", ("epoch_all", "epoch_notable")


def test_the_command_ends_with_exit_code_1_and_the_message_alone(
    standing: Paths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    curate(standing, fact("parameters", "175 billons"))
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(standing.root))
    monkeypatch.setattr("sys.argv", ["traincompute", "build"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Error: data/raw/curated/facts.csv:2 [AlexNet]")
    assert "Traceback" not in shown
