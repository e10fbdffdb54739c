"""Whole releases as folders, and single files of a release, each checked against its index or manifest when it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME, MANIFEST, SIGNATURE, ReleaseError, is_remote
from traincompute.cache.index import Entry, Release
from traincompute.cache.placement import place
from traincompute.cache.store import Show, intact, obtain, silent
from traincompute.verification.manifest import read_json, version_of
from traincompute.verification.signature import known_signers, signature_fault
from traincompute.verification.sums import SUMS, parse_sums

BUILD = "build"  # the channel of a folder that no index lists


def download_release(release: Release, to: str | Path | None = None, show: Show = silent) -> Path:
    """The folder of the whole release, `to`/v2026.11.0 or one in the cache, complete and verified.

    `show` gets the number of bytes so far. Raises ReleaseError before anything but the manifest and the sums is fetched
    where the index mixes files of several releases, lists others than the sums do, or those who may sign did not sign."""
    if release.channel == BUILD:
        raise ReleaseError(f"{release.version} is a folder already; there is nothing to download", 2)
    check_manifest(release, read_json(obtain(release.files[MANIFEST])))
    if SUMS not in release.files:
        raise ReleaseError(f"release {release.version}: the index lists no {SUMS}, so nothing says which files it has")
    check_sums(release, obtain(release.files[SUMS]).read_text(encoding="utf-8"))
    check_signed(release)
    target = Path(to).expanduser().absolute() / release.folder if to else release.cached
    return place(release, target, show)


def check_signed(release: Release) -> None:
    """Raises ReleaseError where it is known who may sign, and none of them has. Where nobody is known, no signature is
    looked at."""
    if signers := known_signers():
        signature = obtain(release.files[SIGNATURE]) if release.is_signed else Path(SIGNATURE)
        fault = signature_fault(obtain(release.files[SUMS]), signature, signers)
        if fault:
            raise ReleaseError(f"release {release.version}: {fault}; none of it was kept")


def verified(release: Release, name: str) -> Path:
    """The file of a release: in place where the index is local, else from the cache, fetched where it must be.

    Raises ReleaseError where it is not what index and manifest say."""
    entry = release.files[name]
    if name != MANIFEST and release.channel != BUILD:
        read_manifest(release)
    if is_remote(entry.source):
        return obtain(entry)
    path = Path(entry.source)
    if not intact(path, entry):
        found = f"has sha256 {file_sha256(path)}" if path.is_file() else "is missing"
        raise ReleaseError(
            f"{path} {found}, but should have {entry.sha256}; download or make release {release.version} again"
        )
    return path


def read_manifest(release: Release) -> dict[str, Any]:
    """The manifest of a release. Raises ReleaseError where it describes other files than the index does."""
    manifest = read_json(verified(release, MANIFEST))
    if release.channel != BUILD:
        check_manifest(release, manifest)
    return manifest


def check_manifest(release: Release, manifest: dict[str, Any]) -> None:
    """Raises ReleaseError where the manifest is not of this release or describes other files than the index does."""
    version = version_of(manifest)
    if version != release.version:
        raise ReleaseError(f"release {release.version} of the index has the manifest of release {version}")
    for name, digest in _stated(manifest, f"release {release.version}").items():
        _check_listed(release, name, digest, MANIFEST)


def _stated(manifest: dict[str, Any], where: object) -> dict[str, str]:
    """{file name: sha256} of the files of the tables. Raises ReleaseError where the manifest is none."""
    try:
        return {
            name: entry["sha256"] for table in manifest["tables"].values() for name, entry in table["files"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleaseError(f"{where}: its {MANIFEST} cannot be used: {error!r}") from error


def check_sums(release: Release, text: str) -> None:
    """Raises ReleaseError where the text of SHA256SUMS states other files or hashes than the index."""
    stated = parse_sums(text, f"release {release.version}: its {SUMS}")
    for name, digest in stated.items():
        _check_listed(release, name, digest, SUMS)
    if foreign := sorted(release.files.keys() - stated.keys() - {SUMS, SIGNATURE}):
        raise ReleaseError(f"release {release.version}: the index lists {foreign[0]}, which is not in its {SUMS}")


def _check_listed(release: Release, name: str, digest: str, where: str) -> None:
    listed = release.files[name].sha256 if name in release.files else "none"
    if listed != digest:
        raise ReleaseError(
            f"release {release.version} mixes files of several releases: {name} has sha256 {digest} in its {where}, {listed} in the index"
        )


def local_release(folder: Path) -> Release:
    """A folder that holds a release or a build, as an index would describe it; hashes from its own manifest and sums."""
    manifest = read_json(folder / MANIFEST)
    stated, version = _stated(manifest, folder), version_of(manifest)
    for sums in (f"{DUCKDB_NAME}.sha256", SUMS):
        if (folder / sums).is_file():
            stated |= parse_sums((folder / sums).read_text(encoding="utf-8"), folder / sums)
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    files = {name: _local_entry(folder / name, stated.get(name)) for name in names}
    about = manifest["release"] if version else {}
    return Release(
        version or str(manifest.get("version") or folder.name), BUILD, file_sha256(folder / MANIFEST), files, about
    )


def _local_entry(path: Path, stated: str | None) -> Entry:
    return Entry(path.name, str(path), path.stat().st_size, stated or file_sha256(path))


def home(release: Release) -> Path | None:
    """The folder in which all files of the release lie on this machine; None where there is none."""
    sources = {entry.source for entry in release.files.values()}
    folders = {Path(source).parent for source in sources if not is_remote(source)}
    if len(folders) == 1 and not any(is_remote(source) for source in sources):
        return folders.pop()
    return None
