"""The release gate: what becomes of plausible changes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.errors import DataError, SourceError
from pipeline.paths import CHECKOUT, Paths
from pipeline.released import Baseline, baseline_content, read_baseline, refuse_released_day
from pipeline.schema import load_schemas
from pipeline.validate.gate import compare, findings_lines, stated_cells, through_gate

SCHEMAS = load_schemas(Paths(CHECKOUT))
RELEASED, PULLED = date(2026, 11, 28), date(2026, 11, 30)
HEADER = "table,id,column,new_value,reason,day\n"
TEXTS = {"organization": "OpenAI", "country": "United States", "hardware": "A100;H100", "base_model_id": "m7"}
TEXTS |= {"domains": "Language;Vision"}


def models() -> pd.DataFrame:
    """A hundred notable models m0, m1, …"""
    names = [f"Model {n}" for n in range(100)]
    frame = pd.DataFrame({"name": names, "link": [f"https://example.org/{n}" for n in range(100)]}, dtype="str")
    frame = frame.assign(
        training_compute_flop=np.logspace(18, 25, 100),
        finetune_compute_flop=np.nan,
        epochs=np.logspace(0, 3, 100),
        parameters=np.logspace(6, 12, 100),
        capability_index=np.linspace(80, 150, 100),
        training_tokens=np.nan,
        publication_date=pd.Timestamp("2024-05-03"),
        is_notable=True,
    )
    for name, text in TEXTS.items():
        frame[name] = pd.Series(text, frame.index, dtype="str")
    frame.loc[0, ["training_compute_flop", "epochs", "base_model_id"]] = None
    frame.loc[1, "is_notable"] = False
    return frame.set_axis([f"m{n}" for n in range(100)])


def baseline(frame: pd.DataFrame) -> Baseline:
    intervals = pd.DataFrame({"flop_05": 1e20, "flop_95": 1e22}, index=frame.index)
    return Baseline(RELEASED, {"models": frame}, intervals, {"s": (RELEASED, "")}, {})


def rules(new: pd.DataFrame) -> dict[tuple[str, str], str]:
    """{id and column: rule} of what is found in models."""
    return {(f.id, f.column): f.rule for f in compare(SCHEMAS, baseline(models()), {"models": new})}


CELLS = [  # id, column, new value, rule
    ("m50", "training_compute_flop", 3.1 * np.logspace(18, 25, 100)[50], "factor"),
    ("m50", "training_compute_flop", 2.9 * np.logspace(18, 25, 100)[50], ""),
    ("m50", "epochs", np.logspace(0, 3, 100)[50] / 3.1, "factor"),
    ("m50", "parameters", 0.0, "factor"),
    ("m50", "capability_index", 140.0, "spread"),  # by a quarter, where most lie within a half
    ("m50", "capability_index", 125.0, ""),
    ("m0", "training_compute_flop", 2.9e22, ""),
    ("m0", "training_compute_flop", 3.1e22, "interval"),
    ("m0", "training_compute_flop", 3e19, "interval"),
    ("m0", "epochs", 1e5, "appears"),
    ("m50", "finetune_compute_flop", 1e23, ""),
    ("m50", "publication_date", pd.Timestamp("2024-03-05"), "day_and_month"),
    ("m50", "publication_date", pd.Timestamp("2024-07-31"), ""),
    ("m50", "publication_date", pd.Timestamp("2024-08-02"), "date"),
    ("m50", "publication_date", pd.NaT, "lost"),
    ("m50", "organization", "Anthropic", "organization"),
    ("m1", "organization", "Anthropic", ""),  # not notable
    ("m50", "country", "China", "country"),
    ("m50", "hardware", "H100;A100", ""),
    ("m50", "domains", "Language", "domain"),
    ("m50", "domains", None, "domain"),
    ("m50", "domains", "Biology;Language;Vision", ""),
    ("m1", "domains", "Language", ""),
    ("m1", "name", "Model One", "name"),
    ("m50", "hardware", "TPU v4", "hardware"),
    ("m50", "base_model_id", "m8", "base"),
    ("m0", "base_model_id", "m8", "base_appears"),
    ("m50", "base_model_id", None, ""),
    ("m50", "is_notable", False, "flag"),
    ("m1", "is_notable", True, ""),
]


@pytest.mark.parametrize(("key", "column", "value", "rule"), CELLS)
def test_a_changed_cell(key: str, column: str, value: Any, rule: str) -> None:
    new = models()
    new.loc[key, column] = value
    assert rules(new) == ({(key, column): rule} if rule else {})


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ({"training_compute_flop": 1e21}, {}),
        ({"training_compute_flop": 1e26}, {"training_compute_flop": "highest"}),
        ({"finetune_compute_flop": 1e24}, {}),
        ({"finetune_compute_flop": 1e26}, {"finetune_compute_flop": "highest"}),
        ({"epochs": 1e6}, {"epochs": "high_record"}),
        ({"link": "https://example.org/50"}, {"*": "same_link"}),
        ({"name": "MODEL-50"}, {"*": "same_link"}),
    ],
)
def test_a_new_record(cells: dict[str, Any], found: dict[str, str]) -> None:
    new = pd.DataFrame([{"name": "New"} | cells], index=["new"]).reindex(columns=models().columns)
    both = pd.concat([models(), new.astype(models().drop(columns="is_notable").dtypes).assign(is_notable=False)])
    assert {column: rule for (_, column), rule in rules(both).items()} == found


def test_a_record_under_another_name_is_held_with_the_one_that_vanished() -> None:
    assert rules(models().rename(index={"m50": "new"})) == {("m50", "*"): "replaced", ("new", "*"): "renamed"}


def test_a_column_that_moved_as_a_whole_is_one_finding_and_so_are_rows_and_values_that_are_gone() -> None:
    new = models()[:90]
    new["training_compute_flop"] *= 1000
    new.loc[new.index[20:40], "parameters"] = None
    found = rules(new)
    assert found.pop(("*", "training_compute_flop")) == "column"
    assert (found.pop(("*", "parameters")), found.pop(("*", "*"))) == ("values", "rows")
    assert set(found.values()) == {"lost", "vanished"}


FLOP = "training_compute_flop"
FACTS = [  # record, field, since, until; each is about the model of its number
    ("Model 50", FLOP, RELEASED, PULLED),
    ("Model 50", FLOP, PULLED, None),
    ("Model 51", FLOP, PULLED, None),
    ("Model 52", FLOP, RELEASED, None),  # as at the release
]


class Gate:
    """The gate where the FLOP of three models is a thousand times as much."""

    def __init__(self, root: Path, waivers: str = "", selected: Mapping[str, Any] = {}) -> None:
        paths = Paths(root)
        paths.curated.mkdir(parents=True)
        (paths.curated / "waivers.csv").write_text(HEADER + waivers, encoding="utf-8")
        self.passes: list[tuple[dict[Any, date], list[str]]] = []
        self.new = models()
        self.new.loc[["m50", "m51", "m52"], FLOP] *= 1000
        claim = {"model_id": "m51", "field": FLOP, "status": "selected", "source_id": "s", "evidence": None}
        self.claims = pd.DataFrame([claim | {"correction": None} | selected])
        sources: Any = {name: SimpleNamespace(adapter=name, subject="models") for name in ("s", "curated")}
        context: Any = SimpleNamespace(paths=paths, schemas=SCHEMAS, sources=sources, vocabularies={}, lock={})
        ledger = pd.DataFrame(FACTS, columns=["record", "field", "since", "until"])
        ledger = ledger.astype({"since": "datetime64[s]", "until": "datetime64[s]"})
        ledger = ledger.assign(source_id="s", subject="models", model_id="m" + ledger["record"].str[-2:])
        entries = [{"id": "old", "source": "s", "record": "Model 50"}, {"id": "other", "source": "s", "record": "X"}]
        released = baseline(models())._replace(corrections={"then": entries[0] | {"id": "then"}})
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("pipeline.validate.gate.read_baseline", lambda _: released)
            patched.setattr("pipeline.validate.gate.stated_cells", lambda _, tables: {"models": tables["models"]})
            context.corrections = entries
            made = self.normalize({}, entries)
            self.verdict = through_gate(context, None, made, ledger, self.normalize)
            self.vintage = through_gate(context, RELEASED, made, ledger, self.normalize)
        self.found = {(f.id, f.rule, f.is_held) for f in self.verdict.findings}

    def normalize(self, held: Mapping[Any, date], corrections: Any) -> dict[str, pd.DataFrame]:
        self.passes.append((dict(held), [entry["id"] for entry in corrections]))
        back = [f"m{record[-2:]}" for _, record in held]
        frame = self.new.copy()
        frame.loc[back, FLOP] = models().loc[back, FLOP]
        return {"models": frame, "claims": self.claims}


def test_what_a_source_changed_is_read_as_of_the_release_and_what_the_code_changed_is_listed(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    held = {("s", "Model 50"): RELEASED, ("s", "Model 51"): RELEASED}
    assert gate.passes[:2] == [({}, ["old", "other"]), (held, ["other", "then"])]
    assert gate.found == {("m50", "factor", True), ("m51", "factor", True), ("m52", "factor", False)}
    first, *_, accept = findings_lines(gate.verdict.findings)
    assert first.startswith("held   models m50 training_compute_flop: ")
    assert "waivers.csv" in accept
    assert (gate.vintage.findings, gate.vintage.held) == ([], {}), "a vintage is compared with nothing"


@pytest.mark.parametrize("selected", [{"correction": "c"}, {"source_id": "curated", "evidence": "seen"}])
def test_what_a_person_entered_or_corrected_is_listed(tmp_path: Path, selected: dict[str, str]) -> None:
    is_held = {key: is_held for key, _, is_held in Gate(tmp_path, selected=selected).found}
    assert is_held == {"m50": True, "m51": False, "m52": False}


@pytest.mark.parametrize(
    ("line", "is_accepted"),
    [
        (f"models,m50,{FLOP},VALUE,read in the report,2026-11-29", True),
        (f"models,m50,{FLOP},1e20,of another value,2026-11-29", False),
        (f"models,*,{FLOP},,all of them,2026-11-29", True),
        (f"models,*,{FLOP},,before the release,2026-11-28", False),
        ("models,m50,parameters,VALUE,another column,2026-11-29", False),
    ],
)
def test_a_waiver_accepts_a_value_or_until_the_next_release_a_column(
    tmp_path: Path, line: str, is_accepted: bool
) -> None:
    value = f"{1000 * models().at['m50', FLOP]:.12e}"
    gate = Gate(tmp_path, line.replace("VALUE", value) + "\n")
    assert (("m50", "factor", True) not in gate.found) is is_accepted
    assert len(gate.verdict.idle) == (not is_accepted)


def test_a_baseline_says_what_was_released_and_its_day_is_not_pulled_again(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.raw.mkdir(parents=True)
    assert read_baseline(paths) is None
    refuse_released_day(paths, "s", RELEASED)
    frame = models().reset_index(names="model_id").reindex(columns=SCHEMAS["models"].names)
    frame = frame.assign(countries="China;Japan", reference_url="https://example.org/1")
    frame["arxiv_id"] = pd.Series(None, frame.index, dtype="str")
    snapshots = {"2026-11-28": {"files": {"f": {"sha256": "ab"}}}, "2026-01-01": {"files": {}}}
    sources = {"s": SimpleNamespace(subject="models")}
    context: Any = SimpleNamespace(paths=paths, schemas=SCHEMAS, sources=sources, lock={"s": {"snapshots": snapshots}})
    context.corrections = [{"id": "c", "since": date(2026, 1, 2), "new_value": 7}]
    predictions = pd.DataFrame({"model_id": ["m1"], "flop_05": [1e20], "flop_95": [1e22], "flop_50": [1e21]})
    said = baseline_content(context, stated_cells(context, {"models": frame}), predictions, RELEASED)
    context.paths.baseline.write_bytes(said)
    found = read_baseline(paths)
    assert found is not None
    assert found.snapshots == {"s": (RELEASED, "ab")}
    assert found.corrections == {"c": context.corrections[0]}
    assert found.intervals.loc["m1"].tolist() == [1e20, 1e22]
    cells = found.tables["models"]
    assert cells["training_compute_flop"].equals(models()["training_compute_flop"].rename_axis("id"))
    assert cells.loc["m3", ["country", "link", "organization"]].tolist() == ["China", "https://example.org/1", "OpenAI"]
    with pytest.raises(SourceError, match="pull again tomorrow"):
        refuse_released_day(paths, "s", RELEASED)
    paths.baseline.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="cannot be read"):
        read_baseline(paths)


def test_a_change_is_told_without_control_characters() -> None:
    new = models()
    new.loc["m50", "organization"] = "Open\x1b[31mAI"
    assert "\x1b" not in str(compare(SCHEMAS, baseline(models()), {"models": new}))
