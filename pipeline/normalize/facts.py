"""The committed facts of every source, loaded and checked: columns, complete lines, days, no line twice."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

from pipeline.config import Config, Source, locked_snapshots
from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE
from pipeline.frames import is_in, mapped
from pipeline.names import ADDRESS, CITATION, EVIDENCE, PLACE, is_reference, leads_nowhere
from pipeline.normalize.columns import text_hash
from pipeline.paths import Paths
from pipeline.pull.ledger import HEADER, LINK_FIELD

COLUMNS = ["source_id", *HEADER, "reference", "evidence", "file", "line"]
IDENTITY = ["source_id", "record", "field", "value_text", "locator", "reference"]  # what a claim_id depends on
Held = Mapping[tuple[str, str], date]  # (source_id, record): the day as of which its facts are read
NOTHING_HELD: Held = {}
Fixes = Sequence[Mapping[str, Any]]  # entries of corrections.yml


@dataclass(frozen=True)
class Vintage:
    """What the steps go by beside the claims: the day, the ledger (every fact that a source ever stated), entries of
    corrections.yml, the claims that are set aside (by claim_id, with the reason), and the records that are held."""

    context: Config
    as_of: date | None = None
    ledger: pd.DataFrame = field(default_factory=pd.DataFrame)
    fixes: Fixes = ()
    aside: Mapping[str, str] = field(default_factory=dict)
    held: Held = field(default_factory=dict)


def load_facts(paths: Paths, sources: Mapping[str, Source], lock: Mapping[str, Any]) -> pd.DataFrame:
    """All spans of all sources: source_id, record, field, value_text, locator, since, until (days), reference,
    evidence, file, line and the hash that becomes the claim_id. Raises DataError with every faulty line."""
    tables = []
    for source in sources.values():
        files, lines = sorted((paths.raw / source.id).glob("facts*.csv")), lock.get(source.id, {}).get("lines", 0)
        pulled = paths.raw / source.id / "facts.csv"
        if lines and pulled not in files:
            raise DataError.of(paths.short(pulled), "the file is missing", RESTORE)
        for file in files:
            tables.append(load_file(paths, source, file))
            rows = tables[-1].num_rows
            if file == pulled and rows < lines:
                again = f"if a pull was broken off, run `traincompute pull {source.id} --update` again"
                reason = f"{rows} lines, data/raw/lock.json says {lines}: the file is cut; {again}"
                raise DataError.of(paths.short(file), reason, RESTORE)
            if file == pulled and source.urls and source.id not in lock and rows:
                raise DataError.of(paths.short(file), "data/raw/lock.json does not know its snapshots", RESTORE)
    if not tables:
        raise DataError.of(paths.short(paths.raw), "no facts.csv in any source", RESTORE)
    facts = pa.concat_tables(tables).combine_chunks().to_pandas()
    facts = facts.assign(hash=text_hash(facts, IDENTITY), file=facts["file"].astype("category"))
    days = {"since": _days(facts["since"]), "until": _days(facts["until"])}
    DataError.raise_any(_faults(facts, days))
    typed: pd.DataFrame = facts.assign(**days)
    return typed


def vintage(
    facts: pd.DataFrame,
    sources: Mapping[str, Source],
    lock: Mapping[str, Any],
    as_of: date | None,
    held: Held = NOTHING_HELD,
) -> pd.DataFrame:
    """The facts that stood on a day (None = the newest), with the `snapshot` of their source that the vintage uses.
    Those of `held` records stand beside what the records had on an earlier day; exclude.py takes the newer ones out."""
    days = {name: locked_snapshots(lock, name) for name in sources}
    by_hand = facts.loc[is_in(facts["source_id"], [name for name in days if not days[name]])]
    spans = by_hand[["source_id", "since", "until"]].drop_duplicates()  # by hand, each day of a line is a snapshot
    days |= {str(name): [*own.stack().dropna().dt.date] for name, own in spans.set_index("source_id").groupby(level=0)}
    snapshots = {name: source.snapshot_at(days[name], as_of or date.max) for name, source in sources.items()}
    chosen = mapped(facts["source_id"], snapshots, "datetime64[s]")
    of_models = [snapshots[name] for name, source in sources.items() if source.subject == "models"]
    if of_models and not any(of_models):
        first = facts["since"].min().strftime("%Y-%m-%d")
        raise DataError.of("--as-of", "no source has a snapshot as old", f"the first is of {first}", value=str(as_of))
    stood = []
    for day in (chosen, held_days(facts, held)) if held else (chosen,):
        stood.append((facts["since"] <= day) & (facts["until"].isna() | (day < facts["until"])))
    present = stood[0]
    if held:
        is_back = day.notna() & facts["hash"].isin(facts.loc[stood[1], "hash"])  # a value that went and came back
        present = (present & ~is_back) | stood[1]
    return facts.assign(snapshot=chosen)[present].reset_index(drop=True)


def held_days(facts: pd.DataFrame, held: Held) -> pd.Series:
    """The day as of which each fact's record is held; NaT for all others."""
    days = {f"{source}\n{record}": day for (source, record), day in held.items()}
    return mapped(facts["source_id"] + "\n" + facts["record"], days, "datetime64[s]")


def load_file(paths: Paths, source: Source, file: Path) -> Any:
    """An Arrow table of one file's lines, texts unchanged, with source_id, file and line. Raises DataError for a file
    that is cut or no CSV file."""
    where, content = paths.short(file), file.read_bytes()
    if not content.endswith(b"\n"):
        line, remedy = content.count(b"\n") + 1, f"end it with one if the line is whole; {RESTORE}"
        raise DataError.of(f"{where}:{line}", "the last line has no line break", remedy)
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise DataError.of(f"{where}:{line}", "it contains a NUL byte", RESTORE)
    header = check_header(content[: content.index(b"\n")], where)
    convert = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False, check_utf8=True
    )
    try:
        parse = arrow_csv.ParseOptions(newlines_in_values=False)
        table = arrow_csv.read_csv(io.BytesIO(content), convert_options=convert, parse_options=parse)
    except pa.ArrowInvalid as error:
        DataError.raise_any(_malformed(content, len(header), where))
        raise DataError.of(where, f"not well-formed: {str(error)[:200]}", RESTORE) from error
    if table.num_rows < content.count(b"\n") - 1:  # an open quote swallows lines
        DataError.raise_any(_malformed(content, len(header), where))
    cited = {"reference": "", "evidence": source.evidence}
    absent = {name: text for name, text in cited.items() if name not in header}
    for name, text in {"source_id": source.id, "file": where, **absent}.items():
        table = table.append_column(name, pa.repeat(pa.scalar(text), table.num_rows))
    return table.append_column("line", pa.array(np.arange(2, table.num_rows + 2))).select(COLUMNS)


def check_header(line: bytes, where: str) -> list[str]:
    """The columns that the first line of a file names. Raises DataError if they are not those of a ledger."""
    header = line.decode("utf-8", "replace").strip("\r\n\ufeff").split(",")
    missing = [name for name in HEADER if name not in header]
    unknown = [name for name in header if name not in (*HEADER, *CITATION)]
    if missing or unknown:
        what = f"column {missing[0]!r} is missing" if missing else f"column {unknown[0]!r} is not known"
        expected = f"the header is {','.join(HEADER)}, in curated files followed by {','.join(CITATION)}"
        raise DataError.of(where + ":1", what, expected)
    return header


def _malformed(content: bytes, columns: int, where: str) -> Iterator[Problem]:
    """Each line that is no line of the ledger, and how to mend it."""
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        place = f"{where}:{number}"
        try:
            text = line.decode("utf-8-sig").rstrip("\r")
            cells = next(csv.reader([text], strict=True), [])
        except UnicodeDecodeError as error:
            yield Problem(place, "", "", "", f"byte 0x{line[error.start]:02x} is not UTF-8", "save the file as UTF-8")
        except csv.Error:
            remedy = 'close the quote; write a quote within a quoted cell twice ("")'
            yield Problem(place, "", "", text, "a quote is not closed, or stands within a cell", remedy)
        else:
            if text and len(cells) != columns:
                remedy = "quote a cell that contains a comma; leave an empty cell for what is not known"
                yield Problem(place, cells[0], "", text, f"{len(cells)} cells, not {columns}", remedy)


def _days(texts: pd.Series) -> pd.Series:
    """Texts as days; NaT for one that is empty or no day."""
    distinct = texts.unique()
    days = pd.to_datetime(distinct, format="%Y-%m-%d", errors="coerce").astype("datetime64[s]")
    return mapped(texts, dict(zip(distinct, days, strict=True)), "datetime64[s]")


def _faults(facts: pd.DataFrame, days: Mapping[str, pd.Series]) -> Iterator[Problem]:
    """What is wrong with single lines, and lines that stand twice."""
    cited, references = facts["reference"] != "", facts["reference"]
    empty = (facts[["record", "field", "value_text", "since"]] == "").any(axis=1)
    no_address = {text for text in references.unique() if text and not is_reference(text)}
    linked = cited & (facts["field"] == LINK_FIELD)
    no_link = {text for text in facts.loc[linked, "value_text"].unique() if not is_reference(text)}
    places = facts.loc[cited, "evidence"] + "\n" + facts.loc[cited, "locator"]
    nowhere = [text for text in places.unique() if leads_nowhere(*text.split("\n", 1)[::-1])]
    day = "write it as 2026-03-30"
    checks: list[tuple[pd.Series | np.ndarray, str, str]] = [
        (empty, "record, field, value_text and since must be filled", "fill or remove the line"),
        (
            ~facts["evidence"].isin(["", *EVIDENCE]),
            'evidence "{evidence}" is not known',
            f"one of {', '.join(EVIDENCE)}",
        ),
        (is_in(references, no_address), '"{reference}" is not a reference', ADDRESS),
        (linked & is_in(facts["value_text"], no_link), "is not a reference", ADDRESS),
        (facts.index.isin(places.index[is_in(places, nowhere)]), 'locator "{locator}" leads nowhere', PLACE),
        (days["since"].isna() & (facts["since"] != ""), 'since "{since}" is not a day', day),
        (days["until"].isna() & (facts["until"] != ""), 'until "{until}" is not a day', day),
        (facts.duplicated(["hash", "since"], keep=False), "the same fact stands twice", "remove one of the two lines"),
    ]
    for is_wrong, reason, remedy in checks:
        for row in facts.take(np.flatnonzero(is_wrong)).to_dict("records"):
            yield fact_problem(row, reason.format_map(row), remedy)


def fact_problem(row: Mapping[Any, Any], reason: str, remedy: str) -> Problem:
    """What is wrong with a line of the ledger."""
    return Problem(f"{row['file']}:{row['line']}", row["record"], row["field"], row["value_text"], reason, remedy)
