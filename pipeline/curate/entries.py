"""What the sources say about a record, in the form in which two records are compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import pandas as pd

from pipeline.base.columnar import iso_days
from pipeline.normalize.models import LINKS

# 92: in the files of 2026, 26 pairs that share a developer or a link reach it, and a third of them are one model
# spelled two ways; all 25 pairs between 86 and 92 are two models (Fast R-CNN and Faster R-CNN, Gemini 2.5 Flash and
# Flash-Lite)
NAME_SCORE = 92.0
# 10 %: one model has 6.7B parameters in its paper and 7B on its card; two sizes of a family differ by more
PARAMETERS_APART = 0.10


class Entry(NamedTuple):
    """A record with everything that its sources say about it."""

    record: str
    model_id: str
    sources: frozenset[str]
    since: str
    organizations: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    parameters: frozenset[float] = frozenset()


def make_entries(rows: pd.DataFrame) -> list[Entry]:
    """One entry per record and model_id with the values of all its sources, sorted by name."""
    known: dict[tuple[str, str], dict[str, set[str | float]]] = defaultdict(lambda: defaultdict(set))
    columns = [rows[name] for name in ("record", "model_id", "source_id", "field", "code", "value_text", "value")]
    for record, model_id, source, field, code, text, value in zip(*columns, strict=True):
        facts = known[record, model_id]
        facts["sources"].add(source)
        if field == "parameters" and value > 0:
            facts["parameters"].add(value)
        elif field == "publication_date" and code:
            facts["dates"].add(code)
        elif field == "organization":
            facts["organizations"].update(code.split(";") if code else [])
        elif field == "reference_url":
            facts["links"].update(link_keys(text))
    since = dict(iso_days(rows.groupby("record")["since"].min()))
    return [
        Entry(record, model_id, since=since[record], **{name: frozenset(found) for name, found in facts.items()})  # type: ignore[arg-type]
        for (record, model_id), facts in sorted(known.items())
    ]


def link_keys(text: str) -> set[str]:
    """The links of a cell in comparable form: an arXiv id, or the address without scheme, www and trailing slash."""
    addresses = re.findall(r"https?://(?:www\.)?(\S+)", text)
    return {
        f"arXiv:{m[1]}" if (m := re.search(LINKS["arxiv_id"], url)) else url.rstrip("/").lower() for url in addresses
    }


def bare_name(record: str) -> str:
    """The name of a record without what tells it from another of the same name."""
    return record.split(" @ ")[0]


def sizes_agree(one: Iterable[float], other: Iterable[float]) -> bool:
    """Whether any two of the counts are within 10 %, or one side has none."""
    pairs = list(product(one, other))
    return not pairs or any(abs(a - b) <= PARAMETERS_APART * max(a, b) for a, b in pairs)
