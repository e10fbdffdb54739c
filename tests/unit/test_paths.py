"""Places of a checkout, and the version of a build."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.paths import build_version
from traincompute import __version__

version = build_version.__wrapped__


def commit(root: Path, text: str) -> str:
    """Commits the text as the package's module; returns the hash."""
    (root / "traincompute").mkdir(parents=True, exist_ok=True)
    (root / "traincompute" / "__init__.py").write_text(text)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "a change"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    return subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()


def test_it_counts_the_commits_since_the_version_was_set_and_names_the_last(tmp_path: Path) -> None:
    line = f'__version__ = "{__version__}"\n'
    commit(tmp_path, '__version__ = "2020.1.0"\n')
    first = commit(tmp_path, line)
    assert version(tmp_path) == f"{__version__}.dev0+g{first[:10]}"
    commit(tmp_path, line + "more = 1\n")
    last = commit(tmp_path, line + "more = 2\n")
    (tmp_path / "not_tracked.txt").write_text("")
    assert version(tmp_path) == f"{__version__}.dev2+g{last[:10]}"
    (tmp_path / "traincompute" / "__init__.py").write_text(line)
    assert version(tmp_path) == f"{__version__}.dev2+g{last[:10]}.dirty"


def test_without_git_it_is_dev0_or_that_of_the_source_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, f'__version__ = "{__version__}"\n')
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    assert version(unpacked) == f"{__version__}.dev0", "not the commit of the folder around it"
    (unpacked / "PKG-INFO").write_text(f"Name: traincompute\nVersion: {__version__}.dev7+gc0ffee\nSummary: x\n")
    assert version(unpacked) == f"{__version__}.dev7+gc0ffee"
    monkeypatch.setenv("PATH", str(unpacked))
    assert version(tmp_path) == f"{__version__}.dev0"
