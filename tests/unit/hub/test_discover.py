"""A listing of a hub becomes the list of models that the dataset lacks: no copies, no other forms of the same weights,
nothing that is known, and with each model the line that adds it. Real records in tests/golden/hub/listing.jsonl."""

from __future__ import annotations

import json
import shlex
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.hub.base_models import base_models, listed
from pipeline.hub.candidates import Candidate, find_candidates
from pipeline.hub.declined import decline, read_declined
from pipeline.hub.discover import discover
from pipeline.hub.engine import duckdb_engine
from pipeline.hub.known import known_models
from pipeline.hub.names import active_parameters, plain_name, squeezed, stem, version
from pipeline.registry.vocabularies import Vocabulary, load_vocabularies
from traincompute.cli import group

LISTING = CHECKOUT / "tests" / "golden" / "hub" / "listing.jsonl"
LARGE = 1e9
# one model under its own name of each that is new in the golden listing: NVIDIA, Meta AI and Meituan are known
NEW = {
    "inception42/Jais-2-8B-Chat",
    "krea/Krea-2-Raw",
    "facebook/sam3",
    "meituan-longcat/LongCat-2.0",
    "meta-models/Muse-Glimmer-30B",
    "nvidia/Cosmos3-Edge",
    "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16",
    "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16",
    "meta-llama/Meta-Llama-3-8B-Instruct",
    "Qwen/Qwen3.5-9B",
    "thinkingmachines/Inkling-Small",
}


def record(name: str, total: float | None = 7e9, *tags: str, **other: Any) -> dict[str, Any]:
    """A record in the shape of the hub's, of a model of 7B parameters that many use."""
    plain = {"id": name, "author": name.split("/")[0], "createdAt": "2026-06-01T10:00:00.000Z", "likes": 0}
    return {**plain, "downloads": 5000, "tags": list(tags), "safetensors": {"total": total and int(total)}, **other}


def model(name: str, **other: Any) -> dict[str, Any]:
    """A row of the table models: trained with 1e10 tokens by 6·N·D unless it says otherwise."""
    plain = {"organization": "Big Lab", "domains": ["Language"], "huggingface_id": None, "open_weights": True}
    row = {**plain, "name": name, "publication_date": pd.Timestamp("2026-01-01"), "parameters": 1e9}
    return {**row, "parameters_active": None, "training_compute_flop": 6e19, **other}


@cache
def organizations() -> Vocabulary:
    return load_vocabularies(Paths(CHECKOUT))["organizations"]


def found(
    tmp_path: Path, records: list[dict[str, Any]], models: list[dict[str, Any]], *declined: str
) -> list[Candidate]:
    """The candidates among these records where the dataset has these models."""
    listing = tmp_path / "hub.jsonl"
    listing.write_text("".join(json.dumps(r) + "\n" for r in records))
    known = known_models(pd.DataFrame(models), [], organizations())
    engine = duckdb_engine()
    engine.write(base_models(listed(engine.read(listing)), known.accounts, LARGE), tmp_path / "base.parquet")
    return find_candidates(pd.read_parquet(tmp_path / "base.parquet"), known, declined)


def ids(candidates: list[Candidate]) -> list[str]:
    return [candidate.hub_id for candidate in candidates]


def test_of_a_real_listing_the_models_that_are_missing_remain(built: Paths) -> None:
    candidates = discover(duckdb_engine(), built, LISTING, LARGE)
    assert set(ids(candidates)) == NEW
    flop = [candidate.expected_flop for candidate in candidates]
    assert flop == sorted(flop, reverse=True)
    by_id = {candidate.hub_id: candidate for candidate in candidates}
    longcat = by_id["meituan-longcat/LongCat-2.0"]
    assert (longcat.name, longcat.organization, longcat.parameters) == ("LongCat-2.0", "Meituan", 1775560491136)
    assert (longcat.created, longcat.downloads, longcat.needs) == (date(2026, 7, 5), 1602, "training_tokens")
    lightning = by_id["nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16"]
    assert lightning.variants == ["nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-Base-BF16"]


FORMS = (
    *("GGUF", "AWQ", "Int4", "NVFP4", "w4a16", "MLX-4bit", "DSpark", "eagle3", "abliterated", "sft-lora"),
    "checkpoint-500",
)


def test_other_forms_of_weights_are_no_models(tmp_path: Path) -> None:
    names = ["big-lab/Nova-Comet-merge", *(f"big-lab/Nova-7B-{form}" for form in FORMS)]
    records = [record(name, 7.1e9 + 1e8 * place, "text-generation") for place, name in enumerate(names)]
    assert ids(found(tmp_path, [*records, record("big-lab/Nova-7B", 7e9)], [model("Older")])) == ["big-lab/Nova-7B"]


def test_the_words_count_in_the_name_of_a_model_and_not_in_that_of_its_account(tmp_path: Path) -> None:
    records = [record("quant-merge-lab/Nova-8B", 8e9, "text-generation"), record("nova-gguf", 9e9, "text-generation")]
    assert ids(found(tmp_path, records, [model("Older")])) == ["quant-merge-lab/Nova-8B"]


def test_a_model_made_from_another_is_no_base_model_but_a_chat_version_stands_for_its_base(tmp_path: Path) -> None:
    records = [
        record("big-lab/Nova-8B-it", 8e9, "base_model:finetune:big-lab/Nova-8B"),
        record("big-lab/Nova-Math-8B", 8.1e9, "base_model:finetune:big-lab/Nova-8B"),
        record("big-lab/Comet", 9e9, "base_model:other/Star"),
    ]
    assert ids(found(tmp_path, records, [model("Older")])) == ["big-lab/Nova-8B-it"]


def test_a_chat_version_stands_behind_its_base_and_another_version_for_itself(tmp_path: Path) -> None:
    records = [
        record("big-lab/Nova-3.5-8B", 8e9, downloads=10),
        record("big-lab/Nova-3.5-8B-Instruct", 8e9, downloads=9000),
        record("big-lab/Nova-3.6-8B", 8e9),
    ]
    first, second = sorted(found(tmp_path, records, [model("Older")]), key=lambda candidate: candidate.hub_id)
    assert (first.hub_id, first.variants) == ("big-lab/Nova-3.5-8B", ["big-lab/Nova-3.5-8B-Instruct"])
    assert second.hub_id == "big-lab/Nova-3.6-8B"


@pytest.mark.parametrize(
    "known",
    [
        {"name": "Anything", "huggingface_id": "big-lab/Nova-3-Super-120B-A12B"},
        {"name": "Nova 3 Super 120B-A12B"},
        {"name": "Nova-3-Super-120B-A12B (base)"},
        {"name": "Nova 3 Super", "parameters": 1.2e11},
        {"name": "Big Lab Nova 3 Super", "parameters": 1.2e11},
    ],
)
def test_what_the_dataset_has_by_id_name_or_size_is_not_listed(tmp_path: Path, known: dict[str, Any]) -> None:
    records = [record("big-lab/Nova-3-Super-120B-A12B", 1.236e11), record("big-lab/Nova-4-Super-120B-A12B", 1.236e11)]
    assert ids(found(tmp_path, records, [model(**known)])) == ["big-lab/Nova-4-Super-120B-A12B"]


def test_a_model_of_the_same_version_and_size_is_named_beside_it(tmp_path: Path) -> None:
    models = [model("Nova 3.8 Max", parameters=2.4e12), model("Nova 3.7 Max", parameters=2.4e12)]
    (candidate,) = found(tmp_path, [record("big-lab/Nova3.8-2.4T-A95B", 2.446e12)], models)
    assert candidate.alike == ["Nova 3.8 Max"]


def test_an_unknown_account_must_show_that_a_model_is_its_own(tmp_path: Path) -> None:
    records = [
        record("used/Star-9B", 9e9),
        record("maker/Star-9B-tuned", 9.5e9, "base_model:used/Star-9B"),
        record("told/Moon-8B", 8e9, "text-generation"),
        record("silent/Sun-6B", 6e9),
        record("silent/Sun-6B-GGUF", 6.1e9, "base_model:quantized:silent/Sun-6B"),
        record("copier/Moon-again", 8e9, "text-generation", createdAt="2026-07-01T10:00:00.000Z"),
        record("copier/Star-9B", 9.1e9, "text-generation", createdAt="2026-07-01T10:00:00.000Z"),
        record("rare/Dust-5B", 5e9, "text-generation", downloads=10),
        record("small/Speck", 5e8, "text-generation"),
    ]
    assert set(ids(found(tmp_path, records, [model("Older")]))) == {"used/Star-9B", "told/Moon-8B"}


def test_weights_that_another_account_had_before_are_a_copy_unless_others_build_on_them(tmp_path: Path) -> None:
    later = {"createdAt": "2026-07-01T10:00:00.000Z"}
    records = [
        record("someone/First-7B", 7e9),
        record("big-lab/tt-x1-run-30", 7e9, **later),
        record("someone/Older-8B", 8e9),
        record("big-lab/Nova-2-8B", 8e9, **later),
        record("fan/Nova-2-8B-tuned", 8.5e9, "base_model:third/Thing, big-lab/Nova-2-8B"),
    ]
    assert ids(found(tmp_path, records, [model("Older")])) == ["big-lab/Nova-2-8B"]


def test_expected_compute_follows_what_is_usual_in_the_domain(tmp_path: Path) -> None:
    """6·N·D, D being the median of compute ÷ 6·N: 20 tokens per parameter in Speech, and with three models in Video
    too few to tell, so that all domains speak."""
    speech = [model(f"Voice {n}", domains=["Speech"], training_compute_flop=6e9 * 20) for n in range(5)]
    video = [model(f"Film {n}", domains=["Video"], training_compute_flop=6e9 * 5000) for n in range(3)]
    closed = [
        model(f"Shut {n}", domains=["Speech"], training_compute_flop=6e9 * 9e9, open_weights=False) for n in range(9)
    ]
    records = [
        record("big-lab/Speaker", 2e9, "text-to-speech"),
        record("big-lab/Filmer", 3e9, "text-to-video"),
        record("big-lab/Talker-30B-A3B", 3e10, "text-generation"),
        record("big-lab/Teller", 4e9, "text-generation", trainingTokens=1e12),
    ]
    by_name = {candidate.name: candidate for candidate in found(tmp_path, records, [*speech, *video, *closed])}
    assert by_name["Speaker"].expected_flop == pytest.approx(6 * 2e9 * 20)
    assert by_name["Filmer"].expected_flop == pytest.approx(6 * 3e9 * 20)
    assert by_name["Talker-30B-A3B"].expected_flop == pytest.approx(6 * 3e9 * 20)
    assert by_name["Teller"].expected_flop == 6 * 4e9 * 1e12
    assert [by_name[name].needs for name in ("Speaker", "Talker-30B-A3B", "Teller")] == [
        "chip_hours",
        "training_tokens",
        "",
    ]
    assert "--set parameters_active=3000000000" in by_name["Talker-30B-A3B"].add_fact
    assert "--set training_tokens=1000000000000" in by_name["Teller"].add_fact


def test_names_of_the_hub_and_of_papers_come_to_one_form() -> None:
    assert plain_name("nvidia/NVIDIA-Nemotron-3-Super-BF16") == plain_name("NVIDIA Nemotron 3 Super")
    assert plain_name("briaai/RMBG-2.0") == plain_name("RMBG v2.0")
    assert stem("Nemotron-3-Super-120B-A12B") == stem("Nemotron 3 Super") != stem("Nemotron-3-Nano-30B-A3B")
    assert squeezed("thinkingmachines") == squeezed("Thinking Machines")
    assert [version(name) for name in ("Qwen/Qwen3.6-27B", "openbmb/MiniCPM-V-4_5", "LateOn")] == ["3.6", "4.5", ""]
    assert [active_parameters(name) for name in ("G9v3-39A5B", "Qwen3-30B-A3B", "Kimi-K2.7")] == [5e9, 3e9, None]


def filled(line: str) -> list[str]:
    """The words of a printed line behind `traincompute`, with an answer in the place of each …."""
    answers = {"domain": "Language", "training_tokens": "2T", "chip_hours": "1e6", "--evidence": "seen"}
    words = shlex.split(line)[1:]
    before = dict(zip(words[1:], words, strict=False))
    return [answers[before[w]] if w == "…" else f"{w[:-1]}{answers[w[:-2]]}" if w.endswith("=…") else w for w in words]


def test_every_line_is_taken_by_add_fact_once_it_is_filled_in(
    built_copy: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    candidates = discover(duckdb_engine(), built_copy, LISTING, LARGE)
    for candidate in candidates:
        result = CliRunner().invoke(group, filled(candidate.add_fact))
        assert result.exit_code == 0, result.output
    entered = (built_copy.curated / "facts_from_2023.csv").read_text()
    assert all(f"\n{candidate.name},parameters,{candidate.parameters:.0f}," in entered for candidate in candidates)


def test_a_name_that_a_shell_would_run_is_quoted(tmp_path: Path) -> None:
    (candidate,) = found(tmp_path, [record("big-lab/x$(reboot)=…")], [model("Older")])
    assert shlex.split(candidate.add_fact)[3] == "x$(reboot)=…"
    assert "'x$(reboot)=…'" in candidate.add_fact


def run(paths: Paths, monkeypatch: pytest.MonkeyPatch, *words: str) -> Result:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    return CliRunner().invoke(group, ["discover", *words])


def test_what_was_declined_is_not_listed_again_nor_its_variants(
    built_copy: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-Base-BF16"
    for hub_id, reason in ((base, "entered as Nemotron 3.5"), ("krea/Krea-2-Raw", 'a "raw" file, no model')):
        assert run(built_copy, monkeypatch, "--decline", hub_id, "--reason", reason).exit_code == 0
    assert run(built_copy, monkeypatch, "--decline", base, "--reason", "known, see above").exit_code == 0
    lines = built_copy.declined.read_text().splitlines()
    today = date.today().isoformat()
    assert lines == [
        "hub_id,since,reason",
        f'krea/Krea-2-Raw,{today},"a ""raw"" file, no model"',
        f'{base},{today},"known, see above"',
    ]
    left = json.loads(run(built_copy, monkeypatch, str(LISTING), "--json").output)
    assert {row["hub_id"] for row in left} == NEW - {base.replace("-Base", ""), "krea/Krea-2-Raw"}


def test_the_forms_of_the_list(built: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run(built, monkeypatch, str(LISTING), "--limit", "2").output.splitlines()
    assert table[0].split() == [
        "hub_id",
        "organization",
        "parameters",
        "created",
        "downloads",
        "expected_flop",
        "needs",
    ]
    assert [line.split()[0] for line in table[1:4:2]] == [
        "meituan-longcat/LongCat-2.0",
        "thinkingmachines/Inkling-Small",
    ]
    assert table[2].startswith("    traincompute curate add-fact LongCat-2.0 parameters 1775560491136 --new ")
    assert table[-1] == f"2 of {len(NEW)} candidates"
    markdown = run(built, monkeypatch, str(LISTING), "--markdown").output
    assert sum(line.startswith("| ") for line in markdown.splitlines()) == len(NEW) + 1
    assert markdown.count("\n    traincompute curate add-fact ") == len(NEW)
    csv = run(built, monkeypatch, str(LISTING), "--csv", "--large", "1e12").output.splitlines()
    assert csv[0].startswith("name,organization,parameters,created,downloads,needs,expected_flop,")
    assert not [line for line in csv if "Inkling" in line]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nobody,2026-08-22,no account", '[nobody]: hub_id "nobody": is no id of a model; write account/name'),
        ("a/b,22.8.2026,odd day", 'since "22.8.2026": is no day; write it as 2026-11-22'),
        ("a/b,2026-08-22,", "reason: no reason is given; say in 1 to 200 characters"),
        ("c/d,2026-08-22,again", 'hub_id "c/d": is listed twice; remove one of the two lines'),
        ("a/b,2026-08-22,one, two", "4 cells; a line has 3 cells; quote a cell that contains a comma"),
    ],
)
def test_a_bad_line_among_the_declined_is_named(built_copy: Paths, line: str, words: str) -> None:
    built_copy.declined.write_text(f"hub_id,since,reason\nc/d,2026-08-22,a copy\n{line}\n")
    with pytest.raises(DataError) as error:
        read_declined(built_copy)
    assert str(error.value).startswith("data/raw/curated/declined.csv:3 ")
    assert words in str(error.value)


def test_declining_refuses_what_could_not_be_read_again(built_copy: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "go together" in run(built_copy, monkeypatch, "--decline", "a/b").output
    assert (
        "hub.jsonl does not exist; `traincompute dev hub --to data/cache/hub.jsonl` writes it"
        in run(built_copy, monkeypatch).output
    )
    with pytest.raises(DataError, match="is too long"):
        decline(built_copy, "a/b", "x" * 201, date(2026, 8, 22))
    assert not built_copy.declined.exists()


def test_declining_a_model_makes_no_build_stale(built_copy: Paths) -> None:
    from pipeline.impute.calibration.storage import inputs_digest as calibrated
    from pipeline.publish.fingerprint import inputs_digest as published

    before = calibrated(built_copy), published(built_copy, None)
    decline(built_copy, "a/b", "a copy", date(2026, 8, 22))
    assert (calibrated(built_copy), published(built_copy, None)) == before


def test_without_a_build_or_with_a_broken_listing_it_says_what_to_do(
    built: Paths, small: Paths, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="run `traincompute build` first"):
        discover(duckdb_engine(), small, LISTING, LARGE)
    broken = tmp_path / "hub.jsonl"
    broken.write_text('{"id": "org/x", "tags": [\n')
    with pytest.raises(DataError, match=r"hub\.jsonl.*correct the line or the file"):
        discover(duckdb_engine(), built, broken, LARGE)
