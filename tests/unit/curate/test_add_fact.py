"""add-fact: sound facts are entered, others are refused."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable

import pytest
import yaml
from checkouts import normalized
from click.testing import Result
from command_line import CliRunner

from pipeline.config import load_config
from pipeline.curate.add_fact import Checkout, check_record, check_row, doubts, enter, read_checkout
from pipeline.errors import DataError
from pipeline.impute.stage import with_estimates
from pipeline.names import CITATION, EVIDENCE
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.ledger import HEADER
from pipeline.schema import field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies
from traincompute.cli import group

BLOOM = "arXiv:2211.05100"  # 341B training tokens of BLOOM-3B as in data/raw/curated/facts_2020_2022.csv
TO_2019, FROM_2020, FROM_2023 = "facts_to_2019.csv", "facts_2020_2022.csv", "facts_from_2023.csv"
Add = Callable[..., Result]


@pytest.fixture
def add(small: Paths, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Runs add-fact in the small checkout, with a citation unless a test gives another."""
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    cited = {"reference": BLOOM, "locator": "table 3", "evidence": "seen", "since": "2026-11-21"}

    def run(*words: str, **options: str) -> Result:
        options = {**cited, "accessed": "2026-11-20", **options}
        return CliRunner().invoke(group, ["add-fact", *words, *(f"--{key}={text}" for key, text in options.items())])

    return run


def written(paths: Paths, file: str) -> list[str]:
    return (paths.curated / file).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def known(small_template: Paths) -> Checkout:
    """What the small checkout has of BLOOM-3B."""
    return read_checkout(small_template, "BLOOM-3B")


def fact(field: str, value: str, **cells: str) -> dict[str, str]:
    about = {"record": "BLOOM-3B", "locator": "table 3", "reference": BLOOM, "evidence": "seen", "since": "2026-11-21"}
    return about | {"field": field, "value_text": value, **cells}


def test_the_build_uses_an_added_fact_and_a_new_model_is_one_command(add: Add, small: Paths) -> None:
    result = add("BLOOM-3B", "training_tokens", "341B tokens", reference="https://arxiv.org/abs/2211.05100v4")
    assert result.exit_code == 0
    assert 'training_tokens: 341B tokens -> 3.41e+11 token ("B tokens" = 1e+09 token)' in result.output
    assert "data/raw/curated/facts_2020_2022.csv:2" in result.output
    line = f"BLOOM-3B,training_tokens,341B tokens,table 3,2026-11-21,,{BLOOM},seen,2026-11-20"
    assert written(small, FROM_2020) == [",".join((*HEADER, *CITATION)), line]
    # the numbers of the row of Falcon-180B in Epoch AI's file of 2026-03-30, which the small checkout does not have
    facts = {"publication_date": "2023-09-06", "organization": "Technology Innovation Institute", "domain": "Language"}
    options = [f"--set={field}={value}" for field, value in {**facts, "parameters": "180B"}.items()]
    result = add("Falcon-180B", "training_tokens", "3.5T tokens", "--new", *options, reference="arXiv:2311.16867")
    assert result.exit_code == 0
    assert len(written(small, FROM_2023)) == 7
    assert written(small, FROM_2023)[1:] == sorted(written(small, FROM_2023)[1:])
    models = with_estimates(load_config(small), normalized(small))["models"].set_index("model_id")
    assert models.loc["bloom-3b", "training_tokens"] == 341e9
    row = models.loc["falcon-180b"]
    assert (row["name"], row["parameters"], row["training_tokens"]) == ("Falcon-180B", 180e9, 3.5e12)
    assert (row["organization"], row["training_compute_source"]) == ("Technology Innovation Institute", "imputed")


@pytest.mark.parametrize(
    ("words", "cited", "said"),
    [
        (["BLOOM-3B", "parameters", "175 billons"], {}, '[BLOOM-3B]: parameters "175 billons": unknown unit'),
        (["New", "parameters", "1B", "--new", "--set=domain=Language"], {}, "needs publication_date, organization"),
        (["Bloom 3b", "parameters", "3B", "--new"], {}, 'use "BLOOM-3B" without --new'),
        (["Bloom", "epochs", "1"], {}, 'did you mean "BLOOM-3B" or "BLOOM-176B"?'),
        (["gpt4", "epochs", "1"], {}, 'did you mean "GPT-4 (0314)" or "GPT-4 (Mar 2023)"?'),
        (["BLOOM-3B", "epochs", "one"], {"reference": "BLOOM"}, '"BLOOM" is not a reference'),  # both are told
        (["BLOOM-3B", "hardware", "H1000"], {}, '"H1000" is no hardware that we know; did you mean "'),
        (
            ["BLOOM-3B", "training_compute_flop", "6e18", "--set=training_tokens=341B"],
            {},
            "of 6 × parameters × tokens",
        ),
        (
            ["BLOOM-3B", "organization", "EleuthrAI"],
            {},
            '"EleuthrAI" is no organization that we know; did you mean "Eleuth',
        ),
        (["AlexNet", "parameters", "60"], {}, 'parameters "60": 60 is more than a factor of 100 from'),  # 60 million
    ],
)
def test_what_is_refused_is_explained_and_nothing_is_written(
    add: Add, small: Paths, words: list[str], cited: dict[str, str], said: str
) -> None:
    with (small.curated / "identities.csv").open("a", encoding="utf-8") as file:
        file.write("GPT-4,models_dev,dropped,,,its date is that of another model\n")
        file.write("GPT-4 (0314),helm,same,gpt-4,,0314 is the release of March 2023\n")
        file.write("GPT-4 (Mar 2023),,renamed,gpt-4,2026-03-30,release month added\n")
    result = add(*words, **cited)
    assert result.exit_code == 1
    assert said in str(result.exception or "") + result.output
    assert not list(small.curated.glob("facts*.csv"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (fact("training_tokens", "3 GB"), '"GB" is a unit of byte, not of token'),
        (fact("training_token", "341B"), 'no such field; did you mean "training_tokens"?'),
        (fact("base_model_id", "gpt-2"), "it is derived; model_id of the model"),
        (fact("country", "Atlantis"), "add it to schemas/vocab/countries.yml"),
        (fact("publication_date", "2032-01-01"), "later than 2026-11-21"),
        (fact("parameters", "3e20"), "above 1e+15"),
        (fact("base_model", "x" * 201), "value_text has 201 characters"),
        (fact("epochs", "1", locator="p" * 201), "locator has 201 characters"),
        (fact("epochs", "1", locator="not located"), "leads nowhere"),
        (fact("epochs", "1", locator="not located", evidence="recalled"), ""),
        (fact("flop_convention", "7ND"), "not one of the words for it; write 6ND or 8ND"),
    ],
)
def test_what_the_build_would_not_take_has_a_remedy(known: Checkout, row: dict[str, str], said: str) -> None:
    faults = "\n".join(map("; ".join, [*check_record(known, [row], False), *check_row(known, row)]))
    assert said in faults
    assert bool(faults) == bool(said)


def test_a_line_goes_to_its_sorted_place_in_the_file_of_the_record(add: Add, small: Paths) -> None:
    for record, field in [("GPT-3 175B (davinci)", "epochs"), ("BLOOM-3B", "epochs"), ("BLOOM-3B", "batch_size")]:
        assert add(record, field, "1").exit_code == 0
    keys = [line.split(",")[:2] for line in written(small, FROM_2020)[1:]]
    assert keys == [["BLOOM-3B", "batch_size"], ["BLOOM-3B", "epochs"], ["GPT-3 175B (davinci)", "epochs"]]
    assert f"{FROM_2020}:4" in add("BLOOM-3B", "training_tokens", "341B tokens").output
    again = add("BLOOM-3B", "training_tokens", "341B tokens", since="2026-11-22")
    assert "the same fact is already in data/raw/curated/facts_2020_2022.csv:4" in str(again.exception or again.output)
    other = add("BLOOM-3B", "training_tokens", "366B tokens", locator="section 3.1")
    assert f"{FROM_2020}:4 has 341B tokens {BLOOM}, table 3, seen" in other.output


@pytest.mark.parametrize("content", [b"", b"record,field\nBLOOM-3B,epochs"])
def test_a_file_that_is_cut_gets_no_line(small: Paths, content: bytes) -> None:
    file = small.curated / "facts.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"facts\.csv.*: the (file is empty|last line has no line break)"):
        enter(small, file, [fact("epochs", "1")], dry_run=False)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("record", "field", "text", "doubt"),
    [
        # DeepSeek-V3 (arXiv:2412.19437): 671B parameters, 14.8T tokens, 2.788M H800 hours on 2048 chips
        ("DeepSeek-V3", "parameters", "671", "671 is more than a factor of 100 from the 6.71e.11 .* of this model"),
        ("DeepSeek-V3", "parameters", "671B", ""),
        # of a model of which nothing is known: the file of its years
        ("Hopper 671", "parameters", "671", "usual in facts_from_2023.csv"),
    ],
)
def test_a_number_far_from_what_is_known_is_doubted(record: str, field: str, text: str, doubt: str) -> None:
    paths = Paths(CHECKOUT)
    row = fact(field, text)
    faults = list(doubts(read_checkout(paths, record), row, [row], paths.curated / FROM_2023))
    assert len(faults) == bool(doubt)
    assert all(re.search(doubt, reason) and "add --sure" in remedy for reason, remedy in faults)


def test_who_is_sure_enters_a_doubtful_number_and_a_dry_run_writes_nothing(add: Add, small: Paths) -> None:
    assert "would be data/raw/curated/" in add("AlexNet", "parameters", "60", "--sure", "--dry-run").output
    assert not list(small.curated.glob("facts*.csv"))
    assert add("AlexNet", "parameters", "60", "--sure", locator='appendix "A", table 2').exit_code == 0
    row = next(csv.DictReader(written(small, TO_2019)))
    assert (row["value_text"], row["locator"]) == ("60", 'appendix "A", table 2')


@pytest.mark.parametrize("words", [["--set=parameters"], ["--set=epochs=2"], ["--evidence=sure"], ["--since=soon"]])
def test_a_wrong_command_is_a_usage_error(add: Add, words: list[str]) -> None:
    cited = ["--reference=x", "--locator=x", "--evidence=seen"]
    assert CliRunner().invoke(group, ["add-fact", "BLOOM-3B", "epochs", "1", *cited, *words]).exit_code == 2


@pytest.mark.parametrize("form", ["add-a-model", "a-number-is-wrong"])
def test_the_issue_forms_ask_for_the_columns_of_a_fact(form: str) -> None:
    read = yaml.safe_load((CHECKOUT / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text(encoding="utf-8"))
    parts = {part["id"]: part["attributes"] for part in read["body"] if "id" in part}
    registry = field_registry(load_schemas(Paths()), load_vocabularies(Paths()), ["models"])
    assert set(parts) <= {*HEADER, *CITATION, *(key.removeprefix("models.") for key in registry)}
    assert parts["evidence"]["options"] == list(EVIDENCE)
