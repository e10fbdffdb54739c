"""The judged curated lines: well-formed, and counted as the README prints them."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from pipeline.paths import CHECKOUT

FOLDER = CHECKOUT / "data" / "audit"
COUNTED = (
    "verdict == verdict",
    "verdict == 'right' and leads == 'yes'",
    "verdict == 'right' and leads == 'no'",
    "verdict == 'right' and leads == 'untellable'",
    "verdict == 'wrong'",
    "verdict == 'untellable'",
)


@pytest.fixture(scope="module")
def judged() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "lines.csv", dtype={"value_text": str})


def test_every_judged_line_has_a_verdict_and_a_reason_against_it(judged: pd.DataFrame) -> None:
    assert set(judged["evidence"]) <= {"seen", "secondary"}
    assert set(judged["leads"]) <= {"yes", "no", "untellable"}
    assert judged.groupby("draw").size().to_dict() == dict.fromkeys(range(1, 6), 60)
    against = judged[(judged["verdict"] != "right") | (judged["leads"] != "yes")]
    assert against["remark"].notna().all()


def test_the_readme_counts_the_verdicts(judged: pd.DataFrame) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for draw, part in judged.groupby("draw"):
        counts = [len(part.query(query)) for query in COUNTED]
        assert sum(counts[1:]) == counts[0]
        (line,) = re.findall(rf"^\| {draw} \| (.*) \|$", text, re.MULTILINE)
        assert line.split(" | ") == [str(count) for count in counts]
