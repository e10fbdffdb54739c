"""add-fact: a sound fact becomes a line in its place, which the build uses; anything else is refused and explained."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from checkouts import normalized
from click.testing import Result
from command_line import CliRunner

from pipeline import build
from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.curate.add_fact import (
    Known,
    _place,
    check_record,
    check_row,
    doubts_of,
    enter,
    file_for,
    read_checkout,
    shown,
    warnings_of,
)
from pipeline.impute.calibration.storage import is_stale
from pipeline.impute.stage import with_estimates
from pipeline.pull.ledger import HEADER
from pipeline.registry.context import load_context
from pipeline.registry.fields import field_registry
from pipeline.registry.frames import Tables
from pipeline.registry.provenance import CITATION, EVIDENCE
from pipeline.registry.schema import load_schemas
from pipeline.registry.vocabularies import load_vocabularies
from traincompute.cli import group

BLOOM = "arXiv:2211.05100"  # 341B training tokens of BLOOM-3B as in data/raw/curated/facts_2020_2022.csv
TO_2019, FROM_2020, FROM_2023 = "facts_to_2019.csv", "facts_2020_2022.csv", "facts_from_2023.csv"
Add = Callable[..., Result]


@pytest.fixture
def add(small: Paths, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Runs add-fact in the small checkout; a reference, a place in it and a day are given unless a test gives
    others."""
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))

    def run(*words: str, **options: str) -> Result:
        options = {
            "reference": BLOOM,
            "locator": "table 3",
            "evidence": "seen",
            "since": "2026-11-21",
            "accessed": "2026-11-20",
            **options,
        }
        return CliRunner().invoke(group, ["add-fact", *words, *(f"--{key}={text}" for key, text in options.items())])

    return run


def written(paths: Paths, file: str) -> list[str]:
    return (paths.curated / file).read_text(encoding="utf-8").splitlines()


def untouched(paths: Paths) -> bool:
    return not list(paths.curated.glob("facts*.csv"))


@pytest.fixture(scope="module")
def known(small_template: Paths) -> Known:
    """What the small checkout knows of BLOOM-3B."""
    return read_checkout(small_template, "BLOOM-3B")


def fact(field: str, value: str, **cells: str) -> dict[str, str]:
    about = {"record": "BLOOM-3B", "locator": "table 3", "reference": BLOOM, "evidence": "seen", "since": "2026-11-21"}
    return about | {"field": field, "value_text": value, **cells}


def refused(known: Known, row: dict[str, str]) -> str:
    """What is wrong with the fact."""
    return "\n".join(map("; ".join, [*check_record(known, row, {}, False), *check_row(known, row)]))


def test_the_build_uses_an_added_fact_and_a_new_model_is_one_command(add: Add, small: Paths) -> None:
    result = add("BLOOM-3B", "training_tokens", "341B tokens")
    assert result.exit_code == 0
    assert 'training_tokens: 341B tokens -> 3.41e+11 token ("B tokens" = 1e+09 token)' in result.output
    assert "data/raw/curated/facts_2020_2022.csv:2" in result.output
    assert "next: traincompute build" in result.output
    line = f"BLOOM-3B,training_tokens,341B tokens,table 3,2026-11-21,,{BLOOM},seen,2026-11-20"
    assert written(small, FROM_2020) == [",".join((*HEADER, *CITATION)), line]
    # the numbers of the row of Falcon-180B in Epoch AI's file of 2026-03-30, which the small checkout does not have
    facts = {"publication_date": "2023-09-06", "organization": "Technology Innovation Institute", "domain": "Language"}
    options = [f"--set={field}={value}" for field, value in {**facts, "parameters": "180B"}.items()]
    result = add("Falcon-180B", "training_tokens", "3.5T tokens", "--new", *options, reference="arXiv:2311.16867")
    assert result.exit_code == 0
    assert len(written(small, FROM_2023)) == 7
    assert written(small, FROM_2023)[1:] == sorted(written(small, FROM_2023)[1:])
    models = with_estimates(load_context(small), normalized(small))["models"].set_index("model_id")
    assert models.loc["bloom-3b", "training_tokens"] == 341e9
    row = models.loc["falcon-180b"]
    assert (row["name"], row["parameters"], row["training_tokens"]) == ("Falcon-180B", 180e9, 3.5e12)
    assert (row["organization"], row["training_compute_source"]) == ("Technology Innovation Institute", "imputed")


def test_a_new_model_lacks_what_the_message_lists(add: Add, small: Paths) -> None:
    message = str(add("Falcon-180B", "parameters", "180B", "--new", "--set=domain=Language").exception)
    assert (
        "a new model needs publication_date, organization; add --set publication_date=… --set organization=…" in message
    )
    assert untouched(small)


def test_a_new_model_must_not_be_an_old_one_in_another_spelling(add: Add, small: Paths) -> None:
    result = add("Bloom 3b", "parameters", "3B", "--new")
    assert 'a model is called "BLOOM-3B" already; use "BLOOM-3B" without --new' in str(result.exception)
    assert untouched(small)


def test_a_line_goes_to_its_sorted_place_and_no_other_line_moves(add: Add, small: Paths) -> None:
    for record, field in [("GPT-3 175B (davinci)", "epochs"), ("BLOOM-3B", "epochs"), ("BLOOM-3B", "batch_size")]:
        assert add(record, field, "1").exit_code == 0
    keys = [line.split(",")[:2] for line in written(small, FROM_2020)[1:]]
    assert keys == [["BLOOM-3B", "batch_size"], ["BLOOM-3B", "epochs"], ["GPT-3 175B (davinci)", "epochs"]]


def test_in_a_file_that_is_not_wholly_sorted_a_line_comes_to_its_neighbours() -> None:
    lines = ["record,field,reference\n", '"Z, first",a,r\n', "A,a,r\n", "C,a,r\n", "D,a,r\n"]
    assert _place(lines, {"record": "B", "field": "a", "reference": "r"}) == 3


def test_the_file_is_that_of_the_year_or_of_the_other_facts_of_the_record(add: Add, small: Paths) -> None:
    add("AlexNet", "batch_size", "128", reference="doi:10.1145/3065386")  # section 5 of the paper: batch size 128
    assert len(written(small, TO_2019)) == 2
    add("GPT-4 (Mar 2023)", "domain", "Language", file="facts_open.csv")
    assert "facts_open.csv:3" in add("GPT-4 (Mar 2023)", "training_compute_flop", "2.1e25 FLOP").output


def test_a_doubled_line_is_refused(add: Add, small: Paths) -> None:
    add("BLOOM-3B", "training_tokens", "341B tokens")
    again = add("BLOOM-3B", "training_tokens", "341B tokens", since="2026-11-22")
    assert again.exit_code == 1
    assert "the same fact stands in data/raw/curated/facts_2020_2022.csv:2" in str(again.exception)
    assert len(written(small, FROM_2020)) == 2


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("parameters", "175 billons", 'unknown unit "billons"; did you mean "175 billion"?'),
        ("training_tokens", "3 GB", '"GB" is a unit of byte, not of token'),
        ("training_token", "341B", 'no such field; did you mean "training_tokens"?'),
        ("countries", "France", 'no such field; did you mean "country"?'),
        ("base_model_id", "gpt-2", "it is derived; model_id of the model that the selected base_model claim names"),
        ("country", "Atlantis", '"Atlantis" is not in the vocabulary countries; add it to schemas/vocab/countries.yml'),
        ("numerical_format", "Unknown", "states nothing; enter what is meant"),
        ("publication_date", "2022-02-30", "February 2022, which has 28"),
        ("publication_date", "2032-01-01", "later than 2026-11-21"),
        ("parameters", "3e20", "above 1e+15"),
        ("hardware_quantity", "0", "zero"),
        ("dataset_size", "0", "zero is no quantity; check number and unit"),
        ("open_weights", "perhaps", "write true or yes"),
        ("flop_convention", "4ND", "write 6ND or 8ND or as printed"),
        ("architecture", "x" * 201, "has 201 characters"),
    ],
)
def test_what_the_build_would_not_take_is_explained(known: Known, field: str, value: str, message: str) -> None:
    assert message in refused(known, fact(field, value))


def test_what_is_wrong_with_a_fact_is_told_of_its_cell_and_nothing_is_written(add: Add, small: Paths) -> None:
    result = add("BLOOM-3B", "parameters", "175 billons")
    assert result.exit_code == 1
    assert "[BLOOM-3B]: parameters" in str(result.exception)
    assert 'unknown unit "billons"; did you mean "175 billion"?' in str(result.exception)
    assert untouched(small)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("2211.05100", 'did you mean "arXiv:2211.05100"?'),
        ("https://arxiv.org/abs/2211.05100v4", 'did you mean "arXiv:2211.05100"?'),
        ("http://arxiv.org/abs/2211.05100", 'did you mean "arXiv:2211.05100"?'),
        ("https://doi.org/10.1038/nature14539", 'did you mean "doi:10.1038/nature14539"?'),
        ("the BLOOM paper", "write arXiv:2211.05100, doi:"),
    ],
)
def test_a_reference_has_one_form(known: Known, reference: str, message: str) -> None:
    assert message in refused(known, fact("epochs", "1", reference=reference))


@pytest.mark.parametrize("content", [b"", b"record,field\nBLOOM-3B,epochs"])
def test_a_file_that_is_cut_gets_no_line(small: Paths, content: bytes) -> None:
    file = small.curated / "facts.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"facts\.csv:[12]: the last line has no line break; end it"):
        enter(small, file, [fact("epochs", "1")], dry_run=False)
    assert file.read_bytes() == content


def test_an_unknown_record_gets_names_to_choose_from(add: Add) -> None:
    assert 'did you mean "BLOOM-176B" or "BLOOM-3B"?' in str(add("Bloom", "epochs", "1").exception)
    assert "add --new" in str(add("Zzz 9000", "epochs", "1").exception)


def test_a_record_is_known_as_long_as_a_source_names_it(small: Paths) -> None:
    facts = ["Ada,name,Ada,table 1,2026-11-20,2026-11-21", "Curie,epochs,1,table 3,2026-11-21,"]
    lines = [",".join((*HEADER, *CITATION)), *(f"{line},{BLOOM},seen,2026-11-20" for line in facts)]
    (small.curated / FROM_2020).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert not {"Ada", "Curie"} & read_checkout(small, "Curie").names


def test_a_name_that_identities_give_to_a_record_is_known(add: Add, small: Paths) -> None:
    with (small.curated / "identities.csv").open("a", encoding="utf-8") as file:
        file.write("BLOOM-3B,,renamed,bloom-small,2026-11-21,a test\n")
    assert add("BLOOM small", "epochs", "1").exit_code == 0


def test_a_dropped_record_points_at_the_decision(add: Add, small: Paths) -> None:
    with (small.curated / "identities.csv").open("a", encoding="utf-8") as file:
        file.write("AlexNet,,dropped,,2026-11-21,a test\n")
    assert "see data/raw/curated/identities.csv:2" in str(add("AlexNet", "epochs", "90").exception)


def test_every_fault_is_named_at_once(add: Add) -> None:
    result = add("BLOOM-3B", "epochs", "one", "--set=parameters=3 billons", reference="BLOOM", locator="")
    assert all(word in str(result.exception) for word in ('"one"', '"billons"', '"BLOOM"', "locator has 0 characters"))


def test_a_value_far_from_upstream_is_taken_with_a_warning(add: Add, small: Paths) -> None:
    result = add("BLOOM-3B", "parameters", "300B")  # upstream: 3e9
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: upstream has 3e+09 (data/raw/epoch_all/facts.csv:")
    assert "3e+11 is 100 times that" in result.stderr
    assert "warning" not in add("AlexNet", "parameters", "60M").output  # upstream: 6e7


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("9B", ""),
        ("1B", ""),
        ("9.1B", "upstream has 3e+09 ({where}); 9.1e+09 is 3.03 times that"),
        ("0.9B", "upstream has 3e+09 ({where}); 9e+08 is 0.3 times that"),
    ],
)
def test_up_to_three_times_the_upstream_value_is_near_it(known: Known, value: str, text: str) -> None:
    lines = [line for line in known.lines if line[1]["field"] == "parameters"][:1]  # upstream: 3e9
    told = [text.format(where=lines[0][0])] if text else []
    assert list(warnings_of(known._replace(lines=lines), fact("parameters", value))) == told


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("training_tokens", "341B tokens", '3.41e+11 token ("B tokens" = 1e+09 token)'),
        ("parameters", "1234567", "1.23457e+06 parameter"),
        ("parameters", "1B-2B", 'at least 1e+09, at most 2e+09 parameter ("B" = 1e+09 parameter)'),
        ("hardware_utilization", "40%", '0.4 ("%" = 0.01)'),
        ("publication_date", "2022-07", "2022-07-01 (month)"),
        ("domain", "Language,Vision", "Language; Vision"),
    ],
)
def test_a_value_is_shown_as_it_was_read(known: Known, field: str, value: str, text: str) -> None:
    assert shown(known, fact(field, value)) == text


@pytest.mark.parametrize(
    ("cell", "length", "said"),
    [
        ("value_text", 200, ""),
        ("value_text", 201, "has 201 characters"),
        ("locator", 0, "locator has 0 characters"),
        ("locator", 1, ""),
        ("locator", 200, ""),
        ("locator", 201, "locator has 201 characters"),
    ],
)
def test_a_cell_has_1_to_200_characters(known: Known, cell: str, length: int, said: str) -> None:
    row = fact("base_model", "BLOOM", **{cell: "p" * length})
    faults = [*check_record(known, row, {}, False), *check_row(known, row)]
    assert [reason for reason, _ in faults] == ([said] if said else [])


@pytest.mark.parametrize(("year", "file"), [(2019, TO_2019), (2020, FROM_2020), (2022, FROM_2020), (2023, FROM_2023)])
def test_each_year_has_its_file(known: Known, year: int, file: str) -> None:
    rows = [fact("publication_date", f"{year}-12-31"), fact("epochs", "1")]
    assert file_for(known._replace(lines=[]), rows, None) == file


def test_facts_of_a_copied_file_do_not_decide_where_a_new_one_goes(known: Known) -> None:
    copied = {"field": "publication_date", "value_text": "2026-09-03", "reference": "https://example.org/copy.csv"}
    lines = [("data/raw/curated_epoch_copy/facts.csv:2", copied)]
    assert file_for(known._replace(lines=lines), [fact("epochs", "1")], None) == FROM_2023


def test_another_curated_fact_about_the_field_is_pointed_out(add: Add) -> None:
    add("BLOOM-3B", "training_tokens", "341B tokens")
    result = add("BLOOM-3B", "training_tokens", "366B tokens", locator="section 3.1")
    assert "facts_2020_2022.csv:2 has 341B tokens too (arXiv:2211.05100, table 3, seen)" in result.output


@pytest.mark.parametrize(
    ("locator", "evidence"),
    [
        *(("paper", evidence) for evidence in EVIDENCE),
        *((text, "seen") for text in ("Technical report", " text ", "paper, training", "paper (printed)", "methods")),
    ],
)
def test_a_locator_that_leads_nowhere_is_refused(known: Known, locator: str, evidence: str) -> None:
    found = refused(known, fact("training_tokens", "366B tokens", locator=locator, evidence=evidence))
    assert "name the section, table or page" in found


@pytest.mark.parametrize("locator", ["methods, training regimen", "section 3.1", "README, models"])
def test_a_place_in_a_text_is_taken(known: Known, locator: str) -> None:
    assert refused(known, fact("training_tokens", "366B tokens", locator=locator)) == ""


@pytest.mark.parametrize("locator", ["not located", "not located, steps x batch"])
def test_only_of_a_recalled_figure_the_place_may_be_unknown(known: Known, locator: str) -> None:
    row = fact("training_tokens", "366B tokens", locator=locator)
    assert f'locator "{locator}" leads nowhere' in refused(known, row | {"evidence": "secondary"})
    assert refused(known, row | {"evidence": "recalled"}) == ""


def test_a_dry_run_writes_nothing(add: Add, small: Paths) -> None:
    result = add("BLOOM-3B", "epochs", "1", "--dry-run")
    assert "would be data/raw/curated/facts_2020_2022.csv:2" in result.output
    assert untouched(small)


@pytest.mark.parametrize(
    "words",
    [("--set=parameters",), ("--set=epochs=2",), ("--evidence=sure",), ("--since=soon",), ("--file=notes.txt",)],
)
def test_a_wrong_command_is_a_usage_error(add: Add, small: Paths, words: tuple[str, ...]) -> None:
    assert CliRunner().invoke(group, ["add-fact", "BLOOM-3B"]).exit_code == 2
    options = {} if not words[0].startswith(("--evidence", "--since")) else dict([words[0][2:].split("=")])
    extra = [] if options else list(words)
    assert add("BLOOM-3B", "epochs", "1", *extra, **options).exit_code == 2
    assert untouched(small)


def test_cells_with_commas_and_quotes_come_back_as_entered(add: Add, small: Paths) -> None:
    assert add("BLOOM-3B", "organization", "Hugging Face, BigScience", locator='appendix "A", table 2').exit_code == 0
    row = next(csv.DictReader(written(small, FROM_2020)))
    assert (row["value_text"], row["locator"]) == ("Hugging Face, BigScience", 'appendix "A", table 2')


@pytest.mark.parametrize("form", ["add-a-model", "a-number-is-wrong"])
def test_the_issue_forms_ask_for_the_columns_of_a_fact(form: str) -> None:
    read = yaml.safe_load((CHECKOUT / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text(encoding="utf-8"))
    parts = {part["id"]: part["attributes"] for part in read["body"] if "id" in part}
    paths = Paths()
    registry = field_registry(load_schemas(paths), load_vocabularies(paths), ["models"])
    assert set(parts) <= {*HEADER, *CITATION, *(key.removeprefix("models.") for key in registry)}
    assert parts["evidence"]["options"] == list(EVIDENCE)


def test_a_name_without_its_version_is_answered_with_the_model_of_that_id(add: Add, small: Paths) -> None:
    (small.curated / "identities.csv").write_text(
        "alias,source_id,relation,model_id,since,reason\n"
        "GPT-4,models_dev,dropped,,,its date is that of another model\n"
        "GPT-4 (0314),helm,same,gpt-4,,0314 is the release of March 2023\n"
        "GPT-4 (Mar 2023),,renamed,gpt-4,2026-03-30,release month added\n"
    )
    for name in ("GPT-4", "gpt4"):
        assert 'did you mean "GPT-4 (Mar 2023)" or "GPT-4 (0314)"?' in str(add(name, "parameters", "1e12").exception)
    assert untouched(small)


def test_after_a_fact_the_build_asks_for_no_calibration(built: Paths, built_tables: Tables) -> None:
    assert is_stale(built), "the golden rows are not those that it was measured on"
    lines = build.summarize(load_context(built), built_tables)
    (told,) = [line for line in lines if "calibration" in line]
    assert told == build.EARLIER
    assert "run " not in told


def test_a_line_that_another_entered_meanwhile_stands_once(tmp_path: Path) -> None:
    """Where nothing can be locked two may come to write the same line."""
    file = tmp_path / "facts.csv"
    row = dict.fromkeys((*HEADER, *CITATION), "x")
    for _ in range(2):
        enter(Paths(tmp_path), file, [row], dry_run=False)
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("record", "field", "text", "doubt"),
    [
        # DeepSeek-V3 (arXiv:2412.19437): 671B parameters, 14.8T tokens, 2.788M H800 hours on 2048 chips
        ("DeepSeek-V3", "parameters", "671", "671 is more than a factor of 100 from the 6.71e.11 to .* of this model"),
        ("DeepSeek-V3", "parameters", "671M", "6.71e.08 is"),
        ("DeepSeek-V3", "parameters", "671B", ""),
        ("DeepSeek-V3", "training_tokens", "14.8B tokens", "1.48e.10 is"),
        ("DeepSeek-V3", "training_tokens", "14.8T tokens", ""),
        ("DeepSeek-V3", "hardware_quantity", "2048000", "from the 2048 to 2048 known of this model"),
        ("DeepSeek-V3", "publication_date", "2024-12-27", ""),
        # of a model of which nothing is known: the file of its years
        ("Hopper 671", "parameters", "671", "usual in facts_from_2023.csv"),
        ("Hopper 671", "parameters", "671M", ""),
        ("Hopper 671", "training_tokens", "1.5e17", "usual in facts_from_2023.csv"),
        ("Hopper 671", "training_compute_flop", "1e26", ""),
    ],
)
def test_a_number_far_from_what_is_known_is_doubted(record: str, field: str, text: str, doubt: str) -> None:
    paths = Paths(CHECKOUT)
    row = dict.fromkeys((*HEADER, *CITATION), "") | {"record": record, "field": field, "value_text": text}
    row["since"] = "2026-11-21"
    found = list(doubts_of(read_checkout(paths, record), row, paths.curated / FROM_2023))
    assert len(found) == bool(doubt)
    for reason, remedy in found:
        assert re.search(doubt, reason)
        assert "add --sure" in remedy


def test_a_doubtful_number_is_entered_by_who_is_sure(add: Add, small: Paths) -> None:
    refused = add("AlexNet", "parameters", "60")  # 60 million
    assert isinstance(refused.exception, DataError)
    assert 'add-fact [AlexNet]: parameters "60": ' in str(refused.exception)
    assert not [file for file in small.curated.glob("facts*.csv") if "AlexNet,parameters,60," in file.read_text()]
    assert add("AlexNet", "parameters", "60", "--sure").exit_code == 0
    assert [file for file in small.curated.glob("facts*.csv") if "AlexNet,parameters,60," in file.read_text()]
