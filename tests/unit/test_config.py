"""What a checkout declares: each kind of malformed declaration is refused with file, line, key, value and remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.config import (
    last_look,
    load_config,
    load_constants,
    load_lock,
    load_selection,
    load_sources,
    read_source,
)
from pipeline.curated import (
    Component,
    Decision,
    check_known,
    load_architectures,
    load_components,
    load_corrections,
    load_decisions,
)
from pipeline.errors import DataError
from pipeline.names import leads_nowhere
from pipeline.paths import CHECKOUT, Paths

REAL = Paths(CHECKOUT)
CONFIG = load_config(REAL)
SOURCES = CONFIG.sources
CURATED = "data/raw/curated/"
IDENTITIES, ARCHITECTURES, COMPONENTS = (
    CURATED + f"{name}.csv" for name in ("identities", "architectures", "components")
)
CORRECTIONS, CONSTANTS, SELECTION = CURATED + "corrections.yml", "data/constants.yml", "data/raw/selection.yml"
SOURCE = "data/raw/fmti/source.yml"
ARCHITECTURE = "t5-11b,encoder-decoder,section 2.1,arXiv:1910.10683,seen,2026-11-22"
COMPONENT = "imagen,t5-11b,text_encoder,section 2.1,arXiv:2205.11487,seen,2026-11-28"
CORRECTION = """- id: stylegan
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
"""
LOCK = {"acme": {"lines": 1, "snapshots": {"2026-03-30": {"retrieved_at": "2026-03-30T08:15:00Z", "files": {}}}}}
HEADERS = {
    "identities.csv": "alias,source_id,relation,model_id,since,reason\n",
    "architectures.csv": "model_id,architecture,locator,reference,evidence,accessed\n",
    "components.csv": "model_id,component_id,role,locator,reference,evidence,accessed\n",
}
LOADERS: dict[str, Callable[[Paths, Path], Any]] = {
    SOURCE: lambda paths, file: read_source(file, paths.short(file)),
    "data/raw/lock.json": lambda paths, _: load_lock(paths),
    SELECTION: lambda paths, _: load_selection(paths, SOURCES.values()),
    CONSTANTS: lambda paths, _: load_constants(paths),
    IDENTITIES: lambda paths, file: load_decisions(file, paths.short(file)),
    ARCHITECTURES: lambda paths, _: load_architectures(paths, CONFIG.vocabularies["architectures"]),
    COMPONENTS: lambda paths, _: load_components(paths),
    CORRECTIONS: lambda paths, _: load_corrections(paths),
}


def load(root: Path, name: str, text: str) -> Any:
    """What the loader of that file makes of a text."""
    paths, file = Paths(root), root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEADERS.get(file.name, "") + text, encoding="utf-8")
    return LOADERS[name](paths, file)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (SOURCE, "\nid: ", "\nid: x", r':\d+?: id "xfmti": is not the name of the folder; name it'),
        (
            SOURCE,
            "\npriority:",
            "\npriorty:",
            r":\d+ \[fmti\]: priorty: unknown key; did you mean .priority",
        ),
        (
            SOURCE,
            "redistribute: true",
            "redistribute: 7",
            r':\d+ \[fmti\]: redistribute "7": expected a bool',
        ),
        (
            SOURCE,
            "from: ",
            "form: ",
            r":\d+ \[fmti\]: vintages.item 1.form: unknown key; did you mean .from",
        ),
        (SELECTION, "- [fmti]", "- []", ': default "fmti": is not listed; add it to a line'),
        (SELECTION, "[fmti]", "[fmti, fmty]", ': default "fmty": is not a source of models; correct'),
        (SELECTION, "[fmti]", "[fmti, llmstats]", ': default "llmstats": is listed twice; keep one'),
        (CONSTANTS, "band_dex: 0.13", "band_dex: wide", r':\d+: power.band_dex "wide": expected a number'),
        (CONSTANTS, ", default: 0.40", "", r":\d+: utilization: has no default; add what holds"),
        (
            CONSTANTS,
            "  large_scale: 2015-09-01",
            "  large: 2015-09-01",
            r":\d+: eras.large: unknown key; did",
        ),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, name: str, old: str, new: str, said: str) -> None:
    text = "\n" + (CHECKOUT / name).read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(DataError) as caught:
        load(tmp_path, name, text.replace(old, new, 1).lstrip("\n"))
    assert any(re.match(re.escape(name) + said.replace(r":\d+?", r"(:\d+)?"), line) for line in lines(caught)), caught


def lines(caught: pytest.ExceptionInfo[DataError]) -> list[str]:
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        (IDENTITIES, "A,,twin,a,,r", "relation \"twin\": expected 'same', 'renamed', 'split'"),
        (IDENTITIES, "B,,same,,,r", "model_id is missing; give the id"),
        (IDENTITIES, "C,,same,c,,", "reason: is missing; say what the evidence is"),
        (IDENTITIES, "A,,same,a,,r\nA,,renamed,b,,r", "the alias is also on line 2; keep one"),
        (ARCHITECTURES, ARCHITECTURE.replace("r-d", "r_d"), "not in the vocabulary architectures; did"),
        (ARCHITECTURES, f"{ARCHITECTURE}\n{ARCHITECTURE}", "is also on line 2; remove one"),
        (COMPONENTS, COMPONENT.replace("text_", ""), 'role "encoder": expected .text_encoder'),
        (COMPONENTS, COMPONENT.replace("arXiv:2205.11487", "the paper"), "is not a reference; write"),
        (
            COMPONENTS,
            COMPONENT.replace("arXiv:2205.11487", ""),
            "reference: is not a reference; write",
        ),
        (COMPONENTS, COMPONENT.replace("seen", "guessed"), "evidence \"guessed\": expected 'seen'"),
        (COMPONENTS, COMPONENT.replace("section 2.1", "paper"), 'locator "paper": leads nowhere; name'),
        (
            COMPONENTS,
            COMPONENT.replace("t5-11b", "imagen"),
            'component_id "imagen": is the model itself',
        ),
    ],
)
def test_a_line_at_fault_is_named(tmp_path: Path, name: str, line: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, name, line + "\n")
    number = 2 + line.count("\n")
    assert re.match(rf"{name}:{number} \[{line.split(',')[0]}\]: .*{said}", lines(caught)[0]), caught.value


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("action: set", "action: amend", "action \"amend\": expected 'drop', 'set'"),
        ("  source: epoch_notable\n", "", "source: the key is missing; add it"),
        ("  new_value: 3.93e15\n", "", "new_value: the key is missing; add it: the action is set"),
        ("action: set", "action: drop", "new_value: has no meaning beside the action drop; remove it"),
        ("arXiv:1812.04948", "the paper", 'reference "the paper": is not a reference; write arXiv:'),
        ("upstream: reported", "upstream: told", "upstream \"told\": expected 'not reported', 'reported'"),
        ("since: 2025-11-01", "since: soon", 'since "soon": expected a date'),
        ("value_text", "value_tex", 'value_tex: unknown key; did you mean "value_text"?'),
    ],
)
def test_a_correction_at_fault_is_named_by_its_id_and_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, CORRECTIONS, CORRECTION.replace(old, new))
    assert any(said in line for line in lines(caught)), caught.value
    assert all(re.match(rf"{CURATED}corrections\.yml:\d+ \[stylegan\]: ", line) for line in lines(caught)), caught.value


def test_a_correction_has_its_line_and_its_numbers_as_texts(tmp_path: Path) -> None:
    second = CORRECTION.replace("id: stylegan", "id: stylegan-2")
    entries = load(tmp_path, CORRECTIONS, f"# why\n{CORRECTION}\n{second}")
    assert [entry["line"] for entry in entries] == [2, 15]
    assert entries[0]["since"] == date(2025, 11, 1)
    assert load(tmp_path, CORRECTIONS, "# none\n") == []


def test_two_corrections_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"corrections\.yml:14 \[stylegan\]: id: another entry has this id"):
        load(tmp_path, CORRECTIONS, f"{CORRECTION}\n{CORRECTION}")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("data/raw/helm/source.yml", "subject: models", "subject: modles", 'subject "modles": is no table'),
        ("schemas/models.yml", "vocab: domains", "vocab: domaines", 'vocab "domaines": is no vocabulary'),
    ],
)
def test_a_name_that_another_file_does_not_have_is_refused(
    small: Paths, file: str, old: str, new: str, said: str
) -> None:
    place = small.root / file
    if not place.exists():
        place.parent.mkdir(parents=True)
        place.write_text((CHECKOUT / file).read_text())
    text = place.read_text()
    place.unlink()
    place.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_config(small)
    assert any(line.startswith(file) and said in line for line in lines(caught)), caught.value


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2026-03-30", "2026-13-30", '2026-13-30.*": does not begin with a day'),
        ("2026-03-30T08:15:00Z", "30 March 2026", 'retrieved_at "30 March 2026": does not begin with a day'),
        ('"lines": 1', '"lines": "1"', 'acme.lines "1": expected a integer'),
        ('"files": {}', '"files": {}, "etag": "x"', "etag: unknown key"),
    ],
)
def test_a_lock_at_fault_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert load_lock(Paths(tmp_path)) == {}
    assert load(tmp_path, "data/raw/lock.json", json.dumps(LOCK)) == LOCK
    with pytest.raises(DataError, match=rf"^data/raw/lock\.json: .*{said}"):
        load(tmp_path, "data/raw/lock.json", json.dumps(LOCK).replace(old, new))


def test_the_last_look_at_a_source_is_the_day_of_the_last_pull_whether_or_not_its_files_had_changed() -> None:
    first = {"retrieved_at": "2026-03-30T08:15:00Z", "looked_at": "2026-05-10T23:59:59Z"}
    second = {"retrieved_at": "2026-05-09T08:15:00Z"}
    both = {"acme": {"snapshots": {"2026-03-30": first, "2026-05-09": second}}}
    assert last_look(both, "acme") == date(2026, 5, 10)
    assert last_look({"acme": {"snapshots": {"2026-05-09": second}}}, "acme") == date(2026, 5, 9)
    assert last_look({}, "acme") is None


def test_a_line_of_the_selection_has_one_rank_and_the_first_line_the_smallest() -> None:
    ranks = CONFIG.selection.default
    assert ranks["curated/seen"] == 0
    assert ranks["epoch_all"] == ranks["epoch_notable"] == 1
    assert ranks["curated/recalled"] == max(ranks.values())


FIRST, CHANGE, LAST = date(2022, 5, 3), date(2022, 9, 1), date(2024, 7, 16)
DAY = timedelta(days=1)


def test_a_source_is_used_from_its_first_day_to_the_day_before_the_last() -> None:
    source = replace(SOURCES["epoch_all"], vintages=((FIRST, CHANGE), (LAST, None)))
    days = (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST - DAY, LAST, date.max)
    assert [source.in_vintage(day) for day in days] == [False, True, True, False, False, True, True]
    assert replace(source, always_current=True).in_vintage(FIRST - DAY)
    for day, used in ((CHANGE - DAY, "epoch_all"), (CHANGE, "epoch_notable")):
        assert [name for name in ("epoch_all", "epoch_notable") if SOURCES[name].in_vintage(day)] == [used]


def test_a_vintage_uses_the_last_snapshot_up_to_its_day() -> None:
    source = replace(SOURCES["epoch_notable"], vintages=((FIRST, None),))
    days = [FIRST, CHANGE, LAST]
    found = [source.snapshot_at(days, day) for day in (FIRST - DAY, FIRST, CHANGE - DAY, CHANGE, LAST)]
    assert found == [None, FIRST, FIRST, CHANGE, LAST]
    assert replace(source, always_current=True).snapshot_at(days, FIRST - DAY) == LAST


def test_a_list_of_files_fills_the_patterns_and_a_line_that_does_not_is_named(tmp_path: Path) -> None:
    source = next(source for source in SOURCES.values() if source.file_list)
    folder, listed = tmp_path / source.id, source.file_list["file"]
    folder.mkdir()
    (folder / "source.yml").write_bytes((REAL.raw / source.id / "source.yml").read_bytes())
    words = (REAL.raw / source.id / listed).read_text().splitlines()[0]
    (folder / listed).write_text(f"{words}\n{words}\n")
    assert read_source(folder / "source.yml", "acme/source.yml").urls == source.urls[:1] * 2
    (folder / listed).write_text(f"{words}\n\n")
    with pytest.raises(DataError, match=rf"^acme/{listed}:2: does not fit "):
        read_source(folder / "source.yml", "acme/source.yml")


def test_a_source_derives_from_one_that_there_is(tmp_path: Path) -> None:
    for name in ("epoch_notable", "curated_epoch_copy"):
        (tmp_path / "data" / "raw" / name).mkdir(parents=True)
        text = (REAL.raw / name / "source.yml").read_text().replace("derived_from: epoch_notable", "derived_from: acme")
        (tmp_path / "data" / "raw" / name / "source.yml").write_text(text)
    with pytest.raises(DataError, match=r'curated_epoch_copy/source\.yml: derived_from "acme": no such source; one of'):
        load_sources(Paths(tmp_path))


def test_a_decision_says_whether_a_record_must_have_its_name(tmp_path: Path) -> None:
    text = "GPT-4,,same,gpt-4,,said so\nacme/m,,distinct,m,,another\ntext-unicorn,,called,palm-2,,in use\n"
    decisions = load(tmp_path, IDENTITIES, text)
    assert decisions[0] == Decision("GPT-4", "", "same", "gpt-4", "", "said so", 2)
    assert [decision.needs_record for decision in decisions] == [True, False, False]


@pytest.mark.parametrize(("ids", "cell"), [({"imagen"}, 'component_id "t5-11b"'), ({"t5-11b"}, 'model_id "imagen"')])
def test_a_component_that_no_source_has_is_named(tmp_path: Path, ids: set[str], cell: str) -> None:
    components = load(tmp_path, COMPONENTS, COMPONENT + "\n")
    assert components == [Component("imagen", "t5-11b", f"{CURATED}components.csv:2")]
    with pytest.raises(DataError, match=rf"components\.csv:2 \[imagen\]: {cell}: no model has this id; see"):
        check_known(components, ids)


@pytest.mark.parametrize(
    ("locator", "evidence", "nowhere"),
    [
        (" ", "seen", True),
        ("Paper (page 3)", "seen", True),
        ("methods", "seen", True),
        ("methods, training regimen", "seen", False),
        ("Table 2, paper", "seen", False),
        ("not located", "recalled", False),
        ("not located", "seen", True),
    ],
)
def test_a_locator_is_a_place_in_a_text_or_says_that_none_is_known(locator: str, evidence: str, nowhere: bool) -> None:
    assert leads_nowhere(locator, evidence) is nowhere
