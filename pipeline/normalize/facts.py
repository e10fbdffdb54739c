"""Loads and checks the committed facts of every source: columns, complete lines, span dates, no duplicate lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

from pipeline.config import Source, locked_snapshots
from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE
from pipeline.frames import is_in, mapped
from pipeline.names import ADDRESS, CITATION, EVIDENCE, PLACE, is_reference, leads_nowhere
from pipeline.normalize.columns import row_codes, text_hash
from pipeline.paths import Paths
from pipeline.pull.ledger import HEADER, LINK_FIELD

COLUMNS = ["source_id", *HEADER, *CITATION, "file"]
IDENTITY = ["source_id", "record", "field", "value_text", "locator", "reference"]  # what a claim_id depends on


def load_facts(paths: Paths, sources: Mapping[str, Source], lock: Mapping[str, Any]) -> pd.DataFrame:
    """All spans of all sources: source_id, record, field, value_text, locator, since, until (days), reference,
    evidence, accessed, file, line and the hash that becomes the claim_id. The order of lines does not matter."""
    for name in sorted(sources.keys() & lock.keys()):
        if lock[name]["lines"] and not (file := paths.raw / name / "facts.csv").exists():
            raise _refuse(paths.short(file), "the file is missing")
    parts = [
        _locked_file(paths, source, file, lock)
        for source in sources.values()
        for file in sorted((paths.raw / source.id).glob("facts*.csv"))
    ]
    if not parts:
        raise _refuse(paths.short(paths.raw), "no facts.csv in any source")

    return typed_spans(pa.concat_tables(parts).to_pandas())


def typed_spans(facts: pd.DataFrame) -> pd.DataFrame:
    """Lines of a ledger (COLUMNS and line, all texts) with their hash, and since and until as days. Raises DataError
    for lines that are not complete, lead nowhere or stand twice."""
    facts = facts.assign(hash=text_hash(facts, IDENTITY), file=facts["file"].astype("category"))
    _check_cells(facts)
    facts = facts.assign(since=_days(facts, "since"), until=_days(facts, "until"))
    _check_doubled(facts)
    return facts


def vintage(
    facts: pd.DataFrame, sources: Mapping[str, Source], lock: Mapping[str, Any], as_of: date | None
) -> pd.DataFrame:
    """The facts that stood on a day, with the `snapshot` of their source that the vintage uses; None = the newest."""
    day = as_of or date.max
    snapshots = {name: snapshot_of(source, lock, facts, day) for name, source in sources.items()}
    chosen = mapped(facts["source_id"], snapshots, "datetime64[s]")
    of_models = [snapshots[name] for name, source in sources.items() if source.subject == "models"]
    if of_models and not any(of_models):
        first = facts["since"].min().strftime("%Y-%m-%d")
        raise DataError(
            [Problem("--as-of", "", "", str(as_of), "no source has a snapshot as old", f"the first is of {first}")]
        )
    present = (facts["since"] <= chosen) & (facts["until"].isna() | (chosen < facts["until"]))
    return facts.assign(snapshot=chosen)[present].reset_index(drop=True)


def snapshot_of(source: Source, lock: Mapping[str, Any], facts: pd.DataFrame, day: date) -> date | None:
    """The snapshot of a source on a day: from the lock or, for sources entered by hand, the last day of a span."""
    days = locked_snapshots(lock, source.id)
    if not days:
        own = facts.loc[facts["source_id"] == source.id, ["since", "until"]].stack().dropna().dt.date
        days = sorted(set(own))
    return source.snapshot_at(days, day)


def _locked_file(paths: Paths, source: Source, file: Path, lock: Mapping[str, Any]) -> Any:
    """The lines of one file, all of them: facts.csv has no fewer than lock.json says."""
    table, where = load_file(paths, source, file), paths.short(file)
    expected = lock.get(source.id, {}).get("lines", 0)
    if file.name == "facts.csv" and table.num_rows < expected:
        again = f"; if a pull was broken off, run `traincompute pull {source.id} --update` again"
        raise _refuse(where, f"{table.num_rows} lines, data/raw/lock.json says {expected}: the file is cut{again}")
    if file.name == "facts.csv" and source.urls and source.id not in lock and table.num_rows:
        raise _refuse(where, "data/raw/lock.json does not know its snapshots")
    return table


def load_file(paths: Paths, source: Source, file: Path) -> Any:
    """An Arrow table of one file's lines, texts unchanged, with source_id, file and line."""
    where = paths.short(file)
    table = _read_csv(file.read_bytes(), where)
    rows = table.num_rows
    cited = {"reference": "", "evidence": source.evidence, "accessed": ""}
    constant = {"source_id": source.id, "file": where, **{n: cited[n] for n in CITATION if n not in table.column_names}}
    for name, text in constant.items():
        table = table.append_column(name, pa.repeat(pa.scalar(text), rows))
    return table.append_column("line", pa.array(np.arange(2, rows + 2))).select([*COLUMNS, "line"])


def _read_csv(content: bytes, where: str) -> Any:
    if not content.endswith(b"\n"):
        line = content.count(b"\n") + 1
        remedy = f"end it with one if the line is whole; {RESTORE}"
        raise _refuse(f"{where}:{line}", "the last line has no line break", remedy)
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise _refuse(f"{where}:{line}", "it contains a NUL byte")
    header = check_header(content[: content.index(b"\n")], where)
    convert = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False, check_utf8=True
    )
    try:
        parse = arrow_csv.ParseOptions(newlines_in_values=False)
        table = arrow_csv.read_csv(io.BytesIO(content), convert_options=convert, parse_options=parse)
    except pa.ArrowInvalid as error:
        DataError.raise_any(_malformed(content, len(header), where))
        raise _refuse(where, f"not well-formed: {str(error)[:200]}") from error
    if table.num_rows < content.count(b"\n") - 1:  # an open quote swallows lines
        DataError.raise_any(_malformed(content, len(header), where))
    return table


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


def check_header(line: bytes, where: str) -> list[str]:
    """The columns that the first line of a file names. Raises DataError if they are not those of a ledger."""
    header = line.decode("utf-8", "replace").strip("\r\n\ufeff").split(",")
    missing = [name for name in HEADER if name not in header]
    unknown = [name for name in header if name not in (*HEADER, *CITATION)]
    if missing or unknown:
        what = f"column {missing[0]!r} is missing" if missing else f"column {unknown[0]!r} is not known"
        expected = f"the header is {','.join(HEADER)}, in curated files followed by {','.join(CITATION)}"
        raise DataError([Problem(where + ":1", "", "", "", what, expected)])
    return header


def _check_cells(frame: pd.DataFrame) -> None:
    empty = (frame["record"] == "") | (frame["field"] == "") | (frame["value_text"] == "") | (frame["since"] == "")
    strange = ~frame["evidence"].isin(["", *EVIDENCE])
    faults = [
        _problem(row, "record, field, value_text and since must be filled", "fill or remove the line")
        for row in _lines(frame, empty)
    ]
    faults += [
        _problem(row, f'evidence "{row["evidence"]}" is not known', f"one of {', '.join(EVIDENCE)}")
        for row in _lines(frame, strange)
    ]
    cited = {text for text in frame["reference"].unique() if text and not is_reference(text)}
    faults += [
        _problem(row, f'"{row["reference"]}" is not a reference', ADDRESS)
        for row in _lines(frame, is_in(frame["reference"], cited))
    ]
    by_hand = (frame["reference"] != "") & (frame["field"] == LINK_FIELD)
    faults += [
        _problem(row, "is not a reference", ADDRESS)
        for row in _lines(frame, by_hand)
        if not is_reference(row["value_text"])
    ]
    faults += [
        _problem(row, f'locator "{row["locator"]}" leads nowhere', PLACE)
        for row in _lines(frame, (frame["reference"] != "") & _leads_nowhere(frame))
    ]
    if faults:
        raise DataError(faults)


def _leads_nowhere(frame: pd.DataFrame) -> np.ndarray:
    """Whether each line's locator, as its evidence needs it, leads nowhere; each distinct pair is looked at once."""
    pair = ["locator", "evidence"]
    _, first, which = np.unique(row_codes(frame, pair), return_index=True, return_inverse=True)
    lost: np.ndarray = np.array([leads_nowhere(*cells) for cells in frame[pair].iloc[first].itertuples(index=False)])
    return lost[which]


def _lines(frame: pd.DataFrame, chosen: pd.Series | np.ndarray) -> list[dict[Any, Any]]:
    places = np.flatnonzero(chosen)
    return frame.take(places).to_dict("records") if len(places) else []


def _days(frame: pd.DataFrame, column: str) -> pd.Series:
    texts = frame[column].unique()
    read = pd.to_datetime(texts, format="%Y-%m-%d", errors="coerce").astype("datetime64[s]")
    days = mapped(frame[column], dict(zip(texts, read, strict=True)), "datetime64[s]")
    if bad := _lines(frame, days.isna() & (frame[column] != "")):
        raise DataError(
            _problem(row, f'{column} "{row[column]}" is not a day', "write it as 2026-03-30") for row in bad
        )
    return days


def _check_doubled(facts: pd.DataFrame) -> None:
    if doubled := _lines(facts, facts.duplicated(["hash", "since"], keep=False)):
        raise DataError(
            _problem(row, "the same fact stands twice", "remove one of the two lines")
            for row in sorted(doubled, key=lambda row: (row["file"], row["line"]))
        )


def _problem(row: Mapping[Any, Any], reason: str, remedy: str) -> Problem:
    return Problem(f"{row['file']}:{row['line']}", row["record"], row["field"], row["value_text"], reason, remedy)


def _refuse(where: str, reason: str, remedy: str = RESTORE) -> DataError:
    return DataError.of(where, reason, remedy)
