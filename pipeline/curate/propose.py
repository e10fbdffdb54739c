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
from pipeline.curate.entries import NAME_SCORE, Entry, bare_name, make_entries, sizes_agree
from pipeline.curate.voices import spoken_pairs
from pipeline.normalize import facts
from pipeline.normalize.readings import read_texts, with_readings
from pipeline.normalize.stage import load_ledger
from pipeline.registry.context import Context
from pipeline.registry.identities import Decision, load_decisions
from pipeline.registry.sources import locked_snapshots

FIELDS = ("name", "organization", "publication_date", "parameters", "reference_url")
RULES = {
    "P1": "similar names and a shared organisation or link",
    "P2": "same arXiv id, date and parameters",
    "P3": "confusable names: only case, punctuation, accents or look-alike letters differ",
    "voice": "a source that only speaks of models names and sizes one like this",
    "rename": "one record disappears and another appears between two snapshots of a source",
}


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
    speaking = [name for name in about if not context.sources[name].makes_models]
    days = {name: [day.isoformat() for day in locked_snapshots(context.lock, name)] for name in about}
    asked = (ledger["model_id"] != "") | ledger["source_id"].isin(speaking)
    rows = ledger[ledger["source_id"].isin(about) & ledger["field"].isin(FIELDS) & asked].reset_index(drop=True)
    read = with_readings(*read_texts(rows, context.fields, context.vocabularies, context.sources))
    newest = facts.vintage(read, context.sources, context.lock, None)
    known, listed = newest[newest["model_id"] != ""], read[read["model_id"] != ""]
    pairs = [
        *similar_pairs(make_entries(known)),
        *_voices(newest, speaking, decisions),
        *renamed_pairs(listed, days),
    ]
    return open_candidates(pairs, decisions)


def _voices(
    newest: pd.DataFrame, speaking: list[str], decisions: list[Decision]
) -> Iterator[tuple[str, float, Entry, Entry]]:
    """The pairs of a model and a record of a speaking source that no name and no line joins to one."""
    known, spoken = newest["model_id"] != "", newest["source_id"].isin(speaking)
    dropped = {(d.source_id, d.alias) for d in decisions if d.relation == "dropped"}
    by_source = [make_entries(newest[~known & (newest["source_id"] == name)]) for name in speaking]
    silent = [e for entries in by_source for e in entries if not {(s, e.record) for s in (*e.sources, "")} & dropped]
    both = newest[known & spoken]
    heard = set(zip(both["source_id"], both["model_id"], strict=True))
    yield from spoken_pairs(silent, make_entries(newest[known & ~spoken]), heard)


def similar_pairs(entries: list[Entry]) -> Iterator[tuple[str, float, Entry, Entry]]:
    """(rule, score, one, other) for the pairs with different model_ids that P1, P2 or P3 finds.

    The score is the similarity of the names from 0 to 100, with their words sorted or as ids, whichever is higher."""
    names = {entry.record: bare_name(entry.record) for entry in entries}
    spelled = {e: (" ".join(sorted(name.lower().split())), slug(name)) for e, name in names.items()}
    blocks = _blocks(entries, lambda e: {(_digits(e.record), key) for key in e.organizations | e.links})
    for one, other in _pairs(blocks):
        if sizes_agree(one.parameters, other.parameters):
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
                if (
                    shared
                    and sizes_agree(one.parameters, other.parameters)
                    and not any({gone, come} <= both for both in beside)
                ):
                    yield "rename", 100.0, one, other._replace(since=after)


def open_candidates(pairs: Iterable[tuple[str, float, Entry, Entry]], decisions: list[Decision]) -> list[Candidate]:
    """The pairs that no decision covers, each once under the first rule that found it; by rule, most similar first."""
    lines: dict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        lines[decision.alias].append(decision)
    found: dict[frozenset[object], Candidate] = {}
    for rule, score, one, other in pairs:
        key = frozenset([one.model_id, other.model_id or (*other.sources, other.record)])
        if key not in found and not is_decided(rule, one, other, lines):
            found[key] = _candidate(rule, score, one, other, lines)
    return sorted(found.values(), key=lambda c: (list(RULES).index(c.rule), -c.score, c.records))


def is_decided(rule: str, one: Entry, other: Entry, lines: Mapping[str, list[Decision]]) -> bool:
    """Whether identities.csv already says what the two are: one model, two, parts of one, or decided one by one."""
    if rule == "voice":
        return _distinct(other, one, lines)
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
    old, new = (one, other) if rule in ("rename", "voice") else ordered
    evidence = shared_facts(old, new)
    relation, day = ("renamed", new.since) if rule == "rename" else ("same", "")
    source = min(new.sources) if rule == "voice" or " @ " in new.record else ""
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


def _digits(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+", bare_name(name)))


def _dated_sizes(entry: Entry) -> set[tuple[str, float]]:
    return set(product(entry.dates, entry.parameters))


def _looks(name: str) -> tuple[tuple[str, ...], str]:
    """A name by its looks, without a parenthesis that repeats it: 'Tulu 3 (Tülu 3) 70B' is 'Tülu-3 70B'. The digits are
    kept separate because 1.3B is not 13B."""
    gloss = re.search(r"(.*?)\s*\(([^()]*)\)(.*)", name)
    plain = gloss[1] + gloss[3] if gloss and skeleton(gloss[1]) == skeleton(gloss[2]) else name
    return _digits(plain), skeleton(plain)


def _line(*cells: str) -> str:
    """The cells as a line of a CSV file."""
    return ",".join('"' + cell.replace('"', '""') + '"' if re.search('[",]', cell) else cell for cell in cells)
