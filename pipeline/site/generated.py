"""What pages of docs/ print of the schemas and the sources, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.config import Source, last_look, load_lock, load_sources, locked_snapshots
from pipeline.files import load_yaml
from pipeline.paths import Paths
from pipeline.pull.ledger import load_witnesses, witness_of
from pipeline.schema import TYPES, load_schemas
from traincompute.database import open_database

# what the estimates were compared with, how many there were, and the shares near the value and inside the interval
COMPARED = """
select 'estimates of models whose published value was hidden', n, within_3, coverage_90 from calibration
where evaluation = 'folds' and inputs = 'curated' and method = 'cascade' and subset = 'whole' and tier = 'all'
  and domain = 'all' and period = 'all' and confidence = 'all'
union all
select 'estimates against values decided in a blind audit', n, within_3, coverage_90 from calibration
where evaluation = 'audited' and inputs = 'curated' and method = 'cascade'
union all
select 'past estimates, made before a value was published', count(*), avg((abs(error_dex) <= log10(3))::int),
  avg(is_inside::int)
from (from scores qualify row_number() over (partition by model_id order by vintage desc) = 1)"""
MOST_FILES = 50  # of one snapshot that are listed one by one


def row(*cells: object) -> str:
    """A row of a Markdown table, with its line break; null is an empty cell."""
    texts = ("" if cell is None else str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(texts)} |\n"


def how_good(folder: Path) -> str:
    """How near our estimates are to values that they were not made from: a table of three rows."""
    with open_database(folder) as connection:
        rows = connection.execute(COMPARED).fetchall()
    head = "| compared | models | within a factor of 3 | inside the 90 % interval |\n|---|---:|---:|---:|\n"
    return head + "".join(row(what, n, f"{near:.0%}", f"{inside:.0%}") for what, n, near, inside in rows)


def audited(paths: Paths) -> str:
    """The verdicts of data/audit.csv: of each thing that was judged the share that was right, first and last."""
    judged = pd.read_csv(paths.root / "data" / "audit.csv", dtype=str)
    told = judged[~judged["verdict"].isin(["untellable", "judged"])]
    parts = ["| judged | draws | right in the first | right in the last | judged in the last | read in a text |\n"]
    parts.append("|---|--:|--:|--:|--:|--:|\n")
    for what, rows in told.groupby("what"):
        first, last = (rows[rows["draw"] == draw] for draw in (rows["draw"].min(), rows["draw"].max()))
        right = (f"{(draw['verdict'] == 'right').mean():.0%}" for draw in (first, last))
        parts.append(row(what, rows["draw"].nunique(), *right, len(last), (last["basis"] != "recalled").sum()))
    return "".join(parts)


def dictionary(paths: Paths) -> str:
    """A section for each table, with a row for each of its columns."""
    parts = []
    for table in load_schemas(paths).values():
        parts.append(
            f"## {table.name}\n\n{table.title}. {table.description}\n\nKey: `{', '.join(table.primary_key)}`\n\n"
        )
        parts.append("| column | type | unit | meaning | example |\n|---|---|---|---|---|\n")
        for c in table.columns:
            derived = f" *Derived:* {c.derived}." if c.derived else ""
            vocabulary = f" Codes: `schemas/vocab/{c.vocab}.yml`." if c.vocab else ""
            required = " Never null." if c.required else ""
            meaning = f"{c.description}.{derived}{vocabulary}{required}".replace("..", ".")
            parts.append(row(f"`{c.name}`", TYPES[c.type][1], c.unit, meaning, c.example))
        parts.append("\n")
    return "".join(parts)


def sources(paths: Paths) -> str:
    """A row for each source and a section with its terms, its snapshots and the columns read, from source.yml and
    lock.json."""
    known, lock = load_sources(paths), load_lock(paths)
    witnesses = load_witnesses(paths, known.values())
    parts = ["| source | what | table | licence | last looked at | last changed |\n|---|---|---|---|---|---|\n"]
    for source in known.values():
        looked = last_look(lock, source.id) or "entered by hand"
        changed = max(locked_snapshots(lock, source.id), default="")
        link = f"[`{source.id}`](#{source.id})"
        parts.append(row(link, source.title, f"`{source.subject}`", source.licence, looked, changed))
    for source in known.values():
        parts.append(f"\n## {source.id}\n\n{source.title}. Published by {source.publisher}.\n\n")
        parts += [f"- {term}\n" for term in _terms(source)]
        if snapshots := lock.get(source.id, {}).get("snapshots", {}):
            parts += ["\n| snapshot | file | bytes | sha256 | witness |\n|---|---|--:|---|---|\n"]
            parts += _files(snapshots, witnesses)
        file = paths.raw / source.id / "source.yml"
        if fields := load_yaml(file, paths.short(file), dict[str, Any]).get("fields", {}):
            parts += ["\n| field | columns, with the snapshots between which each was seen |\n|---|---|\n"]
            parts += [row(f"`{field}`", _columns(entry["columns"])) for field, entry in fields.items()]
        if source.notes:
            parts += [f"\nRead by people for figures, but otherwise not kept: {', '.join(source.notes)}.\n"]
        if source.ignored:
            parts += [f"\nNot read: {', '.join(sorted(source.ignored))}.\n"]
    return "".join(parts)


def _terms(source: Source) -> Iterator[str]:
    passed_on = "cell by cell" if source.redistribute else "as aggregates only"
    yield f"Licence: {source.licence}; its facts are redistributed {passed_on}."
    yield f"To be credited as: {source.attribution}"
    if not source.makes_models:
        yield "Speaks of models that other sources make; its other records stay in the ledger alone."
    if source.derived_from:
        yield f"Derived from `{source.derived_from}`: not a voice of its own."
    if source.file_list:
        listed = f"`data/raw/{source.id}/{source.file_list['file']}`"
        yield f"{len(source.urls)} files, listed in {listed}, such as <{source.url}>"
    else:
        yield from (f"<{url}>" for url in source.urls)


def _files(snapshots: Mapping[str, Any], witnesses: Mapping[Any, Any]) -> Iterator[str]:
    """A row for each file; of a snapshot of many files one row for all."""
    for day, snapshot in sorted(snapshots.items()):
        files = sorted(snapshot["files"].items())
        if len(files) > MOST_FILES:
            total = sum(file["size"] for _, file in files)
            yield row(day, f"{len(files)} files", f"{total:,}", "in `data/raw/lock.json`", "")
            continue
        witness = witness_of(snapshot, witnesses)
        seen = f"[{witness.publisher}]({witness.reference})" if witness else ""
        for url, file in files:
            yield row(day, url.rsplit("/", 1)[-1], f"{file['size']:,}", f"`{file['sha256'][:16]}…`", seen)


def _columns(columns: Mapping[str, str | None]) -> str:
    """Each column with the first and last snapshot that had it, which source.yml has as FIRST/LAST."""
    texts = []
    for name, span in columns.items():
        first, _, last = (span or "/").partition("/")
        until = f"{first} on" if not last else f"{first} to {last}" if first != last else first
        texts.append(f"{name} ({until if first or last else 'in no snapshot here'})")
    return "; ".join(texts)
