"""What the checkout declares (schemas, vocabularies, sources, constants, the files kept by hand, the calibration),
damaged in every way that a disk, an editor or a broken-off copy damages a file: each ends in lines that name the file
and the remedy. The files are found, not listed, so that a new one is damaged, too."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.impute.calibration.storage import check_whole
from pipeline.impute.flop.calibration_tables import load_calibrated
from pipeline.normalize.corrections import load_corrections
from pipeline.normalize.facts import load_facts, load_file
from pipeline.present import thresholds
from pipeline.present.docs import figures, reproductions
from pipeline.present.site import engine, write
from pipeline.present.site.answers import parts
from pipeline.publish import describe
from pipeline.registry.architectures import load_architectures
from pipeline.registry.components import load_components
from pipeline.registry.constants import load_constants
from pipeline.registry.identities import load_decisions
from pipeline.registry.schema import load_schema, load_schemas
from pipeline.registry.selection import load_selection
from pipeline.registry.sources import load_lock, load_sources, read_source
from pipeline.registry.views import load_views
from pipeline.registry.vocabularies import load_vocabularies
from traincompute.cli import main

REAL = Paths(CHECKOUT)
CUTS = 4
real_sources = cache(lambda: load_sources(REAL))
LARGE = 300_000  # bytes; the facts of a smaller file are read in the same way
LOADERS: dict[str, Callable[[Paths, Path], Any]] = {
    "schemas/*.yml": lambda paths, file: load_schema(file, paths),
    "schemas/products/*.yml": lambda paths, file: load_schema(file, paths),
    "schemas/vocab/*.yml": lambda paths, _: load_vocabularies.__wrapped__(paths),
    "data/constants.yml": lambda paths, _: load_constants(paths),
    "data/known_issues.yml": lambda paths, file: load_yaml(file, paths.short(file), describe.ISSUES_SHAPE),
    "data/calibration/*.csv": lambda paths, file: (check_whole(paths, [file.stem]), load_calibrated(paths)),
    "data/calibration/SHA256SUMS": lambda paths, _: check_whole(
        paths, [table.stem for table in paths.calibration.glob("*.csv")]
    ),
    "data/raw/lock.json": lambda paths, _: load_lock(paths),
    "data/raw/selection.yml": lambda paths, _: load_selection(paths, real_sources().values()),
    "data/raw/*/source.yml": lambda paths, file: read_source(file, paths.short(file)),
    "data/raw/*/files.txt": lambda paths, file: read_source(
        file.with_name("source.yml"), paths.short(file.parent) + "/source.yml"
    ),
    "data/raw/*/facts*.csv": lambda paths, file: load_file(paths, real_sources()[file.parent.name], file),
    "data/raw/curated/corrections.yml": lambda paths, _: load_corrections(paths),
    "data/raw/curated/identities.csv": lambda paths, file: load_decisions(file, paths.short(file)),
    "data/raw/curated/architectures.csv": lambda paths, _: load_architectures(
        paths, load_vocabularies(REAL)["architectures"]
    ),
    "data/raw/curated/components.csv": lambda paths, _: load_components(paths),
    "pipeline/publish/sql/**/*.sql": lambda paths, _: load_views(paths),
    "pipeline/present/thresholds.yml": lambda paths, file: load_yaml(file, paths.short(file), thresholds.SHAPE),
    "pipeline/present/figures/figures.yml": lambda paths, file: load_yaml(file, paths.short(file), figures.SHAPE),
    "pipeline/present/docs/published.yml": lambda paths, file: load_yaml(file, paths.short(file), reproductions.SHAPE),
    "pipeline/present/site/settings.yml": lambda paths, file: load_yaml(file, paths.short(file), write.SETTINGS),
    "pipeline/present/site/answers/parts.yml": lambda paths, file: load_yaml(file, paths.short(file), parts.SHAPE),
    "pipeline/present/site/vendor/vendor.yml": lambda paths, file: load_yaml(file, paths.short(file), engine.SHAPE),
    "pipeline/publish/about.yml": lambda paths, file: load_yaml(file, paths.short(file), describe.ABOUT_SHAPE),
}
# A file that may be absent means nothing; a list or a table without its last lines is a shorter one
OPTIONAL = ("lock.json", ".sql")
LISTS = (
    *(".csv", ".txt", ".sql", "corrections.yml", "known_issues.yml"),
    *("thresholds.yml", "figures.yml", "published.yml", "settings.yml", "vendor.yml"),
)


def found() -> Iterator[tuple[str, str]]:
    for pattern in LOADERS:
        for file in sorted(CHECKOUT.glob(pattern)):
            if file.stat().st_size < LARGE or "facts" not in file.name:
                yield pattern, file.relative_to(CHECKOUT).as_posix()


def some() -> Iterator[Any]:
    """All of them; of those that are read in one way every fourth is damaged."""
    for _, alike in groupby(found(), key=lambda one: one[0]):
        for number, one in enumerate(alike):
            if number % 4 == 0:
                yield one


def of_bytes(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """What every file must not be."""
    middle = len(raw) // 2
    yield "empty", b""
    yield "of blanks", b"\n \n"
    yield "cut in a line", raw[: raw.rindex(b"\n", 0, -1) + 2]
    yield "not UTF-8", raw[:middle] + b"\xff" + raw[middle:]
    yield "with a NUL", raw[:middle] + b"\0" + raw[middle:]


def of_yaml(raw: bytes) -> Iterator[tuple[str, bytes]]:
    is_list = any(line.startswith(b"- ") for line in raw.splitlines())
    yield "a mapping for a list" if is_list else "a list for a mapping", b"a: 1\n" if is_list else b"- a\n"
    yield "a text", b"a text\n"
    yield "of an unknown key", raw + (b"- {zzz: 1}\n" if is_list else b"zzz: 1\n")
    yield "with a day that is none", raw + (b"- 2024-02-30\n" if is_list else b"zzz: 2024-02-30\n")
    yield "with a key twice", (b"- {a: 1, a: 1}\n" if is_list else b"zzz: 1\nzzz: 2\n") + raw
    yield "with a key that is a list", b"? [a]\n: 1\n" + raw


def of_csv(raw: bytes) -> Iterator[tuple[str, bytes]]:
    header, rest = raw.split(b"\n", 1)
    names = header.split(b",")
    yield "of a column twice", b",".join([names[0], names[0], *names[2:]]) + b"\n" + rest
    yield "of a column less", b"\n".join(line.partition(b",")[2] for line in raw.split(b"\n"))
    yield "with a line of one cell", raw + b"x\n"
    yield "with an open quote", raw + b'"x\n'


def of_lines(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The file without its last lines; always also without the very last one."""
    lines = raw.splitlines(keepends=True)
    for kept in sorted({len(lines) - 1, *range(1, len(lines), max(1, len(lines) // CUTS))}):
        yield f"without all after line {kept}", b"".join(lines[:kept])


def damages(name: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    kinds = {".yml": of_yaml, ".csv": of_csv}
    yield from (one for one in of_bytes(raw) if not (name.endswith(".json") and one[0] == "cut in a line"))
    yield from kinds.get(Path(name).suffix, lambda _: iter(()))(raw)
    if not name.endswith(LISTS) or name.startswith("data/calibration"):
        yield from of_lines(raw)
    if name.endswith(".json"):
        yield from ((text, text.encode()) for text in ("[]", '"a"', '{"a": []}', '{"a": {}, "a": {}}'))
        yield "of a day that is none", b'{"a": {"lines": 1, "snapshots": {"soon": {"retrieved_at": "", "files": {}}}}}'


@pytest.mark.parametrize(("pattern", "name"), [*some()])
def test_fault_68_a_damaged_declaration_is_named_with_the_remedy(tmp_path: Path, pattern: str, name: str) -> None:
    paths, file = Paths(tmp_path), tmp_path / name
    beside = shutil.ignore_patterns("*") if pattern == "schemas/vocab/*.yml" else None  # each is read by itself
    shutil.copytree((CHECKOUT / name).parent, file.parent, copy_function=os.symlink, ignore=beside)
    if beside:
        file.symlink_to(CHECKOUT / name)
    raw = (CHECKOUT / name).read_bytes()
    LOADERS[pattern](paths, file)
    for what, content in damages(name, raw):
        file.unlink()
        file.write_bytes(content)
        for line in refusal(lambda: LOADERS[pattern](paths, file)).splitlines():
            assert line.startswith((name, "...")), (what, line)
            assert "; " in line, (what, line)
    file.unlink()
    if not name.endswith(OPTIONAL) and "/facts" not in name:
        with pytest.raises(
            DataError,
            match="the file is missing; `git diff` shows what changed",
        ):
            missing(paths, pattern, file)


def refusal(load: Callable[[], Any]) -> str:
    """What is said of the damaged file."""
    try:
        load()
    except DataError as error:
        return str(error)
    return "nobody minds"


def missing(paths: Paths, pattern: str, file: Path) -> Any:
    """Schemas and vocabularies are found by their files: who asks for one that is not there is told."""
    if pattern == "schemas/*.yml":
        return load_schemas.__wrapped__(paths)[file.stem]
    if pattern == "schemas/vocab/*.yml":
        return load_vocabularies.__wrapped__(paths)[file.stem]
    return LOADERS[pattern](paths, file)


def test_fault_68_a_ledger_without_its_file_is_refused(small: Paths) -> None:
    (small.raw / "epoch_notable" / "facts.csv").unlink()
    with pytest.raises(DataError, match=r"data/raw/epoch_notable/facts\.csv: the file is missing; `git diff`"):
        load_facts(small, load_sources(small), load_lock(small))


@pytest.mark.parametrize(
    ("words", "name", "damage"),
    [
        ("build", "data/constants.yml", lambda raw: raw[: len(raw) // 2]),
        ("build", "data/constants.yml", None),
        ("build", "data/calibration/intervals.csv", lambda raw: raw[: raw.rindex(b"\n", 0, -1) + 1]),
        ("stage normalize", "schemas/vocab/fields.yml", lambda _: b"codes: []\n"),
        ("stage validate", "schemas/models.yml", lambda raw: raw[: raw.rindex(b"primaryKey")]),
    ],
)
def test_fault_68_a_command_names_the_file_and_leaves_what_is_published(
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
