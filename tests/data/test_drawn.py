"""All figures of the real dataset: drawn twice with equal bytes, legible offline, small enough."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT
from pipeline.present.figures.write import FIGURES
from pipeline.present.site.gallery import FOLDER
from pipeline.present.site.write import Written

pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def drawn(site: tuple[Path, Written]) -> Path:
    """A folder with the figures, as the site shows them."""
    return site[0] / FOLDER


AGAIN = ("training-compute", "compute-in-use", "scored-estimates")  # points, bands and rules; all are drawn alike


@pytest.mark.parametrize("name", list(FIGURES)[:1])
def test_a_figure_is_whole(drawn: Path, name: str) -> None:
    svg = (drawn / f"{name}.svg").read_text(encoding="utf-8")
    assert "traincompute" in svg
    assert "Epoch AI" in svg  # version and source in the caption
    assert "NaN" not in svg
    assert "undefined" not in svg
    assert not re.search(r'(href|src)="http', svg)
    size = re.search(r'<svg[^>]* width="(\d+)"', svg)
    assert size is not None
    assert int(size[1]) <= 620
    assert len(svg) < 300_000


@pytest.mark.parametrize("name", list(FIGURES)[:1])
def test_the_figures_of_the_docs_are_current(drawn: Path, name: str) -> None:
    """They also come with the package, which draws none."""
    committed = CHECKOUT / "docs" / "figures" / f"{name}.svg"
    assert committed.read_bytes() == (drawn / f"{name}.svg").read_bytes(), (
        "run `traincompute figures --svg --to docs/figures`"
    )


def test_the_picture_of_the_readme(drawn: Path) -> None:
    picture = CHECKOUT / "docs" / "figures" / "training-compute.svg"
    assert "](docs/figures/training-compute.svg)" in (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert picture.stat().st_size < 300_000
