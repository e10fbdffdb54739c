"""The blind audit: well-formed lines on models that were drawn, and the shares that its README prints."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT

FOLDER = CHECKOUT / "data" / "audit"
SUBSETS = {
    "all that could be told": "flop == flop",
    "seen or secondary": "flop == flop and evidence != 'recalled'",
    "of high or medium confidence": "flop == flop and confidence != 'low'",
}


@pytest.fixture(scope="module")
def audited() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "flop.csv")


def test_every_line_says_where_it_comes_from(audited: pd.DataFrame) -> None:
    assert len(audited) == audited["model_id"].nunique() == 100
    assert set(audited["basis"]) == {"printed", "counted", "hardware", "untellable"}
    assert set(audited["evidence"]) == {"seen", "secondary", "recalled"}
    assert (audited["flop"].isna() == (audited["basis"] == "untellable")).all()
    told = audited[audited["flop"].notna()]
    assert ((told["flop_low"] <= told["flop"]) & (told["flop"] <= told["flop_high"])).all()
    assert told[["formula", "reference", "locator"]].notna().all(axis=None)


def test_the_readme_prints_the_shares(audited: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> None:
    published = tables["models"].set_index("model_id")["training_compute_flop"]
    compared = audited.assign(published=audited["model_id"].map(published))
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for words, query in SUBSETS.items():
        part = compared.query(query)
        ratio = part["published"] / part["flop"]
        shares = [((ratio <= factor) & (ratio >= 1 / factor)).mean() for factor in (1.1, 1.5, 3)]
        shares.append(part["published"].between(part["flop_low"], part["flop_high"]).mean())
        (line,) = re.findall(rf"^\| {words} \| (.*) \|$", text, re.MULTILINE)
        assert line.split(" | ") == [str(len(part)), *(f"{100 * share:.0f} %" for share in shares)]
