"""The script of the workflow that publishes the sites."""

from __future__ import annotations

import os
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from pipeline.paths import CHECKOUT

WORKFLOW = CHECKOUT / ".github" / "workflows" / "pages.yml"
GH = """#!/bin/bash
case "$1 $2" in
  "release list") printf 'v3\\nv2\\nv1\\n' ;;
  "release view") if [ "$3" = --json ]; then echo "$LATEST"; else ls "$RELEASES/$3"; fi ;;
  "release download") mkdir -p "$7" && cp "$RELEASES/$3/$5" "$7" ;;
esac
"""


def run_script(folder: Path, latest: str) -> subprocess.CompletedProcess[str]:
    (step,) = (step for step in yaml.safe_load(WORKFLOW.read_text())["jobs"]["pages"]["steps"] if "run" in step)
    gh = folder / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    settings = {"PATH": f"{gh.parent}:{os.environ['PATH']}", "RELEASES": str(folder / "releases"), "LATEST": latest}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**settings, "RUNNER_TEMP": str(folder / "temp")},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def releases(tmp_path: Path) -> Path:
    """v1 is older than the sites; v2 and v3 have one each."""
    for tag in ("v1", "v2", "v3"):
        (tmp_path / "releases" / tag).mkdir(parents=True)
        (tmp_path / "releases" / tag / "models.csv").write_text("x\n")
    for tag in ("v2", "v3"):
        with tarfile.open(tmp_path / "releases" / tag / "site.tar.gz", "w:gz") as archive:
            entry = tarfile.TarInfo("./index.html")
            entry.size = len(tag)
            archive.addfile(entry, BytesIO(tag.encode()))
    return tmp_path


def test_every_release_keeps_its_address_and_the_newest_is_the_root(releases: Path) -> None:
    done = run_script(releases, "v3")
    assert done.returncode == 0, done.stderr
    pages = {str(file.relative_to(releases / "public")): file.read_text() for file in releases.glob("public/**/*.html")}
    assert pages == {"index.html": "v3", "v3/index.html": "v3", "v2/index.html": "v2"}


def test_a_newest_release_without_a_site_publishes_nothing(releases: Path) -> None:
    assert run_script(releases, "v1").returncode != 0


def test_the_actions_that_publish_are_pinned_by_commit() -> None:
    used = [step["uses"] for step in yaml.safe_load(WORKFLOW.read_text())["jobs"]["pages"]["steps"] if "uses" in step]
    assert len(used) == 2
    assert all(len(name.split("@")[1]) == 40 for name in used)
