"""The head of the manifest."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import pandas as pd

from pipeline.config import SCHEMA_VERSION
from pipeline.paths import Paths, build_version
from pipeline.publish.publication import manifest_head


def test_the_head_of_the_manifest_names_the_vintage_and_the_snapshots_in_use(tmp_path: Path) -> None:
    sources = pd.DataFrame({"source_id": ["a", "b"], "snapshot": [pd.Timestamp("2026-03-30"), pd.NaT]})
    context: Any = Some(paths=Paths(tmp_path))
    same = {"name": "traincompute", "schema_version": SCHEMA_VERSION, "snapshots": {"a": "2026-03-30"}}
    head = manifest_head(context, sources, None)
    assert head == same | {"version": build_version(), "as_of": None, "lock_sha256": hashlib.sha256(b"").hexdigest()}
    context.paths.lock.parent.mkdir(parents=True)
    context.paths.lock.write_bytes(b"{}")
    head = manifest_head(context, sources, date(2026, 3, 30))
    assert (head["version"], head["as_of"]) == ("vintage-2026-03-30", "2026-03-30")
    assert head["lock_sha256"] == hashlib.sha256(b"{}").hexdigest()
