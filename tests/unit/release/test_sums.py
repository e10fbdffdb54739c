"""SHA256SUMS: what is read of it, and what is said of a folder that does not fit it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from traincompute.base.places import ReleaseError
from traincompute.verification import sums
from traincompute.verification.sums import check_files, parse_sums, shown

HASH = hashlib.sha256(b"").hexdigest()


def text(*names: str) -> str:
    return "".join(f"{HASH}  {name}\n" for name in names)


def found(folder: Path, *names: str) -> list[str]:
    """What is wrong with a folder whose SHA256SUMS lists empty files of these names."""
    return list(check_files(folder, dict.fromkeys(names, HASH), {"models": {}}))


def test_each_line_is_a_hash_and_a_name() -> None:
    assert parse_sums(text("models.csv", ".zenodo.json")) == {"models.csv": HASH, ".zenodo.json": HASH}
    assert parse_sums("") == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (text("models.csv") + "x" * 101 + "\n", f"SHA256SUMS:2: '{'x' * 100}' is not a sha256, two spaces and a plain"),
        (text("../models.csv"), f"SHA256SUMS:1: '{HASH}  ../models.csv' is not a sha256"),
        (text("a.csv", "b.csv", "a.csv"), "SHA256SUMS:3: a.csv stands twice"),
        (text("a.csv").rstrip("\n"), "SHA256SUMS: it is cut, or has more than 1000 lines"),
        (text(*(f"{number}.csv" for number in range(1001))), "SHA256SUMS: it is cut, or has more than 1000 lines"),
    ],
)
def test_what_is_no_such_line_is_shown(content: str, message: str) -> None:
    with pytest.raises(ReleaseError) as raised:
        parse_sums(content)
    assert str(raised.value).startswith(message)


def test_a_thousand_lines_are_read() -> None:
    assert len(parse_sums(text(*(f"{number}.csv" for number in range(1000))))) == 1000


def test_a_folder_that_fits(tmp_path: Path) -> None:
    for name in ("SHA256SUMS", "SHA256SUMS.sig", "models.csv", "README.md"):
        (tmp_path / name).touch()
    assert found(tmp_path, "models.csv", "README.md") == []


def test_what_is_missing_foreign_or_altered_is_named(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("altered")
    (tmp_path / "strange.txt").touch()
    altered = hashlib.sha256(b"altered").hexdigest()
    assert found(tmp_path, "models.csv", "README.md") == [
        "strange.txt: is not listed in SHA256SUMS",
        f"README.md: sha256 is {altered}, but {HASH} in SHA256SUMS",
        "models.csv: is missing",
    ]


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "models.csv").mkdir()
    (tmp_path / "README.md").symlink_to(tmp_path / "empty")
    (tmp_path / "NOTES.md").symlink_to(tmp_path / "nowhere")
    names = ("models.csv", "README.md", "NOTES.md")
    assert sorted(found(tmp_path, "empty.txt", *names)) == sorted(
        [
            "empty: is not listed in SHA256SUMS",
            "empty.txt: is missing",
            *(f"{name}: is not a plain file of at most 10 GB" for name in names),
        ]
    )


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "LARGEST_FILE", 5_000_000_000)
    large = tmp_path / "models.csv"
    with large.open("wb") as file:
        file.truncate(5_000_000_001)  # a hole
    assert found(tmp_path, "models.csv") == ["models.csv: is not a plain file of at most 5 GB"]
    monkeypatch.setattr(sums, "LARGEST_FILE", 4)
    large.write_bytes(b"1234")
    assert found(tmp_path, "models.csv") == [
        f"models.csv: sha256 is {hashlib.sha256(b'1234').hexdigest()}, but {HASH} in SHA256SUMS"
    ]


def test_a_folder_of_more_than_a_thousand_files_is_not_read_to_its_end(tmp_path: Path) -> None:
    names = [f"{number}.md" for number in range(1000)]
    for name in names:
        (tmp_path / name).touch()
    assert found(tmp_path, *names) == []
    (tmp_path / "1000.md").touch()
    assert found(tmp_path, *names, "1000.md") == ["the folder holds more than 1000 files"]


@pytest.mark.parametrize(
    ("name", "belongs"),
    [
        ("models.csv", True),
        ("models.parquet", True),
        ("changes.csv", True),
        ("other.csv", False),
        ("changes.parquet", False),
        ("traincompute.duckdb", True),
        ("traincompute.duckdb.sha256", True),
        ("other.duckdb", False),
        ("models.csv.sha256", False),
        ("traincompute-2026.11.0.zip", True),
        ("README.md", True),
        ("datapackage.json", True),
        ("setup.py", False),
        ("md", False),
    ],
)
def test_kinds_of_files_that_a_release_has(tmp_path: Path, name: str, belongs: bool) -> None:
    (tmp_path / name).touch()
    assert found(tmp_path, name) == ([] if belongs else [f"{name}: is no file that a release has"])


def test_a_name_that_could_steer_a_terminal_is_shown_with_escapes() -> None:
    assert shown("models.csv") == "models.csv"
    assert shown("a\x1b[2J") == r"'a\x1b[2J'"
    assert shown("modèles") == r"'mod\xe8les'"
