"""A release of two small tables, listed in an index beside it, and a cache of its own for each test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from release_folders import entry_of, write_index
from tiny_release import VERSION

from traincompute.base.locks import claims
from traincompute.cache import store
from traincompute.cache.index import Release, parse_index
from traincompute.verification import verify

List = Callable[..., Release]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache. No environment names another dataset, and a lock that is asked for without end fails."""
    asked: list[int] = []

    def ask(handle: int) -> bool | None:
        asked.append(handle)
        assert len(asked) < 100
        return claims(handle)

    monkeypatch.setattr(store, "claims", ask)
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    for name in ("TRAINCOMPUTE_INDEX", "TRAINCOMPUTE_DATA", "TRAINCOMPUTE_SIGNERS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache"


@pytest.fixture
def listed(tiny_release: Path, monkeypatch: pytest.MonkeyPatch) -> List:
    """What an index says of the release, after a change of its files; what the files hold is not the question."""
    monkeypatch.setattr(verify, "run_bounded", lambda *_: [])

    def release(change: Callable[[dict[str, Any]], object] = lambda _: None) -> Release:
        entry = entry_of(tiny_release, json.loads((tiny_release / "manifest.json").read_bytes()))
        change(entry["files"])
        index = write_index(tiny_release.parent, [entry])
        return parse_index(index.read_bytes(), str(index)).releases[VERSION]

    return release
