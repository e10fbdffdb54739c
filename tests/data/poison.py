"""Plausible poison for the facts of a checkout, as live pulls of one day would bring it: in every source and every
stated column of numbers, dates, organisations, base models and flags a value that changed and one that appeared."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from pipeline.config import Config
from pipeline.pull.ledger import Span, read_ledger, write_ledger

TODAY = "2026-11-30"
FACTORS = (1000, 1e-3, 9.9, 4, 1e6, 0.1)
TEXTS = {"organization": "Another Laboratory", "base_model": "GPT-4"}
BIG = ("flop", "parameters", "usd", "power_w")  # what is held where it appears
AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)( ?[A-Za-z%/]*)")  # with its unit
IN_THOUSANDS = "parameters"
Change = Callable[[str, list[Span]], list[Span]]  # a source and its standing facts → those of its next snapshot


class Poison(NamedTuple):
    """One poisoned cell; without a field, a whole record."""

    kind: str
    source: str
    record: str
    field: str = ""
    new: str = ""


def pull_again(context: Config, change: Change) -> None:
    """Enters what `change` makes of each source's facts."""
    lock = json.loads(context.paths.lock.read_text())
    for source, entry in lock.items():
        file = context.paths.raw / source / "facts.csv"
        spans = read_ledger(file.read_text(encoding="utf-8"))
        standing = {span[:4] for span in spans if not span.until}
        wanted = {span[:4] for span in change(source, [span for span in spans if not span.until])}
        lasting = [s if s.until or s[:4] in wanted else s._replace(until=TODAY) for s in spans]
        fresh = [Span(*cells, TODAY, "") for cells in wanted - standing]
        file.write_text(write_ledger(sorted([*lasting, *fresh])), encoding="utf-8")
        files = entry["snapshots"][max(entry["snapshots"])]["files"]
        entry["snapshots"][TODAY] = {"retrieved_at": f"{TODAY}T08:00:00+00:00", "live": True, "files": files}
        entry["lines"] = len(spans) + len(fresh)
    context.paths.lock.write_text(json.dumps(lock))


def poisoned(context: Config, seed: int) -> tuple[Change, list[Poison]]:
    """A change for `pull_again`, and the list of what it did."""
    chance, done = random.Random(seed), list[Poison]()

    def change(source: str, facts: list[Span]) -> list[Span]:
        poison = list(_poison(context, source, facts, chance))
        done.extend(poison)
        removed = {p.record for p in poison if p.kind in ("removed", "renamed")}
        other = {(p.record, p.field): p.new for p in poison if p.field}
        kept = [s for s in facts if s.record not in removed and ((s.record, s.field) not in other or s.locator)]
        new = [Span(record, field, text, "", "", "") for (record, field), text in other.items()]
        names = {p.record for p in poison if p.kind in ("renamed", "doubled")}
        return [*kept, *new, *(_under_another_name(s) for s in facts if s.record in names and not s.locator)]

    return change, done


def _poison(context: Config, source: str, facts: list[Span], chance: random.Random) -> Iterator[Poison]:
    table = context.schemas[context.sources[source].subject]
    types = {c.name: c.type for c in table.columns if c.type in ("number", "integer", "date")} | TEXTS
    cells = {(span.record, span.field): span.value_text for span in facts if not span.locator}
    records = sorted({record for record, _ in cells})
    chance.shuffle(records)
    if source == "epoch_notable":
        yield from (Poison(kind, source, records.pop()) for kind in ("removed", "renamed", "doubled") * 3)
    for field in sorted({field for _, field in cells} & types.keys()):
        others = ((r, _other(cells.get((r, field), ""), types[field], chance)) for r in records)
        if changed := next(((record, new) for record, new in others if new), None):
            records.remove(changed[0])
            yield Poison("changed", source, changed[0], field, changed[1])
        lacking = next((record for record in records if (record, field) not in cells), None)
        if lacking and types[field] == "number" and any(word in field for word in BIG):
            amounts = [AMOUNT.fullmatch(text) for (_, other), text in cells.items() if other == field]
            if largest := max(filter(None, amounts), key=lambda match: float(match[1]), default=None):
                records.remove(lacking)
                yield Poison("appeared", source, lacking, field, f"{1000 * float(largest[1]):g}{largest[2]}")


def _other(text: str, kind: str, chance: random.Random) -> str:
    """A wrong value in the place of a text; empty for none."""
    if kind in TEXTS.values():
        return kind if text and text != kind else ""
    if kind == "date":
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return ""
        day = date.fromisoformat(text)
        if day.day <= 12 and day.day != day.month and chance.random() < 0.5:
            return day.replace(day=day.month, month=day.day).isoformat()
        return (day - timedelta(days=500)).isoformat()
    amount = AMOUNT.fullmatch(text)
    if not amount or not float(amount[1]):
        return ""
    number = chance.choice(FACTORS) * float(amount[1])
    return f"{number:.0f}" if text.isdigit() and number >= 1 else f"{number:g}{amount[2]}"


def _under_another_name(span: Span) -> Span:
    """The same fact under another name, with 1,000 × FLOP."""
    name = f"{span.record} (new)"
    amount = AMOUNT.fullmatch(span.value_text) if span.field == "training_compute_flop" else None
    text = f"{1000 * float(amount[1]):g}" if amount else name if span.field == "name" else span.value_text
    return span._replace(record=name, value_text=text)


def respelled_or_in_thousands(_: str, facts: list[Span]) -> list[Span]:
    """The parameters in thousands. Every other long number has another spelling, and the rows another order."""
    changed = []
    for span in facts:
        amount, text = AMOUNT.fullmatch(span.value_text), span.value_text
        if amount and span.field == IN_THOUSANDS:
            text = f"{1000 * float(amount[1]):g}{amount[2]}"
        elif amount and not amount[2] and len(text) > 5:
            text = f"{float(text):.11E}"
        changed.append(span._replace(value_text=text))
    return changed[::-1]
