"""The wheel as a stranger installs it."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from release_folders import write_release

from pipeline.paths import CHECKOUT, Paths, build_version
from traincompute import __version__
from traincompute.cli import COMMANDS, MODULES

SEEN = """
import json, sys
sys.path[:0] = sys.argv[1:3]
import traincompute as t
models = t.load("models")
print(json.dumps({
    "shape": models.shape, "dtypes": models.dtypes.astype(str).to_dict(), "cite": t.cite(), "file": t.__file__,
    "units": models.attrs["units"], "digest": models.attrs["manifest_sha256"],
    "sql": t.sql("select count(*) as n from models")["n"].tolist(),
    "strangers": [name for name in ("pipeline", "pandera", "yaml", "pooch") if name in sys.modules],
}))
"""


COMMAND = """
import sys
sys.path[:0] = sys.argv[1:3]
sys.argv[1:] = {}
from traincompute.cli import main
main()
"""


EACH = """
import sys
sys.path[:0] = sys.argv[1:3]
from traincompute.cli import group
for words in {}:
    print(words)
    sys.exit(code) if (code := group(words, standalone_mode=False)) else None
"""


def make_wheel(folder: Path, checkout: Path = CHECKOUT, **env: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, check=True, cwd=checkout, env=os.environ | env, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made with the build of the small checkout."""
    return make_wheel(tmp_path_factory.mktemp("wheel"), TRAINCOMPUTE_DATASET=str(built.processed))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The unpacked wheel, and a folder with its dependencies."""
    unpacked, others = tmp_path_factory.mktemp("unpacked"), tmp_path_factory.mktemp("others")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    declared = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    for name in closure(declared):
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
            if not (others / top).exists():
                (others / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return [str(unpacked), str(others)]


def closure(requirements: list[str]) -> set[str]:
    """The distributions that the requirements name."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        wanted = Requirement(waiting.pop())
        applies = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if applies and wanted.name.lower() not in found:
            found.add(wanted.name.lower())
            waiting += distribution(wanted.name).requires or []
    return found


def alone(installed: list[str], code: str, folder: str | Path = "/", **env: str) -> subprocess.CompletedProcess[str]:
    """A Python that sees only the two folders."""
    command = [sys.executable, "-I", "-S", "-c", code, *installed]
    plain = {"PATH": os.environ["PATH"], "HOME": installed[0]}
    return subprocess.run(command, capture_output=True, text=True, env=plain | env, cwd=folder, check=False)


def test_the_oldest_libraries_that_are_tried_are_those_that_are_allowed() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    allowed = [Requirement(line) for line in project["dependencies"]]
    lines = (CHECKOUT / "constraints-lowest.txt").read_text().splitlines()
    tried = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert tried.keys() == {wanted.name for wanted in allowed}
    for wanted in allowed:
        (lowest,) = (Version(limit.version) for limit in wanted.specifier if limit.operator == ">=")
        assert Version(tried[wanted.name]) == lowest, wanted.name


def test_it_holds_the_reader_only(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        carried = [name for name in archive.namelist() if name.startswith("traincompute/dataset/")]
        assert (CHECKOUT / "traincompute" / "allowed_signers").read_bytes() == archive.read(
            "traincompute/allowed_signers"
        )
    assert {top for top in tops if not top.endswith(".dist-info")} == {"traincompute"}
    kinds = {name.rpartition(".")[2] for name in carried if "/figures/" not in name}
    assert kinds == {"parquet", "json", "sql"}, "a database is made of them where they are read"


def test_commands_that_build_say_that_they_need_a_checkout(installed: list[str]) -> None:
    result = alone(installed, COMMAND.format(["build"]))
    assert result.returncode == 2
    assert "appear in a source checkout" in result.stderr


@pytest.fixture
def real(_real_once: tuple[Paths, object]) -> Path:
    """The published files of the committed facts."""
    return _real_once[0].processed


def help_examples() -> dict[str, list[str]]:
    """The example in the help of each command."""
    modules = {name: MODULES[name] for part in COMMANDS.values() for name in part}
    modules |= {"figures": "traincompute.commands.examples"}
    texts = {
        name: getattr(importlib.import_module(module), name).help
        for name, module in modules.items()
        if "pipeline" not in module and name not in ("releases", "download", "diff")  # which need an index
    }
    examples = {name: " ".join(text.split("Example: traincompute ")[1].split()) for name, text in texts.items()}
    return {name: shlex.split(example.split(" >>")[0]) for name, example in examples.items()}


def test_every_example_in_a_help_runs_where_nothing_but_the_package_is_installed(
    installed: list[str], real: Path, tmp_path: Path
) -> None:
    examples = help_examples()
    assert len(examples) >= 16
    done = alone(installed, EACH.format(list(examples.values())), tmp_path, TRAINCOMPUTE_DATA=str(real))
    assert done.returncode == 0, f"an example in a help fails: {done.stdout[-500:]} {done.stderr}"


def test_it_answers_from_the_dataset_that_it_carries(installed: list[str], wheel: Path) -> None:
    code = "import socket\nsocket.socket.connect = None  # whoever connects fails\n"
    asked = """
for version in ("2020.1.0", t.__version__):
    try:
        t.load("models", version=version)
    except ValueError as error:
        print(error, file=sys.stderr)
"""
    result = alone(installed, code + SEEN + asked)
    (found,) = result.stdout.splitlines()
    assert json.loads(found)["shape"][0] == json.loads(found)["sql"][0] == 16, "rows of the golden file"
    with zipfile.ZipFile(wheel) as archive:
        manifest = archive.read("traincompute/dataset/manifest.json")
    assert json.loads(found)["digest"] == hashlib.sha256(manifest).hexdigest()
    other, same = result.stderr.splitlines()
    assert "set TRAINCOMPUTE_INDEX=https://" in other
    assert f"at hand is {build_version()};" in same, "it was not released"


def test_package_and_dataset_have_one_version(installed: list[str], built: Paths, tmp_path: Path) -> None:
    assert alone(installed, COMMAND.format(["--version"])).stdout == f"traincompute {__version__}\n"
    assert f"Version {build_version()}" in alone(installed, COMMAND.format(["cite"])).stdout
    older = tmp_path / "older"
    write_release(built.processed, older, "2026.9.0")
    manifest = older / "v2026.9.0" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"version": "{build_version()}"', '"version": "2026.9.0"'))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        make_wheel(tmp_path, TRAINCOMPUTE_DATASET=str(manifest.parent))
    assert f"holds version 2026.9.0, the package is {__version__}" in refused.value.stderr.decode()


def test_a_wheel_carries_no_damaged_dataset(built: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(built.processed / ".current", folder)
    damaged = folder / "models.parquet"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        make_wheel(tmp_path, TRAINCOMPUTE_DATASET=str(folder))
    assert str(damaged) in refused.value.stderr.decode()


def test_a_wheel_carries_the_dataset_of_the_facts_as_they_are(built: Paths, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(built.root, clone, ignore=shutil.ignore_patterns("processed"))
    shutil.copytree(built.processed / ".current", clone / "data" / "processed")
    stale = clone / "data" / "processed" / "manifest.json"
    stale.write_text(json.dumps(json.loads(stale.read_bytes()) | {"version": __version__, "stale": True}))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "LICENSE-DATA.md"):
        shutil.copy(CHECKOUT / name, clone)
    for name in ("pipeline", "traincompute", "docs/figures"):
        left = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(CHECKOUT / name, clone / name, ignore=left, dirs_exist_ok=True)
    made = make_wheel(tmp_path / "made", clone)
    with zipfile.ZipFile(made) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("traincompute/dataset/manifest.json"))
    assert (manifest["version"], manifest.get("stale")) == (f"{__version__}.dev0", None)
    assert manifest["tables"]["models"]["rows"] == 16, "rows of the golden file"
    assert {"traincompute/dataset/models.parquet", "traincompute/dataset/traincompute.sql"} <= names
    licences = f"traincompute-{__version__}.dev0.dist-info/licenses"
    assert {f"{licences}/LICENSE", f"{licences}/LICENSE-DATA.md"} <= names, "of the code and of the data"
