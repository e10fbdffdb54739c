"""Stage 4: writes all tables and the manifest."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.base.build_version import build_version
from pipeline.publish.publication import publish
from pipeline.registry.context import SCHEMA_VERSION, Context
from pipeline.registry.frames import Tables


def publish_tables(context: Context, made: Tables, as_of: date | None) -> Path:
    """Writes all tables and the manifest below data/processed/; returns the folder, which a vintage has to itself."""
    folder = context.paths.of(as_of).processed
    publish(made, context.schemas, context.views, manifest_head(context, made, as_of), folder)
    return folder


def manifest_head(context: Context, made: Tables, as_of: date | None) -> dict[str, Any]:
    """The head of the manifest: versions, vintage, snapshots in use, digest of the lock; no trace of machine or
    clock."""
    lock = context.paths.lock.read_bytes() if context.paths.lock.exists() else b""
    used = made["sources"].set_index("source_id")["snapshot"].dropna().dt.strftime("%Y-%m-%d")
    return {
        "name": "traincompute",
        "version": f"vintage-{as_of}" if as_of else build_version(),
        "schema_version": SCHEMA_VERSION,
        "as_of": as_of.isoformat() if as_of else None,
        "snapshots": used.to_dict(),
        "lock_sha256": hashlib.sha256(lock).hexdigest(),
    }
