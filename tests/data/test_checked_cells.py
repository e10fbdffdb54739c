"""Values of published cells that were looked up in the upstream file or worked out from it, without the pipeline: of
which column there is none stands in recomputed_columns.csv with the test that works it out again."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# A row is named by its first column, or by the first two: a|b


def lines(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CELLS = lines("checked_cells.csv")


def is_same(found: str, checked: str) -> bool:
    """Whether they are equal, to the twelfth digit."""
    try:
        return found == checked or math.isclose(float(found), float(checked), rel_tol=2e-12)
    except ValueError:
        return False


@pytest.mark.parametrize("table", sorted({cell["table"] for cell in CELLS}))
def test_a_published_cell_is_what_its_source_says(published: Path, table: str) -> None:
    with (published / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    rows = {"|".join([*row.values()][:keys]): row for keys in (1, 2) for row in read}
    checked = [cell for cell in CELLS if cell["table"] == table]
    wrong = [cell for cell in checked if not is_same(rows[cell["row"]][cell["column"]], cell["value"])]
    assert wrong == []


def test_a_checked_value_says_against_what() -> None:
    assert all(cell["value"] and cell["checked_against"] for cell in CELLS)
