"""Bounds that contradict what stands beside them are set aside, and nothing else is."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.normalize.quarantine import FARTHEST, HIGH, LOW, VALUE, quarantine_bounds


def reasons(cells: dict[str, float], locator: str = "") -> dict[str, str]:
    """{field: reason_code} of the cells of one record."""
    usual = {"source_id": "epoch_all", "record": "M", "locator": locator, "reason_code": "", "reason": "", "remedy": ""}
    typed = pd.DataFrame([usual | {"field": field, "value": value} for field, value in cells.items()])
    found: dict[str, str] = quarantine_bounds(typed).set_index("field")["reason_code"].to_dict()
    return found


@pytest.mark.parametrize(
    ("cells", "set_aside"),
    [
        ({VALUE: 1e24, LOW: 5e23, HIGH: 2e24}, {}),
        ({VALUE: 1e24, LOW: 2e24, HIGH: 3e24}, {LOW: "bound_excludes_value"}),
        ({VALUE: 1e24, LOW: 5e23, HIGH: 9e23}, {HIGH: "bound_excludes_value"}),
        ({LOW: 2e24, HIGH: 1e24}, {LOW: "bound_excludes_value"}),  # nobody states a value
        ({LOW: 1e24, HIGH: 1e24}, {}),
        ({VALUE: 1e24, LOW: 1e24}, {LOW: "no_bound"}),
        ({VALUE: 1e24, HIGH: 1e24}, {HIGH: "no_bound"}),
        ({VALUE: 1e24, LOW: 1e24 / FARTHEST, HIGH: 1e24 * FARTHEST}, {}),
        ({VALUE: 1e24, LOW: 0.9e24 / FARTHEST}, {LOW: "no_bound"}),
        ({VALUE: 1e24, HIGH: 1.1e24 * FARTHEST}, {HIGH: "no_bound"}),
    ],
)
def test_a_bound_that_cannot_be_one_is_set_aside(cells: dict[str, float], set_aside: dict[str, str]) -> None:
    assert reasons(cells) == dict.fromkeys(cells, "") | set_aside


def test_a_figure_in_a_note_is_not_judged_as_a_bound() -> None:
    assert set(reasons({VALUE: 1e24, LOW: 2e24}, locator="Training compute notes").values()) == {""}
