"""Where things are in a checkout."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT, Paths, checkout


def test_every_place_of_the_checkout_is_there() -> None:
    paths = Paths()
    for name in ("schemas", "vocab", "sql", "docs", "calibration", "raw", "curated"):
        assert getattr(paths, name).is_dir(), name
    for name in ("constants", "known_issues", "lock", "selection", "corrections", "identities", "architectures"):
        assert getattr(paths, name).is_file(), name


def test_a_build_and_its_vintages_may_be_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    paths, elsewhere = Paths(Path("/c")), Paths(Path("/c"), Path("/o"))
    assert (paths.stages, elsewhere.stages) == (Path("/c/data/processed/stages"), Path("/o/stages"))
    assert elsewhere.releases == Path("/c/data/processed/releases")
    vintage = paths.of(date(2026, 3, 30))
    assert (vintage.root, vintage.processed) == (paths.root, Path("/c/data/processed/vintage-2026-03-30"))
    assert paths.of(None) is paths
    assert [paths.short(Path(name)) for name in ("/c/data/raw", "/other/raw")] == ["data/raw", "/other/raw"]
    monkeypatch.delenv("TRAINCOMPUTE_ROOT", raising=False)
    assert checkout().root == CHECKOUT == Path(__file__).resolve().parents[2]
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", "/c/../d")
    assert checkout() == Paths(Path("/d"))
