"""Releases and their files, held against index, manifest and sums; which release is read, and what a citation says of it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_release import VERSION

from traincompute.base import places
from traincompute.base.places import ReleaseError
from traincompute.cache import choice, edition, folders
from traincompute.cache.choice import choose, database, version_line
from traincompute.cache.edition import edition_of, sources_of
from traincompute.cache.folders import check_sums, download_release, home, local_release, read_manifest, verified
from traincompute.cache.index import Index, Release
from traincompute.cache.store import obtain

List = Callable[..., Release]
CHANGELOG = f"# Changelog\n\n## {VERSION}\n\nThe first release.\n"  # as write_release has it


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def restated(folder: Path, **changes: Any) -> Path:
    """Changes the manifest of a folder."""
    file = folder / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | changes))
    return folder


def published(release: Release) -> Release:
    """The same release at an address, its files in the cache already."""
    for entry in release.files.values():
        obtain(entry)
    files = {
        name: entry._replace(source=f"https://example.org/v{VERSION}/{name}") for name, entry in release.files.items()
    }
    return release._replace(files=files)


# --- downloads ---


def test_a_release_comes_whole_into_the_folder_or_into_the_cache(listed: List, tmp_path: Path) -> None:
    release = listed()
    assert download_release(release, tmp_path / "to") == tmp_path / "to" / f"v{VERSION}"
    assert download_release(release) == release.cached
    assert {path.name for path in release.cached.iterdir()} == set(release.files)


def test_a_folder_is_not_downloaded(tiny_release: Path) -> None:
    with pytest.raises(ReleaseError, match=f"{VERSION} is a folder already; there is nothing to download") as refused:
        download_release(local_release(tiny_release))
    assert refused.value.exit_code == 2


OTHER = {"url": f"v{VERSION}/CHANGELOG.md", "bytes": len(CHANGELOG), "sha256": hashlib.sha256(CHANGELOG.encode()).hexdigest()}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: files.pop("SHA256SUMS"), "the index lists no SHA256SUMS, so nothing says which files it has"),
        (
            lambda files: files.update({"b.md": OTHER, "a.md": OTHER, "SHA256SUMS.sig": OTHER}),
            "the index lists a.md, which is not in its SHA256SUMS",
        ),
        (lambda files: files.pop("models.csv"), "{models} in its manifest.json, none in the index"),
        (lambda files: files["models.csv"].update(sha256="0" * 64), f"{{models}} in its manifest.json, {'0' * 64} in the index"),
        (lambda files: files.pop("CHANGELOG.md"), "{changelog} in its SHA256SUMS, none in the index"),
    ],
)  # fmt: skip
def test_an_index_that_lists_others_than_manifest_and_sums_is_refused(
    listed: List, tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    release, mixes = listed(change), "mixes files of several releases"
    models, changelog = (
        f"{mixes}: {name} has sha256 {sha256(tmp_path / f'v{VERSION}' / name)}"
        for name in ("models.csv", "CHANGELOG.md")
    )
    with pytest.raises(ReleaseError) as refused:
        download_release(release, tmp_path / "to")
    told = str(refused.value)
    assert told.replace(f"release {VERSION}: ", "").removeprefix(f"release {VERSION} ") == said.format(
        models=models, changelog=changelog
    )
    assert not (tmp_path / "to").exists()


def test_the_sums_alone_are_held_against_the_index(listed: List) -> None:
    release = listed()
    check_sums(release, "".join(f"{entry.sha256}  {name}\n" for name, entry in release.files.items()))
    with pytest.raises(ReleaseError, match=f"CHANGELOG.md has sha256 {'0' * 64} in its SHA256SUMS"):
        check_sums(release, f"{'0' * 64}  CHANGELOG.md\n")


@pytest.mark.parametrize("signed", [True, False])
def test_where_it_is_known_who_may_sign_the_signature_is_looked_at(
    listed: List, tiny_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signed: bool
) -> None:
    if signed:
        (tiny_release / "SHA256SUMS.sig").write_text("signature")
    release, asked = listed(), list[tuple[str, str, str]]()

    def fault(sums: Path, signature: Path, signers: Path) -> str:
        asked.append((sums.name, str(signature), str(signers)))
        return "" if signature.is_file() else "SHA256SUMS.sig: is missing"

    monkeypatch.setattr(folders, "signature_fault", fault)
    download_release(release, tmp_path / "any")
    assert asked == [], "nobody is known who may sign"
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", "keys")
    if signed:
        download_release(release, tmp_path / "to")
        assert asked == [("SHA256SUMS", str(obtain(release.files["SHA256SUMS.sig"])), "keys")]
    else:
        with pytest.raises(ReleaseError, match=r"SHA256SUMS\.sig: is missing; none of it was kept"):
            download_release(release, tmp_path / "to")
        assert asked == [("SHA256SUMS", "SHA256SUMS.sig", "keys")]


# --- single files ---


def test_a_file_is_read_in_its_place_or_in_the_cache_once_it_was_verified(listed: List, tiny_release: Path) -> None:
    release = listed()
    assert verified(release, "models.csv") == tiny_release / "models.csv"
    far = published(release)
    assert verified(far, "models.csv") == obtain(far.files["models.csv"])
    (tiny_release / "models.csv").write_text("other")
    found, wanted = sha256(tiny_release / "models.csv"), release.files["models.csv"].sha256
    for said in (f"has sha256 {found}", "is missing"):
        with pytest.raises(ReleaseError) as refused:
            verified(release, "models.csv")
        assert str(refused.value) == (
            f"{tiny_release / 'models.csv'} {said}, but should have {wanted}; download or make release {VERSION} again"
        )
        (tiny_release / "models.csv").unlink(missing_ok=True)


def test_no_file_is_read_of_a_release_that_is_mixed(listed: List) -> None:
    release = listed(lambda files: files["models.parquet"].update(sha256="0" * 64))
    assert read_manifest(local_release(Path(release.files["manifest.json"].source).parent))
    for name in ("models.csv", "sources.csv"):
        with pytest.raises(ReleaseError, match=r"mixes files of several releases: models\.parquet"):
            verified(release, name)
    with pytest.raises(ReleaseError, match="of the index has the manifest of release"):
        verified(release._replace(version="2026.12.0"), "models.csv")


def test_a_folder_is_described_by_its_own_manifest_and_sums(tiny_release: Path) -> None:
    sums = tiny_release / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(sha256(tiny_release / "CHANGELOG.md"), "0" * 64))
    (tiny_release / "notes.txt").write_text("mine")
    (tiny_release / "more").mkdir()
    release = local_release(tiny_release)
    assert (release.version, release.channel, release.about["date"]) == (VERSION, "build", "2026-11-21")
    assert release.manifest_sha256 == sha256(tiny_release / "manifest.json")
    assert set(release.files) == {path.name for path in tiny_release.iterdir()} - {"more"}
    assert release.files["CHANGELOG.md"] == (
        "CHANGELOG.md", str(tiny_release / "CHANGELOG.md"), len(CHANGELOG), "0" * 64
    )  # fmt: skip
    assert release.files["notes.txt"].sha256 == sha256(tiny_release / "notes.txt")
    with pytest.raises(ReleaseError, match=f"CHANGELOG.md has sha256 .*, but should have {'0' * 64}"):
        verified(release, "CHANGELOG.md")


@pytest.mark.parametrize(
    ("changes", "version"),
    [({"release": None}, f"v{VERSION}"), ({"release": None, "version": "2026.12.0"}, "2026.12.0")],
)
def test_a_build_has_the_version_of_its_manifest_or_the_name_of_its_folder(
    tiny_release: Path, changes: dict[str, Any], version: str
) -> None:
    (tiny_release / "SHA256SUMS").unlink()
    digest = "1" * 64
    (tiny_release / "traincompute.duckdb.sha256").write_text(f"{digest}  traincompute.duckdb\n")
    release = local_release(restated(tiny_release, **changes))
    assert (release.version, release.about) == (version, {})
    assert release.files["traincompute.duckdb"].sha256 == digest
    assert verified(release, "models.csv") == tiny_release / "models.csv"


def test_a_manifest_that_describes_no_files_cannot_be_used(tiny_release: Path) -> None:
    with pytest.raises(ReleaseError, match=rf"{tiny_release}: its manifest\.json cannot be used: KeyError\('files'\)"):
        local_release(restated(tiny_release, tables={"models": {}}))


def test_the_home_of_a_release_is_the_one_folder_of_its_files(listed: List, tiny_release: Path) -> None:
    release = listed()
    assert home(release) == tiny_release
    far = published(release)
    assert home(far) is None
    one = {"models.csv": far.files["models.csv"]}
    assert home(release._replace(files=release.files | one)) is None
    elsewhere = {"models.csv": release.files["models.csv"]._replace(source="/elsewhere/models.csv")}
    assert home(release._replace(files=release.files | elsewhere)) is None


# --- which release is read ---


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without a build; the package carries nothing and knows no index."""
    root = tmp_path / "checkout"
    (root / "data" / "raw").mkdir(parents=True)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(root))
    for module in (places, choice):
        monkeypatch.setattr(module, "EMBEDDED", str(tmp_path / "embedded"))
    for module in (places, choice, edition):
        monkeypatch.setattr(module, "BUILT_IN", str(tmp_path / "default_index.txt"))
    return root


def built(root: Path, tiny_release: Path, **changes: Any) -> Path:
    """The release as the dataset at hand."""
    return restated(Path(shutil.copytree(tiny_release, root / "data" / "processed", dirs_exist_ok=True)), **changes)


def own_releases(root: Path, tiny_release: Path) -> None:
    shutil.copytree(tiny_release.parent, root / "data" / "processed" / "releases", ignore=lambda *_: ["checkout"])


def test_a_folder_or_else_the_build_is_read(
    root: Path, tiny_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose(str(tiny_release)) == local_release(tiny_release)
    with pytest.raises(ReleaseError) as refused:
        choose(None)
    assert str(refused.value) == (
        f"{root}/data/processed/traincompute.duckdb does not exist; run `traincompute build` first"
    )
    at_hand = built(root, tiny_release)
    assert choose(None) == local_release(at_hand)
    assert database(None) == at_hand / "traincompute.duckdb"
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path / "nowhere"))
    with pytest.raises(ReleaseError, match="no index of releases is known"):
        choose(None)


def test_without_a_build_the_latest_release_is_read(
    root: Path, listed: List, tiny_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = listed()
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tiny_release.parent))
    assert choose(None) == choose("latest") == release
    monkeypatch.delenv("TRAINCOMPUTE_INDEX")
    own_releases(root, tiny_release)
    assert choose(None).files["models.csv"].source == f"{root}/data/processed/releases/v{VERSION}/models.csv"


def test_a_released_version_that_is_at_hand_is_read_unless_an_index_is_named(
    root: Path, listed: List, tiny_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_hand = local_release(built(root, tiny_release))
    assert choose(VERSION) == choose(f"v{VERSION}") == at_hand
    with pytest.raises(ReleaseError, match=rf"2026\.10\.0\b.*{VERSION} \(a release\)") as refused:
        choose("2026.10.0")
    assert refused.value.exit_code == 2
    release = listed()
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tiny_release.parent))
    assert choose(VERSION) == release


@pytest.mark.parametrize("indexed", ["own", "built in", ""])
def test_a_build_is_not_the_release_of_its_version(
    root: Path, listed: List, tiny_release: Path, tmp_path: Path, indexed: str
) -> None:
    listed()
    built(root, tiny_release, release=None, version="2026.12.0.dev1+gc0ffee")
    if indexed == "own":
        own_releases(root, tiny_release)
    elif indexed:
        (tmp_path / "default_index.txt").write_text(str(tiny_release.parent))
    there = VERSION if indexed else r"2026\.12\.0\.dev1\+gc0ffee \(a build\)"
    for asked in ("2026.12.0", "2026.12.0.dev1+gc0ffee"):
        with pytest.raises(ReleaseError, match=f"{re.escape(asked)};.*{there}"):
            choose(asked)
    if indexed:
        assert choose(VERSION).channel == "release"


def test_only_the_latest_release_is_asked_for_anew(
    root: Path, listed: List, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, asked = listed(), list[bool]()

    def read(fresh: bool) -> Index:
        asked.append(fresh)
        return Index("", 1, VERSION, {VERSION: release})

    monkeypatch.setattr(choice, "read_index", read)
    assert choose("latest") == choose(VERSION) == release
    assert asked == [True, False]


def test_the_version_says_whose_the_data_are_and_to_which_day_they_reach(
    root: Path, tiny_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert version_line(VERSION) == VERSION
    folder = built(root, tiny_release, as_of="2026-11-20")
    assert version_line(VERSION) == f"{VERSION}, facts to 2026-11-20"
    assert version_line("2026.12.0") == f"2026.12.0, data {VERSION}, facts to 2026-11-20"
    restated(folder, release=None, version="2026.12.0.dev1+gc0ffee")
    assert version_line(VERSION) == f"{VERSION}, data 2026.12.0.dev1+gc0ffee, facts to 2026-11-20"
    assert version_line("2026.12.0") == "2026.12.0.dev1+gc0ffee, facts to 2026-11-20"
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(folder / "nothing"))
    assert version_line(VERSION) == VERSION


# --- what a citation says of it ---


def test_an_edition_has_version_day_hash_and_address(
    root: Path, listed: List, tiny_release: Path, tmp_path: Path
) -> None:
    release = listed()
    of_it = {
        "version": VERSION,
        "date": "2026-11-21",
        "facts_until": "",
        "entered_until": "",
        "manifest_sha256": release.manifest_sha256,
    }
    assert edition_of(release) == of_it | {"url": None}
    assert edition_of(published(release))["url"] == f"https://example.org/v{VERSION}"
    (tmp_path / "default_index.txt").write_text("https://example.org/releases.json\n")
    assert edition_of(local_release(tiny_release))["url"] == "https://example.org/releases.json"
    (tiny_release / "SHA256SUMS").unlink()
    build = edition_of(local_release(restated(tiny_release, release=None)))
    assert (build["date"], build["url"]) == (None, None)
    assert sources_of(local_release(tiny_release))[0] == {"source_id": "epoch_all", "redistribute": True}
