"""`traincompute explain` on a small built checkout, as a person at a terminal and a script see it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from checkouts import copy_checkout
from click.testing import Result
from command_line import CliRunner
from once import once_a_run
from tiny_release import write_parquet_folder

from pipeline.build import build
from pipeline.paths import Paths
from traincompute.commands.explain import explain

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
REVISIONS = """create or replace table revisions as select * from (values
  ('a', 'epoch_notable', 'goat-7b', 'Goat-7B', 'epochs', 'value_changed', '2', '1', 2.0, 1.0, 0.5, date \
'2024-07-16', date '2025-05-06'),
  ('b', 'epoch_notable', 'goat-7b', 'Goat-7B', 'parameters', 'value_changed', '6.7B', '7B', 6.7e9, 7e9, 1.045, date \
'2024-07-16', date '2025-05-06')
) t(revision_id, source_id, model_id, record, field, kind, old_text, new_text, old_value, new_value, ratio, \
from_snapshot, to_snapshot)"""


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


def test_the_number_comes_with_unit_source_place_and_who_agrees(run: Run) -> None:
    shown = flat(run("gpt-3-175b-davinci", "--full"))
    assert f"source {SAID_BY}; 2 publishers agree" in shown
    assert "training_compute_flop 3.14e+23 FLOP epoch_all since 2026-03-30: lower priority than curated" in shown
    assert "parameters 174.6B parameters epoch_notable since 2026-03-30" in shown
    assert "epoch_all 2026-03-30 Epoch AI, all AI models" in shown


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
    inputs = flat(run("Goat-7B", "--full")).split("Estimates")[1].split("inputs")[1]
    assert "training_compute_flop 4e+22 FLOP" in inputs
    assert "base llama-7b; further training 2.02e+18 FLOP" in goat
    assert "energy unknown; an estimate needs the number of chips, the hours" in goat
    assert "cost unknown; an estimate needs the number of chips, the hours" in goat


def test_a_method_that_abstains_says_what_is_missing(run: Run) -> None:
    shown = flat(run("CALM", "--full"))
    assert "compute unknown" in shown
    assert "operation_counting abstains needs a language model" in shown
    assert "base_model_id llama-7b" in flat(run("Goat-7B", "--full"))


def test_a_fact_that_could_not_be_read_says_why_and_what_to_do(run: Run) -> None:
    shown = flat(run("AbLang (heavy sequences)", "--full"))
    assert "could not be read: several values in one cell; enter the one that is meant in the curated facts" in shown


@pytest.mark.parametrize(
    "words",
    [
        "gpt-3-175b-davinci",
        GPT_3,
        "GPT-3 (davinci)",
        "gpt-3",
        "gpt-3-175b",
    ],
)
def test_a_model_is_found_by_id_name_alias_and_beginning(run: Run, words: str) -> None:
    assert run(words).stdout.startswith(f"{GPT_3} · OpenAI · 2020-05-28 · United States · notable\n")


def test_a_wrong_name_gets_suggestions_and_exit_code_1(run: Run) -> None:
    result = run("gtp-3 175b")
    assert result.exit_code == 1
    assert f"no model 'gtp-3 175b'; did you mean: gpt-3-175b-davinci ({GPT_3})" in result.stderr
    assert run("zzzzqqqq").stderr == "Error: no model 'zzzzqqqq'\n"


def test_an_ambiguous_beginning_shows_the_main_model_and_says_so(run: Run) -> None:
    shown = flat(run("llama"))
    assert shown.startswith("Llama 3.1-405B")
    assert "'llama' fits 2 models; this is the notable one with the most compute. The others: llama-7b compute" in shown


def test_one_field_shows_every_claim_with_what_was_printed(run: Run) -> None:
    shown = flat(run("gpt-3-175b-davinci", "--field", "training_compute_flop"))
    assert f"selected 3.145e+23 FLOP {SAID_BY}" in shown
    assert 'printed "3640 petaflop/s-days" (read as "petaflop/s-days" = 8.64e+19 FLOP)' in shown
    assert shown.count("superseded 3.14e+23 FLOP epoch_") == 2
    assert "hardware_utilization" not in shown


def test_a_field_may_be_named_by_its_claims_or_in_short(run: Run) -> None:
    assert "countries United States" in flat(run(GPT_3, "--field", "country"))
    assert "training_hours" in flat(run(GPT_3, "--field", "hours"))
    result = run(GPT_3, "--field", "paramters")
    assert result.exit_code == 1
    assert "no field 'paramters'; did you mean: parameters" in result.stderr


def test_a_field_that_nobody_states_says_so(run: Run) -> None:
    assert "parameters_active no source says anything" in flat(run(GPT_3, "--field", "parameters_active"))
    assert "no value that could be read" in flat(run("AbLang (heavy sequences)", "--field", "dataset_size"))


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


def test_markdown_has_a_table_for_each_section(run: Run) -> None:
    lines = run("gpt-3-175b-davinci", "--markdown").stdout.splitlines()
    assert lines[0].startswith(f"# {GPT_3}")
    assert "| parameters | 174.6B parameters | epoch_notable since 2026-03-30 |" in lines
    assert all(line.count("|") == 4 for line in lines if line.startswith("|"))


def test_revisions_come_with_the_important_fields_first(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(root / "data/processed/traincompute.duckdb", tmp_path)
    with duckdb.connect(str(tmp_path / "traincompute.duckdb")) as connection:
        connection.execute(REVISIONS)
        monkeypatch.setenv("TRAINCOMPUTE_DATA", str(write_parquet_folder(connection, tmp_path / "revised")))
    revisions = flat(run("goat-7b", "--full")).split("Revisions")[1]
    assert "2025-05-06 parameters 6.7B → 7B ×1.04, epoch_notable 2025-05-06 epochs 2 → 1 ×0.5" in revisions


def test_it_does_without_pandas(root: Path) -> None:
    code = (
        "import sys; from traincompute.commands.explain import explain; explain(['gpt-3'], standalone_mode=False); "
        "sys.exit('pandas' in sys.modules or 'pyarrow' in sys.modules)"
    )
    environment = {**os.environ, "TRAINCOMPUTE_ROOT": str(root)}
    environment.pop("TRAINCOMPUTE_DATA", None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3.145e+23 FLOP" in done.stdout
