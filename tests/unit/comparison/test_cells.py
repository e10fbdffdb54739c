"""Changes of cells: the old state and the changes give the new one, and the reverse undoes them."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from traincompute.comparison.cells import as_text, find_changes, ratios

SCHEMA = pa.schema(
    [
        ("model_id", pa.string()),
        ("name", pa.string()),
        ("organizations", pa.list_(pa.string())),
        ("training_compute_flop", pa.float64()),
        ("parameters", pa.int64()),
        ("is_notable", pa.bool_()),
    ]
)
ROW = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["GPT-3", "gpt-3", "北", ""]),
        "organizations": st.none() | st.lists(st.sampled_from(["A", "B"]), min_size=1, max_size=2),
        "training_compute_flop": st.none() | st.sampled_from([1e24, 1.0000000000000002e24, 5e-324, 0.0]),
        "parameters": st.none() | st.sampled_from([0, 1, 10**15]),
        "is_notable": st.none() | st.booleans(),
    }
)
MODELS = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), ROW, max_size=4)


def state(models: dict[str, dict[str, object]]) -> pd.DataFrame:
    rows = [{"model_id": model_id, **row} for model_id, row in models.items()]
    return as_text(pa.Table.from_pylist(rows, schema=SCHEMA))


def cells(frame: pd.DataFrame) -> dict[tuple[str, str], str | None]:
    """{(model, column): text, or None where the cell is empty}."""
    plain = frame.astype(object).where(frame.notna(), None)
    return {(model, name): text for model, row in plain.to_dict("index").items() for name, text in row.items()}


def undone(changes: pd.DataFrame) -> pd.DataFrame:
    """The changes from the new state back to the old one."""
    kinds = {"model_added": "model_removed", "filled": "blanked"}
    kinds |= {new: old for old, new in kinds.items()}
    return changes.assign(old=changes["new"], new=changes["old"], kind=changes["kind"].replace(kinds))


def applied(changes: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame) -> dict[tuple[str, str], str | None]:
    """The old cells with the changes made; the cells of a model that was added are those that it has in `new`."""
    found = cells(old)
    for kind, model, column, before, after in changes[["kind", "model_id", "column", "old", "new"]].itertuples(
        index=False
    ):
        if kind == "model_removed":
            found = {key: text for key, text in found.items() if key[0] != model}
        elif kind == "model_added":
            found |= {key: text for key, text in cells(new).items() if key[0] == model}
        else:
            assert found[model, column] == (None if pd.isna(before) else before)
            found[model, column] = None if pd.isna(after) else after
    return found


@given(MODELS, MODELS)
def test_the_old_state_and_the_changes_give_the_new_one_and_the_reverse_undoes_them(
    before: dict[str, dict[str, object]], after: dict[str, dict[str, object]]
) -> None:
    old, new = state(before), state(after)
    changes = find_changes(old, new)
    assert applied(changes, old, new) == cells(new)
    assert applied(undone(changes), new, old) == cells(old)


@given(MODELS, MODELS)
def test_the_comparison_the_other_way_round_has_the_reverse_of_each_change(
    before: dict[str, dict[str, object]], after: dict[str, dict[str, object]]
) -> None:
    there, back = find_changes(state(before), state(after)), find_changes(state(after), state(before))
    keys = ["kind", "model_id", "column"]
    expected = undone(there).sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(
        expected.drop(columns="name"), back.drop(columns="name")
    )  # beside a change is the new one


@given(MODELS)
def test_a_state_does_not_differ_from_itself(models: dict[str, dict[str, object]]) -> None:
    assert find_changes(state(models), state(models)).empty


def test_a_column_that_one_side_alone_has_is_no_change() -> None:
    without = state({"a": {"name": "A", "parameters": 1}})
    whole = without.assign(training_tokens="5")
    assert find_changes(without, whole).empty
    assert find_changes(whole, without).empty


def test_a_ratio_is_of_numbers_of_which_the_old_one_is_not_zero() -> None:
    cells = [("flop", "1", "2"), ("flop", "0", "2"), ("flop", "3", "1"), ("flop", None, "2"), ("name", "1", "2")]
    found = ratios(pd.DataFrame(cells, columns=["column", "old", "new"]), {"flop"})
    assert found.astype(object).where(found.notna(), None).tolist() == [2.0, None, 0.333333, None, None]
