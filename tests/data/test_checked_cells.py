"""Published cells that were looked up in a source or worked out from it by hand, without the pipeline. A row is named
by its first column, or by the first two: a|b; `tolerance` is relative, else numbers agree to their twelfth digit."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

CELLS = list(csv.DictReader(Path(__file__).with_name("checked_cells.csv").read_text(encoding="utf-8").splitlines()))


def is_same(found: str, cell: dict[str, str]) -> bool:
    try:
        return math.isclose(float(found), float(cell["value"]), rel_tol=float(cell["tolerance"] or 2e-12))
    except ValueError:
        return found.casefold() == cell["value"].casefold()


@pytest.mark.parametrize("table", sorted({cell["table"] for cell in CELLS}))
def test_a_published_cell_is_what_its_source_says(published: Path, table: str) -> None:
    with (published / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    rows = {"|".join([*row.values()][:keys]): row for keys in (1, 2) for row in read}
    checked = [cell for cell in CELLS if cell["table"] == table]
    wrong = [cell for cell in checked if not is_same(rows[cell["row"]][cell["column"]], cell)]
    assert wrong == []
