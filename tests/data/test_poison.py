"""The release gate on poisoned live pulls of the committed facts: nothing beyond its limits is published, nothing stops
the build, and another spelling is no change."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

import pandas as pd
import poison
import pytest
from checkouts import DECLARED, MACROS

from pipeline import build
from pipeline.config import load_config
from pipeline.normalize.stage import normalize_tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.released import read_baseline, write_baseline
from pipeline.validate.gate import Verdict, stated_cells


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed facts as those of a release: the facts may have been added to since the last one."""
    paths, last = checkout(tmp_path_factory.mktemp("released")), read_baseline(Paths(CHECKOUT))
    assert last
    config = load_config(paths)
    stated = stated_cells(config, normalize_tables(config, None))
    write_baseline(config, stated, last.intervals.reset_index(names="model_id"), last.day)
    return paths.baseline


def checkout(root: Path) -> Paths:
    """A copy of the committed facts and declarations."""
    shutil.copytree(CHECKOUT / "data" / "raw", root / "data" / "raw")
    for name in (*DECLARED, MACROS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(CHECKOUT / name)
    return Paths(root)


def through(root: Path, released: Path, change: poison.Change) -> tuple[Paths, Verdict]:
    """What the gate and the checks before the estimates make of the committed facts after one more pull of each
    source."""
    paths = checkout(root)
    shutil.copy(released, paths.baseline)
    poison.pull_again(load_config(paths), change)
    with mock.patch.object(build, "publication") as publication, mock.patch.object(build, "imputed", return_value=[]):
        publication.return_value.__enter__.return_value.folder = root
        return paths, build.build(paths).verdict


def beyond(paths: Paths, verdict: Verdict) -> dict[str, list[str]]:
    """{table.column: rows} that moved beyond 3 × or 90 days."""
    context, found = load_config(paths), {}
    released = read_baseline(paths)
    assert released
    for name, new in stated_cells(context, verdict.tables).items():
        old = released.tables[name].reindex(new.index)
        for column in old.columns.intersection(new.columns):
            one, other = old[column], new[column]
            if other.dtype.kind == "M":
                moved = (other - one).dt.days.abs() > 90
            elif other.dtype.kind == "f":
                moved = (one > 0) & ((other > 3 * one) | (one > 3 * other))
            else:
                continue
            if moved.any():
                found[f"{name}.{column}"] = list(new.index[moved])
    return found


def test_two_hundred_poisoned_cells_publish_nothing_beyond_the_limits_and_stop_nothing(
    tmp_path: Path, released: Path
) -> None:
    change, done = poison.poisoned(load_config(Paths(CHECKOUT)), seed=27)
    paths, verdict = through(tmp_path / "root", released, change)
    assert len(done) >= 200
    assert beyond(paths, verdict) == {}
    models, before = verdict.tables["models"].set_index("model_id"), read_baseline(paths)
    assert before
    notable = before.tables["models"].query("is_notable == True")
    assert set(notable.index) <= set(models.index[models["is_notable"]])
    assert models.loc[notable.index, "organization"].fillna("").equals(notable["organization"].fillna(""))
    assert not pd.isna(models["training_compute_flop"].max())
    assert models["training_compute_flop"].max() <= before.tables["models"]["training_compute_flop"].max()
    assert not [finding for finding in verdict.findings if not finding.is_held and finding.rule in ("factor", "high")]


def test_a_column_in_thousands_is_held_as_a_whole_and_another_spelling_is_no_change(
    tmp_path: Path, released: Path
) -> None:
    paths, verdict = through(tmp_path / "root", released, poison.respelled_or_in_thousands)
    assert beyond(paths, verdict) == {}
    columns = [f"{finding.table}.{finding.column}" for finding in verdict.findings]
    assert columns == ["chip_stock.units", "clusters.chip_quantity", "price_index.value"]
