"""What steps of the workflows on GitHub do."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.paths import CHECKOUT
from traincompute.cli import GROUPED, GROUPS, LISTED

FOLDER = CHECKOUT / ".github"
FILES = sorted((FOLDER / "workflows").glob("*.yml"))
Workflow = dict[Any, Any]


def read(name: str) -> Workflow:
    loaded: Workflow = yaml.safe_load((FOLDER / "workflows" / name).read_text(encoding="utf-8"))
    return loaded


COMMAND = re.compile(r"(?:^|[\s|])traincompute ([a-z-]+)(?: ([a-z-]+))?")


def test_every_command_that_a_workflow_runs_exists() -> None:
    steps = [step for file in FILES for job in read(file.name)["jobs"].values() for step in job["steps"]]
    called = {words for step in steps for words in COMMAND.findall(re.sub(r"#.*", "", step.get("run", "")))}
    assert {name for name, _ in called} <= LISTED.keys() | GROUPS.keys()
    assert {name for group, name in called if group in GROUPS} <= GROUPED.keys()
    assert ("curate", "candidates") in called


def test_what_is_published_was_attested_the_index_too() -> None:
    steps = read("release.yml")["jobs"]["publish"]["steps"]
    attested = next(at for at, step in enumerate(steps) if "attest-build-provenance" in step.get("uses", ""))
    uploaded = next(at for at, step in enumerate(steps) if "gh release upload" in step.get("run", ""))
    assert attested < uploaded
    sent = re.findall(r"release/\S*\w\S*", steps[uploaded]["run"].replace("release/notes.md", ""))
    assert set(steps[attested]["with"]["subject-path"].split()) == set(sent)
    assert "release/releases.json" in sent


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def proposed(folder: Path, change: Callable[[Path], object]) -> subprocess.CompletedProcess[str]:
    """What the job makes of a change of the facts."""
    script = next(
        step["run"] for step in read("pull.yml")["jobs"]["propose"]["steps"] if "facts.patch" in step.get("run", "")
    )
    root, proposal = folder / "checkout", folder / "temp" / "proposal"
    for path in (root / "data" / "raw" / "helm", proposal):
        path.mkdir(parents=True)
    for name in ("helm/facts.csv", "helm/source.yml", "lock.json"):
        (root / "data" / "raw" / name).write_text("old\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "all")
    change(root / "data" / "raw")
    git(root, "add", "data/raw")
    (proposal / "facts.patch").write_text(git(root, "diff", "--cached", "--binary", "--", "data/raw"))
    git(root, "reset", "--quiet", "--hard")
    command = ["bash", "-euo", "pipefail", "-c", script]
    env = {**os.environ, "RUNNER_TEMP": str(folder / "temp")}
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def test_the_facts_and_the_lock_are_taken_from_the_patch(tmp_path: Path) -> None:
    def change(raw: Path) -> None:
        (raw / "helm" / "facts.csv").write_text("new\n")
        (raw / "lock.json").write_text("new\n")

    assert proposed(tmp_path, change).returncode == 0
    assert git(tmp_path / "checkout", "diff", "--cached", "--name-only").split() == [
        "data/raw/helm/facts.csv",
        "data/raw/lock.json",
    ]


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: (raw / "helm" / "source.yml").write_text("new"),
        lambda raw: (raw / "helm" / "facts.csv").chmod(0o755),
        lambda raw: link(raw / "helm" / "facts.csv"),
    ],
)
def test_a_patch_that_touches_anything_else_is_refused(tmp_path: Path, change: Callable[[Path], object]) -> None:
    done = proposed(tmp_path, change)
    assert done.returncode == 1
    assert "the patch touches more than facts.csv and lock.json" in done.stdout


@pytest.mark.parametrize(
    ("before", "pushed"),
    [(None, "weekly-pull"), ("41898282+github-actions[bot]@users.noreply.github.com", "weekly-pull"), ("a@b.org", "")],
)
def test_the_weekly_pull_never_overwrites_the_commit_of_a_person(
    tmp_path: Path, before: str | None, pushed: str
) -> None:
    """Last week's branch may have a reviewer's commit on it."""
    origin, root, gh = tmp_path / "origin", tmp_path / "checkout", tmp_path / "bin" / "gh"
    for folder in (origin, gh.parent, tmp_path / "temp" / "proposal"):
        folder.mkdir(parents=True)
    gh.write_text("#!/bin/sh\nexit 0\n")
    gh.chmod(0o755)
    git(origin, "init", "--quiet", "--bare", "--initial-branch=main")
    git(tmp_path, "clone", "--quiet", str(origin), str(root))
    author = ["-c", "user.name=a", "-c", "user.email=a@b.org"]
    git(root, *author, "commit", "--quiet", "--allow-empty", "-m", "all")
    git(root, "push", "--quiet", "origin", "HEAD:main")
    if before:
        who = ["-c", "user.name=x", "-c", f"user.email={before}"]
        git(root, *who, "commit", "--quiet", "--allow-empty", "-m", "of last week")
        git(root, "push", "--quiet", "origin", "HEAD:weekly-pull")
        git(root, "reset", "--quiet", "--hard", "origin/main")
    old = git(origin, "rev-parse", "weekly-pull").strip() if before else ""
    (root / "facts").write_text("new")
    git(root, "add", "facts")
    step = next(step for step in read("pull.yml")["jobs"]["propose"]["steps"] if "git push" in step.get("run", ""))
    env = {
        **os.environ,
        "PATH": f"{gh.parent}:{os.environ['PATH']}",
        "BRANCH": "weekly-pull",
        "GITHUB_REF_NAME": "main",
    }
    command = ["bash", "-euo", "pipefail", "-c", step["run"]]
    subprocess.run(
        command, cwd=root, env=env | {"RUNNER_TEMP": str(tmp_path / "temp")}, check=True, capture_output=True
    )
    branches = git(origin, "branch", "--format=%(refname:short)").split()
    (made,) = [name for name in branches if git(origin, "ls-tree", "--name-only", name).split() == ["facts"]]
    assert made == pushed or (not pushed and made.startswith("weekly-pull-20"))
    assert pushed or git(origin, "rev-parse", "weekly-pull").strip() == old


@pytest.mark.parametrize(("status", "tags", "code"), [("404", [], 0), ("404", ["v2026.9.0"], 1), ("500", [], 1)])
def test_an_index_that_is_gone_beside_an_older_tag_stops_the_release(
    tmp_path: Path, status: str, tags: list[str], code: int
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "curl").write_text(f"#!/bin/sh\necho {status}\n")
    (tmp_path / "bin" / "curl").chmod(0o755)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "all")
    for tag in (*tags, "v2026.11.0"):
        git(tmp_path, "tag", tag)
    steps = read("release.yml")["jobs"]["index"]["steps"]
    script = next(step["run"] for step in steps if "curl" in step.get("run", ""))
    assert script.index("gh attestation verify") < script.index("cp ")
    env = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path)}
    settings = {"INDEX": "https://x.org", "GITHUB_REF_NAME": "v2026.11.0"}
    command = ["bash", "-euo", "pipefail", "-c", script]
    assert subprocess.run(command, cwd=tmp_path, env=env | settings, capture_output=True).returncode == code
