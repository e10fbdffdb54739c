"""`traincompute releases`, `verify` and --version, as a person and a script see them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from release_folders import sha256, write_index, write_release

from pipeline.base.paths import CHECKOUT, Paths
from traincompute.cli import group
from traincompute.commands.releases import download, releases, verify
from traincompute.verification import verify as verification
from traincompute.verification.contents import problems_of
from traincompute.verification.rendering import csv_digests
from traincompute.verification.sums import SUMS
from traincompute.verification.verify import verify_release

VERSION = "2026.11.0"


@pytest.fixture(scope="module")
def made(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with one release of the small checkout and its index."""
    folder = tmp_path_factory.mktemp("commands") / "releases"
    write_index(folder, [write_release(built.processed, folder, VERSION)])
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the release's folder that a test may damage; the index and a cache of its own."""
    shutil.copytree(made, tmp_path / "releases")
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tmp_path / "releases"))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "releases" / f"v{VERSION}"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were handed to the process that judges; it is not started, and finds nothing."""
    folders: list[Path] = []

    def judge(_: str, folder: bytes, __: object) -> list[str]:
        folders.append(Path(os.fsdecode(folder)))
        return []

    monkeypatch.setattr(verification, "run_bounded", judge)
    return folders


def resum(folder: Path) -> None:
    """Makes SHA256SUMS fit the files as they are now."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith(SUMS))
    (folder / SUMS).write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in names))


def rewrite(folder: Path, change: Callable[[dict], None]) -> None:  # type: ignore[type-arg]
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / f"traincompute-{VERSION}.zip").unlink()
    resum(folder)


def problems(folder: Path) -> list[str]:
    """What is wrong with the folder, judged in this process, which is quicker."""
    return problems_of(os.fsencode(folder))


def test_releases_for_people_and_for_scripts(folder: Path, judged: list[Path]) -> None:
    lines = CliRunner().invoke(releases).stdout.splitlines()
    assert lines[0].split() == ["version", "date", "models", "notable", "size"]
    assert lines[1].split()[:2] == [VERSION, "2026-11-21"]
    assert lines[1].endswith("latest, on this machine"), "an index of a folder lists what lies in it"
    assert CliRunner().invoke(download).exit_code == 0
    assert CliRunner().invoke(releases).stdout.splitlines()[1].endswith("latest, on this machine")
    found = json.loads(CliRunner().invoke(releases, ["--json"]).stdout)
    assert found["latest"] == VERSION
    assert found["releases"][0]["models"] == 16, "rows of the golden file"
    assert found["releases"][0]["here"] is True


def test_listing_releases_needs_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys; from traincompute.cli import group; group(['releases'], standalone_mode=False); "
        "print([n for n in ('pandas', 'pyarrow', 'duckdb', 'pooch', 'http.client', 'ssl') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    assert result.stdout.splitlines()[-1] == "[]"


def test_a_release_as_it_was_made_is_verified(tiny_release: Path) -> None:
    result = CliRunner().invoke(verify, [str(tiny_release)])
    assert (result.exit_code, result.stdout) == (0, f"{tiny_release}: verified\n")


def test_without_a_name_the_latest_release_is_verified(folder: Path, judged: list[Path]) -> None:
    assert CliRunner().invoke(verify).exit_code == 0
    assert [place.name for place in judged] == [f"v{VERSION}"]


def test_the_content_hash_is_that_of_the_manifest(folder: Path) -> None:
    from pyarrow import parquet

    for name, table in json.loads((folder / "manifest.json").read_bytes())["tables"].items():
        data = parquet.read_table(folder / f"{name}.parquet")
        assert csv_digests(data.schema, data.to_batches()).content == table["content_sha256"]


def test_an_altered_a_missing_and_a_foreign_file_are_named(folder: Path) -> None:
    (folder / "models.csv").write_text("altered")
    (folder / "claims.csv").unlink()
    (folder / "notes.txt").write_text("mine")
    found = problems(folder)
    assert found[0] == "notes.txt: is not listed in SHA256SUMS"
    assert found[1] == "claims.csv: is missing"
    assert found[2].startswith(f"models.csv: sha256 is {sha256(folder / 'models.csv')}, but ")
    assert CliRunner().invoke(verify, [str(folder)]).exit_code == 1


def test_sums_that_were_made_to_fit_do_not_hide_a_swapped_table(folder: Path) -> None:
    shutil.copyfile(folder / "claims.parquet", folder / "models.parquet")
    resum(folder)
    assert any(line.startswith("models.parquet: sha256 is ") for line in problems(folder))


def test_rows_that_the_manifest_does_not_describe_are_named(tiny_release: Path) -> None:
    rewrite(tiny_release, lambda manifest: manifest["tables"]["models"].update(rows=17))
    assert "models.parquet: has 3 rows" in "\n".join(problems(tiny_release))


def test_contents_that_the_manifest_does_not_describe_are_named(tiny_release: Path) -> None:
    rewrite(tiny_release, lambda manifest: manifest["tables"]["models"].update(content_sha256="0" * 64))
    assert problems(tiny_release) == [
        "models.parquet: its contents are not those that manifest.json describes",
        "traincompute.duckdb: the contents of models are not those that manifest.json describes",
    ]


def test_a_database_with_another_value_is_named(tiny_release: Path) -> None:
    import duckdb

    with duckdb.connect(str(tiny_release / "traincompute.duckdb")) as connection:
        connection.execute("update models set parameters = 1 where model_id = 'gpt-3'")
    digest = sha256(tiny_release / "traincompute.duckdb")
    (tiny_release / "traincompute.duckdb.sha256").write_text(f"{digest}  traincompute.duckdb\n")
    resum(tiny_release)
    assert problems(tiny_release) == [
        "traincompute.duckdb: the contents of models are not those that manifest.json describes"
    ]


def test_a_schema_that_the_data_package_does_not_describe_is_named(tiny_release: Path) -> None:
    fields = [{"name": "source_id", "type": "string"}, {"name": "name", "type": "number"}]
    package = {"resources": [{"path": "sources.csv", "schema": {"fields": fields}}]}
    (tiny_release / "datapackage.json").write_text(json.dumps(package))
    resum(tiny_release)
    found = problems(tiny_release)
    assert "sources.parquet: has other columns than datapackage.json says" in found
    assert "models.parquet: is not described in datapackage.json" in found


def test_a_zip_with_another_file_is_named(tiny_release: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tiny_release / f"traincompute-{VERSION}.zip", "w") as archive:
        member = zipfile.ZipInfo(f"traincompute-{VERSION}/models.csv")
        member.external_attr = 0o100644 << 16
        archive.writestr(member, "other")
    resum(tiny_release)
    found = problems(tiny_release)
    assert found[0] == f"traincompute-{VERSION}.zip: its models.csv is not that of the release"
    assert f"traincompute-{VERSION}.zip: lacks models.parquet" in found


def test_a_folder_that_is_no_release_is_said_to_be_none(tmp_path: Path) -> None:
    assert "no release can be read there" in verify_release(tmp_path)[0]


@pytest.mark.parametrize(
    "words",
    [
        ["sql", "select count(*) as n from models"],
        ["tables", "models"],
        ["explain", "gpt-3-175b-davinci"],
        ["revisions"],
    ],
)
def test_a_release_can_be_asked_instead_of_the_build(folder: Path, words: list[str]) -> None:
    result = CliRunner().invoke(group, [*words, "--version", VERSION])
    assert result.exit_code == 0, result.output
    assert result.stdout == CliRunner().invoke(group, [*words, "--data", str(folder)]).stdout
    both = CliRunner().invoke(group, [*words, "--version", VERSION, "--data", str(folder)])
    assert both.exit_code == 2
