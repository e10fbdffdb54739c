"""What a checkout declares; a malformed declaration is refused."""

from __future__ import annotations

import json
import re
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

from pipeline.config import Span, last_look, load_config, load_lock, read_source
from pipeline.curated import Component, Waiver, check_known, load_curated
from pipeline.errors import DataError
from pipeline.names import leads_nowhere
from pipeline.paths import CHECKOUT, Paths

CONFIG = load_config(Paths(CHECKOUT))
SOURCES = CONFIG.sources
CURATED = "data/raw/curated/"
IDENTITIES, ARCHITECTURES, COMPONENTS, WAIVERS = (
    f"{CURATED}{name}.csv" for name in ("identities", "architectures", "components", "waivers")
)
CORRECTIONS, CONSTANTS, SELECTION = CURATED + "corrections.yml", "data/constants.yml", "data/raw/selection.yml"
HELM, PRICES = "data/raw/helm/source.yml", "data/raw/bls_ppi/source.yml"
MODELS, ALIASES = "schemas/models.yml", "schemas/aliases.yml"
NEW_LINES = {  # sound ones, which the cases below spoil
    IDENTITIES: "ALLaM-7B-Instruct-preview,helm,distinct,allam-7b,,trained from scratch\n",
    ARCHITECTURES: "t5-11b,encoder-decoder,section 2.1,arXiv:1910.10683,seen,2026-11-22\n",
    COMPONENTS: "imagen,t5-11b,text_encoder,section 2.1,arXiv:2205.11487,seen,2026-11-28\n",
    WAIVERS: "models,gopher,parameters,2.8e11,said so,2026-11-29\n",
    CORRECTIONS: """
- id: stylegan
  source: epoch_notable
  record: StyleGAN
  field: training_compute_flop
  value_text: 3.93e+16
  since: 2025-11-01
  entered: 2026-11-21
  action: set
  new_value: 3.93e15
  reason: the product of its note
  reference: arXiv:1812.04948
  upstream: reported
""",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout's declarations, with few curated lines."""
    root = tmp_path_factory.mktemp("declared")
    shutil.copytree(CHECKOUT / "schemas", root / "schemas")
    for file in [*CHECKOUT.glob("data/*.yml"), *CHECKOUT.glob("data/raw/*.yml"), *CHECKOUT.glob("data/raw/*/*.yml")]:
        (root / file.relative_to(CHECKOUT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root / file.relative_to(CHECKOUT))
        for beside in file.parent.glob("files.txt"):
            shutil.copy(beside, root / beside.relative_to(CHECKOUT))
    for name, lines in NEW_LINES.items():
        head = (CHECKOUT / name).read_text().partition("\n")[0] + "\n" if name.endswith(".csv") else ""
        (root / name).write_text(head + lines)
    return root


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (HELM, "id: helm", "id: hlem", ': id "hlem": is not the name of the folder; name it helm'),
        (HELM, "adapter: helm", "adapter: hellm", r':\d+ .*: adapter "hellm": is not known; one of .* helm, '),
        (HELM, "subject: models", "subject: modles", ': subject "modles": is not known; one of .* models, '),
        (HELM, "makes_models", "derived_from: acme\nmakes_models", ': derived_from "acme": is not known; one of '),
        (HELM, "priority: 50", "priorty: 50", r":\d+ \[helm\]: priorty: unknown key; correct"),
        (HELM, "num_parameters: 2026-06-05/", "num_parameters: 2026-19-05/", ':.*2026-19-05/.*is no span of days'),
        (PRICES, "  value: {col", "  valeu: {col", ': fields "valeu": is not known; one of .*value'),
        (ALIASES, "models.model_id", "modles.model_id", r' .*: references "modles.model_id": is not known; one of'),
        (MODELS, "unit: parameter,", "unit: paramter,", r' .*: unit "paramter": is not known; one of .*parameter'),
        (MODELS, "vocab: domains", "vocab: domaines", r' .*: vocab "domaines": is not known; one of .*domains'),
        (MODELS, "{required: t", "{requird: t", r":\d+ .*constraints.requird .*is not known; one of req"),
        (SELECTION, "- [fmti]", "- []", ': default "fmti": is not listed; add it to a line'),
        (SELECTION, "[fmti]", "[fmti, fmty]", ': default "fmty": is not a source of models; correct'),
        (SELECTION, "[fmti]", "[fmti, llmstats]", ': default "llmstats": is listed twice; keep one'),
        (CONSTANTS, "band_dex: 0.13", "band_dex: wide", r':\d+: power.band_dex "wide": expected a number; correct'),
        (CONSTANTS, ", default: 0.40", "", r":\d+: utilization: has no default; add what holds"),
        (IDENTITIES, "distinct", "twin", r":2 \[ALLaM.*\]: relation \"twin\": expected 'same', 'renamed', 'split'"),
        (IDENTITIES, "distinct,allam-7b", "same,", r":2 .*: model_id is missing; give the id"),
        (IDENTITIES, "trained from scratch", "", ":2 .*: reason: is missing; say what the evidence is"),
        (IDENTITIES, "helm", "hlem", r':2 \[ALLaM.*\]: source_id "hlem": is not known; one of .*helm'),
        (IDENTITIES, ",,trained", ",30.3.2026,trained", r':2 .*: since "30.3.2026": is not a day; write it like 2026'),
        (ARCHITECTURES, "encoder-d", "encoder_d", r':2 .*: architecture "encoder_decoder": is not known; one of'),
        (COMPONENTS, "text_encoder", "encoder", r':2 \[imagen\]: role "encoder": is not known; one of text_encoder, '),
        (COMPONENTS, "arXiv:2205.11487", "the paper", r':2 .*: reference "the paper": is not a reference; write'),
        (COMPONENTS, "section 2.1", "paper", ':2 .*: locator "paper": leads nowhere; name'),
        (WAIVERS, "said so", "", ":2 .*: reason: is missing"),
        (WAIVERS, "2026-11-29", "soon", ':2 .*: day "soon": expected a date'),
        (WAIVERS, "models", "modles", r':2 \[gopher\]: table "modles": is not known; one of .*models'),
        (CORRECTIONS, "action: set", "action: amend", r":\d+ \[stylegan\]: .*\"amend\": expected 'drop', 'set'"),
        (CORRECTIONS, "  new_value: 3.93e15\n", "", r":\d+ .*: the action set needs new_value and reference; add"),
        (CORRECTIONS, "action: set", "action: drop", ".*: new_value has no meaning beside another action"),
        (CORRECTIONS, "arXiv:1812.04948", "the paper", r':\d+ .*reference "the paper": is not a reference; write'),
    ],
)  # fmt: skip
def test_a_malformed_declaration_is_refused(template: Path, name: str, old: str, new: str, said: str) -> None:
    file = template / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        with pytest.raises(DataError) as caught:
            load_config(Paths(template, output=Path(new)))  # schemas are remembered by paths
    finally:
        file.write_text(text, encoding="utf-8")
    told = [str(problem) for problem in caught.value.problems]
    assert any(re.match(re.escape(name) + said, line) for line in told), told


@pytest.mark.parametrize("name", NEW_LINES)
def test_the_same_line_twice_is_refused(template: Path, name: str) -> None:
    file = template / name
    text = file.read_text(encoding="utf-8")
    file.write_text(text + NEW_LINES[name].lstrip("\n"), encoding="utf-8")
    try:
        with pytest.raises(DataError, match=rf"{name}.*: (line 2 says this already|two entries have it); re"):
            load_config(Paths(template))
    finally:
        file.write_text(text, encoding="utf-8")


def test_what_people_entered_is_read(template: Path) -> None:
    config = load_config(Paths(template))
    (decision,) = config.identities
    assert (decision.alias, decision.model_id, decision.line) == ("ALLaM-7B-Instruct-preview", "allam-7b", 2)
    assert [(line.model_id, line.architecture) for line in config.architectures] == [("t5-11b", "encoder-decoder")]
    assert [(line.model_id, line.component_id, line.line) for line in config.components] == [("imagen", "t5-11b", 2)]
    (waiver,) = load_curated(Paths(template), Waiver)
    assert waiver == ("models", "gopher", "parameters", "2.8e11", "said so", date(2026, 11, 29), 2)
    (entry,) = config.corrections
    assert (entry["value_text"], entry["since"], "until" in entry) == ("3.93e+16", date(2025, 11, 1), False)


LOCK = {"acme": {"lines": 1, "snapshots": {"2026-03-30": {"retrieved_at": "2026-03-30T08:15:00Z", "files": {}}}}}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2026-03-30", "2026-13-30", r'acme\.snapshots\.2026-13-30 "2026-13-30": is not a day'),
        ("2026-03-30T08:15:00Z", "30 March 2026", 'retrieved_at "30 March 2026": '),
        ('"lines": 1', '"lines": "x"', 'acme.lines "x": expected a integer'),
        ('"files": {}', '"files": {}, "etag": "x"', "etag: unknown key"),
    ],
)
def test_a_lock_at_fault_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    paths = Paths(tmp_path)
    assert load_lock(paths) == {}
    paths.raw.mkdir(parents=True)
    paths.lock.write_text(json.dumps(LOCK) + "\n")
    assert load_lock(paths) == LOCK
    paths.lock.write_text(json.dumps(LOCK).replace(old, new) + "\n")
    with pytest.raises(DataError, match=rf"^data/raw/lock\.json:1: .*{said}"):
        load_lock(paths)


def test_the_last_look_at_a_source_is_the_day_of_the_last_pull_whether_or_not_its_files_had_changed() -> None:
    first = {"retrieved_at": "2026-03-30T08:15:00Z", "looked_at": "2026-05-10T23:59:59Z"}
    lock = {"acme": {"snapshots": {"2026-03-30": first, "2026-05-09": {"retrieved_at": "2026-05-09T08:15:00Z"}}}}
    assert last_look(lock, "acme") == date(2026, 5, 10)
    assert last_look({}, "acme") is None


FIRST, CHANGE, LAST = date(2022, 5, 3), date(2022, 9, 1), date(2024, 7, 16)
DAY = timedelta(days=1)


def test_a_source_is_used_from_its_first_day_to_the_day_before_the_last() -> None:
    spans = (Span.model_validate({"from": FIRST, "until": CHANGE}), Span.model_validate({"from": LAST}))
    source = SOURCES["epoch_all"].model_copy(update={"vintages": spans})
    days = (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST - DAY, LAST, date.max)
    assert [bool(source.snapshot_at([FIRST], day)) for day in days] == [False, True, True, False, False, True, True]
    snapshots = [FIRST, CHANGE, LAST]
    found = [source.snapshot_at(snapshots, day) for day in (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST)]
    assert found == [None, FIRST, FIRST, None, LAST]
    always = source.model_copy(update={"always_current": True})
    assert always.snapshot_at(snapshots, FIRST - DAY) == LAST


def test_a_list_of_files_fills_the_patterns_and_a_line_that_does_not_is_named(tmp_path: Path) -> None:
    source = next(source for source in SOURCES.values() if source.file_list)
    real, folder, listed = CHECKOUT / "data" / "raw" / source.id, tmp_path / source.id, source.file_list.file
    folder.mkdir()
    shutil.copy(real / "source.yml", folder)
    words = (real / listed).read_text().splitlines()[0]
    (folder / listed).write_text(f"{words}\n{words}\n")
    assert read_source(folder / "source.yml", "acme/source.yml").urls == source.urls[:1] * 2
    (folder / listed).write_text(f"{words}\n\n")
    with pytest.raises(DataError, match=rf"^acme/{listed}:2: does not fit "):
        read_source(folder / "source.yml", "acme/source.yml")


def test_a_component_that_no_source_has_is_named(template: Path) -> None:
    with pytest.raises(DataError, match=r'components\.csv:2 \[imagen\]: component_id "t5-11b": no model has this id'):
        check_known(Paths(template), load_curated(Paths(template), Component), {"imagen"})


def test_a_locator_is_a_place_in_a_text_or_says_that_none_is_known() -> None:
    assert all(leads_nowhere(text, "seen") for text in ("Paper (page 3)", "methods", "not located"))
    assert not any(leads_nowhere(text, "seen") for text in ("methods, training regimen", "Table 2, paper"))
    assert not leads_nowhere("not located", "recalled")
