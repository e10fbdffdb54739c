"""One text as the value of a field."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest

from pipeline.normalize.text import read_text
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import Field, field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies

VOCABULARIES = load_vocabularies(Paths())
FIELDS = field_registry(load_schemas(Paths()), VOCABULARIES, ["models"])


def field(name: str) -> Field:
    return FIELDS[f"models.{name}"]


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("training_tokens", "1.4T tokens", (1.4e12, None, None, "token", '"T tokens" = 1e+12 token', "")),
        ("training_compute_flop", "> 1e25", (None, 1e25, None, "FLOP", "", "")),
        ("training_compute_flop", "< 1e25", (None, None, 1e25, "FLOP", "", "")),
        ("numerical_format", "FP8", (None, None, None, "", "", "FP8")),
        ("publication_date", "June 2020", (None, None, None, "", "month", "2020-06-01")),
        ("open_weights", "Yes", (None, None, None, "", "", "true")),
        ("approach", "Self-supervised", (None, None, None, "", "", "Self-supervised")),
        # a set of codes is sorted, a list keeps its order
        ("domain", "Vision, Language", (None, None, None, "", "", "Language;Vision")),
        ("organization", "OpenAI, Microsoft", (None, None, None, "", "", "OpenAI;Microsoft")),
    ],
)
def test_a_text_is_read_as_its_field_asks(name: str, text: str, read: tuple[object, ...]) -> None:
    assert read_text(field(name), text, VOCABULARIES) == (*read, "", "", "")


@pytest.mark.parametrize(
    ("name", "text", "kind", "words"),
    [
        ("parameters", "many", "not_a_number", "not a number"),
        ("parameters", "n/a", "no_value", "no value stated"),
        ("parameters", "175 billons", "unknown_unit", 'unknown unit "billons"'),
        ("training_tokens", "3 GB", "wrong_unit", '"GB" is a unit of byte, not of token'),
        ("parameters", "1e9, 2e9", "several_values", "several values in one cell"),
        ("parameters", "2e9-1e9", "ambiguous", "a range"),
        ("parameters", "-5", "negative", "negative"),
        ("parameters", "0", "zero", "zero"),
        ("dataset_size", "0", "zero", "zero is no quantity"),
        ("dataset_size", "at most 0", "zero", "zero is no quantity"),
        ("parameters", "1e400", "out_of_range", "too large or too small for a 64-bit float"),
        ("parameters", "1" + " " * 300, "too_long", "longer than 200 characters"),
        ("publication_date", "soon", "not_a_date", '"soon" is not a date'),
        ("publication_date", "05/2019", "ambiguous", "the order of day and month is not known"),
        ("publication_date", "2019-05-02", "out_of_range", "2019-05-02 is later than 2019-05-01"),
        ("training_tokens", "0T tokens", "zero", "zero"),
        ("dataset_size", "~0", "zero", "zero is no quantity"),
        ("open_weights", "perhaps", "not_a_truth", "neither true nor false"),
        ("country", "Atlantis", "unknown_code", '"Atlantis" is not in the vocabulary countries'),
        ("country", "Atlantis, Mu", "unknown_code", '"Atlantis" is not in the vocabulary countries'),
        ("numerical_format", "Unknown", "states_nothing", "states nothing"),
        ("numerical_format", "FP8, FP16", "several_values", "several values in one cell"),
    ],
)
def test_what_cannot_be_read_has_a_kind_of_reason(name: str, text: str, kind: str, words: str) -> None:
    found = read_text(field(name), text, VOCABULARIES, latest=date(2019, 5, 1))
    assert (found.reason_code, found.reason) == (kind, words)
    assert kind in VOCABULARIES["reasons"].codes
    assert (found.value, found.low, found.high, found.code) == (None, None, None, "")


def test_add_fact_reads_a_value_without_pandas() -> None:
    words = ["add-fact", "BLOOM-3B", "training_tokens", "341B tokens", "--reference=arXiv:2211.05100"]
    words += ["--locator=a test", "--evidence=seen", "--dry-run"]
    code = f"""
import sys
from click.testing import CliRunner
from traincompute.cli import group
shown = CliRunner().invoke(group, {words!r}).output
assert "-> 3.41e+11 token" in shown, shown
print([name for name in ("pandas", "numpy", "pyarrow", "duckdb", "pandera") if name in sys.modules])"""
    result = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[]", result.stderr
