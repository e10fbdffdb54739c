"""The conda recipe and the R package."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT
from traincompute import __version__

PACKAGING = CHECKOUT / "packaging"
CALLED = {"duckdb": "python-duckdb"}  # the name on conda-forge


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = (PACKAGING / "conda" / "meta.yaml").read_text(encoding="utf-8")
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.match(r"[\w-]+", text)[0]: text for text in project["dependencies"]}  # type: ignore[index]
    wanted = [f"{CALLED.get(name, name)} {text.removeprefix(name)}" for name, text in needed.items()]
    run = recipe.split("  run:\n")[1].split("\ntest:")[0]
    assert re.findall(r"- (.*)", run)[1:] == wanted
    assert f'{{% set version = "{__version__}" %}}' in recipe
    assert f"traincompute = {project['scripts']['traincompute']}" in recipe


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
