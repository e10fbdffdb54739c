"""The figures in docs/figures are those drawn now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT
from pipeline.site.figures import ORDER, draw, read_figure
from traincompute.base.files import read_json
from traincompute.database import open_database

pytest.importorskip("vl_convert")
FOLDER = CHECKOUT / "docs" / "figures"


@pytest.mark.parametrize("name", ORDER)
def test_a_figure_of_the_docs_is_current_and_whole(name: str, published: Path, tmp_path: Path) -> None:
    """They also come with the package, which draws none."""
    with open_database(published) as connection:
        [file] = draw(read_figure(name, connection, read_json(published / "manifest.json")), tmp_path, svg_only=True)
    svg = file.read_text(encoding="utf-8")
    assert svg == (FOLDER / file.name).read_text(encoding="utf-8"), "run `traincompute figures --svg --to docs/figures`"
    assert all(word not in svg for word in ("NaN", "undefined", 'href="http'))
    width = re.search(r'<svg[^>]* width="(\d+)', svg)
    assert width is not None
    assert int(width[1]) <= 625
    assert len(svg) < 200_000


def test_no_figure_of_the_docs_is_left_from_before() -> None:
    assert {file.stem for file in FOLDER.glob("*.svg")} == set(ORDER)
    assert "](docs/figures/training-compute.svg)" in (CHECKOUT / "README.md").read_text(encoding="utf-8")
