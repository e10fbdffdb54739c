"""The page of errata: what upstream says, what stands here instead, and why."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pipeline.base.paths import Paths
from pipeline.commands.audit import audit
from pipeline.present.docs.errata import errata

ENTRY = """
- {{id: {id}, source: {source}, record: "{record}", field: training_compute_flop, value_text: "1e22", since: 2026-03-30,
   entered: 2026-11-22, action: {action}, upstream: not reported, reason: "{reason}", reference: "https://a.example/1; https://a.example/2"{more}}}
"""


def page(small: Paths, *entries: str) -> list[str]:
    (small.curated / "corrections.yml").write_text("".join(entries), encoding="utf-8")
    return [line for line in errata(small).splitlines() if line.startswith("|")][2:]


def entry(
    number: int, record: str, action: str, source: str = "epoch_all", reason: str = "6 × N × D", more: str = ""
) -> str:
    return ENTRY.format(id=f"e{number}", source=source, record=record, action=action, reason=reason, more=more)


def test_a_cell_of_two_files_is_listed_once_and_what_was_kept_is_not(small: Paths) -> None:
    set_ = {"action": "set", "more": ', new_value: "1e21 FLOP"'}
    lines = page(
        small,
        entry(1, "B | b", **set_),  # type: ignore[arg-type]
        entry(2, "B | b", source="epoch_notable", **set_),  # type: ignore[arg-type]
        entry(3, "A", "lower_bound", reason="its note says: more than"),
        entry(4, "C", "acknowledge"),
        entry(5, "D", "drop"),
    )
    why = "6 × N × D ([reference](https://a.example/1))"
    assert lines == [
        "| A | `training_compute_flop` | 1e22 | at least 1e22 | its note says: more than ([reference](https://a.example/1)) |",
        f"| B \\| b | `training_compute_flop` | 1e22 | 1e21 FLOP | {why} |",
        f"| D | `training_compute_flop` | 1e22 | no value | {why} |",
    ]


def test_the_audit_prints_the_page_to_be_sent(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    page(small, entry(1, "A", "drop"))
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    result = CliRunner().invoke(audit, ["--report"])
    assert result.exit_code == 0
    assert result.output == errata(small)
