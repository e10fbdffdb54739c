"""What docs/releases.md tells people to type runs in a checkout with few rows, where two releases are made; what docs/performance.md
tells them to type is understood."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from checkouts import add_code, copy_checkout, git

from bench.__main__ import _options
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.commands.release import missing_vintages
from pipeline.pull.snapshot import Request, pull_source
from pipeline.registry.sources import load_sources

PAGE = (CHECKOUT / "docs" / "releases.md").read_text(encoding="utf-8")
PERFORMANCE = (CHECKOUT / "docs" / "performance.md").read_text(encoding="utf-8")
BLOCK = r"^    (?! )((?:.*\\\n)*.*)$"
TYPED = re.compile(BLOCK + r"|`(traincompute\s[^`\s]+\s[^`]+)`", re.MULTILINE)
# how a command begins → why it is not run here
NOT_RUN = {
    "rsync": "needs a host to publish on",
    "curl": "needs an account at Zenodo",
    "TRAINCOMPUTE_DATASET=": "fetches what wheels are built with; tests/unit/test_wheel.py builds one without",
    "traincompute dev calibrate --write": "takes three minutes and all facts; tests/data/test_calibration.py measures anew",
    "traincompute dev docs": "writes pages of all facts; tests/data/test_pages.py compares them with what it would write",
    "python -m bench": "takes an hour; tests/unit/test_bench.py runs its parts",
}
FIRST, SECOND = "2026.11.0", "2026.12.0"
MAKE = f"traincompute dev release {FIRST}"  # typed before all others
OLDER = (date(2024, 7, 16), date(2025, 5, 6))
FACT = (
    'traincompute curate add-fact "SmolLM2-135M" training_tokens "2T tokens" --new --set parameters=135M --set domain=Language '
    '--set publication_date=2024-11-01 --set organization="Hugging Face" '
    '--reference https://huggingface.co/HuggingFaceTB/SmolLM2-135M --locator "model card" --evidence seen'
)
# what a command prints where it works, and its exit code where that is not 0
TOLD = {
    "traincompute cite": (0, f"Version {SECOND}"),
    f"traincompute diff {FIRST} {SECOND}": (1, "SmolLM2-135M"),
}


def printed(page: str) -> list[str]:
    """Each command of a page, without its comment; those in a block and, of this project's own, those in a sentence that have
    arguments."""
    found = [" ".join((block or inline).replace("\\\n", " ").split()) for block, inline in TYPED.findall(page)]
    return list(dict.fromkeys(re.sub(r"\s+# .*", "", command) for command in found))


COMMANDS = [command for command in printed(PAGE) if not command.startswith((*NOT_RUN, "-d ")) and command != MAKE]
COMMANDS.sort(key=lambda command: "--vintages" in command)  # else nothing is left for --as-of


def run(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with the code of that checkout, in a folder beside it that has `signers`."""
    code = 'import sys; sys.argv[0] = "traincompute"; from traincompute.cli import main; main()'
    words = [sys.executable, "-c", code, *shlex.split(command)[1:]]
    if command.startswith("traincompute."):
        words = [sys.executable, "-c", f"import traincompute; print({command})"]
    settings = {"TRAINCOMPUTE_ROOT": str(root), "PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    settings["TRAINCOMPUTE_CACHE"] = str(root.parent / "cache")
    if command.endswith(" latest") and "diff" not in command:
        settings["TRAINCOMPUTE_INDEX"] = str(root / "data" / "processed" / "releases")
    return subprocess.run(words, cwd=root.parent / "work", env=settings, capture_output=True, text=True, check=False)


def type_in(root: Path, *commands: str) -> None:
    for command in commands:
        done = run(root, command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def commit_all(root: Path, version: str) -> None:
    """Step 3 and 4: sets the version of the package and commits."""
    file = root / "traincompute" / "__init__.py"
    file.write_text(re.sub(r'__version__ = "[^"]+"', f'__version__ = "{version}"', file.read_text(encoding="utf-8")))
    git(root, "add", "-A")
    git(root, "commit", "-qm", version)


@pytest.fixture(scope="module")
def root(small_template: Paths, key: Path | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed checkout with this one's code, few rows of three snapshots, two releases, of which the first is signed, and a build."""
    root = copy_checkout(small_template, tmp_path_factory.mktemp("typed") / "checkout").root
    add_code(root)
    for day in OLDER:
        for source, file in (("epoch_all", "models"), ("epoch_notable", "models"), ("epoch_hardware", "hardware")):
            rows = Request(files=(CHECKOUT / "tests" / "golden" / f"epoch_{file}.csv",), as_of=day)
            pull_source(Paths(root), load_sources(Paths(root))[source], rows, lambda _: None)
    (root.parent / "work").mkdir()
    if key:
        shutil.copy(key.with_name("signers"), root.parent / "work")
    git(root, "init", "-q")
    commit_all(root, FIRST)
    type_in(root, f"{MAKE} --key {key}" if key else MAKE, FACT)
    commit_all(root, SECOND)
    type_in(root, f"traincompute dev release {SECOND}", "traincompute build")
    return root


def test_each_command_in_a_block_is_run_or_has_a_reason_why_not() -> None:
    own = ("traincompute ", "traincompute.")
    assert MAKE in printed(PAGE)
    assert len(COMMANDS) >= 12
    assert all(command.startswith(own) for command in COMMANDS)
    pages = [*printed(PAGE), *re.findall(BLOCK, PERFORMANCE, re.MULTILINE)]
    assert [begin for begin in NOT_RUN if not any(command.startswith(begin) for command in pages)] == []
    assert all(command.startswith((*own, *NOT_RUN)) for command in pages)


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_it_runs_as_printed(root: Path, key: Path | None, command: str) -> None:
    if "signers" in command and not key:
        pytest.skip("needs ssh-keygen")
    done = run(root, command)
    code, words = TOLD.get(command, (0, ""))
    if command == f"traincompute verify {FIRST}" and key:
        assert (done.returncode, "--allowed-signers FILE" in done.stdout + done.stderr) == (1, True)
        return
    assert done.returncode == code, f"{done.stdout}{done.stderr}"
    assert done.stdout.strip()
    assert words in done.stdout
    assert "Error" not in done.stderr


@pytest.mark.thorough
def test_the_sums_are_checked_without_this_project(root: Path) -> None:
    assert "`sha256sum -c SHA256SUMS`" in PAGE
    folder = root / "data" / "processed" / "releases" / f"v{FIRST}"
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)


def test_the_vintages_that_the_page_names_are_the_first_of_the_chain(tmp_path: Path) -> None:
    """Of the committed snapshots, none released."""
    named = re.findall(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", PAGE.partition("makes the chain")[2].partition(" and so on")[0])
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "raw").symlink_to(CHECKOUT / "data" / "raw")
    assert [day.isoformat() for day in missing_vintages(Paths(tmp_path))][: len(named)] == named
    assert len(named) == 3


@pytest.mark.parametrize("command", re.findall(r"^    (python -m bench.*)$", PERFORMANCE, re.MULTILINE))
def test_the_bench_understands_what_its_page_prints(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "build.json").touch()  # as if something had been measured
    monkeypatch.setattr("bench.__main__.RESULTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["bench", *shlex.split(command, comments=True)[3:]])
    assert _options().write in (None, Path("docs/performance.md"))
