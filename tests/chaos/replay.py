"""Replays the dated snapshots of the notable models as live pulls, one after another, each followed by a build:

    python tests/chaos/replay.py FOLDER --write

FOLDER holds the files as DATE.csv; the first is entered as history. The other sources of models, and what people entered, are
those of the day. Where a gate closes, the snapshot is entered with --as-of, as by a maintainer who has looked at it. What
happened is printed; --write enters it into replay.csv, and into replayed.csv what was held or set aside. Exit code 1 where a
build stopped. It is no part of the test suite: it takes half an hour.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from checkouts import DECLARED, KEPT_BY_HAND  # noqa: E402

from pipeline import build  # noqa: E402
from pipeline.base.errors import DataError  # noqa: E402
from pipeline.base.paths import Paths  # noqa: E402
from pipeline.normalize.stage import load_ledger  # noqa: E402
from pipeline.pull import snapshot  # noqa: E402
from pipeline.pull.snapshot import Request, pull_source  # noqa: E402
from pipeline.registry.context import load_context  # noqa: E402
from pipeline.registry.frames import Tables  # noqa: E402
from pipeline.registry.reasons import AFTER_SNAPSHOT, BREAKS_RULE, EXCHANGED, HELD  # noqa: E402
from pipeline.registry.sources import load_sources  # noqa: E402

SOURCE = "epoch_notable"
AGAINST = (HELD, EXCHANGED, BREAKS_RULE, AFTER_SNAPSHOT)
HERE = Path(__file__).resolve().parent
DAYS = ("snapshot", "pull", "build", "held", "set_aside")
ROWS = ("snapshot", "record", "field", "value_text", "reason_code", "reason")


def checkout(root: Path) -> Paths:
    """The checkout's declarations, and what sources of other things than models say; nothing of the source yet."""
    (root / "data").mkdir(parents=True)
    for name in (*DECLARED, "pipeline"):
        (root / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "data/raw", root / "data/raw")
    for name, text in KEPT_BY_HAND.items():
        (root / name).write_text(text, encoding="utf-8")
    paths = Paths(root)
    paths.lock.write_text("{}\n")
    (paths.raw / SOURCE / "facts.csv").unlink()
    return paths


def set_back(paths: Paths, day: str) -> None:
    """The other sources of models as they stood on the day, and what people had entered by then."""
    lock = json.loads((ROOT / "data/raw/lock.json").read_text())
    mine = json.loads(paths.lock.read_text())
    of_models = [name for name, source in load_sources(paths).items() if source.subject == "models" and name != SOURCE]
    for name in of_models:
        for file in sorted((ROOT / "data/raw" / name).glob("facts*.csv")):
            said = said_by(file, day)
            write_lines(paths.raw / name / file.name, said)
            if name in lock:
                lock[name] |= {"lines": len(said), "snapshots": until(day, lock[name]["snapshots"])}
    kept = {name: entry for name, entry in lock.items() if name != SOURCE and entry["snapshots"]}
    own = {name: entry for name, entry in mine.items() if name == SOURCE}
    paths.lock.write_text(json.dumps(dict(sorted((kept | own).items())), indent=1) + "\n")


def until(day: str, snapshots: dict[str, Any]) -> dict[str, Any]:
    return {when: about for when, about in snapshots.items() if when <= day}


def said_by(file: Path, day: str) -> list[dict[str, str]]:
    """The lines of a ledger that were there on the day, each open if it was open then."""
    with file.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["since"] <= day]
    return [row | {"until": row["until"] if row["until"] <= day else ""} for row in rows]


def write_lines(file: Path, rows: list[dict[str, str]]) -> None:
    file.unlink(missing_ok=True)
    if rows:
        with file.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def keep_known(paths: Paths, day: str) -> None:
    """What people had entered by that day in corrections, and the identities of records that there were."""
    entries = yaml.safe_load((ROOT / "data/raw/curated/corrections.yml").read_text(encoding="utf-8"))
    entries = [entry for entry in entries if str(entry["entered"]) <= day]
    (paths.curated / "corrections.yml").write_text(yaml.safe_dump(entries, allow_unicode=True), encoding="utf-8")
    shutil.copy(ROOT / "data/raw/curated/identities.csv", paths.curated)
    while lines := unknown(paths):
        file = paths.curated / "identities.csv"
        kept = [
            line
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(True), 1)
            if number not in lines
        ]
        file.write_text("".join(kept), encoding="utf-8")


def unknown(paths: Paths) -> set[int]:
    """The lines of identities.csv that name a record or an id that there is not."""
    try:
        load_ledger(load_context(paths))
    except DataError as error:
        return {
            int(problem.where.rpartition(":")[2]) for problem in error.problems if "identities.csv:" in problem.where
        }
    return set()


def pull(paths: Paths, file: Path, day: date, live: bool) -> str:
    """Enters the file; says how."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)

    snapshot.datetime = Clock
    source = load_sources(paths)[SOURCE]
    try:
        pull_source(paths, source, Request(files=(file,), as_of=None if live else day, update=True), lambda _: None)
    except DataError as error:
        pull_source(paths, source, Request(files=(file,), as_of=day, update=True), lambda _: None)
        return "gate: " + "; ".join(f"{problem.field} {problem.reason}".strip() for problem in error.problems)
    return "live" if live else "history"


def set_aside(made: Tables, day: str) -> list[dict[str, str]]:
    """What is in quarantine of the source for what other lines or snapshots say, not for how it is written."""
    found = made["quarantine"].query(
        "source_id == @SOURCE and reason_code in @AGAINST", local_dict=None, global_dict=globals()
    )
    return [
        dict(zip(ROWS, (day, *row), strict=True)) for row in found[list(ROWS[1:])].astype(str).itertuples(index=False)
    ]


def replay(folder: Path, root: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    paths, days, rows = checkout(root), [], []
    for number, file in enumerate(sorted(folder.glob("????-??-??.csv"))):
        set_back(paths, file.stem)
        how = pull(paths, file, date.fromisoformat(file.stem), live=number > 0)
        keep_known(paths, file.stem)
        try:
            aside, ended = set_aside(build.build(paths), file.stem), "built"
        except DataError as error:
            aside, ended = [], f"stopped: {len(error.problems)} problems, {error.problems[0]}"
        held = sum(row["reason_code"] == HELD for row in aside)
        days.append(dict(zip(DAYS, (file.stem, how, ended, str(held), str(len(aside) - held)), strict=True)))
        rows += aside
        print(*days[-1].values(), sep=", ", flush=True)
    return days, rows


def write(name: str, columns: tuple[str, ...], rows: list[dict[str, str]]) -> None:
    with (HERE / name).open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="enter what happened into replay.csv and replayed.csv")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="traincompute-replay-") as temporary:
        days, rows = replay(given.folder, Path(temporary) / "checkout")
    if given.write:
        write("replay.csv", DAYS, days)
        write("replayed.csv", ROWS, rows)
    sys.exit(1 if any(day["build"] != "built" for day in days) else 0)


if __name__ == "__main__":
    main()
