"""What a command says that it needs, in a checkout and where there is none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from traincompute import needs

FIGURES, SQL = ("figures", "pipeline.site.cli"), ("sql", "traincompute.commands.sql")


def test_a_command_of_the_pipeline_needs_extras_and_a_reader_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "is_installed", lambda extra: extra == "excel")
    assert needs.lacks(*FIGURES) == "the extra build and site: pip install -e '.[build,site]'"
    assert needs.lacks("pull", "pipeline.cli") == "the extra build: pip install -e '.[build]'"
    assert needs.lacks(*SQL) == ""
    monkeypatch.setattr(needs, "is_installed", lambda _: True)
    assert needs.lacks(*FIGURES) == ""


def test_without_a_checkout_a_command_of_the_pipeline_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.has_checkout.cache_clear()
    assert needs.has_checkout(), "the builders stand beside the package"
    monkeypatch.setattr(needs, "has_checkout", lambda: False)
    assert needs.lacks(*FIGURES).startswith("a checkout: clone the repository")
    assert needs.lacks(*SQL) == ""
    assert needs.remedy("excel") == "pip install xlsxwriter"
    assert needs.remedy("bulk") == "pip install 'ibis-framework[duckdb]'"


def test_a_build_does_without_the_extras_of_other_commands() -> None:
    others = {module for extra, modules in needs.EXTRAS.items() if extra != "build" for module in modules}
    code = "import sys, pipeline.build, pipeline.summary, pipeline.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pandera" in loaded
    assert not others & set(loaded)
