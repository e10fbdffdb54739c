"""Small tables against a small schema: what is refused, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.config import Config
from pipeline.curated import load_corrections
from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.schema import Column, Rule, TableSchema
from pipeline.validate.stage import ContradictionError, blame, check_links, check_table, with_waivers
from pipeline.vocabularies import Vocabulary

COLUMNS = (
    Column("model_id", "string", "", constraints={"required": True}),
    Column("name", "string", "", constraints={"required": True, "unique": True}),
    Column("base_model_id", "string", "", references="models.model_id"),
    Column("domains", "list", "", vocab="domains", claim="domain", references="domains.domain"),
    Column("parameters", "number", "", constraints={"minimum": 1}),
    Column("parameters_active", "number", ""),
    Column("layers", "integer", ""),
    Column("is_notable", "boolean", ""),
    Column("publication_date", "date", ""),
    Column("chip_hours", "number", ""),
    Column("a100_hours", "number", ""),
)
NAMES = [column.name for column in COLUMNS]
RULES = (
    Rule("active", "parameters_active <= parameters", "a token uses a part"),
    Rule("base", "base_model_id.publication_date <= publication_date", "a base is older"),
)
TABLE = TableSchema("models", "", "", ("model_id",), COLUMNS, RULES)
VOCABULARY = "schemas/vocab/domains.yml"
DOMAINS = {"domains": Vocabulary("domains", VOCABULARY, False, {"Vision": {}, "Language": {}}, {})}
DTYPES = {"number": "float64", "integer": "Int64", "boolean": "boolean", "date": "datetime64[s]"}


def models(*rows: dict[str, Any]) -> pd.DataFrame:
    """Rows of the schema, named by their keys."""
    made = pd.DataFrame([{"name": row["model_id"], **row} for row in rows]).reindex(columns=NAMES)
    return made.astype({column.name: DTYPES.get(column.type, "str") for column in COLUMNS})


def refused(frame: pd.DataFrame, table: TableSchema = TABLE) -> list[tuple[str, str, str, str]]:
    return [problem[1:5] for problem in check_table(frame, table, DOMAINS)]


SOUND: dict[str, Any] = {"model_id": "b", "parameters": 1.0, "parameters_active": 1.0, "domains": "Vision;Language"}
SOUND |= {"base_model_id": "a", "publication_date": "2024-05-01", "layers": 4, "is_notable": True}
BASE = {"model_id": "a", "publication_date": "2024-05-01"}


def test_a_sound_table_has_no_problem_whatever_is_empty() -> None:
    assert refused(models(BASE, SOUND, {"model_id": "c"})) == []


@pytest.mark.parametrize(
    ("cells", "field", "value", "reason"),
    [
        ({"name": None}, "name", "nan", "must not be empty"),
        ({"name": "a"}, "name", "a", "occurs in more than one row"),
        ({"parameters": 0.5, "parameters_active": 0.1}, "parameters", "0.5", "is below 1"),
        ({"parameters": np.inf}, "parameters", "inf", "is not finite"),
        ({"domains": "Vision;Sound"}, "domains", "Vision;Sound", f"has a code that {VOCABULARY} does not list"),
    ],
)
def test_a_cell_that_breaks_its_column_is_named_with_its_row(
    cells: dict[str, Any], field: str, value: str, reason: str
) -> None:
    found = check_table(models(BASE, SOUND | cells), TABLE, DOMAINS)
    told = [(problem.record, problem.field, problem.value, problem.reason) for problem in found]
    assert [row for row in told if row[0] == "b"] == [("b", field, value, reason)]
    assert {problem.where for problem in found} == {"models"}
    assert all("`traincompute sql`; correct it in data/raw/curated/corrections.yml" in p.remedy for p in found)


@pytest.mark.parametrize(
    ("change", "record", "field", "reason"),
    [
        (lambda frame: frame.drop(columns="layers"), "", "", "column_in_dataframe"),
        (lambda frame: frame.assign(colour="red"), "", "", "column_in_schema"),
        (lambda frame: frame[["name", "model_id", *NAMES[2:]]], "", "", "column_ordered"),
        (lambda frame: frame.astype({"parameters": "str"}), "", "parameters", "has not the type float64"),
        (lambda frame: frame.astype({"name": "object"}), "", "name", "has not the type str"),
    ],
)
def test_a_frame_of_other_columns_or_types_is_refused_as_a_whole(
    change: Any, record: str, field: str, reason: str
) -> None:
    found = refused(change(models(BASE, SOUND)), replace(TABLE, rules=()))
    assert (record, field, reason) in [(told[0], told[1], told[3][: len(reason)]) for told in found]


BROKEN = models(BASE, SOUND | {"parameters_active": 2.0})


def test_a_row_that_breaks_a_rule_is_named_once_with_what_its_columns_say() -> None:
    (problem,) = check_table(BROKEN, TABLE, DOMAINS)
    assert problem[:4] == ("models", "b", "parameters_active", "")
    assert problem.reason == "breaks active (parameters_active 2.0, parameters 1.0): a token uses a part"
    assert "acknowledge the cell there with the reason and `rule`" in problem.remedy
    (older,) = refused(models(BASE | {"publication_date": "2024-05-02"}, SOUND))
    assert older[3].startswith("breaks base (base_model_id.publication_date 2024-05-02")


def acknowledging(*keys: str) -> TableSchema:
    return replace(TABLE, rules=(replace(RULES[0], acknowledged=frozenset(keys)), RULES[1]))


def test_an_acknowledged_row_may_break_its_rule() -> None:
    assert refused(BROKEN, acknowledging("b")) == []
    assert [told[3] for told in refused(BROKEN, acknowledging("c"))] == [refused(BROKEN)[0][3]]
    assert check_table(models(BASE, SOUND), acknowledging("gone", "b"), DOMAINS) == []


def test_a_reference_to_a_row_that_does_not_exist_is_named() -> None:
    frame = models(BASE, SOUND | {"base_model_id": "gone", "domains": "Vision;Sound;Noise"}, {"model_id": "c"})
    domains = pd.DataFrame({"domain": pd.Series(["Vision"], dtype="str")})
    schemas = {"models": TABLE, "domains": replace(TABLE, columns=(Column("domain", "string", ""),))}
    with pytest.raises(DataError) as caught:
        check_links(SimpleNamespace(schemas=schemas), {"models": frame, "domains": domains})  # type: ignore[arg-type]
    assert [problem[:5] for problem in caught.value.problems] == [
        ("models", "b", "base_model_id", "gone", "is not in models.model_id"),
        ("models", "b", "domains", "Sound", "is not in domains.domain"),
        ("models", "b", "domains", "Noise", "is not in domains.domain"),
    ]


CLAIM: dict[str, Any] = {"status": "selected", "source_id": "epoch", "record": "B", "value": np.nan}
CLAIM |= {"evidence": "", "correction": "", "since": "2026-03-30"}


def claims(*cells: dict[str, Any]) -> pd.DataFrame:
    rows = [{"claim_id": f"{n}", "value_text": f"{cell.get('value', 'x')}", **cell} for n, cell in enumerate(cells)]
    return pd.DataFrame([CLAIM | row for row in rows]).astype({"since": "datetime64[s]"})


CONTEXT: Any = SimpleNamespace(
    paths=Paths(Path("/nowhere")),
    lock={"epoch": {"snapshots": {"2026-01-05": {"retrieved_at": "2026-04-02T03:00"}}}},
    schemas={"models": TABLE, "chips": replace(TABLE, name="chips")},
    sources={"curated": SimpleNamespace(adapter="curated"), "epoch": SimpleNamespace(adapter="epoch_models")},
)
ACTIVE, SIZE = ({"model_id": "b", "field": f"parameters{what}", "value": 2.0 - (not what)} for what in ("_active", ""))
OURS = {"source_id": "curated", "evidence": "seen"}
WHY = "breaks active: a token uses a part"


FACTS = pd.DataFrame(columns=["table", "key", "field", "claim_id", "source_id", "since", "changed"])
FACTS = FACTS.reindex(columns=[*FACTS, "value_text", "value"])
LEDGER = pd.DataFrame({"hash": np.array([255], "uint64"), "file": "curated/facts.csv", "line": 7})


def judged(frame: pd.DataFrame, *cells: dict[str, Any], table: TableSchema = TABLE) -> dict[str, str] | list[str]:
    """What is set aside, or the problems that stay."""
    context = SimpleNamespace(**vars(CONTEXT) | {"schemas": {"models": table}})
    error = DataError(check_table(frame, table, DOMAINS))
    links = pd.DataFrame({"model_id": ["b"], "hardware_id": ["h100"]})
    found = blame(context, error, {"models": frame, "claims": claims(*cells), "model_hardware": links}, FACTS, LEDGER)
    if isinstance(found, ContradictionError):
        assert str(found) == f"{len(found.claims)} claims break rules"
        return found.claims
    return [f"{problem.record} {problem.field}" for problem in found.problems]


@pytest.mark.parametrize(
    ("cells", "aside"),
    [
        ([ACTIVE, SIZE], {"0": WHY}),
        ([ACTIVE, ACTIVE | {"source_id": "helm", "status": "superseded"}, SIZE], {"0": WHY, "1": WHY}),
        ([ACTIVE, ACTIVE | {"value": np.nan, "value_text": "2.0", "status": "superseded"}], {"0": WHY, "1": WHY}),
        ([SIZE], {"0": WHY}),  # nothing is known of the first column
        ([ACTIVE, SIZE | {"since": "2026-03-31"}], {"1": WHY}),  # it came last
        ([ACTIVE, SIZE | OURS | {"since": "2026-03-29"}], {"0": WHY}),
        ([ACTIVE | OURS, SIZE | {"since": "2026-03-31"}], {"1": WHY}),  # said after we had entered ours
        ([ACTIVE | OURS, SIZE | {"since": "2026-01-05"}], {"1": WHY}),  # or in an older file that we got since
        ([ACTIVE | OURS | {"since": "2026-03-31"}, SIZE], {"0": WHY}),  # ours came last
        ([ACTIVE | {"source_id": "curated", "correction": "c", "since": "2026-04-01"}, SIZE], {"0": WHY}),
        ([ACTIVE | OURS, SIZE | OURS], ["b parameters_active"]),  # our own lines contradict each other
        ([ACTIVE | {"source_id": "curated"}, SIZE], {"1": WHY}),  # worked out by us, entered by nobody
        ([ACTIVE | {"model_id": "c"}], ["b parameters_active"]),
    ],
)
def test_of_a_broken_rule_what_changed_last_is_set_aside(
    cells: list[dict[str, Any]], aside: dict[str, str] | list[str]
) -> None:
    assert judged(BROKEN, *cells) == aside


def test_a_rule_about_the_base_sets_aside_what_is_said_of_the_row_before_what_is_said_of_the_base() -> None:
    frame, why = models(BASE | {"publication_date": "2024-05-02"}, SOUND), "breaks base: a base is older"
    of_base = {"model_id": "a", "field": "publication_date", "value_text": "2024-05-02"}
    own = {"model_id": "b", "field": "base_model", "value_text": "A"}
    assert judged(frame, of_base, own) == {"1": why}
    assert judged(frame, of_base | {"since": "2026-03-31"}, own) == {"0": why}
    assert judged(frame, of_base, own | OURS | {"since": "2026-03-29"}) == {"0": why}


def test_a_problem_that_no_claim_is_behind_is_reported_alone() -> None:
    frame = models(BASE, SOUND | {"parameters_active": 2.0}, SOUND | {"model_id": "c", "name": "c", "parameters": 0.5})
    assert judged(frame, ACTIVE, SIZE) == ["c parameters", "c parameters_active"]
    elsewhere = DataError.of("chips", "is below 1", "", record="x", field="parameters_active", value="2.0")
    found = blame(CONTEXT, elsewhere, {"chips": BROKEN, "claims": claims(ACTIVE, SIZE)}, FACTS, LEDGER)
    assert isinstance(found, DataError)
    assert str(found) == str(elsewhere)


# (claim, field, since) of facts about row b of the table chips; "r" is about a chip that the row has, or another one
MARCH, APRIL, AUGUST = "2026-03-30", "2026-04-22", "2026-08-19"
SIZE_OF_APRIL, OTHER_CELL = ("s", "parameters", APRIL), ("x", "layers", MARCH)
RECORDS: list[tuple[list[tuple[str, ...]], dict[str, Any], list[str]]] = [
    ([("s", "parameters", "2026-01-21"), ("a", "parameters_active", MARCH)], {}, ["a"]),
    ([SIZE_OF_APRIL, ("a", "parameters_active", MARCH)], {}, ["s"]),
    ([SIZE_OF_APRIL, ("a", "parameters_active", APRIL)], {}, ["a"]),  # named first
    ([SIZE_OF_APRIL, ("x", "layers", AUGUST)], {}, ["s"]),
    # the cell is worked out: what changed last of the row, or of its chip
    ([OTHER_CELL, ("y", "chip_hours", AUGUST)], {}, ["y"]),
    ([OTHER_CELL, ("r", "tdp_w", AUGUST)], {}, ["r"]),
    ([OTHER_CELL, ("r", "tdp_w", AUGUST)], {"key": "a100"}, ["x"]),
    ([SIZE_OF_APRIL, ("r", "tdp_w", AUGUST)], {}, ["r"]),
    ([SIZE_OF_APRIL, ("r", "tdp_w", AUGUST)], {"changed": 0}, ["s"]),
]


@pytest.mark.parametrize(("facts", "of_chip", "aside"), RECORDS)
def test_of_a_row_that_is_about_no_model_the_fact_that_changed_last_is_set_aside(
    facts: list[tuple[str, ...]], of_chip: dict[str, Any], aside: list[str]
) -> None:
    rows = pd.DataFrame(facts, columns=["claim_id", "field", "since"]).astype({"since": "datetime64[s]"})
    rows = rows.assign(table="chips", key="b", changed=1, value_text="1", value=1.0, source_id="epoch")
    for name, value in ({"table": "hardware", "key": "h100"} | of_chip).items():
        rows.loc[rows["claim_id"] == "r", name] = value
    made = {"chips": BROKEN.assign(hardware_id="h100")}
    error = DataError(check_table(BROKEN, CONTEXT.schemas["chips"], DOMAINS))
    assert list(getattr(blame(CONTEXT, error, made, rows, LEDGER), "claims", {})) == aside
    ours = blame(CONTEXT, error, made, rows.assign(source_id="curated", claim_id=f"{255:016x}"), LEDGER)
    assert "(curated/facts.csv:7)" in str(ours), "our own lines are named"


ENTRY = """- \
{id: e, source: epoch, record: B, field: parameters, value_text: VALUE, since: 2026-03-30, entered: 2026-11-21,
   action: acknowledge, upstream: not reported, reason: a test, rule: RULE}
"""


def test_an_entry_excuses_the_model_of_its_record_from_its_rule_until_it_ends(tmp_path: Path) -> None:
    rest = dict.fromkeys(("sources", "vocabularies", "fields", "selection", "views", "constants"))
    lock = {"epoch": {"snapshots": {"2026-03-30": {}, "2026-08-19": {}}}}
    context = Config(paths=Paths(tmp_path), lock=lock, schemas={"models": TABLE, "other": TABLE}, **rest)  # type: ignore[arg-type]
    file = context.paths.curated / "corrections.yml"
    file.parent.mkdir(parents=True)
    known = claims({"model_id": "b", "field": "parameters", "value_text": "7"})

    def excused(text: str) -> list[list[str]]:
        file.write_text(text)
        made = with_waivers(replace(context, corrections=load_corrections(context.paths)), None, known)
        assert [rule.acknowledged for rule in made.schemas["other"].rules] == [frozenset()] * 2
        return [sorted(rule.acknowledged) for rule in made.schemas["models"].rules]

    entry = ENTRY.replace("VALUE", "7").replace("RULE", "base")
    assert excused(entry) == [[], ["b"]]
    assert excused(entry.replace("value_text: 7", "value_text: 8")) == [[], ["b"]], "the cell has changed since"
    assert excused(entry.replace("rule: base", "rule: base, until: 2026-08-20")) == [[], ["b"]]
    assert excused(entry.replace("rule: base", "rule: base, until: 2026-08-19")) == [[], []]
    assert excused(entry.replace("record: B", "record: gone")) == [[], []]
    assert excused(entry.replace(", rule: base", "")) == [[], []]
    with pytest.raises(DataError, match=r'corrections\.yml: rule "old": no rule of this name; see schemas/models\.yml'):
        excused(entry.replace("rule: base", "rule: old"))
