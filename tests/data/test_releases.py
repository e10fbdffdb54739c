"""Releases made from clones of a checkout with few rows: the same bytes everywhere, valid descriptions, and a
rebuild."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from checkouts import add_code, git
from click.testing import CliRunner
from machine import OLDEST_KERNELS, needs_ssh_keygen

from pipeline.base.paths import Paths
from pipeline.release.bundle import NOT_REPRODUCIBLE, SUMS
from pipeline.release.rebuild import rebuild_problems
from traincompute.cli import group
from traincompute.verification.verify import SIGNATURE, verify_release

pytestmark = pytest.mark.thorough

VERSION = "2026.11.0"
DAY = "2026-11-21T23:30:00-05:00"  # in UTC it is the next day
SETTINGS = [
    {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
    {
        "TZ": "Pacific/Kiritimati",
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "4711",
        "OPENBLAS_NUM_THREADS": "2",
        **OLDEST_KERNELS,
    },
]


def run(root: Path, cwd: Path, *arguments: str, umask: str = "022", **environment: str) -> None:
    """Runs a command with the code of that checkout."""
    code = "from traincompute.cli import main; main()"
    env = {**os.environ, "TRAINCOMPUTE_ROOT": str(root), "PYTHONPATH": str(root), **environment}
    shell = ["sh", "-c", f'umask {umask}; exec "$@"', "sh", sys.executable, "-c", code, *arguments]
    done = subprocess.run(shell, cwd=cwd, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def origin(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed checkout: this one's code and schemas, and the few rows of the small one."""
    root = tmp_path_factory.mktemp("clones") / "origin"
    shutil.copytree(small_template.root, root, symlinks=True, ignore=shutil.ignore_patterns("processed", "cache"))
    add_code(root)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all", day=DAY)
    return root


def released(origin: Path, number: int, *options: str) -> Path:
    """A release from a clone of its own, with the settings of that number."""
    clone = origin.with_name(f"clone-{number}")
    git(origin, "clone", "-q", str(origin), str(clone))
    cwd, umask = [(clone, "022"), (origin.parent, "077")][number]
    run(clone, cwd, "release", VERSION, *options, umask=umask, **SETTINGS[number])
    return Paths(clone).releases / f"v{VERSION}"


@pytest.fixture(scope="module")
def release(origin: Path, key: Path | None) -> Path:
    """Signed where there is a key."""
    signed = ["--key", str(key)] if key else []
    return released(origin, 0, "--url", "https://example.org/{folder}/{asset}", *signed)


def test_two_clones_give_the_same_bytes(origin: Path, release: Path, key: Path | None) -> None:
    """Under different settings and on different processors."""
    folders = [release, released(origin, 1)]
    contents = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert contents[0].keys() - {SIGNATURE} == contents[1].keys()
    differing = {name for name in contents[1] if contents[0][name] != contents[1][name]}
    assert differing <= {*NOT_REPRODUCIBLE, SUMS}  # the sums name the DuckDB file, which differs
    assert len(contents[0]) >= 25
    signers = [key.with_name("signers") if key else None, None]
    found = [verify_release(*pair) for pair in zip(folders, signers, strict=True)]
    assert found == [[], []]  # contents of DuckDB as in the manifest


def test_the_day_is_that_of_the_commit_in_utc(release: Path) -> None:
    manifest = json.loads((release / "manifest.json").read_text())["release"]
    assert (manifest["version"], manifest["channel"], manifest["date"]) == (VERSION, "release", "2026-11-22")
    assert len(manifest["commit"]) == 40


def test_a_rebuild_from_the_commit_on_an_old_processor_gives_the_same_bytes(origin: Path, release: Path) -> None:
    run(origin, release, "rebuild", str(release), **OLDEST_KERNELS)


def test_a_rebuild_on_an_old_processor_differs_in_what_was_altered_alone(
    origin: Path, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    altered = tmp_path / release.name
    shutil.copytree(release, altered)
    sums = (altered / SUMS).read_text().splitlines()
    (altered / SUMS).chmod(0o644)
    (altered / SUMS).write_text(
        "".join(f"{'0' * 64 if s.endswith('  CITATION.cff') else s[:64]}{s[64:]}\n" for s in sums)
    )
    for name, value in OLDEST_KERNELS.items():
        monkeypatch.setenv(name, value)  # the rebuild runs in a process of its own
    assert rebuild_problems(Paths(origin), altered) == ["CITATION.cff: differs from what the release's commit produces"]


def test_the_data_package_is_valid(release: Path) -> None:
    frictionless = pytest.importorskip("frictionless")
    report = frictionless.validate(str(release / "datapackage.json"))
    assert report.valid, report.flatten(["type", "message"])
    assert {task.name for task in report.tasks} == set(json.loads((release / "manifest.json").read_text())["tables"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_croissant_is_valid_and_a_record_is_read_through_it(release: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(release / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    record = next(record for record in dataset.records("models") if record["models/name"] == b"AlexNet")
    assert record["models/training_compute_flop"] == 4.7e17  # the golden row
    assert record["models/organizations"] == [b"University of Toronto"]


def test_the_citation_has_what_its_schema_asks_for(release: Path) -> None:
    """Citation File Format 1.2.0, schema.json: required keys, the type, the pattern of the date."""
    cff = yaml.safe_load((release / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"authors", "cff-version", "message", "title"} <= set(cff)
    assert (cff["cff-version"], cff["type"], cff["version"]) == ("1.2.0", "dataset", VERSION)
    assert (cff["date-released"], cff["license"]) == ("2026-11-22", "CC-BY-4.0")
    assert all(reference["type"] and reference["title"] and reference["authors"] for reference in cff["references"])
    entry = (release / "traincompute.bib").read_text()
    assert entry.startswith("@dataset{traincompute_2026_11_0,")
    assert "version = {2026.11.0}" in entry
    assert json.loads((release / ".zenodo.json").read_text())["upload_type"] == "dataset"


def test_the_card_has_a_head_that_hubs_read(release: Path) -> None:
    _, head, text = (release / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(head)
    assert card["license"] == "cc-by-4.0"
    assert {"config_name": "models", "data_files": "models.parquet", "default": True} in card["configs"]
    assert "@dataset{" in text


def test_the_zip_holds_all_but_the_database_and_the_sums(release: Path) -> None:
    archive = zipfile.ZipFile(release / f"traincompute-{VERSION}.zip")
    names = {name.removeprefix(f"traincompute-{VERSION}/") for name in archive.namelist()}
    left_out = {*NOT_REPRODUCIBLE, SUMS, SIGNATURE, f"traincompute-{VERSION}.zip"}
    assert names == {file.name for file in release.iterdir()} - left_out
    assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@needs_ssh_keygen
def test_a_signed_release_verifies_and_an_altered_one_does_not(release: Path, key: Path, tmp_path: Path) -> None:
    folder, signers = tmp_path / release.name, key.with_name("signers")
    shutil.copytree(release, folder)
    assert verify_release(folder, signers) == []
    (folder / SUMS).chmod(0o644)
    with (folder / SUMS).open("a") as handle:
        handle.write("\n")
    assert verify_release(folder, signers)[-1] == f"{SIGNATURE}: does not fit {SUMS}"


def test_vintages_form_a_chain_and_the_current_release_stays_the_latest(origin: Path, release: Path) -> None:
    clone = origin.with_name("clone-0")
    run(clone, origin.parent, "release", "--as-of", "2026-03-31")
    index = json.loads((release.parent / "releases.json").read_text())
    told = [(entry["version"], entry["channel"], entry["as_of"]) for entry in index["releases"]]
    assert told == [(VERSION, "release", None), ("vintage-2026-03-31", "vintage", "2026-03-31")]
    assert (index["latest"], index["serial"]) == (VERSION, 2)
    full, relative = (entry["files"][".zenodo.json"]["url"] for entry in index["releases"])
    assert full == f"https://example.org/v{VERSION}/default.zenodo.json"
    assert relative == "vintage-2026-03-31/.zenodo.json"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one of VERSION"),
        (["2026.11.0", "--vintages"], "give one of VERSION"),
        (["2026.011.0"], "is not a version"),
        (["vintage-2025-05-06"], "a vintage is made by --as-of"),
        (["2026.11.0", "--url", "https://example.org/{file}"], "{file}"),
    ],
)
def test_usage_errors_say_what_is_wrong(
    small: Paths, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    result = CliRunner().invoke(group, ["release", *arguments])
    assert result.exit_code != 0
    assert message in (result.output + str(result.exception))


def test_files_that_differ_from_the_commit_are_refused(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.base.errors import DataError
    from pipeline.release.commit import read_commit

    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    with pytest.raises(DataError, match="is not a git checkout"):
        read_commit(small, allow_dirty=False)
    git(small.root, "init", "-q")
    git(small.root, "add", "-A")
    git(small.root, "commit", "-qm", "all", day=DAY)
    assert read_commit(small, allow_dirty=False).date == "2026-11-22"
    (small.curated / "facts_new.csv").write_text("")
    with pytest.raises(DataError, match=r"facts_new\.csv differ from the commit"):
        read_commit(small, allow_dirty=False)
    assert read_commit(small, allow_dirty=True).sha.endswith("-dirty")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert read_commit(small, allow_dirty=True).date == "1970-01-01"
