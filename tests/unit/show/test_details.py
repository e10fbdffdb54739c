"""The file with the details of an error that nobody foresaw."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from traincompute.show import details

NOW = 1_800_000_000.0
WEEK = 604_800  # seconds


def test_details_are_kept_for_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(details, "time", SimpleNamespace(time=lambda: NOW))
    (tmp_path / "young").touch()
    (tmp_path / "traincompute-link.log").symlink_to(tmp_path / "young")
    for name, age in (("kept.log", WEEK), ("gone.log", WEEK + 1), ("link.log", WEEK + 1), ("other.txt", WEEK + 1)):
        (tmp_path / f"traincompute-{name}").touch()
        os.utime(tmp_path / f"traincompute-{name}", (NOW - age,) * 2, follow_symlinks=False)
    os.utime(tmp_path / "young", (NOW, NOW))
    written = Path(details.write_details(KeyError("row\udc80s"), "traincompute 0.2.0\n"))
    assert {path.name for path in tmp_path.iterdir()} == {
        "young",
        "traincompute-kept.log",
        "traincompute-other.txt",
        written.name,
    }
    assert written.read_text().startswith("traincompute 0.2.0\nKeyError: ")
