"""What is killed, run four times at once and asked: commands, each in a world of its own, with what the world may look
like after it.

A world is a folder: `checkout` (the small one of the tests), `cache`, `tmp` and `out`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import sleep
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE.parent)]

from checkouts import copy_declarations  # noqa: E402
from release_folders import write_index, write_release  # noqa: E402
from tiny_release import VERSION, write_tiny_build  # noqa: E402

from pipeline import build  # noqa: E402
from pipeline.base.paths import Paths  # noqa: E402
from pipeline.normalize.facts import load_facts  # noqa: E402
from pipeline.present.site.write import write_site  # noqa: E402
from pipeline.publish.swap import CURRENT, swap_in, work_folder  # noqa: E402
from pipeline.pull.snapshot import Request, pull_source  # noqa: E402
from pipeline.registry.sources import load_lock, load_sources  # noqa: E402
from traincompute.verification.contents import problems_of  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
FACT = "AlexNet,training_compute_flop,4.7e+17"
# the same table twice: a query must not see two builds
QUERY = "select a.training_compute_flop, b.training_compute_flop from models a join models b using (model_id) where model_id = 'alexnet'"
ANSWERS = (["4.7e+17,4.7e+17"], ["4.8e+17,4.8e+17"])


class Scenario(NamedTuple):
    """A command; how its world is made; the state of what it writes, in which nothing may be torn; and what those are told
    (a pattern) that come too late, where only one of several can succeed."""

    words: Callable[[Path], list[str]]
    prepare: Callable[[Path], None]
    state: Callable[[Path], str]
    refusal: str = ""


def run_command(world: Path, words: list[str], before: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `traincompute` in the world, behind another command if one is given."""
    (world / "tmp").mkdir(exist_ok=True)
    code = "from traincompute.cli import main; main()"
    named = {"ROOT": world / "checkout", "CACHE": world / "cache"}
    env = {**os.environ, **{f"TRAINCOMPUTE_{name}": str(path) for name, path in named.items()}}
    env |= {"PYTHONPATH": str(ROOT), "TMPDIR": str(world / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*(before or []), sys.executable, "-c", code, *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, cwd=world)


def digest(folder: Path) -> str:
    """One hash of all files below a folder but the temporary ones, which the next run removes; "" where it is not there."""
    if not folder.is_dir():
        return ""
    lines = [
        f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not (path.name.startswith(".") and path.name.endswith(".tmp"))
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


# --- worlds ---


def checkout(world: Path) -> Paths:
    """The golden rows as a checkout with one snapshot."""
    paths = Paths(world / "checkout")
    copy_declarations(paths.root)
    named = [name for name, source in load_sources(Paths(ROOT)).items() if source.subject == "models"]
    for name in ("epoch_hardware", *named):
        (paths.raw / name).mkdir(parents=True, exist_ok=True)
        for file in ((ROOT / "data/raw" / name / "source.yml"), *(ROOT / "data/raw" / name).glob("*.txt")):
            shutil.copy(file, paths.raw / name)
    shutil.copy(ROOT / "data/raw/selection.yml", paths.raw)
    for name, file in (("epoch_all", "models"), ("epoch_notable", "models"), ("epoch_hardware", "hardware")):
        request = Request(files=(GOLDEN / f"epoch_{file}.csv",), as_of=date(2026, 3, 30))
        pull_source(paths, load_sources(paths)[name], request, lambda _: None)
    return paths


def built(world: Path) -> None:
    """A build, and a fact that has changed since."""
    paths = checkout(world)
    build.build(paths)
    for source in ("epoch_all", "epoch_notable"):
        file = paths.raw / source / "facts.csv"
        file.write_text(file.read_text().replace(FACT, FACT.replace("4.7", "4.8")))


def pulled(world: Path) -> None:
    checkout(world)
    text = (GOLDEN / "epoch_models.csv").read_text()
    (world / "notable_ai_models.csv").write_text(text.replace("4.7e+17", "4.8e+17").replace("1.13e+22", "1.2e+22"))


def committed(world: Path) -> None:
    root = checkout(world).root
    (root / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@x.org", "commit", "-qm", "1"],
    ):
        subprocess.run(["git", "-C", str(root), *words], check=True)


def released(world: Path) -> None:
    releases = world / "releases"
    write_index(releases, [write_release(write_tiny_build(world / "tiny"), releases, VERSION)])


def shown(world: Path) -> None:
    """A site of an earlier dataset."""
    paths = checkout(world)
    build.build(paths)
    write_site(paths.processed / "traincompute.duckdb", world / "out" / "public")
    for file in (world / "out" / "public" / "data").glob("*.js"):
        file.write_text("earlier")
    (world / "out" / "public" / "CNAME").write_text("example.org")


def two_builds(world: Path) -> tuple[Path, Path]:
    """The folders of two builds that differ in one value; the second is the published one."""
    world.mkdir(parents=True)
    built(world)
    paths, found = Paths(world / "checkout"), []
    for number in range(2):
        if number:
            build.build(paths)
        found.append(world / f"build-{number}")
        shutil.copytree(paths.processed / CURRENT, found[-1])
    return found[0], found[1]


def swap_builds(world: Path, builds: tuple[Path, Path], times: int) -> int:
    """Publishes the two builds in turn, that often; returns how often."""
    target = world / "checkout" / "data" / "processed"
    for number in range(times):
        with work_folder(target) as work:
            shutil.copytree(builds[number % 2], work, copy_function=os.link, dirs_exist_ok=True)
            swap_in(work, target)
        sleep(0.1)
    return times


# --- states ---


def published(world: Path) -> str:
    folder = world / "checkout" / "data" / "processed"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for table in manifest["tables"].values():
        for name, entry in table["files"].items():
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            assert found == entry["sha256"], f"{name} is not that of the manifest"
    return hashlib.sha256((folder / "models.csv").read_bytes()).hexdigest()


def ledger(world: Path) -> str:
    """Facts and lock; between the two writes the facts are new and the lock is old, and the build reads that, too."""
    paths = Paths(world / "checkout")
    load_facts(paths, load_sources(paths), load_lock(paths))
    lock = load_lock(paths)
    days = {name: sorted(entry["snapshots"]) for name, entry in lock.items()}
    facts = digest(paths.raw / "epoch_notable").encode() if days["epoch_notable"][1:] else b""
    return hashlib.sha256(json.dumps(days).encode() + facts).hexdigest()


def curated(world: Path) -> str:
    return digest(world / "checkout" / "data" / "raw" / "curated")


def index(world: Path) -> str:
    """The versions that the index names, all of which must be whole."""
    releases = world / "checkout" / "data" / "processed" / "releases"
    if not (releases / "releases.json").exists():
        return "none"
    entries = json.loads((releases / "releases.json").read_bytes())["releases"]
    for entry in entries:
        problems = problems_of(os.fsencode(releases / f"v{entry['version']}"))
        assert problems == [], problems
    return ",".join(entry["version"] for entry in entries)


FACT_WORDS = ["add-fact", "AlexNet", "training_tokens", "1 trillion", "--reference", "arXiv:2601.00001"]
SCENARIOS = {
    "build": Scenario(lambda _: ["build"], built, published),
    "pull": Scenario(
        lambda world: [
            "pull",
            "epoch_notable",
            "--file",
            str(world / "notable_ai_models.csv"),
            "--as-of",
            "2026-05-03",
        ],
        pulled,
        ledger,
    ),
    "add-fact": Scenario(
        lambda _: [*FACT_WORDS, "--locator", "section 3", "--evidence", "recalled"],
        lambda w: void(checkout(w)),
        curated,
        refusal="the same fact stands in",
    ),
    "release": Scenario(
        lambda _: ["release", "2026.11.0"],
        committed,
        index,
        refusal="another release is being made|has already been released",
    ),
    "download": Scenario(
        lambda world: ["download", "--index", str(world / "releases"), "--to", str(world / "out")],
        released,
        lambda world: digest(world / "out" / f"v{VERSION}"),
    ),
    "site": Scenario(
        lambda world: ["site", "--to", str(world / "out" / "public")], shown, lambda w: digest(w / "out" / "public")
    ),
}


def void(_: object) -> None:
    """Forgets what a function returns."""
