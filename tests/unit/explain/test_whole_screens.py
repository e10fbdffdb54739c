"""What `explain` shows of one model, line by line as in one_model.txt: on one screen, in full, and of one field. The numbers
are made up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from traincompute.base.errors import NotFoundError
from traincompute.explain import brief, full
from traincompute.explain.collect import _revisions, _same_run, heading, one_field, resolve_field
from traincompute.explain.full import Section

Row = dict[str, Any]
SCREEN, FULL, FIELD = Path(__file__).with_name("one_model.txt").read_text(encoding="utf-8").split("=====\n")
# fmt: off
CLAIM: Row = {
    "claim_id": "c0", "field": "", "status": "selected", "publisher": "Epoch AI", "source_id": "epoch", "since": "2026-03-30",
    "reference": None, "locator": None, "evidence": None, "correction": False, "value": None, "unit": None, "low": None, "high": None,
    "code": None, "value_text": "", "reason": "only one", "remedy": None, "supporting_publishers": 1, "note": None, "record": "Gpt",
}
LOST: Row = {"status": "superseded", "reason": "lower priority than c1"}
APART: Row = {"status": "conflicting", "reason": "apart"}
UNREAD: Row = {"status": "quarantined", "reason": "no number", "remedy": "enter it"}


def claim(value: float | None = None, unit: str | None = None, **cells: Any) -> Row:
    return CLAIM | {"value": value, "unit": unit} | cells


def entry(field: str, value: Any, unit: str | None, *claims: Row, **cells: Any) -> Row:
    selected = next((each for each in claims if each["status"] == "selected"), None)
    told = {"description": None, "derived": None, "formula": None, "estimate_id": None, "selected": selected, "claims": list(claims)}
    return {"field": field, "in_models": value is not None, "value": value, "unit": unit} | told | cells


CURATED: Row = {"publisher": "us", "source_id": "curated", "since": "2026-11-21", "evidence": "seen"}
FLOPS = [
    claim(3e23, "FLOP", claim_id="c1", reference="arXiv:1", locator="table 1", supporting_publishers=2, value_text="3e23",
          note='"FLOP" = 1', **CURATED),
    claim(3e23, "FLOP", **LOST), claim(2e23, "FLOP", **LOST), claim(2e23, "FLOP", source_id="again", **LOST),
    claim(None, "FLOP", low=1e22, **APART), claim(1e21, "FLOP", **LOST), claim(1e20, "FLOP", **LOST), claim(value_text="much", **UNREAD),
]
ESTIMATE: Row = {
    "estimate_id": "e1", "field": "training_compute_flop", "method": "counting", "value": 2.5e23, "unit": "FLOP", "low": 1e23, "high": 5e23,
    "formula": "6 × 1e9 × 4e13", "reason": "a claim is there", "assumptions": ["one epoch"], "is_selected": False,
    "inputs": ["c9", "x:y"], "input_claims": [claim(field="parameters", code="1B") | {"claim_id": "c9", "reference": "arXiv:2"}],
}
NOTHING = {"value": None, "low": None, "high": None}
MODEL: Row = {
    "name": "GPT", "publication_date": "2020-05-28", "publication_date_precision": "month", "organizations": ["OpenAI", "MS"],
    "countries": ["US"], "is_notable": True, "reference_url": "https://a.b", "training_compute_flop": 3e23, "training_compute_low": 2e23,
    "training_compute_high": 4e23, "training_compute_source": "reported", "training_compute_method": ["printed"], "dataset_unit": "token",
    "training_compute_confidence": "sure", "flop_convention": "dense", "training_compute_pfs_days": 3000.0, "training_run_id": "gpt",
}
FIELDS = [
    entry("model_id", "gpt", None), entry("name", "GPT", None, claim()), entry("training_compute_source", "reported", None),
    entry("training_compute_flop", 3e23, "FLOP", *FLOPS, description="all of it"),
    entry("training_compute_pfs_days", 3000.0, "petaflop/s-day", derived="flop / 8.64e19", formula="3e23 / 8.64e19"),
    entry("finetune_compute_flop", 2e18, "FLOP", claim(2e18, "FLOP")),
    entry("base_model_id", "llama", None, claim(code="LLaMA", reference="https://www.a.b/c", **CURATED)),
    entry("parameters", 1e9, "parameter", claim(1e9, "parameter", supporting_publishers=3), claim(2e9, "parameter", **APART),
          claim(1e9, "parameter", **LOST)),
    entry("training_tokens_low", 3e12, "token", derived="x"), entry("training_tokens_high", 5e12, "token", derived="x"),
    entry("training_tokens", 4e12, "token", estimate_id="e2"), entry("dataset_size", 4e12, "item", claim(4e12, "token")),
    entry("dataset_unit", "token", None), entry("hardware", ["NVIDIA A100"], None, claim(code="NVIDIA A100"), claim(code="V100", **LOST)),
    entry("hardware_quantity", 10, "chip", claim(10, "chip", supporting_publishers=None)), entry("training_hours", 5.0, "hour", claim(5.0, "hour")),
    entry("chip_hours", 50.0, "hour", derived="chips × hours"),
    entry("architecture", "moe", None, claim(code="moe"), claim(code="dense", **LOST), claim(code="moe", source_id="b", **LOST)),
    entry("tokens_per_parameter", 4e3, "token/parameter", derived="tokens / parameters", formula="4e12 / 1e9"),
    entry("h100_hours", 5.5, "hour", derived="chips"), entry("days_to_gpt", 5, "day", derived="dates"),
    entry("open_weights", True, None, claim(code="true")), entry("link", "https://a.b/" + "c" * 60, None, claim()),
    entry("domain", None, None, claim(code="Vision;Language")), entry("dropped", None, None, claim(value_text="4?", **UNREAD)),
]


def revision(field: str, old: float | str | None, new: float | str | None, ratio: float | None = None, kind: str = "filled") -> Row:
    values = {f"{age}_{'text' if isinstance(value, str) else 'value'}": value for age, value in (("old", old), ("new", new))}
    blank = dict.fromkeys(("old_value", "new_value", "old_text", "new_text"))
    return blank | values | {"field": field, "ratio": ratio, "kind": kind, "to_snapshot": "2025-05-06", "source_id": "epoch"}


KNOWN: Row = {
    "model_id": "gpt", "name": "GPT", "note": None, "aliases": ["Gpt"], "model": MODEL, "same_run": ["gpt-a", "gpt-b"], "fields": FIELDS,
    "estimates": [
        ESTIMATE, ESTIMATE | NOTHING | {"method": "hours", "reason": "needs hours"},
        ESTIMATE | NOTHING | {"method": "chips", "reason": "needs hours"}, ESTIMATE | NOTHING | {"reason": "needs a base model"},
        ESTIMATE | {"method": "bound", "value": None, "high": None, "reason": "a bound", "formula": "3 + 4"},
        ESTIMATE | {"field": "training_tokens", "method": "epochs", "value": 4e12, "unit": "token", "low": None, "is_selected": True,
                    "reason": "the only one", "assumptions": None, "inputs": None, "input_claims": []},
    ],
    "predicted": None, "missing": [],
    "revisions": [revision("parameters", 2.0, 1.0, 0.5), revision("parameters", 2.0, 1.0, 0.5), revision("epochs", None, 3.0),
                  revision("hardware", "A100", "H100", kind="moved"), *(revision(f"f{i}", 1.0, 2.0, 2.0) for i in range(6))],
    "sources": [{"source_id": "curated", "snapshot": None, "title": "Curated"},
                {"source_id": "epoch", "snapshot": "2026-03-30", "title": "All models"}],
}
# fmt: on


def shown(known: Row, parts: Sequence[Section], width: int = 80) -> str:
    return full.render_text(heading(known), parts, width, str.upper) + "\n"


def test_one_screen() -> None:
    assert shown(KNOWN, brief.sections(KNOWN)) == SCREEN


def test_what_was_set_aside_altogether_has_its_reason_and_no_row() -> None:
    aside = [
        entry(name, None, "hour", claim(field=name, value_text="5", **UNREAD))
        for name in ("training_hours", "finetune_compute_flop")
    ]
    names = {each["field"] for each in aside}
    screen = shown(KNOWN, brief.sections(KNOWN | {"fields": [*(e for e in FIELDS if e["field"] not in names), *aside]}))
    assert "None" not in screen
    assert "fine-tune" not in screen
    assert "  chip_hours         50 hours       derived\n" in screen, "the product is told where a factor is not"
    assert "  training_hours         5     no number; enter it\n" in screen
    assert "  finetune_compute_flop  5     no number; enter it\n" in screen


def test_a_row_has_the_value_of_the_table_and_is_agreed_on_by_two() -> None:
    told = entry("parameters", 1e9, "parameter", claim(1.2e9, "parameter", supporting_publishers=2))
    assert "  parameters  1B parameters  epoch 2026-03-30 ×2\n" in shown(
        KNOWN, brief.sections(KNOWN | {"fields": [told]})
    )


def test_three_lost_values_are_all_shown() -> None:
    three = entry("training_compute_flop", 3e23, "FLOP", *(each for each in FLOPS if each["value"] != 1e20))
    screen = shown(KNOWN, brief.sections(KNOWN | {"fields": [three]}))
    assert screen.count("\n  not ") == 3
    assert "more value" not in screen


def test_in_full() -> None:
    assert shown(KNOWN, full.sections(KNOWN)) == FULL


def test_one_field() -> None:
    known = one_field(KNOWN, "training_compute_flop", "training_compute_flop")
    found = full.field_sections(KNOWN, known)
    assert shown(KNOWN, found) == FIELD
    assert known["name"] == "GPT"


def test_a_field_without_a_value_says_whether_anybody_states_it() -> None:
    for name, said in (("dropped", "no value that could be read"), ("epochs", "no source says anything")):
        [section] = full.field_sections(KNOWN, one_field(KNOWN, name, name))[:1]
        assert section == Section(name, [(name, "", said)])


def test_a_heading_has_the_day_as_precise_as_it_is_known() -> None:
    about = {"year": "2020", "month": "2020-05", "day": "2020-05-28", None: "2020-05-28"}
    for precision, day in about.items():
        known = KNOWN | {
            "model": MODEL | {"publication_date_precision": precision, "is_notable": None},
            "note": "x" * 80,
        }
        lines = [f"GPT · OpenAI · MS · {day} · US · not notable", "gpt · also Gpt · https://a.b"]
        assert heading(known) == [*lines, "x" * 80]
        assert brief.short_heading(heading(known)) == [*lines, "x" * 75 + "…"]


def test_without_a_value_its_bounds_its_estimate_or_what_it_lacks_is_told() -> None:
    model = MODEL | {"training_compute_flop": None, "training_compute_high": None}
    first = full.compute(KNOWN | {"model": model, "fields": []})
    lacks = ("said by", "", "no source; what an estimate lacks is listed below")
    assert first == ("Training compute: no value (at least 2e+23 FLOP)", [lacks])
    bound = entry("training_compute_flop", None, "FLOP", claim(low=2e23, unit="FLOP", supporting_publishers=None))
    said = "≥ 2e+23 FLOP: Epoch AI (epoch) since 2026-03-30 (1 publisher)"
    assert full.compute(KNOWN | {"model": model, "fields": [bound]})[1] == [("said by", "", said)]
    imputed = entry("training_compute_flop", 3e23, "FLOP", estimate_id="e1")
    assert full.compute(KNOWN | {"fields": [imputed]})[1] == [("computed", "", "counting: 6 × 1e9 × 4e13")]


def test_one_publisher_or_an_unknown_number_is_not_said_to_agree() -> None:
    for support in (1, None):
        stated = entry("training_compute_flop", 3e23, "FLOP", claim(3e23, "FLOP", supporting_publishers=support))
        assert brief._said_by(stated) == [("said by", "", "epoch 2026-03-30 (Epoch AI)")]
        assert brief._said_by(stated | {"estimate_id": "e1"}) == [], "it is ours"
    assert brief._said_by({}) == []


def test_facts_that_would_narrow_an_interval_are_told() -> None:
    facts = [{"field": "epochs", "then_dex": 0.25, "method": "counting", "half_width_dex": 1.2}]
    assert full._narrowing(facts * 2) == "±1.2 dex now; " + "; ".join(["epochs would leave ±0.25 (counting)"] * 2)


def test_a_model_made_from_another_lacks_what_that_one_lacks() -> None:
    based = ESTIMATE | {"method": "base_plus_finetune"}
    needs = ESTIMATE | NOTHING | {"method": "run", "reason": brief.HAS_BASE}
    assert brief._missing([based, needs]) == []
    assert brief._missing([needs]) == [("missing", "", f"run: {brief.HAS_BASE}")]


def test_a_value_may_take_a_quarter_of_the_width_before_it_takes_the_next_column() -> None:
    section = Section("", [("a", "x" * 22, "us"), ("b", "y" * 23, "them")])  # 80 / 4, and the two blanks before a label
    assert full._body(section, 80) == [f"  a  {'x' * 22}  us", f"  b  {'y' * 23}  them"]


def test_markdown_is_a_heading_and_a_table_for_each_section() -> None:
    made = full.render_markdown(["GPT", "gpt", "note"], [Section("Said", [("a|", "1", "us")])])
    table = "| field | value | who says so |\n|---|---|---|\n| a\\| | 1 | us |"
    assert made == f"# GPT\n\ngpt\n\nnote\n\n## Said\n\n{table}"


def test_a_field_may_be_named_in_several_ways_and_a_slip_names_three() -> None:
    fields = {"countries": "country", "is_notable": "is_notable", "training_compute_flop": "training_compute_flop"}
    asked = {
        "Countries ": "countries",
        "country": "countries",
        "notable": "is_notable",
        "compute": "training_compute_flop",
    }
    assert {text: resolve_field(text, fields) for text in asked} == asked
    near = dict.fromkeys(("abcd1", "abcd2", "abcd3", "abcd4"), "")
    with pytest.raises(NotFoundError, match=r"^no field 'abcd'; did you mean: abcd4, abcd3, abcd2\?$"):
        resolve_field("abcd", near)
    with pytest.raises(NotFoundError, match=r"^no field 'ab-xy'$"):
        resolve_field("ab-xy", near)  # two of five signs alike are too few


def test_revisions_and_runs_have_their_order() -> None:
    """The important fields first, of a field the largest change, the rest by kind and the latest first."""
    made = [
        ("1", "epochs", 2.0, "a", "2025-01-01"), ("2", "epochs", 0.25, "b", "2025-01-01"), ("3", "parameters", 1.5, "b", "2025-01-01"),
        ("4", "parameters", None, "b", "2025-01-02"), ("5", "parameters", None, "a", "2024-01-01"), ("6", "parameters", None, "b", "2025-01-02"),
        ("7", "training_compute_flop", 1.0, "a", "2024-01-01"), ("8", "dataset_size", 1.0, "a", "2024-01-01"),
    ]  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(
            "create table revisions (revision_id text, field text, ratio double, kind text, to_snapshot text, model_id text)"
        )
        connection.executemany("insert into revisions values (?, ?, ?, ?, ?, 'gpt')", made)
        assert "".join(row["revision_id"] for row in _revisions(connection, "gpt")) == "73564821"
        connection.execute("create table models (model_id text, training_run_id text, publication_date date)")
        runs = [
            ("b", "r", None),
            ("a", "r", None),
            ("z", "r", "2020-01-01"),
            ("y", "r", "2021-01-01"),
            ("x", "other", None),
        ]
        connection.executemany("insert into models values (?, ?, ?)", runs)
        assert _same_run(connection, {"model_id": "y", "training_run_id": "r"}) == ["z", "a", "b"]
        assert _same_run(connection, {"model_id": "y"}) == [], "before runs were told apart"
