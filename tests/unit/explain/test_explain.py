"""`traincompute explain` on a small built checkout, as a person at a terminal and a script see it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from checkouts import copy_checkout
from click.testing import Result
from command_line import CliRunner
from once import once_a_run

from pipeline.build import build
from pipeline.paths import Paths
from traincompute.commands.models import explain

Run = Callable[..., Result]
GPT_3 = "GPT-3 175B (davinci)"
# what the GPT-3 paper prints (arXiv:2005.14165, table D.1 and abstract), and a second spelling of the same model
CURATED = f"""record,field,value_text,locator,since,until,reference,evidence,accessed
GPT-3 (davinci),name,GPT-3 (davinci),title,2026-11-21,,arXiv:2005.14165,recalled,2026-11-21
{GPT_3},parameters,175B,abstract,2026-11-21,,arXiv:2005.14165,secondary,2026-11-21
{GPT_3},training_compute_flop,3640 petaflop/s-days,table D.1,2026-11-21,,arXiv:2005.14165,seen,2026-11-21
"""
SAID_BY = "arXiv:2005.14165, table D.1, seen"
COMPONENT = "llama-7b,goat-7b,reward_model,section 1,arXiv:2305.14201,seen,2026-11-28\n"  # made up
ALIAS = "GPT-3 (davinci),curated,same,gpt-3-175b-davinci,,same model\n"


@pytest.fixture(scope="module")
def root(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small checkout with three curated facts, built once."""

    def make(folder: Path) -> Path:
        paths = copy_checkout(small_template, folder / "checkout")
        (paths.curated / "facts.csv").write_text(CURATED)
        with (paths.curated / "identities.csv").open("a") as file:
            file.write(ALIAS)
        with paths.components.open("a") as file:
            file.write(COMPONENT)
        build(paths)
        return paths.root

    return once_a_run(tmp_path_factory, "explained", make)


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(root))
    return lambda *words: CliRunner().invoke(explain, list(words))


def flat(result: Result) -> str:
    """The output without its line breaks and columns."""
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def test_the_answer_comes_first_in_twelve_lines(run: Run) -> None:
    lines = run("gpt-3-175b-davinci").stdout.splitlines()
    assert len(lines) <= 12
    assert lines[2].split("FLOP")[0].split() == ["compute", "3.145e+23"]
    assert "(90 %: 2.1e+23 – 4.72e+23), the developers' own figure" in lines[2]
    told = {line.split()[0]: line for line in lines[3:]}
    assert "arXiv:2005.14165, table D.1, seen; 2 publishers agree" in told["source"]
    assert "3.14e+23 FLOP (epoch_all)" in told["also"]
    assert "174.6B parameters; epoch_notable since 2026-03-30" in told["parameters"]


def test_an_imputed_value_has_its_formula_base_and_what_cost_would_need(run: Run) -> None:
    goat = flat(run("Goat-7B"))
    assert "4e+22 (llama-7b) + 2.02e+18 for the further training" in goat
    assert "base llama-7b; further training 2.02e+18 FLOP" in goat
    assert "energy unknown; an estimate needs the number of chips, the hours" in goat


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            "gpt-3-175b-davinci --full",
            [
                f"{SAID_BY}; 2 publishers agree",
                "training_compute_flop superseded 3.14e+23 FLOP epoch_all since 2026-03-30",
                "parameters 174.6B parameters epoch_notable since 2026-03-30",
                "epoch_all 2026-03-30 Epoch AI, all AI models",
            ],
        ),
        ("CALM --full", ["compute unknown", "operation_counting abstains needs a language model"]),
        ("goat-7b --full", ["base_model_id llama-7b", "4e+22 (llama-7b) + 2.02e+18 for the further training; taken"]),
        (
            "ablang-heavy-sequences --field dataset_size",
            [
                "no value that could be read",
                "set aside: several values in one cell; enter the one that is meant",
            ],
        ),
        (
            "gpt-3-175b-davinci --field training_compute_flop",
            [
                f"selected 3.145e+23 FLOP {SAID_BY}",
                'printed "3640 petaflop/s-days" (read as "petaflop/s-days" = 8.64e+19 FLOP)',
                "superseded 3.14e+23 FLOP epoch_notable since 2026-03-30",
            ],
        ),
        ("gpt-3-175b-davinci --field country", ["countries United States"]),
        ("gpt-3-175b-davinci --field parameters_active", ["parameters_active no source says anything"]),
    ],
)
def test_everything_and_one_field_say_who_states_it_and_why_it_was_taken_or_not(
    run: Run, words: str, parts: list[str]
) -> None:
    shown = flat(run(*words.split()))
    assert [part for part in parts if part not in shown] == [], shown


@pytest.mark.parametrize("words", ["gpt-3-175b-davinci", GPT_3, "GPT-3 (davinci)", "gpt-3", "gpt-3-175b"])
def test_a_model_is_found_by_id_name_alias_and_beginning(run: Run, words: str) -> None:
    assert run(words).stdout.startswith(f"{GPT_3} · OpenAI · 2020-05-28 · United States · notable\n")


def test_a_wrong_name_or_field_gets_suggestions_and_exit_code_1(run: Run) -> None:
    result = run("gtp-3 175b")
    assert result.exit_code == 1
    assert f"no model 'gtp-3 175b'; did you mean: gpt-3-175b-davinci ({GPT_3})" in result.stderr
    assert run("zzzzqqqq").stderr == "Error: no model 'zzzzqqqq'\n"
    assert "no field 'paramters'; did you mean parameters?" in run(GPT_3, "--field", "paramters").stderr


def test_an_ambiguous_beginning_shows_the_main_model_and_says_so(run: Run) -> None:
    shown = flat(run("llama"))
    assert shown.startswith("Llama 3.1-405B")
    assert "'llama' fits 2 models; this is the notable one with the most compute. The others: llama-7b compute" in shown


def test_json_is_exact_and_complete(run: Run) -> None:
    known = json.loads(run("gpt-3-175b-davinci", "--json").stdout)
    fields = {entry["field"]: entry for entry in known["fields"]}
    assert fields["parameters"]["value"] == 174600000000.0
    assert fields["parameters"]["unit"] == "parameter"
    assert {claim["source_id"] for claim in fields["parameters"]["claims"]} == {"curated", "epoch_all", "epoch_notable"}
    assert all(claim["reason"] for entry in known["fields"] for claim in entry["claims"])
    assert known["aliases"] == ["GPT-3 (davinci)"]
    field = json.loads(run("gpt-3-175b-davinci", "--field", "parameters", "--json").stdout)
    assert field["claims"] == fields["parameters"]["claims"]
