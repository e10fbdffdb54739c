"""Proposes pairs of records that may be the same model and that no line of identities.csv decides yet.

Nothing is merged here: each pair comes with its evidence and two lines, and a person pastes one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, pairwise, product
from typing import NamedTuple

import pandas as pd
from rapidfuzz import fuzz

from pipeline.base.names import skeleton, slug
from pipeline.normalize import facts
from pipeline.normalize.models import LINKS
from pipeline.normalize.readings import read_texts, with_readings
from pipeline.normalize.stage import load_ledger
from pipeline.registry.context import Context
from pipeline.registry.identities import Decision, load_decisions
from pipeline.registry.sources import locked_snapshots

# 92: in the files of 2026, 26 pairs that share a developer or a link reach it, and a third of them are one model
# spelled two ways; all 25 pairs between 86 and 92 are two models (Fast R-CNN and Faster R-CNN, Gemini 2.5 Flash and
# Flash-Lite)
NAME_SCORE = 92.0
# 10 %: one model has 6.7B parameters in its paper and 7B on its card; two sizes of a family differ by more
PARAMETERS_APART = 0.10
FIELDS = ("name", "organization", "publication_date", "parameters", "reference_url")
RULES = {
    "P1": "similar names and a shared organisation or link",
    "P2": "same arXiv id, date and parameters",
    "P3": "confusable names: only case, punctuation, accents or look-alike letters differ",
    "rename": "one record disappears and another appears between two snapshots of a source",
}


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


class Candidate(NamedTuple):
    """Two records that may be the same model, with lines for identities.csv; `distinct` still needs its reason."""

    rule: str
    score: float
    records: tuple[str, str]
    model_ids: tuple[str, str]
    evidence: str
    same: str
    distinct: str


def find_candidates(context: Context) -> list[Candidate]:
    """The open pairs of a checkout: among the newest snapshots of all sources, then between consecutive snapshots."""
    file = context.paths.curated / "identities.csv"
    decisions = load_decisions(file, context.paths.short(file))
    ledger = load_ledger(context)
    about = [name for name, source in context.sources.items() if source.subject == "models"]
    days = {name: [day.isoformat() for day in locked_snapshots(context.lock, name)] for name in about}
    rows = ledger[ledger["source_id"].isin(about) & ledger["field"].isin(FIELDS) & (ledger["model_id"] != "")]
    rows = rows.reset_index(drop=True)
    ledger = with_readings(*read_texts(rows, context.fields, context.vocabularies, context.sources))
    newest = facts.vintage(ledger, context.sources, context.lock, None)
    pairs = [*similar_pairs(make_entries(newest)), *renamed_pairs(ledger, days)]
    return open_candidates(pairs, decisions)


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
    since = rows.groupby("record")["since"].min().dt.strftime("%Y-%m-%d").to_dict()
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


def similar_pairs(entries: list[Entry]) -> Iterator[tuple[str, float, Entry, Entry]]:
    """(rule, score, one, other) for the pairs with different model_ids that P1, P2 or P3 finds.

    The score is the similarity of the names from 0 to 100, with their words sorted or as ids, whichever is higher."""
    names = {entry.record: _name(entry.record) for entry in entries}
    spelled = {e: (" ".join(sorted(name.lower().split())), slug(name)) for e, name in names.items()}
    blocks = _blocks(entries, lambda e: {(_digits(e.record), key) for key in e.organizations | e.links})
    for one, other in _pairs(blocks):
        if _parameters_agree(one, other):
            forms = zip(spelled[one.record], spelled[other.record], strict=True)
            if score := max(fuzz.ratio(*form, score_cutoff=NAME_SCORE) for form in forms):
                yield "P1", score, one, other
    papers = _blocks(entries, lambda e: {(_digits(e.record), *key) for key in product(e.links, _dated_sizes(e))})
    alike = ((one, other) for one, other in _pairs(papers) if any("arXiv:" in link for link in one.links & other.links))
    yield from (("P2", 100.0, one, other) for one, other in alike)
    confusable = _blocks(entries, lambda e: {("slug", spelled[e.record][1]), _looks(names[e.record])})
    yield from (("P3", 100.0, one, other) for one, other in _pairs(confusable))


def renamed_pairs(ledger: pd.DataFrame, days: Mapping[str, list[str]]) -> Iterator[tuple[str, float, Entry, Entry]]:
    """Models that disappear and appear between two snapshots of a source and share a link, or a date and parameters.

    A source that lists two models side by side in any snapshot considers them two; those are left to similar_pairs."""
    beside = [_listed(ledger, source, day) for source, known in days.items() for day in known]
    for source, known in days.items():
        entries = {e.model_id: e for e in make_entries(ledger[ledger["source_id"] == source])}
        for before, after in pairwise(known):
            old, new = _listed(ledger, source, before), _listed(ledger, source, after)
            for gone, come in product(sorted(old - new), sorted(new - old)):
                one, other = entries[gone], entries[come]
                shared = one.links & other.links or _dated_sizes(one) & _dated_sizes(other)
                if shared and _parameters_agree(one, other) and not any({gone, come} <= both for both in beside):
                    yield "rename", 100.0, one, other._replace(since=after)


def open_candidates(pairs: Iterable[tuple[str, float, Entry, Entry]], decisions: list[Decision]) -> list[Candidate]:
    """The pairs that no decision covers, each once under the first rule that found it; by rule, most similar first."""
    lines: dict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        lines[decision.alias].append(decision)
    found: dict[frozenset[str], Candidate] = {}
    for rule, score, one, other in pairs:
        key = frozenset([one.model_id, other.model_id])
        if key not in found and not is_decided(rule, one, other, lines):
            found[key] = _candidate(rule, score, one, other, lines)
    return sorted(found.values(), key=lambda c: (list(RULES).index(c.rule), -c.score, c.records))


def is_decided(rule: str, one: Entry, other: Entry, lines: Mapping[str, list[Decision]]) -> bool:
    """Whether identities.csv already says what the two are: one model, two, parts of one, or decided one by one."""
    if one.model_id == other.model_id or one.record == other.record:
        return True  # a record with two ids has one line per source
    pair = [(entry, {d.relation for d in lines.get(entry.record, ())}) for entry in (one, other)]
    if any(told and " @ " in entry.record for entry, told in pair):
        return True
    parts = ["split" in told for _, told in pair]
    if any(parts) and (rule == "rename" or all(told & {"split", "renamed"} for _, told in pair)):
        return True  # one was split off from the other, or from the record whose id the other keeps
    return _distinct(one, other, lines) or _distinct(other, one, lines)


def _distinct(one: Entry, other: Entry, lines: Mapping[str, list[Decision]]) -> bool:
    ids = (other.model_id, slug(other.record))
    return any(d.relation == "distinct" and d.model_id in ids for d in lines.get(one.record, ()))


def _candidate(rule: str, score: float, one: Entry, other: Entry, lines: Mapping[str, list[Decision]]) -> Candidate:
    """The newer record becomes the alias, unless a line already decides it."""
    told = {e: any(d.relation != "distinct" for d in lines.get(e.record, ())) for e in (one, other)}
    ordered = sorted((one, other), key=lambda e: (not told[e], e.since, e.record))
    old, new = (one, other) if rule == "rename" else ordered
    evidence = shared_facts(old, new)
    relation, day = ("renamed", new.since) if rule == "rename" else ("same", "")
    source = min(new.sources) if " @ " in new.record else ""
    same = _line(new.record, source, relation, old.model_id, day, evidence)
    distinct = _line(new.record, source, "distinct", old.model_id, "", "")
    ids = (old.model_id, new.model_id)
    return Candidate(rule, round(score, 1), (old.record, new.record), ids, evidence, same, distinct)


def shared_facts(one: Entry, other: Entry) -> str:
    """What two records have in common, as a reason: 'same link, date and 7B parameters'."""
    link = next(iter(sorted(one.links & other.links)), "")
    sizes = sorted(one.parameters & other.parameters)
    shared = [
        ("arXiv id" if link.startswith("arXiv:") else "link") if link else "",
        "date" if one.dates & other.dates else "",
        f"{sizes[0]:.4g} parameters" if sizes else "",
        "" if link else " and ".join(sorted(one.organizations & other.organizations)[:1]),
    ]
    return "same " + ", ".join(text for text in shared if text) if any(shared) else "no shared facts"


def _blocks(entries: list[Entry], keys: Callable[[Entry], Iterable[object]]) -> list[list[Entry]]:
    """The entries that share a key, one list per key."""
    blocks: dict[object, list[Entry]] = defaultdict(list)
    for entry in entries:
        for key in set(keys(entry)):
            blocks[key].append(entry)
    return [block for block in blocks.values() if len(block) > 1]


def _pairs(blocks: list[list[Entry]]) -> list[tuple[Entry, Entry]]:
    """Every pair within a block whose model_ids differ, each once."""
    pairs = dict.fromkeys(pair for block in blocks for pair in combinations(block, 2))
    return [(one, other) for one, other in pairs if one.model_id != other.model_id]


def _listed(ledger: pd.DataFrame, source: str, day: str) -> set[str]:
    """The model_ids listed in a snapshot."""
    rows = ledger[(ledger["source_id"] == source) & (ledger["field"] == "name")]
    present = rows[(rows["since"] <= day) & (rows["until"].isna() | (rows["until"] > day))]
    return set(present["model_id"])


def _name(record: str) -> str:
    return record.split(" @ ")[0]


def _digits(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+", _name(name)))


def _dated_sizes(entry: Entry) -> set[tuple[str, float]]:
    return set(product(entry.dates, entry.parameters))


def _parameters_agree(one: Entry, other: Entry) -> bool:
    """Whether any two of the stated counts are within 10 %, or one record states none."""
    pairs = list(product(one.parameters, other.parameters))
    return not pairs or any(abs(a - b) <= PARAMETERS_APART * max(a, b) for a, b in pairs)


def _looks(name: str) -> tuple[tuple[str, ...], str]:
    """A name by its looks, without a parenthesis that repeats it: 'Tulu 3 (Tülu 3) 70B' is 'Tülu-3 70B'. The digits are
    kept separate because 1.3B is not 13B."""
    gloss = re.search(r"(.*?)\s*\(([^()]*)\)(.*)", name)
    plain = gloss[1] + gloss[3] if gloss and skeleton(gloss[1]) == skeleton(gloss[2]) else name
    return _digits(plain), skeleton(plain)


def _line(*cells: str) -> str:
    """The cells as a line of a CSV file."""
    return ",".join('"' + cell.replace('"', '""') + '"' if re.search('[",]', cell) else cell for cell in cells)
