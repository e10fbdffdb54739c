"""`traincompute audit`: values that contradict their own sources, most certain first. Looks at what the sources print,
before corrections; a finding that corrections.yml deals with names its entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from pipeline.audit_checks import (
    FLOP,
    RECORD,
    SLIP,
    Finding,
    View,
    based_models,
    check_arithmetic,
    check_bounds,
    check_hardware,
    check_operations,
    check_stated,
    claim_ids,
    distance,
    known_ids,
    printed,
)
from pipeline.cli import AS_OF
from pipeline.names import slug
from pipeline.paths import checkout

if TYPE_CHECKING:
    from pipeline.build import Context, Tables

TOKENS_PER_WORD = 4 / 3  # a word is 4/3 tokens, epoch.ai/data/ai-models-documentation/estimation
WORDS_WITHIN = 0.02
SHOWN = 40  # rows of the table for people if no --limit is given


@click.command()
@AS_OF
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most so many findings.  [default: {SHOWN}; with --json all]",
)
@click.option("--model", "wanted", metavar="MODEL", help="Only this model (id or name).")
@click.option("--open", "only_open", is_flag=True, help="Leave out what corrections.yml deals with.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one list of findings.")
def audit(as_of: date | None, limit: int | None, wanted: str | None, only_open: bool, as_json: bool) -> None:
    """List values that contradict what their own sources state, worst first.

    Rank 1: off by a power of ten; 2: contradicts its note; 3: implausible; 4: the record; 5: only the note is wrong.

    Example: traincompute audit --as-of 2026-05-03 --limit 10
    """
    from pipeline.build import load_context, normalize_tables

    context = load_context(checkout())
    found = find(context, normalize_tables(context, as_of))
    if wanted:
        found = [f for f in found if wanted in (f["model_id"], f["name"]) or f["model_id"] == slug(wanted)]
    if only_open:
        found = [f for f in found if not f["correction"]]
    shown = found[: limit or (len(found) if as_json else SHOWN)]
    click.echo(json.dumps(shown, ensure_ascii=False, indent=1) if as_json else as_table(shown, len(found)))


def find(context: Context, made: Tables) -> list[dict[str, Any]]:
    """The findings of the tables of a vintage as records with name and correction, in order of rank."""
    from pipeline.corrections import load_corrections

    claims, models = made["claims"], made["models"].set_index("model_id")
    before = {name: printed(claims, name)["value"].reindex(models.index) for name in (FLOP, "chip_hours")}
    view = View(models.assign(**before), claims, made["hardware"].set_index("hardware_id"), made["model_hardware"])
    declared = {
        (e["source"], e["record"], e["field"], str(e["value_text"])): e["id"] for e in load_corrections(context.paths)
    }
    keys = zip(*(claims[name] for name in ("source_id", "record", "field", "value_text")), strict=True)
    handled = {i: declared[key] for i, key in zip(claims["claim_id"], keys, strict=True) if key in declared}
    names = models["name"].to_dict()
    return [_record(finding, names.get(finding.model_id, ""), handled) for finding in find_all(view)]


def find_all(view: View) -> list[Finding]:
    """What all checks find, most certain first; what two checks find alike stands once."""
    notable = view.models["is_notable"].to_dict()
    found = sorted(
        (finding for check in CHECKS for finding in check(view)),
        key=lambda f: (f.rank, not notable.get(f.model_id), _order(f), f.model_id),
    )
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in found:
        first.setdefault((finding.model_id, finding.field, _digit(finding.expected)), finding)
    return list(first.values())


def _order(finding: Finding) -> float:
    """Of slips the one that keeps the digits best comes first, of other findings the one that is farthest apart."""
    far = distance(finding.ratio)
    return round(abs(far - round(far)), 3) if finding.rank == SLIP else -far


def _digit(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1e}"


def check_dates(view: View) -> Iterator[Finding]:
    """Publication dates after the first snapshot that has the record."""
    rows = view.claims[view.claims["field"] == "name"].groupby("model_id")["since"].min()
    first, ids = rows.reindex(view.models.index), claim_ids(view)
    for model_id, day in view.models.loc[view.models["publication_date"] > first, "publication_date"].items():
        snapshot = f"{first[model_id]:%Y-%m-%d}"
        text = f"published on {day:%Y-%m-%d}, but the snapshot of {snapshot} has it already"
        known = known_ids(ids, str(model_id), ("publication_date",))
        yield Finding(RECORD, str(model_id), "date", "publication_date", f"{day:%Y-%m-%d}", snapshot, None, text, known)


def check_bases(view: View) -> Iterator[Finding]:
    """Compute of a fine-tune without a base model."""
    ids = claim_ids(view)
    rows = view.models[view.models["finetune_compute_flop"].notna() & ~view.models.index.isin(based_models(view))]
    for model_id, value in rows["finetune_compute_flop"].items():
        text = f"a fine-tune of {value:.4g} FLOP, but no base model is stated"
        known = known_ids(ids, str(model_id), ("finetune_compute_flop",))
        yield Finding(RECORD, str(model_id), "base", "base_model_id", "", "a model", None, text, known)


def check_words(view: View) -> Iterator[Finding]:
    """Dataset sizes that are words: a third more of them is the number of tokens that is stated."""
    size, tokens = view.models["dataset_size"], view.models["training_tokens"]
    ratio = size * TOKENS_PER_WORD / tokens
    found = view.models[((ratio - 1).abs() <= WORDS_WITHIN) & (view.models["dataset_unit"] != "word")]
    ids = claim_ids(view)
    for model_id in found.index:
        words, seen = size[model_id], tokens[model_id]
        text = (
            f"{words:.4g} × 4/3 = {words * TOKENS_PER_WORD:.4g}, the {seen:.4g} tokens stated: the dataset is in words"
        )
        known = known_ids(ids, model_id, ("dataset_size", "training_tokens"))
        yield Finding(RECORD, model_id, "words", "dataset_size", words, seen, words / seen, text, known)


CHECKS = (
    check_arithmetic,
    check_stated,
    check_bounds,
    check_operations,
    check_hardware,
    check_dates,
    check_bases,
    check_words,
)


def _record(finding: Finding, name: str, handled: dict[str, str]) -> dict[str, Any]:
    correction = next((handled[i] for i in finding.claim_ids if i in handled), "")
    return {**finding._asdict(), "name": name, "correction": correction}


def as_table(found: Sequence[dict[str, Any]], total: int) -> str:
    """The findings for people: one line of figures and one of evidence each."""
    lines = [f"{'rank':4} {'model':36} {'check':11} {'stated':>10} {'expected':>10} {'ratio':>8}"]
    for f in found:
        ratio = f"{f['ratio']:.3g}" if f["ratio"] else ""
        lines.append(
            f"{f['rank']:<4} {f['name'][:36]:36} {f['check']:11} {_cell(f['stated']):>10} {_cell(f['expected']):>10} {ratio:>8}"
        )
        lines.append(f"     {f['evidence']}" + (f" [dealt with: {f['correction']}]" if f["correction"] else ""))
    return "\n".join([*lines, f"{len(found)} of {total} findings"])


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"
