"""Claims: who counts as a voice of their own."""

import pandas as pd
import pytest

from pipeline.config import Selection, Source, load_sources
from pipeline.errors import DataError
from pipeline.normalize import claims
from pipeline.paths import Paths

RANKS = {"first": 0, "copy": 1, "other": 2}


URL = "https://example.org/models.csv"


def source(name: str, publisher: str, derived_from: str = "", urls: tuple[str, ...] = ()) -> Source:
    about = {
        "title": name,
        "licence": "L",
        "redistribute": True,
        "attribution": "A",
        "adapter": "plain_table",
        "urls": urls,
    }
    return Source(id=name, publisher=publisher, subject="models", priority=1, derived_from=derived_from, **about)  # type: ignore[arg-type]


def support(*sources: Source, evidence: str = "", reference: str = "") -> int:
    """The voices of a parameter count that all of them state alike, the last one with that citation."""
    rows = pd.DataFrame({"source_id": [s.id for s in sources], "hash": range(len(sources))})
    texts = dict.fromkeys(("evidence", "locator", "note", "reason_code", "reason", "code", "reference"), "")
    facts = rows.assign(model_id="m", field="parameters", record="M", value=7e9, low=None, high=None, **texts)
    facts = facts.assign(value_text="7e9", begun=pd.Timestamp("2026-01-01"), changed=0).astype(
        {"hash": "uint64", "low": "float64", "high": "float64", "begun": "datetime64[s]"}
    )
    facts.loc[facts.index[-1], ["evidence", "reference"]] = [evidence, reference]
    made = claims.make_claims(facts, {s.id: s for s in sources}, Selection(RANKS, {}))
    judged = claims.select(made).set_index("source_id")
    return int(judged.loc["first", "supporting_publishers"])


def test_two_publishers_are_two_voices_and_two_files_of_one_are_not() -> None:
    assert support(source("first", "E"), source("other", "O")) == 2
    assert support(source("first", "E"), source("copy", "E")) == 1


def test_what_was_derived_from_another_source_is_no_voice_of_its_own() -> None:
    assert support(source("first", "E"), source("copy", "C", derived_from="first"), source("other", "O")) == 2


def test_a_fact_at_second_hand_is_the_statement_of_the_source_whose_file_it_cites() -> None:
    first, own = source("first", "E"), source("other", "O")
    witness = source("copy", "C", urls=(URL,))
    assert support(first, own, evidence="secondary", reference="https://example.org/elsewhere") == 1
    assert support(first, own, evidence="recalled") == 1
    assert support(first, witness, own, evidence="secondary", reference=URL) == 2  # the same voice as the file's
    assert support(first, own, evidence="seen", reference="https://example.org/elsewhere") == 2
    assert support(source("first", "E", urls=(URL,)), own, evidence="secondary", reference=URL) == 1


def test_a_source_derived_from_none_that_exists_is_refused(small: Paths) -> None:
    file = small.raw / "helm" / "source.yml"
    file.write_text(file.read_text(encoding="utf-8") + "derived_from: epoch_al\n", encoding="utf-8")
    with pytest.raises(DataError, match=r'data/raw/helm/source\.yml: derived_from "epoch_al": no such source'):
        load_sources(small)
