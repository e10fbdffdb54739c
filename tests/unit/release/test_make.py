"""How releases are put together, from builds of a few bytes; tests/faults/test_release.py makes them of real ones."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.release import make
from pipeline.release.commit import Commit
from pipeline.release.make import Request, asset_name, build_into, entry_of, make_releases, place, vintage

COMMIT = Commit("c0ffee" + "0" * 34, "2026-11-22")


def write_build(folder: Path, notable: tuple[bool | None, ...] = (True, False, None)) -> None:
    folder.mkdir(parents=True)
    tables = {"models": {"rows": len(notable)}}
    (folder / "manifest.json").write_text(json.dumps({"schema_version": "0.1.0", "as_of": None, "tables": tables}))
    parquet.write_table(pa.table({"is_notable": pa.array(notable, pa.bool_())}), folder / "models.parquet")


def write_description(_paths: Paths, folder: Path, before: Path | None, release: dict[str, Any]) -> None:
    told = json.loads((folder / "manifest.json").read_text()) | {"release": release}
    (folder / "manifest.json").write_text(json.dumps(told))
    (folder / ".zenodo.json").write_text(f"compared with {before and before.name}")


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Commit, bool]]:
    """What each look at the checkout found, and whether files were allowed to differ from it."""
    seen: list[tuple[Commit, bool]] = []
    monkeypatch.setattr(make, "read_commit", lambda _, dirty: seen.append((COMMIT, dirty)) or COMMIT)
    return seen


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch, commits: list[tuple[Commit, bool]]) -> list[Path]:
    """Builds, descriptions and checks in a moment; returns where what all builds share was laid."""
    laid: list[Path] = []
    monkeypatch.setattr(make.build, "lay_ground", lambda _, file: laid.append(file) or "ground")
    monkeypatch.setattr(make, "build_into", lambda _paths, _day, work, ground: write_build(work) if ground else None)
    monkeypatch.setattr(make, "describe", write_description)
    monkeypatch.setattr(make, "problems_of", lambda _: [])
    monkeypatch.setattr(make, "sync", lambda _: None)
    return laid


def test_two_releases_of_one_run(tmp_path: Path, ground: list[Path], commits: list[tuple[Commit, bool]]) -> None:
    paths, said = Paths(tmp_path), list[str]()
    folders = list(make_releases(paths, [Request("2026.11.0"), Request("2026.11.1", url="https://x.org/{folder}/{asset}")], said.append))  # fmt: skip
    assert [folder.name for folder in folders] == ["v2026.11.0", "v2026.11.1"]
    (laid,) = ground
    assert laid.match(f"{paths.releases}/.making.*.tmp/empty.duckdb"), "laid once"
    assert {dirty for _, dirty in commits} == {False}, "unless it is asked for"
    begun = [f"building {version} from c0ffee000000" for version in ("2026.11.0", "2026.11.1")]
    assert sorted(said) == [*begun, *["verifying 5 files"] * 2]
    assert {path.name for path in paths.releases.iterdir()} == {"releases.json", "v2026.11.0", "v2026.11.1"}
    assert (folders[1] / ".zenodo.json").read_text() == "compared with v2026.11.0"
    names = {".zenodo.json", "SHA256SUMS", "manifest.json", "models.parquet", "traincompute-2026.11.1.zip"}
    assert {file.name: file.stat().st_mode & 0o777 for file in folders[1].iterdir()} == dict.fromkeys(names, 0o444)
    release = json.loads((folders[1] / "manifest.json").read_text())["release"]
    assert release == {"version": "2026.11.1", "channel": "release", "date": "2026-11-22", "commit": COMMIT.sha, "previous": "2026.11.0"}  # fmt: skip
    index = json.loads((paths.releases / "releases.json").read_text())
    assert (index["serial"], index["latest"]) == (2, "2026.11.1")
    first, second = index["releases"]
    assert (first["models"], first["notable"], first["date"]) == (3, 1, "2026-11-22")
    assert first["files"][".zenodo.json"]["url"] == "v2026.11.0/.zenodo.json"
    assert second["files"][".zenodo.json"]["url"] == "https://x.org/v2026.11.1/default.zenodo.json"
    assert second["bytes"] == sum(file.stat().st_size for file in folders[1].iterdir())


def test_the_name_of_a_vintage_is_compared_whole(tmp_path: Path, ground: list[Path]) -> None:
    requests = [Request(vintage(day), day) for day in (date(2024, 2, 1), date(2025, 5, 6))]
    *_, folder = make_releases(Paths(tmp_path), requests, lambda _: None)
    assert json.loads((folder / "manifest.json").read_text())["release"]["previous"] == "vintage-2024-02-01"
    assert json.loads((folder.parent / "releases.json").read_text())["latest"] is None


def test_a_number_is_taken_once_and_in_order(tmp_path: Path, ground: list[Path]) -> None:
    def release(version: str) -> None:
        list(make_releases(Paths(tmp_path), [Request(version)], lambda _: None))

    release("2026.11.0")
    release("vintage-2025-05-06")  # of another channel, so neither older nor newer
    for version, reason in {"2026.11.0": "has already been released", "2026.9.0": "is older than the latest release 2026.11.0"}.items():  # fmt: skip
        with pytest.raises(DataError, match=f'^release: "{version}": {reason}'):
            release(version)
    (tmp_path / "data" / "processed" / "releases" / "v2026.11.0" / "manifest.json").unlink()
    with pytest.raises(DataError, match=r'"2026\.11\.0": the previous release is not here'):
        release("2026.12.0")


def test_what_was_released_before_is_checked_unless_this_run_made_it(
    tmp_path: Path, ground: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    list(make_releases(Paths(tmp_path), [Request("2026.11.0")], lambda _: None))
    monkeypatch.setattr(make, "problems_of", lambda folder: ["is spoilt"] if folder.endswith(b"v2026.11.0") else [])
    with pytest.raises(DataError, match=r"^v2026\.11\.0: is spoilt; fetch it again"):
        list(make_releases(Paths(tmp_path), [Request("2026.12.0")], lambda _: None))


def test_files_that_change_during_a_build_stop_it(
    tmp_path: Path, ground: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = iter([COMMIT, Commit("d" * 40, "2026-11-23")])
    monkeypatch.setattr(make, "read_commit", lambda *_: next(later))
    with pytest.raises(DataError, match="files changed during the build"):
        list(make_releases(Paths(tmp_path), [Request("2026.11.0")], lambda _: None))


def test_of_a_build_its_published_files_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(paths: Paths, day: date | None, _ground: object) -> None:
        made = paths.processed / ".builds" / "build-1"
        made.mkdir(parents=True)
        for name in ("models.csv", ".fingerprint"):  # the second is for the next build
            (made / name).write_text(f"{day}")
        (paths.processed / ".current").symlink_to(made)

    monkeypatch.setattr(make.build, "build", build)
    build_into(Paths(tmp_path / "checkout"), date(2025, 5, 6), tmp_path / "work")
    assert [(path.name, path.is_dir()) for path in tmp_path.iterdir()] == [("work", True)]
    assert [(file.name, file.read_text()) for file in (tmp_path / "work").iterdir()] == [("models.csv", "2025-05-06")]


def test_a_folder_from_a_killed_run_is_adopted_only_if_it_is_the_same(tmp_path: Path, ground: list[Path]) -> None:
    work, folder = tmp_path / "work", tmp_path / "v2026.11.0"
    for place_ in (work, folder):
        write_build(place_)
    (folder / "traincompute.duckdb").write_bytes(b"other bytes in every build")
    assert place(work, folder) == folder
    (work / "models.csv").touch()
    with pytest.raises(DataError, match=r"v2026\.11\.0: already exists, is not in releases\.json, and differs"):
        place(work, folder)


def test_a_dataset_of_which_nothing_is_known_to_be_notable_counts_none(tmp_path: Path) -> None:
    write_build(tmp_path / "v", (None,))
    write_description(Paths(), tmp_path / "v", None, {"version": "2026.11.0", "channel": "release", "date": ""})
    assert entry_of(tmp_path / "v", "")["notable"] == 0


def test_assets_of_github_have_no_leading_dot() -> None:
    assert [asset_name(name) for name in (".zenodo.json", "models.csv")] == ["default.zenodo.json", "models.csv"]
