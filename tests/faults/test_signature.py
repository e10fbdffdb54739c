"""A signature that the index lists is required, and only those who may sign can have made it (row 54 of the fault list: a
folder whose sums fit says nothing of who made it)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from machine import needs_ssh_keygen
from release_folders import entry_of, write_index
from tiny_release import VERSION

from pipeline.base.errors import DataError
from pipeline.release.bundle import sign_sums
from traincompute.base.places import SIGNATURE
from traincompute.commands.releases import download, verify
from traincompute.verification.signature import signature_fault
from traincompute.verification.sums import SUMS

pytestmark = needs_ssh_keygen


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys of the maker and of a stranger, and a file in which the maker alone may sign."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("maker", "stranger"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "signers").write_text(f"publisher {(folder / 'maker.pub').read_text()}")
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, judged_once: None) -> Path:
    """A release that the maker signed, and its index; the maker may sign."""
    folder = shutil.copytree(sound, tmp_path / "made" / sound.name)
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(folder.parent))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", str(keys / "signers"))
    sign(folder, keys / "maker", 1)
    return folder


def sign(folder: Path, key: Path, serial: int) -> None:
    (folder / SIGNATURE).unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "traincompute", folder / SUMS], check=True)
    relist(folder, serial)


def relist(folder: Path, serial: int) -> None:
    write_index(folder.parent, [entry_of(folder, json.loads((folder / "manifest.json").read_bytes()))], serial)


def test_the_public_key_is_enough_where_an_agent_holds_the_private_one(
    tiny_release: Path, tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, public = tiny_release, tmp_path / "key.pub"
    shutil.copy(keys / "maker.pub", public)
    with pytest.raises(DataError):
        sign_sums(folder, public)
    started = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True).stdout
    for name, value in re.findall(r"(SSH_\w+)=([^;]+);", started):
        monkeypatch.setenv(name, value)
    try:
        subprocess.run(["ssh-add", "-q", "-"], input=(keys / "maker").read_bytes(), check=True)
        sign_sums(folder, public)
    finally:
        subprocess.run(["ssh-agent", "-k"], capture_output=True, check=True)
    assert signature_fault(folder / SUMS, folder / SIGNATURE, keys / "signers") == ""


def fetched(tmp_path: Path) -> Result:
    return CliRunner().invoke(download, ["--to", str(tmp_path / "to")])


def test_a_release_that_its_maker_signed_is_downloaded_and_verified(folder: Path, tmp_path: Path) -> None:
    assert fetched(tmp_path).output.endswith("verified\n")
    for which in (VERSION, str(folder), str(tmp_path / "to" / f"v{VERSION}")):
        assert CliRunner().invoke(verify, [which]).exit_code == 0


def test_a_signature_that_the_index_lists_may_not_be_missing(folder: Path) -> None:
    (folder / SIGNATURE).unlink()
    result = CliRunner().invoke(verify, [VERSION])
    assert (result.exit_code, result.output) == (1, f"{SIGNATURE}: is missing\n")


def test_a_stranger_cannot_sign(folder: Path, keys: Path, tmp_path: Path) -> None:
    sign(folder, keys / "stranger", 2)
    result = fetched(tmp_path)
    assert result.exit_code == 1
    assert f"nobody in {keys / 'signers'} has made it" in str(result.exception)
    assert not (tmp_path / "to").exists()
    assert CliRunner().invoke(verify, [VERSION]).exit_code == 1


def test_an_index_may_not_forget_a_signature(folder: Path, tmp_path: Path) -> None:
    assert fetched(tmp_path).exit_code == 0
    (folder / SIGNATURE).unlink()
    relist(folder, 2)
    result = CliRunner().invoke(download, ["--to", str(tmp_path / "again")])
    assert result.exit_code == 1
    assert f"release {VERSION} was signed when it was seen before, and no longer is" in str(result.exception)


def test_where_nobody_is_known_who_may_sign_it_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRAINCOMPUTE_SIGNERS")
    assert "its signature was not checked" in fetched(tmp_path).output
    for which in (VERSION, str(folder)):
        result = CliRunner().invoke(verify, [which])
        assert result.exit_code == 1
        assert "cannot be checked: nobody is known who may sign" in result.output
