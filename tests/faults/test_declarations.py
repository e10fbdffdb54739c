"""What the checkout declares, damaged as a disk, an editor or a broken-off copy damages a file: each kind ends in
lines that name the file and the remedy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.config import load_constants, load_lock, load_selection, load_sources, read_source
from pipeline.curated import Architecture, Component, Decision, Waiver, load_corrections, load_curated
from pipeline.errors import DataError
from pipeline.files import load_yaml
from pipeline.normalize.facts import load_facts, load_file
from pipeline.paths import CHECKOUT, Paths
from pipeline.publish import describe
from pipeline.schema import load_schema, load_views
from pipeline.site import api, figures, reproductions, site
from pipeline.vocabularies import load_vocabularies
from traincompute.cli import main

REAL = Paths(CHECKOUT)
real_sources = cache(lambda: load_sources(REAL))
SHAPES = {
    "data/known_issues.yml": describe.ISSUES_SHAPE,
    "pipeline/site/api.yml": api.SHAPE,
    "pipeline/site/thresholds.yml": site.RULES,
    "pipeline/site/figures/growth.yml": figures.SHAPE,
    "pipeline/site/figures/theme.yml": figures.THEME,
    "pipeline/site/published.yml": reproductions.SHAPE,
    "pipeline/publish/about.yml": describe.ABOUT_SHAPE,
}


def of_shape(shape: Any) -> Callable[[Paths, Path], Any]:
    return lambda paths, file: load_yaml(file, paths.short(file), shape)


LOADERS: dict[str, Callable[[Paths, Path], Any]] = {
    "schemas/*.yml": lambda paths, file: load_schema(file, paths),
    "schemas/vocab/*.yml": lambda paths, _: load_vocabularies.__wrapped__(paths),
    "data/constants.yml": lambda paths, _: load_constants(paths),
    "data/raw/lock.json": lambda paths, _: load_lock(paths),
    "data/raw/selection.yml": lambda paths, _: load_selection(paths, real_sources().values()),
    "data/raw/*/source.yml": lambda paths, file: read_source(file, paths.short(file)),
    "data/raw/*/facts*.csv": lambda paths, file: load_file(paths, real_sources()[file.parent.name], file),
    "data/raw/curated/corrections.yml": lambda paths, _: load_corrections(paths),
    "data/raw/curated/identities.csv": lambda paths, _: load_curated(paths, Decision),
    "data/raw/curated/architectures.csv": lambda paths, _: load_curated(paths, Architecture),
    "data/raw/curated/components.csv": lambda paths, _: load_curated(paths, Component),
    "data/raw/curated/waivers.csv": lambda paths, _: load_curated(paths, Waiver),
    "pipeline/publish/sql/**/*.sql": lambda paths, _: load_views(paths),
    **{name: of_shape(shape) for name, shape in SHAPES.items()},
}
# A file without which nothing is declared, or of which a part is a whole
OPTIONAL = ("lock.json", ".sql", "schemas/", "facts", "waivers")


def found() -> Iterator[tuple[str, str]]:
    """The smallest file of each kind."""
    for pattern in LOADERS:
        smallest = min(CHECKOUT.glob(pattern), key=lambda file: file.stat().st_size)
        yield pattern, smallest.relative_to(CHECKOUT).as_posix()


def damages(name: str, raw: bytes) -> Iterator[bytes]:
    """What a disk, an editor or a person makes of a file."""
    middle = len(raw) // 2
    yield from (b"", b"\n \n", raw[:middle] + b"\xff" + raw[middle:], raw[:middle] + b"\0" + raw[middle:])
    if name.endswith(".json"):
        yield from (b"[]", b'{"a": []}', b'{"a": {}, "a": {}}', raw[:middle])
        return
    yield raw[: raw.rindex(b"\n", 0, -1) + 2]  # cut within a line
    if name.endswith(".yml"):
        item = b"- " if raw.startswith(b"- ") or (b"\n- " in raw and b"\nname:" not in raw) else b""
        yield from (b"a text\n", raw + item + b"zzz: 1\n", raw + item + b"zzz: 2024-02-30\n")
    if name.endswith(".csv"):
        yield from (b"x" + raw, raw + b"x\n", raw + b'"x\n')


@pytest.mark.parametrize(("pattern", "name"), [*found()])
def test_a_damaged_declaration_is_named_with_the_remedy(tmp_path: Path, pattern: str, name: str) -> None:
    paths, file = Paths(tmp_path), tmp_path / name
    beside = shutil.ignore_patterns("*") if pattern == "schemas/vocab/*.yml" else None  # each is read by itself
    shutil.copytree((CHECKOUT / name).parent, file.parent, copy_function=os.symlink, ignore=beside)
    raw = (CHECKOUT / name).read_bytes()
    if name.endswith("corrections.yml"):
        raw = raw[: raw.rindex(b"\n- ", 0, 20_000) + 1]  # the first entries
    for content in (raw, *damages(name, raw)):
        file.unlink(missing_ok=True)
        file.write_bytes(content)
        if content is raw:
            LOADERS[pattern](paths, file)
            continue
        with pytest.raises(DataError) as refused:
            LOADERS[pattern](paths, file)
        for line in str(refused.value).splitlines():
            assert line.startswith((name, "...")), (content[-40:], line)
            assert "; " in line, (content[-40:], line)
    file.unlink()
    if not any(part in name for part in OPTIONAL):
        with pytest.raises(DataError, match="the file is missing; `git diff` shows what changed"):
            LOADERS[pattern](paths, file)


def test_a_ledger_without_its_file_is_refused(small: Paths) -> None:
    (small.raw / "epoch_notable" / "facts.csv").unlink()
    with pytest.raises(DataError, match=r"data/raw/epoch_notable/facts\.csv: the file is missing; `git diff`"):
        load_facts(small, load_sources(small), load_lock(small))


@pytest.mark.parametrize(
    ("words", "name", "damage"),
    [
        ("build", "data/constants.yml", lambda raw: raw[: len(raw) // 2]),
        ("build", "data/constants.yml", None),
        ("build", "data/calibration/intervals.csv", None),
        ("stage normalize", "schemas/vocab/fields.yml", lambda _: b"codes: []\n"),
        ("stage validate", "schemas/models.yml", lambda raw: raw[: raw.rindex(b"primaryKey")]),
    ],
)
def test_a_command_names_the_file_and_leaves_what_is_published(
    built_copy: Paths,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    name: str,
    damage: Callable[[bytes], bytes] | None,
) -> None:
    file, before = built_copy.root / name, state(built_copy.processed)
    file.write_bytes(damage(file.read_bytes())) if damage else file.unlink()
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    monkeypatch.setattr("sys.argv", ["traincompute", *words.split()])
    with pytest.raises(SystemExit, match="1"):
        main()
    said = capsys.readouterr().err.splitlines()
    assert all(line.removeprefix("Error: ").startswith(name) for line in said), said
    assert state(built_copy.processed) == before


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
