"""selection.yml: which source comes before which, and that no source of models is forgotten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.selection import load_selection
from pipeline.registry.sources import load_sources


def selected(paths: Paths, text: str) -> object:
    (paths.raw / "selection.yml").write_text(text)
    return load_selection(paths, load_sources(Paths(CHECKOUT)).values())


def test_a_line_has_one_rank_and_the_first_line_the_smallest() -> None:
    found = load_selection(Paths(CHECKOUT), load_sources(Paths(CHECKOUT)).values())
    assert found.default["curated/seen"] == 0
    assert found.default["epoch_all"] == found.default["epoch_notable"] == 1
    assert found.default["curated/recalled"] == max(found.default.values())
    assert found.fields == {}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (r" *- \[fmti\]\n", "", '"fmti": is not listed; add it to a line'),
        (r"\[fmti\]", "[fmti, fmty]", '"fmty": is not a source of models; correct the spelling'),
        (r"\[fmti\]", "[fmti, epoch_hardware]", '"epoch_hardware": is not a source of models'),
        (r"\[fmti\]", "[fmti, llmstats]", '"llmstats": is listed twice; keep one'),
        ("curated/seen", "curated", '"curated/seen": is not listed'),
    ],
)
def test_each_list_names_every_source_of_models_once(tmp_path: Path, old: str, new: str, fault: str) -> None:
    paths = Paths(tmp_path)
    paths.raw.mkdir(parents=True)
    text = (Paths(CHECKOUT).raw / "selection.yml").read_text()
    with pytest.raises(DataError) as raised:
        selected(paths, re.sub(old, new, text))
    assert fault in str(raised.value)
    assert str(raised.value).count(fault) == 1
