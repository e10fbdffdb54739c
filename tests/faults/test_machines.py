"""What depends on the machine and its programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

from pipeline.paths import CHECKOUT
from traincompute.published import signature_problem


def test_the_command_names_the_missing_ssh_keygen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("SHA256SUMS", "SHA256SUMS.sig", "signers"):
        (tmp_path / name).touch()
    fault = signature_problem(tmp_path, None, tmp_path / "signers")
    assert fault == "cannot be checked without ssh-keygen"


def test_a_source_distribution_carries_what_it_lists(tmp_path: Path) -> None:
    for name in (
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        "LICENSE",
        "LICENSE-DATA.md",
        "traincompute/__init__.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    for name in ("second environment/bin/python", "notes.txt", "tests/test_one.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    carried = {file.distribution_path for file in SdistBuilder(str(tmp_path)).recurse_included_files()}
    assert {"traincompute/__init__.py", "tests/test_one.py"} <= carried
    assert not [name for name in carried if "environment" in name or "notes" in name]


def test_a_source_distribution_carries_the_checkout() -> None:
    carried = {file.distribution_path.split("/")[0] for file in SdistBuilder(str(CHECKOUT)).recurse_included_files()}
    assert {"pipeline", "traincompute", "schemas", "data", "tests", "docs", "constraints.txt"} <= carried
