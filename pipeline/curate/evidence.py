"""evidence: whether each figure that was seen in a public repository stands where its permalink leads."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple
from urllib.parse import unquote

from pipeline.base.paths import Paths
from pipeline.curate.printed import prints_date, prints_number, prints_words
from pipeline.curate.snapshots import NotAtHandError, NotThereError, Snapshots
from pipeline.registry.fields import Field, field_registry
from pipeline.registry.schema import load_schemas
from pipeline.registry.text import read_text
from pipeline.registry.vocabularies import Vocabulary, load_vocabularies

FOUND, MOVED, NOT_THERE, NOT_AT_HAND = OUTCOMES = ("found", "moved", "not there", "not at hand")
PERMALINK = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/blob/(?P<commit>[0-9a-f]{40})/(?P<path>[^#?]+)"
    r"#(?:L(?P<line>[0-9]+)(?:-L(?P<last>[0-9]+))?|page=(?P<page>[0-9]+))"
)
MOST_PLACES = 3  # places that are named of a figure that has moved
# what no copy of a repository shows → how its references begin
ELSEWHERE = {
    "arXiv": "arXiv:", "DOI": "doi:", "repository without commit and line": "https://github.com/", "other page": "",
}  # fmt: skip
Row = Mapping[str, str]
Printed = Callable[[str], bool]


class Finding(NamedTuple):
    """What became of one reference; `where` is file and line of the fact."""

    where: str
    record: str
    field: str
    value_text: str
    reference: str
    outcome: str
    detail: str


class Evidence(NamedTuple):
    """The references that were opened, and how many were not, by their kind."""

    findings: list[Finding]
    elsewhere: dict[str, int]


def check_evidence(paths: Paths, snapshots: Snapshots) -> Evidence:
    """Opens the reference of every fact that was seen and stands now."""
    vocabularies = load_vocabularies(paths)
    fields = field_registry(load_schemas(paths), vocabularies, ["models"])
    seen = list(_seen(paths))
    linked = sorted((row for row in seen if PERMALINK.fullmatch(row[1]["reference"])), key=lambda r: r[1]["reference"])
    found = [_check(where, row, fields[f"models.{row['field']}"], vocabularies, snapshots) for where, row in linked]
    kinds = [_kind(row["reference"]) for _, row in seen if not PERMALINK.fullmatch(row["reference"])]
    return Evidence(sorted(found), {kind: kinds.count(kind) for kind in ELSEWHERE})


def count_by_field(findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """{field: {outcome: references}}, the field with most references first."""
    counts: dict[str, dict[str, int]] = {}
    for finding in findings:
        counts.setdefault(finding.field, dict.fromkeys(OUTCOMES, 0))[finding.outcome] += 1
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


def _seen(paths: Paths) -> Iterator[tuple[str, Row]]:
    for file in sorted(paths.curated.glob("facts*.csv")):
        with file.open(encoding="utf-8", newline="") as handle:
            for number, row in enumerate(csv.DictReader(handle), 2):
                if row["evidence"] == "seen" and not row["until"]:
                    yield f"{paths.short(file)}:{number}", row


def _kind(reference: str) -> str:
    return next(kind for kind, start in ELSEWHERE.items() if reference.startswith(start))


def _check(where: str, row: Row, field: Field, vocabularies: Mapping[str, Vocabulary], snapshots: Snapshots) -> Finding:
    link = PERMALINK.fullmatch(row["reference"])
    assert link  # the caller has chosen these
    try:
        parts = snapshots.read(link["repository"], link["commit"], unquote(link["path"]))
        outcome, detail = _look(parts, link, _printed(row, field, vocabularies))
    except NotThereError as error:
        outcome, detail = NOT_THERE, str(error)
    except NotAtHandError as error:
        outcome, detail = NOT_AT_HAND, str(error)
    return Finding(where, row["record"], row["field"], row["value_text"], row["reference"], outcome, detail)


def _look(parts: tuple[str, ...], link: re.Match[str], printed: Printed) -> tuple[str, str]:
    first = int(link["line"] or link["page"])
    if printed("\n".join(parts[first - 1 : int(link["last"] or first)])):
        return FOUND, ""
    places = [str(number) for number, part in enumerate(parts, 1) if printed(part)]
    if not places:
        return NOT_THERE, "the file does not print it"
    return MOVED, f"{'page' if link['page'] else 'line'} {', '.join(places[:MOST_PLACES])}"


def _printed(row: Row, field: Field, vocabularies: Mapping[str, Vocabulary]) -> Printed:
    """What asks of a text whether it prints the value of the fact."""
    value = row["value_text"]
    if field.type == "date":
        day = date.fromisoformat(read_text(field, value, vocabularies).code)
        return lambda text: prints_date(text, day)
    if field.type == "number":
        return lambda text: prints_number(text, value, row["locator"])
    return lambda text: prints_words(text, value)
