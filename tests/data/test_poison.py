"""The release gate on poisoned live pulls of the committed facts: nothing beyond its limits is published, nothing stops
the build, and another spelling is no change."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

import pandas as pd
import poison
from checkouts import DECLARED, MACROS

from pipeline import build
from pipeline.config import load_config
from pipeline.normalize.stage import normalize_tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.released import baseline_content, read_baseline
from pipeline.validate.gate import Verdict, stated_cells


def release(paths: Paths) -> None:
    """Makes the facts those of a release: they may have been added to since the last one."""
    config, last = load_config(paths), read_baseline(Paths(CHECKOUT))
    assert last
    stated = stated_cells(config, normalize_tables(config, None))
    said = baseline_content(config, stated, last.intervals.reset_index(names="model_id"), last.day)
    paths.baseline.write_bytes(said)


def checkout(root: Path) -> Paths:
    """A copy of the committed facts and declarations."""
    shutil.copytree(CHECKOUT / "data" / "raw", root / "data" / "raw")
    for name in (*DECLARED, MACROS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(CHECKOUT / name)
    return Paths(root)


def through(paths: Paths, change: poison.Change) -> Verdict:
    """What the gate and the checks before the estimates make of the facts after one more pull of each source."""
    release(paths)
    poison.pull_again(load_config(paths), change)
    with mock.patch.object(build, "publication") as publication, mock.patch.object(build, "imputed", return_value=[]):
        publication.return_value.__enter__.return_value.folder = paths.root
        return build.build(paths).verdict


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


def test_two_hundred_poisoned_cells_publish_nothing_beyond_the_limits_and_stop_nothing(tmp_path: Path) -> None:
    change, done = poison.poisoned(load_config(Paths(CHECKOUT)), seed=27)
    verdict = through(paths := checkout(tmp_path / "root"), change)
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


def test_a_column_in_thousands_is_held_and_another_spelling_is_no_change(small: Paths) -> None:
    verdict = through(small, poison.respelled_or_in_thousands)
    assert beyond(small, verdict) == {}
    assert {(finding.table, finding.column, finding.is_held) for finding in verdict.findings} == {
        ("models", poison.IN_THOUSANDS, True)
    }
