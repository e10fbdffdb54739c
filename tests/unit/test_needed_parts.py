"""What a command says that it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from traincompute import cli


def test_an_extra_is_installed_in_the_checkout_and_elsewhere_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.remedy("site") == "pip install -e '.[site]'", "the builders stand beside the package"
    monkeypatch.setattr(cli, "has_checkout", lambda: False)
    assert cli.remedy("bulk") == "pip install 'ibis-framework[duckdb]'"


def test_a_build_does_without_the_extras_of_other_commands() -> None:
    others = {module for extra, modules in cli.EXTRAS.items() if extra != "build" for module in modules}
    code = "import sys, pipeline.build, pipeline.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pandera" in loaded
    assert not others & set(loaded)
