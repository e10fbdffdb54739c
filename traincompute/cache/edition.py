"""What a citation or an export says of the release or build that it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyarrow import parquet

from traincompute.base.places import BUILT_IN, MANIFEST, is_remote
from traincompute.cache.folders import read_manifest, verified
from traincompute.cache.index import Release
from traincompute.verification.manifest import entered_until, facts_until


def edition_of(release: Release) -> dict[str, Any]:
    """version, date (None where it was not released), facts_until, entered_until, manifest_sha256 and url (None where none
    is known)."""
    about = read_manifest(release)
    return {
        "version": release.version,
        "date": (about.get("release") or {}).get("date"),
        "facts_until": facts_until(about),
        "entered_until": entered_until(about),
        "manifest_sha256": release.manifest_sha256,
        "url": _url(release),
    }


def sources_of(release: Release) -> list[dict[str, Any]]:
    """The rows of its table `sources`."""
    rows: list[dict[str, Any]] = parquet.read_table(verified(release, "sources.parquet")).to_pylist()
    return rows


def _url(release: Release) -> str | None:
    """Where it is published: the folder of its manifest, or the index that the package was made with."""
    source = release.files[MANIFEST].source
    if is_remote(source):
        return source.rpartition("/")[0]
    return Path(BUILT_IN).read_text(encoding="utf-8").strip() if Path(BUILT_IN).is_file() and release.about else None
