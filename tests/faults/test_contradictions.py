"""What a source says against itself, another row or the calendar is set aside and listed, and the rest is published;
what a person entered stops the build."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from checkouts import copy_checkout, unpublished
from once import once_a_run

from pipeline import build
from pipeline.errors import DataError
from pipeline.frames import Tables
from pipeline.paths import Paths

CURATED = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
DAY = "2026-03-30"


def say(paths: Paths, field: str, text: str, source: str = "epoch_all", record: str = "AlexNet") -> None:
    """A line in the place of what a source said."""
    file = paths.raw / source / "facts.csv"
    lines = [line for line in file.read_text().splitlines() if not line.startswith(f"{record},{field},")]
    file.write_text("\n".join([*lines, f"{record},{field},{text},,{DAY},"]) + "\n")


def enter(paths: Paths, *lines: str, record: str = "AlexNet") -> None:
    """Lines about a record, entered by hand."""
    full = [f"{record},{line},,arXiv:1404.5997,seen,2026-11-21\n" for line in lines]
    (paths.curated / "facts.csv").write_text(CURATED + "".join(full), encoding="utf-8")


def of(made: Tables, record: str = "AlexNet") -> pd.Series:
    return made["models"].set_index("name").loc[record]


def listed(made: Tables, record: str = "AlexNet") -> list[tuple[str, str, str]]:
    """What is in quarantine about a record."""
    rows = made["quarantine"][made["quarantine"]["record"] == record]
    return sorted(rows[["source_id", "field", "reason_code"]].itertuples(index=False, name=None))


BOTH = ("epoch_all", "epoch_notable")
PARTS = "breaks active_parameters_are_a_part: a token uses some or all of the parameters"
AFTER = f"later than the snapshot of {DAY}"
# record, field, what sources say of it, which do, why it is set aside, and what is published, as the other file says it
SET_ASIDE = [
    ("AlexNet", "parameters_active", "9e+9", BOTH, PARTS, None),
    ("Gopher (7.1B)", "base_model", "GPT-4 (Mar 2023)", BOTH[:1], "breaks base_is_not_later", None),
    ("LLaMA-7B", "knowledge_cutoff", "2025-01-01", BOTH[:1], "breaks cutoff_is_not_later", None),
    ("BLOOM-3B", "parameters", "5e+15", BOTH[1:], "parameters is above 1000000000000000.0", 3e9),
    ("Goat-7B", "publication_date", "2099-01-01", BOTH[:1], AFTER, pd.Timestamp("2023-05-23")),
]


# what a source says that contradicts hours, a number of a preprint or a line entered by hand
SAID = [
    *(("BLOOM-3B", field, text, BOTH[:1]) for field, text in {"hardware": "NVIDIA A100", "chip_hours": "100"}.items()),
    *(
        ("Gopher (7.1B)", field, text, BOTH)
        for field, text in {"dataset_size": "354000000000", "dataset_unit": "tokens"}.items()
    ),
    *(
        ("Gopher (7.1B)", field, text, BOTH[:1])
        for field, text in {"hardware": "NVIDIA A100", "training_hours": "10", "hardware_quantity": "10"}.items()
    ),
]


# bounds that a source states beside the FLOP of a model, as multiples of it
LOW, HIGH = "training_compute_low", "training_compute_high"
BOUNDS = [
    ("AlexNet", LOW, 1.06, ["bound_excludes_value"]),
    ("DeepSeek-V3", LOW, 1.0, ["no_bound"]),  # the value itself, as Falcon-180B has it
    ("GPT-4 (Mar 2023)", LOW, 0.0098, ["no_bound"]),  # farther than ×100: a typing error, as in GLM-4V-9B
    ("LLaMA-7B", HIGH, 102, ["no_bound"]),
    ("Llama 3.1-405B", LOW, 0.0102, []),
]


def flop_of(paths: Paths, record: str) -> float:
    """The FLOP that a source states."""
    start = f"{record},training_compute_flop,"
    lines = (paths.raw / "epoch_all" / "facts.csv").read_text().splitlines()
    [text] = [line.removeprefix(start).split(",")[0] for line in lines if line.startswith(start)]
    return float(text)


@pytest.fixture(scope="module")
def contradicted(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Tables]:
    """One build of all of these."""

    def make(folder: Path) -> tuple[Paths, Tables]:
        paths = copy_checkout(small_template, folder / "checkout")
        bounds = [
            (record, field, f"{factor * flop_of(paths, record):.9g}", BOTH[:1]) for record, field, factor, _ in BOUNDS
        ]
        for record, field, text, sources in [*(row[:4] for row in SET_ASIDE), *SAID, *bounds]:
            for source in sources:
                say(paths, field, text, source, record)
        return paths, unpublished(paths)

    return once_a_run(tmp_path_factory, "faults_contradicted", make)


@pytest.mark.parametrize(("record", "field", "text", "sources", "reason", "published"), SET_ASIDE)
def test_what_contradicts_a_row_or_the_calendar_is_set_aside_alone(
    contradicted: tuple[Paths, Tables],
    record: str,
    field: str,
    text: str,
    sources: tuple[str, ...],
    reason: str,
    published: object,
) -> None:
    made = contradicted[1]
    code = "after_snapshot" if reason == AFTER else "breaks_rule"
    assert [about for about in listed(made, record) if about[1] == field] == [
        (source, field, code) for source in sources
    ]
    held = made["quarantine"].query("record == @record and field == @field")
    assert set(held["value_text"]) == {text}
    assert held["reason"].str.startswith(reason).all()
    row = made["models"].set_index("name").loc[record]
    value = row["base_model_id" if field == "base_model" else field]
    assert pd.isna(value) if published is None else value == published
    assert row["parameters"] > 1e7


def test_what_a_person_entered_later_is_set_aside_unless_it_contradicts_another_line_of_ours(
    small: Paths,
) -> None:
    enter(small, "parameters_active,9e+9,table 1,2026-12-01")
    assert listed(unpublished(small)) == [("curated", "parameters_active", "breaks_rule")]
    enter(small, "parameters_active,9e+9,table 1,2026-11-21", "parameters,8e+9,table 1,2026-11-21")  # ours alone
    with pytest.raises(DataError, match="parameters_active: breaks active_parameters_are_a_part") as stopped:
        build.build(small)
    assert [problem.record for problem in stopped.value.problems] == ["alexnet"]
    assert not list(small.processed.glob("*.parquet"))


def test_what_is_known_of_a_model_that_no_source_has_any_more_is_listed(small: Paths) -> None:
    enter(small, "forward_flop,19.8 kFLOP,page 1,2026-11-21", record="Gopher (7.1B)")
    for source in BOTH:
        file = small.raw / source / "facts.csv"
        lines = file.read_text().splitlines()
        file.write_text("\n".join(line for line in lines if not line.startswith("Gopher (7.1B),")) + "\n")
    lock = json.loads(small.lock.read_text())
    small.lock.write_text(json.dumps({name: entry | {"lines": 0} for name, entry in lock.items()}))
    made = unpublished(small)
    assert listed(made, "Gopher (7.1B)") == [("curated", "forward_flop", "no_model")]
    assert "Gopher (7.1B)" not in set(made["models"]["name"]) | set(made["claims"]["record"])
    (told,) = [line for line in build.summarize(small, made) if "no source has the model" in line]
    assert told.startswith('set aside     curated [Gopher (7.1B)]: forward_flop "19.8 kFLOP"')


def test_a_value_of_a_chip_stands_where_the_next_cannot_be_read(small: Paths, built_tables: Tables) -> None:
    file, before = small.raw / "epoch_hardware" / "facts.csv", built_tables["hardware"].set_index("name")
    unread = [
        ("NVIDIA A100 SXM4 80 GB", "tdp_w", "400 kg", "wrong_unit"),
        ("NVIDIA H100 SXM5 80GB", "tdp_w", "-5", "negative"),
        ("Google TPU v3", "release_date", "2099-01-01", "after_snapshot"),
    ]
    for chip, field, now, _ in unread:
        [old] = [line for line in file.read_text().splitlines() if line.startswith(f"{chip},{field},")]
        lines = f"{old.replace(DAY, '2026-01-01')}{DAY}\n{chip},{field},{now},,{DAY},\n"
        file.write_text(file.read_text().replace(f"{old}\n", lines))
    made = unpublished(small)
    for chip, field, _, code in unread:
        assert made["hardware"].set_index("name").loc[chip, field] == before.loc[chip, field]
        assert listed(made, chip) == [("epoch_hardware", field, code)]


@pytest.mark.parametrize(("record", "aside"), [("BLOOM-3B", "chip_hours"), ("Gopher (7.1B)", "training_hours")])
def test_hours_that_contradict_an_estimate_are_set_aside(
    contradicted: tuple[Paths, Tables], record: str, aside: str
) -> None:
    made = contradicted[1]
    row = of(made, record)
    assert row["training_compute_source"] == "imputed"
    assert row["training_compute_flop"] > 5e21, "against 6.8e19 in 100 hours of an A100"
    assert pd.isna(row[aside])
    assert [about for about in listed(made, record) if about[1] == aside] == [("epoch_all", aside, "breaks_rule")]


@pytest.mark.parametrize(("record", "field", "factor", "code"), BOUNDS)
def test_a_bound_that_is_none_or_excludes_its_own_value_is_quarantined(
    contradicted: tuple[Paths, Tables], record: str, field: str, factor: float, code: list[str]
) -> None:
    made, value = contradicted[1], flop_of(contradicted[0], record)
    row = made["models"].set_index("name").loc[record]
    assert row["training_compute_flop"] == pytest.approx(value)
    assert row[LOW] < value < row[HIGH]
    held = made["quarantine"]
    held = held[(held["record"] == record) & held["field"].isin([LOW, HIGH])]
    assert held["reason_code"].tolist() == code
    assert held["field"].tolist() == [field] * len(code)
    assert held["value_text"].astype(float).tolist() == pytest.approx([factor * value] * len(code))
    assert held["reason"].str.contains("contradicts").tolist() == [name == "bound_excludes_value" for name in code]
