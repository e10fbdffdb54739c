"""Texts that the bench makes, compared with the copies below tests/golden/bench, which a failure shows anew."""

from __future__ import annotations

from bench.measure import ROOT


def as_kept(name: str, text: str) -> None:
    kept = ROOT / "tests" / "golden" / "bench" / name
    assert text == (kept.read_text(encoding="utf-8") if kept.exists() else ""), text
