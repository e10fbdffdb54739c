"""What `verify` refuses, in one line that names the file, with exit code 1: rows 15, 40, 43, 54, 55, 82 and 83 of the
list."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from machine import needs_ssh_keygen
from pyarrow import parquet
from release_folders import entry_of, write_index, write_sums

from traincompute import published
from traincompute.cli import group

FILES = ["SHA256SUMS", "manifest.json", "models.csv", "models.parquet", "traincompute.duckdb", "traincompute.sql"]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path / "nowhere"))
    monkeypatch.delenv("TRAINCOMPUTE_INDEX", raising=False)
    monkeypatch.delenv("TRAINCOMPUTE_SIGNERS", raising=False)


def listed(folder: Path, serial: int = 1) -> Path:
    """An index of the release in the folder, as it is now."""
    return write_index(folder.parent, [entry_of(folder, json.loads((folder / "manifest.json").read_bytes()))], serial)


def judged(folder: Path, *options: object) -> Result:
    return CliRunner().invoke(group, ["verify", str(folder), *map(str, options)])


def refused(folder: Path, *options: object) -> str:
    """The one line that says what is wrong."""
    result = judged(folder, *options)
    assert result.exit_code == 1
    (line,) = (result.output or str(result.exception)).splitlines()
    return line


def flip(path: Path) -> None:
    """One bit in the middle of a file is another."""
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_sound_release_is_vouched_for_by_its_index_alone(tiny_release: Path) -> None:
    assert judged(tiny_release).output == f"{tiny_release}: verified, {published.INTEGRITY_ONLY}\n"
    assert judged(tiny_release, "--index", listed(tiny_release)).output.endswith("verified, listed in the index\n")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("what", [flip, Path.unlink])
def test_each_file_altered_or_missing(tiny_release: Path, name: str, what: Callable[[Path], object]) -> None:
    index = listed(tiny_release)
    what(tiny_release / name)
    problems = published.verify_folder(tiny_release).problems
    assert [problem for problem in problems if name in problem] == problems, problems
    assert judged(tiny_release, "--index", index).exit_code == 1


@pytest.mark.parametrize("name", ["traincompute.duckdb.wal", "\x1b[2J.csv"])
def test_a_file_that_is_not_listed(tiny_release: Path, name: str) -> None:
    (tiny_release / name).write_bytes(b"x")
    assert refused(tiny_release) == f"{ascii(name)[1:-1]}: is not listed in SHA256SUMS"


def test_sums_that_were_made_anew_are_not_those_of_the_index(tiny_release: Path) -> None:
    index = listed(tiny_release)
    (tiny_release / "models.csv").write_text("model_id\nmine\n")
    write_sums(tiny_release)
    assert judged(tiny_release).output.endswith(f"{published.INTEGRITY_ONLY}\n")  # nobody has said another hash
    assert refused(tiny_release, "--index", index).startswith("SHA256SUMS: sha256 is ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"%s  ../evil\n" % (b"0" * 64), "is not a sha256, two spaces and a new plain file name"),
        (b"%s  models.csv\n" % (b"0" * 64), "and a new plain file name"),
        (b"0", "is not a sha256"),
    ],
)
def test_sums_that_are_none(tiny_release: Path, line: bytes, said: str) -> None:
    with (tiny_release / "SHA256SUMS").open("ab") as file:
        file.write(line)
    assert said in refused(tiny_release)


def _rows(folder: Path) -> None:
    parquet.write_table(pa.table({"model_id": ["one"]}), folder / "models.parquet")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_rows, "models.parquet: number of rows is 1, but 3 in"),
        (lambda folder: (folder / "models.parquet").write_bytes(b"PAR1garbage"), "models.parquet: cannot be read"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json: cannot be read"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "cannot be verified: KeyError"),
    ],
)
def test_contents_that_no_release_has_though_the_sums_agree(
    tiny_release: Path, spoil: Callable[[Path], object], said: str
) -> None:
    spoil(tiny_release)
    write_sums(tiny_release)
    assert said in refused(tiny_release)


@pytest.fixture
def signed(tiny_release: Path, tmp_path: Path) -> Path:
    """The release, signed by tmp_path / maker."""
    key = tmp_path / "maker"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (tmp_path / "signers").write_text(f"publisher {key.with_suffix('.pub').read_text()}")
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", "traincompute", tiny_release / "SHA256SUMS"]
    subprocess.run(command, check=True, capture_output=True)
    return tiny_release


def test_a_damaged_manifest_is_a_problem_also_where_an_index_is_known(tiny_release: Path) -> None:
    index = listed(tiny_release)
    (tiny_release / "manifest.json").write_text("[]")
    [problem] = json.loads(judged(tiny_release, "--index", index, "--json").output)["problems"]
    assert problem.startswith("manifest.json: sha256 is ")


def test_an_older_release_that_an_index_lists_as_a_newer_one_is_refused(tiny_release: Path) -> None:
    manifest = json.loads((tiny_release / "manifest.json").read_bytes())
    index = write_index(tiny_release.parent, [entry_of(tiny_release, manifest) | {"version": "2027.1.0"}])
    result = CliRunner().invoke(group, ["verify", "2027.1.0", "--index", str(index)])
    assert f"is that of release {manifest['release']['version']}, not of 2027.1.0" in result.output


@needs_ssh_keygen
def test_a_signature_vouches_and_where_signers_are_known_it_has_to_be_there(signed: Path, tmp_path: Path) -> None:
    option = ("--allowed-signers", tmp_path / "signers")
    assert judged(signed, *option).output.endswith("verified, signed by a known signer\n")
    index = listed(signed)
    flip(signed / "models.csv")
    write_sums(signed)
    assert refused(signed, *option) == "SHA256SUMS.sig: does not fit SHA256SUMS"
    (signed / "SHA256SUMS.sig").unlink()
    assert refused(signed, *option).startswith("SHA256SUMS.sig: is missing")
    assert judged(signed, "--index", index).exit_code == 1


@needs_ssh_keygen
def test_an_unsigned_copy_of_a_release_that_the_index_calls_signed(signed: Path, tmp_path: Path) -> None:
    index = listed(signed)
    assert "its signature was not checked" in judged(signed, "--index", index).output
    (signed / "SHA256SUMS.sig").unlink()
    assert refused(signed, "--index", index).startswith("SHA256SUMS.sig: is missing")


@needs_ssh_keygen
def test_a_signature_that_the_index_does_not_know_of_is_checked_or_refused(signed: Path, tmp_path: Path) -> None:
    signature = (signed / "SHA256SUMS.sig").read_bytes()
    (signed / "SHA256SUMS.sig").unlink()
    index, option = listed(signed), ("--allowed-signers", tmp_path / "signers")
    assert refused(signed, "--index", index, *option).startswith("SHA256SUMS.sig: is missing")
    assert judged(signed, "--index", index, *option, "--unsigned").output.endswith("verified, listed in the index\n")
    (signed / "SHA256SUMS.sig").write_bytes(signature)
    assert "lists this release as unsigned" in refused(signed, "--index", index)
    assert judged(signed, "--index", index, *option).exit_code == 0
    (signed / "SHA256SUMS.sig").write_bytes(b"anything")
    assert refused(signed, "--index", index, *option, "--unsigned").startswith("SHA256SUMS.sig: nobody in")


def test_a_build_is_checked_against_its_manifest(tiny_release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(tiny_release))
    (tiny_release / "models.csv").unlink()  # a package carries none
    assert judged(Path("current")).output == f"{tiny_release}: as its manifest says\n"
    flip(tiny_release / "models.parquet")
    assert refused(Path("current")).startswith("models.parquet: sha256 is ")
