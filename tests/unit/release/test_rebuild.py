"""What `rebuild` does with a release; git and the pipeline themselves make one again in tests/data/test_releases.py."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.paths import Paths
from pipeline.release import rebuild
from pipeline.release.rebuild import _differences, _last_line, rebuild_problems

SHA = "c0ffee" + "0" * 34
MADE = "aa  a.csv\nbb  b  b.csv\n"


def write(releases: Path, version: str, sums: str = MADE, **release: Any) -> Path:
    """A release's folder with what `rebuild` reads."""
    folder = releases / (version if version.startswith("vintage") else f"v{version}")
    folder.mkdir(parents=True)
    told = {"version": version, "channel": "release", "date": "2026-11-22", "commit": SHA, "previous": None, **release}
    day = version.removeprefix("vintage-") if told["channel"] == "vintage" else None
    manifest = {"release": told, "schema_version": "0.1.0", "as_of": day, "tables": {"models": {"rows": 1}}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    parquet.write_table(pa.table({"is_notable": [True]}), folder / "models.parquet")
    (folder / "SHA256SUMS").write_text(sums)
    return folder


class Shell:
    """Stands for git and the pipeline of the clone, which makes a release of those sums; one of them may fail."""

    def __init__(self, sums: str = MADE, failing: str = "") -> None:
        self.sums, self.failing, self.words, self.env, self.index = sums, failing, [], {}, {}

    def run(self, command: list[str], *, capture_output: bool, text: bool, **options: Any) -> Any:
        self.words.append(command[-1])
        if "release" in command:
            self.env, releases = options["env"], Paths(options["cwd"]).releases
            if (releases / "releases.json").exists():
                self.index = json.loads((releases / "releases.json").read_text())
            day = command[-1] if "--as-of" in command else ""
            made = releases / (f"vintage-{day}" if day else f"v{command[-1]}")
            made.mkdir(parents=True)
            (made / "SHA256SUMS").write_text(self.sums)
        fails = bool(self.failing) and self.failing in command
        return subprocess.CompletedProcess(command, int(fails), "", "why\n" if capture_output and text else None)


def problems(monkeypatch: pytest.MonkeyPatch, folder: Path, shell: Shell) -> list[str]:
    monkeypatch.setattr(rebuild.subprocess, "run", shell.run)
    return rebuild_problems(Paths(Path("checkout")), folder)


def test_a_release_is_made_again_from_its_commit_on_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    assert problems(monkeypatch, write(tmp_path, "2026.11.0"), shell) == []
    root = shell.env["TRAINCOMPUTE_ROOT"]
    assert shell.words == [root, SHA, "2026.11.0"]
    assert (shell.env["PYTHONPATH"], shell.env["SOURCE_DATE_EPOCH"]) == (root, "1795305600")  # 2026-11-22, 0:00 UTC
    assert not Path(root).exists()


def test_a_vintage_is_made_again_of_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    assert problems(monkeypatch, write(tmp_path, "vintage-2025-05-06", channel="vintage"), shell) == []
    assert shell.words[-1] == "2025-05-06"


def test_it_is_compared_with_the_release_that_it_was_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, shell = write(tmp_path, "2026.11.0", previous="2026.10.0"), Shell()
    (fault,) = problems(monkeypatch, folder, shell)
    assert fault == f"release 2026.10.0, which it was compared with, is not beside it; download it to {tmp_path / 'v2026.10.0'}"  # fmt: skip
    write(tmp_path, "2026.10.0")
    assert problems(monkeypatch, folder, shell) == []
    assert [entry["version"] for entry in shell.index["releases"]] == ["2026.10.0"]


@pytest.mark.parametrize(
    ("failing", "fault"),
    [
        ("clone", f"cannot check out commit {SHA} of the release from checkout: why"),
        ("checkout", f"cannot check out commit {SHA} of the release from checkout: why"),
        ("release", "rebuilding it from its commit failed: why"),
    ],
)
def test_what_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, fault: str) -> None:
    assert problems(monkeypatch, write(tmp_path, "2026.11.0"), Shell(failing=failing)) == [fault]


@pytest.mark.parametrize("commit", [None, f"{SHA}-dirty", "--help"])
def test_what_was_never_committed_cannot_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: str | None
) -> None:
    (fault,) = problems(monkeypatch, write(tmp_path, "2026.11.0", commit=commit), Shell())
    assert fault.endswith("files that were not committed, so it cannot be rebuilt")


@pytest.mark.parametrize(
    ("again", "differing"),
    [
        ("aa  a.csv\nbb  z.zip\n00  traincompute.duckdb\n", []),  # its bytes differ in every build
        ("aa  a.csv\n00  z.zip\n", ["z.zip: {}; the files in it are the same, so zlib compresses differently here"]),
        ("00  a.csv\n00  z.zip\n", ["a.csv: {}", "z.zip: {}"]),
        ("bb  z.zip\ncc  new.csv\n", ["a.csv: {}", "new.csv: {}"]),
    ],
)
def test_every_file_that_differs_is_named(tmp_path: Path, again: str, differing: list[str]) -> None:
    for name, sums in {"was": "aa  a.csv\nbb  z.zip\n11  traincompute.duckdb\n", "now": again}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "SHA256SUMS").write_text(sums)
    words = "differs from what the release's commit produces"
    assert _differences(tmp_path / "was", tmp_path / "now") == [line.format(words) for line in differing]


def test_the_last_line_of_an_error_says_most() -> None:
    assert _last_line("first\nsecond\nthird\nfatal: no such commit\n") == "fatal: no such commit"
    assert _last_line(" \n") == "no message"
