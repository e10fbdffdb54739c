"""Reported is the developer's own figure alone."""

from __future__ import annotations

import pandas as pd
import pytest

# Printed by the developers: arXiv:2407.21783 section 1, 1706.03762 table 2, 2003.10555 tables 1 and 2, 2010.11929 table
# 6, the card of Cerebras-GPT-13B, 2311.16867 table 1, OpenAI's announcement of GPT-1, and Writer's transparency report
# of May 2024; of the others the source of the value says so in its column of methods
REPORTED = [
    *(
        "llama-3.1-405b",
        "electra-small",
        "electra-base",
        "electra-400k",
        "vit-b-16-jft-7-epochs",
        "vit-l-32-jft-7-epochs",
    ),
    *("vit-l-16-jft-14-epochs", "cerebras-gpt-111m", "cerebras-gpt-256m", "cerebras-gpt-590m", "cerebras-gpt-1.3b"),
    *("cerebras-gpt-2.7b", "gpt-3-175b", "palmyra-x-003", "falcon-40b", "falcon-180b", "starcoder"),
    *("xtrimopglm-100b", "gpt"),
]
# Worked out by others from chips and hours, from tokens, or from what other models took; the T5s by the
# developers of GPT-3, arXiv:2005.14165 table D.1
WORKED_OUT = ["grok-2", "dinov2", "step-video-t2v", "t5-3b", "t5-11b"]
# Entries of corrections.yml replace what Epoch AI prints
CORRECTED = ["hawk", "griffin", "albert-xxlarge"]


@pytest.mark.parametrize(
    ("models", "source"), [(REPORTED, "reported"), (WORKED_OUT, "third_party"), (CORRECTED, "corrected")]
)
def test_whose_figure_it_is(tables: dict[str, pd.DataFrame], models: list[str], source: str) -> None:
    found = tables["models"].set_index("model_id")["training_compute_source"]
    assert {name: found[name] for name in models} == dict.fromkeys(models, source)


def test_what_a_source_printed_stands_beside_what_we_put_in_its_place(tables: dict[str, pd.DataFrame]) -> None:
    claims = tables["claims"].set_index("claim_id")
    flop = claims[(claims["model_id"] == "albert-xxlarge") & (claims["field"] == "training_compute_flop")]
    chosen = flop[flop["status"] == "selected"].iloc[0]
    assert (chosen["value"], chosen["value_text"]) == (2.87e22, "2.87e22 FLOP")
    assert (chosen["publisher"], chosen["since"]) == ("traincompute", pd.Timestamp("2026-11-22"))
    assert chosen["note"].startswith("in the place of 2.39e+21 by Epoch AI: 32 h are of the run of 125,000 steps")
    printed = flop[flop["source_id"] == "epoch_notable"].iloc[0]
    assert (printed["publisher"], printed["value"], printed["status"]) == ("Epoch AI", 2.39e21, "superseded")
    assert printed["correction"] == chosen["correction"] == "albert-xxlarge-notable"


def test_what_was_seen_in_the_developers_own_text_is_reported(tables: dict[str, pd.DataFrame]) -> None:
    claims = tables["claims"]
    own = claims[(claims["field"] == "training_compute_flop") & (claims["evidence"] == "seen")]
    own = own[(own["status"] == "selected") & own["correction"].isna() & own["value"].notna()]
    found = tables["models"].set_index("model_id")["training_compute_source"]
    assert len(own) >= 30
    assert set(found[own["model_id"]]) == {"reported"}
