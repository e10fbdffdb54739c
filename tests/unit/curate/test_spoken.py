"""What `propose` offers of the sources that only speak of models: which records, and until which line is pasted."""

import json

import pytest
from click.testing import CliRunner

from pipeline.base.paths import Paths
from pipeline.commands.propose import propose
from pipeline.curate.entries import Entry
from pipeline.curate.propose import open_candidates
from pipeline.curate.voices import spell, spoken_pairs
from pipeline.registry.identities import Decision
from pipeline.registry.sources import load_sources


def model(record: str, model_id: str, parameters: float = 0) -> Entry:
    return said(record, "epoch_all", parameters)._replace(model_id=model_id)


def said(record: str, source: str = "helm", parameters: float = 0) -> Entry:
    sizes = frozenset([parameters] if parameters else [])
    return Entry(record, "", frozenset([source]), "2026-06-05", parameters=sizes)


def offered(record: Entry, *models: Entry, spoken: frozenset[tuple[str, str]] = frozenset()) -> list[str]:
    return [one.model_id for _, _, one, _ in spoken_pairs([record], list(models), spoken)]


# HELM and LLMStats name the form, the size and the month of a version; the models of Epoch AI have neither or one
@pytest.mark.parametrize(
    ("record", "size", "name", "parameters"),
    [
        ("Qwen3.5 397B A17B @ qwen/qwen3.5-397b-a17b", 403e9, "Qwen3.5 397B-A17B", 397e9),
        ("DALL-E 2 (3.5B)", 3.5e9, "DALL·E 2", 3.5e9),
        ("DeepSeek-Coder-6.7b-Instruct", 6.74e9, "DeepSeek Coder 6.7B", 6.7e9),
        ("Qwen1.5 (32B)", 0, "Qwen1.5-32B", 32e9),
        ("Mistral Medium 3 (2505)", 0, "Mistral Medium 3", 0),
        ("Claude 3.5 Haiku (20241022)", 0, "Claude 3.5 Haiku", 0),
    ],
)
def test_a_record_named_and_sized_like_a_model_is_offered(
    record: str, size: float, name: str, parameters: float
) -> None:
    assert offered(said(record, parameters=size), model(name, "m", parameters)) == ["m"]


@pytest.mark.parametrize(
    ("record", "size", "name", "parameters"),
    [
        ("Falcon3-1B-Instruct", 1.67e9, "Falcon3-7B", 7e9),  # another size
        ("Qwen2.5-VL Instruct (32B)", 0, "Qwen2.5-VL-7B", 7e9),  # a size that stands in the names alone
        ("Mistral Large 3 (2512)", 675e9, "Mistral Large 2", 123e9),
        ("OpenThaiGPT v1.0.0 (70B)", 70e9, "OpenThaiGPT 1.6 / OTG-1.6 (72B)", 72e9),  # another version
        ("MPT-Storywriter (7B)", 7e9, "MPT-7B", 7e9),  # another word
    ],
)
def test_another_size_version_or_word_is_not_offered(record: str, size: float, name: str, parameters: float) -> None:
    assert offered(said(record, parameters=size), model(name, "m", parameters)) == []


def test_a_name_is_compared_without_forms_stamps_and_sizes() -> None:
    falcon = spell(said("Falcon3-Chat 7B-Instruct (2412)", parameters=7.46e9))
    assert falcon == ("falcon3", "falcon3", ("3",), {7e9, 7.46e9})
    assert [spell(said(f"A 1.5{unit}")).sizes for unit in "kmbt"] == [{1.5e3}, {1.5e6}, {1.5e9}, {1.5e12}]


def test_of_thirteen_letters_one_may_differ_and_of_twelve_none() -> None:
    assert offered(said("Mistral Large"), model("Mistral Largo", "m")) == ["m"]  # 2 × 12 of 26 letters: 92.3 %
    assert offered(said("Mistral Lite"), model("Mistral Live", "m")) == []  # 2 × 11 of 24: 91.7 %


def test_a_source_is_asked_once_about_a_model() -> None:
    # HELM lists Llama 3.1 8B as released, as served by Together and as served by Amazon
    turbo, llama = said("Llama 3.1 Instruct (8B)", parameters=8e9), model("Llama 3.1-8B", "llama-3.1-8b", 8e9)
    assert offered(turbo, llama, spoken=frozenset([("helm", "llama-3.1-8b")])) == []
    assert offered(turbo, llama, spoken=frozenset([("llmstats", "llama-3.1-8b")])) == ["llama-3.1-8b"]


def test_an_offer_names_its_source_and_ends_with_the_line_that_declines_it() -> None:
    qwq = model("QwQ-32B", "qwq-32b", 32.5e9)
    records = [said("QwQ (32B Preview)", parameters=32.8e9), said("QwQ-32B-Preview", "llmstats", 32.5e9)]
    pairs = list(spoken_pairs(records, [qwq], frozenset()))
    helm, llmstats = open_candidates(pairs, [])
    assert (helm.rule, helm.distinct) == ("voice", "QwQ (32B Preview),helm,distinct,qwq-32b,,")
    assert llmstats.same == "QwQ-32B-Preview,llmstats,same,qwq-32b,,same 3.25e+10 parameters"
    declined = Decision("QwQ (32B Preview)", "helm", "distinct", "qwq-32b", "", "a preview of November 2024", 2)
    assert open_candidates(pairs, [declined]) == [llmstats]


def test_the_command_offers_a_voice_until_a_line_says_what_it_is(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    assert not load_sources(small)["helm"].makes_models
    known = json.loads(CliRunner().invoke(propose, ["--json"]).output)
    _speak(small, "GPT-3 175B (davinci) Instruct,parameters,175000000000,,2026-06-05,\n")
    shown = json.loads(CliRunner().invoke(propose, ["--json"]).output)
    (found,) = (pair for pair in shown if pair not in known)
    assert (found["rule"], found["records"]) == ("voice", ["GPT-3 175B (davinci)", "GPT-3 175B (davinci) Instruct"])
    dropped = "GPT-3 175B (davinci) Instruct,helm,dropped,,,no such model was released\n"
    for line in (found["same"] + "\n", found["distinct"] + "another model\n", dropped):
        file = small.curated / "identities.csv"
        before = file.read_text(encoding="utf-8")
        file.write_text(before + line, encoding="utf-8")
        assert json.loads(CliRunner().invoke(propose, ["--json"]).output) == known
        file.write_text(before, encoding="utf-8")


def _speak(paths: Paths, line: str) -> None:
    """A ledger of HELM with one line, and its snapshot in the lock."""
    (paths.raw / "helm" / "facts.csv").write_text("record,field,value_text,locator,since,until\n" + line)
    lock = json.loads((paths.raw / "lock.json").read_text(encoding="utf-8"))
    lock["helm"] = {"lines": 1, "snapshots": {"2026-06-05": next(iter(lock["epoch_all"]["snapshots"].values()))}}
    (paths.raw / "lock.json").write_text(json.dumps(lock), encoding="utf-8")
