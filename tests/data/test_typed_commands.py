"""What CONTRIBUTING.md, README.md, docs/curating.md and docs/api.md tell people to type runs as it is printed, in one checkout
and in this order; docs/releases.md and docs/performance.md have test_typed_releases.py, docs/reading.md test_reading.py."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.base.paths import CHECKOUT

PAGE = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TYPED = re.compile(
    r"^    (\$ )?(traincompute (?:.*\\\n)*.*)\n((?:    (?!traincompute ).*\n)*)|`(traincompute[ \n][^`]+)`",
    re.MULTILINE,
)
OTHERS = [(CHECKOUT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/curating.md", "docs/api.md")]
# they need the network; tests/faults/test_pull.py, tests/unit/hub and tests/unit/curate/test_evidence_net.py run them against a server
FETCH = ("pull", "dev hub", "curate evidence --net")
# their exit code says whether there is anything to look at, or a name without an answer
ASKING = ("curate audit --gate", "curate propose", "match ")
PRINTED = "It says how each value was read, and where its line went:\n\n"


def typed() -> Iterator[tuple[str, str | None]]:
    """Each command, and the text below it where it is a transcript; of pages but CONTRIBUTING.md those in a block alone."""
    for page in (PAGE, *OTHERS):
        for prompt, block, below, inline in TYPED.findall(page):
            if block or page is PAGE:
                command = block if prompt else " ".join((block or inline).replace("\\\n", "").split())
                yield command, below if prompt else None


COMMANDS = list(dict.fromkeys(typed()))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose curated facts may be changed, with a listing of a hub, and not yet built."""
    root = tmp_path_factory.mktemp("contributing")
    (root / "data" / "raw").mkdir(parents=True)
    for name in ("schemas", "pipeline", "docs", "data/calibration", "data/constants.yml", "data/known_issues.yml"):
        (root / name).symlink_to(CHECKOUT / name)
    for source in (CHECKOUT / "data" / "raw").iterdir():
        (root / "data" / "raw" / source.name).symlink_to(source)
    (root / "data" / "raw" / "curated").unlink()
    shutil.copytree(CHECKOUT / "data" / "raw" / "curated", root / "data" / "raw" / "curated")
    (root / "data" / "cache").mkdir()
    shutil.copy(CHECKOUT / "tests" / "golden" / "hub" / "listing.jsonl", root / "data" / "cache" / "hub.jsonl")
    assert run(root, "traincompute build").returncode == 0
    return root


def run(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    code = 'import sys; sys.argv[0] = "traincompute"; from traincompute.cli import main; main()'
    words = [sys.executable, "-c", code, *shlex.split(command, comments=True)[1:]]
    settings = {"TRAINCOMPUTE_ROOT": str(root), "PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    return subprocess.run(words, cwd=root, env=settings, capture_output=True, text=True, check=False)


def test_the_page_prints_what_this_file_runs() -> None:
    commands = [command for command, _ in COMMANDS]
    assert any(command.startswith("traincompute curate add-fact") for command in commands)
    assert {"traincompute dev discover", "traincompute build", "traincompute explain smollm2-135m"} <= set(commands)
    assert {"traincompute export models --to models.csv", "traincompute site --to public"} <= set(commands)


@pytest.mark.thorough
@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=[command[:60] for command, _ in COMMANDS])
def test_it_runs_as_printed(root: Path, command: str, printed: str | None) -> None:
    if command.removeprefix("traincompute ").startswith(FETCH):
        pytest.skip("fetches")
    done = run(root, command)
    if printed is not None:
        told = re.sub(r"^    ", "", printed, flags=re.MULTILINE)
        assert (done.returncode, done.stderr) == (1, told)
        return
    assert done.returncode in ((0, 1) if any(asking in command for asking in ASKING) else (0,)), done.stderr
    assert "Traceback" not in done.stderr
    if "SmolLM2-135M" in command:
        shown = PAGE.partition(PRINTED)[2].partition("\n\n")[0].splitlines()
        said = [re.sub(r":\d+: .*", "", line) for line in done.stdout.splitlines()]
        assert {re.sub(r":\d+: .*", "", line.strip()) for line in shown} <= set(said)
