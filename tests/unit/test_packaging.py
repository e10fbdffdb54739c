"""The R package."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT
from traincompute import __version__

PACKAGING = CHECKOUT / "packaging"


def test_the_r_package_has_the_version_of_the_data() -> None:
    assert f"\nVersion: {__version__}\n" in (PACKAGING / "r" / "DESCRIPTION").read_text(encoding="utf-8")


@pytest.mark.skipif(not shutil.which("Rscript"), reason="needs R")
def test_the_r_package_says_what_is_missing(tmp_path: Path) -> None:
    code = f"""
        source("{PACKAGING}/r/R/tables.R")
        message(try(traincompute_tables("{tmp_path}"), silent = TRUE))
        file.create(file.path("{tmp_path}", c("manifest.json", "models.parquet")))
        message(try(traincompute_table("model", "{tmp_path}"), silent = TRUE))"""
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True)
    assert "holds no release: it has no manifest.json" in done.stderr
    assert "no table model; there are models" in done.stderr
