"""All figures of the real dataset: drawn twice with equal bytes, legible offline, small enough."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from thorough import first

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.present.figures.write import FIGURES
from pipeline.present.site.gallery import DPI, FOLDER
from pipeline.present.site.write import Written

pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def drawn(site: tuple[Path, Written]) -> Path:
    """A folder with the figures, as the site shows them; without --thorough only the first is drawn anew."""
    return site[0] / FOLDER


AGAIN = ("training-compute", "compute-in-use", "scored-estimates")  # points, bands and rules; all are drawn alike


@pytest.mark.thorough
def test_two_runs_give_the_same_bytes(real: Paths, drawn: Path, tmp_path: Path) -> None:
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f"<fontconfig><dir>{tmp_path}</dir></fontconfig>")
    other = {
        "TRAINCOMPUTE_ROOT": str(real.root),
        "TZ": "Asia/Kolkata",
        "LANG": "C",
        "PYTHONHASHSEED": "7",
        "FONTCONFIG_FILE": str(fonts),
    }
    code = "from traincompute.cli import group; group()"
    run = [sys.executable, "-c", code, "figures", *AGAIN, "--dpi", str(DPI), "--to", str(tmp_path / "drawn")]
    subprocess.run(
        run, check=True, capture_output=True, cwd="/", env={**os.environ, "PYTHONPATH": str(CHECKOUT), **other}
    )
    assert {file.name for file in (tmp_path / "drawn").iterdir()} == {
        f"{name}.{kind}" for name in AGAIN for kind in ("svg", "png")
    }
    assert all(file.read_bytes() == (drawn / file.name).read_bytes() for file in (tmp_path / "drawn").iterdir())


@pytest.mark.parametrize("name", first(FIGURES))
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


@pytest.mark.parametrize("name", first(FIGURES))
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
