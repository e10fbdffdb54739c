"""Rows 73-75, 82-84 and 100 of the fault list: what is called verified gives the answers of its tables, and comes whole from
those who may publish. What else is refused is tested in test_verify.py, with every folder that hostile_releases.py makes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hostile_releases import SPOILERS, make_hostile
from machine import needs_ssh_keygen
from release_folders import entry_of, write_index
from tiny_release import VERSION, write_tiny_release

from pipeline.commands.release import rebuild
from traincompute.base.places import SIGNATURE, ReleaseError
from traincompute.commands.releases import download, verify
from traincompute.verification.sums import SUMS

POISONED = {
    "macro_in_place_of_a_function": "the macro round bears the name of a function of DuckDB",
    "macro_in_place_of_a_function_that_the_sql_has_too": "the macro median bears the name of a function of DuckDB",
    "macro_with_another_formula": "macro main.pfs_days is not what traincompute.sql",
    "macro_with_a_default": "parameters of pfs_days is not what traincompute.sql",
    "view_of_other_rows": "view main.leaders is not what traincompute.sql",
    "column_that_depends_on_a_setting": "table main.models is not what traincompute.sql",
    "list_that_is_one_text": "a list in organization is empty, or has an item that is, or that holds a ;",
    "zip_with_a_link": "models.csv is no plain file of the release",
    "zip_with_bytes_before_the_directory": "has bytes that are of none of its files",
    "bytes_behind_the_database": "has bytes that are not of the database",
    "comment_that_names_another_unit": "column main.models.training_compute_flop is not what traincompute.sql",
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_release(tmp_path_factory.mktemp("sound"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))


def listed(folder: Path, change: Callable[[dict[str, Any]], object] = lambda _: None) -> str:
    """The address of an index of the release in the folder, whose entry is changed."""
    entry = entry_of(folder, json.loads((folder / "manifest.json").read_bytes()))
    change(entry["files"])
    return str(write_index(folder.parent, [entry]))


def fetched(index: str, tmp_path: Path) -> Result:
    result = CliRunner().invoke(download, ["--index", index, "--to", str(tmp_path / "to")])
    assert result.exit_code == 0 or not (tmp_path / "to" / f"v{VERSION}").exists()
    return result


@pytest.mark.parametrize("name", POISONED)
def test_fault_73_74_75_84_100_a_poisoned_release_is_refused_by_all_that_call_one_verified(
    sound: Path, tmp_path: Path, name: str
) -> None:
    assert name in SPOILERS
    folder = make_hostile(sound, tmp_path, name, 1)
    refused = fetched(listed(folder), tmp_path)
    assert isinstance(refused.exception, ReleaseError)
    assert POISONED[name] in str(refused.exception)
    for command in (verify, rebuild):
        judged = CliRunner().invoke(command, [str(folder)])
        assert judged.exit_code == 1
        assert POISONED[name] in judged.output


def test_fault_82_nothing_is_called_signed_that_is_not(sound: Path, tmp_path: Path) -> None:
    assert fetched(listed(sound), tmp_path).output.endswith("verified, but not signed\n")


@needs_ssh_keygen
def test_fault_82_where_it_is_known_who_may_sign_a_signature_is_asked_for(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "maker"], check=True)
    (tmp_path / "signers").write_text(f"publisher {(tmp_path / 'maker.pub').read_text()}")
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", str(tmp_path / "signers"))
    assert f"{SIGNATURE}: is missing; none of it was kept" in str(fetched(listed(sound), tmp_path).exception)
    judged = CliRunner().invoke(verify, [str(sound)])
    assert (judged.exit_code, judged.output) == (1, f"{SIGNATURE}: is missing\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files: files.pop(SUMS), f"the index lists no {SUMS}, so nothing says which files it has"),
        (
            lambda files: files.update({"install.md": files["CHANGELOG.md"]}),
            f"the index lists install.md, which is not in its {SUMS}",
        ),
    ],
)
def test_fault_83_an_index_lists_what_the_sums_do(
    sound: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    refused = fetched(listed(sound, change), tmp_path)
    assert isinstance(refused.exception, ReleaseError)
    assert message in str(refused.exception)
