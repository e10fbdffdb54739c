"""`traincompute curate audit`: values that contradict their own sources, most certain first. It looks at what the
sources print, before corrections; a finding that corrections.yml already handles names the entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from pipeline.base.names import slug
from pipeline.curate.checks import (
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
from pipeline.curate.runs import check_chip_hours, check_cores, check_costs, check_peak
from pipeline.curate.twins import check_mixtures, check_twins
from pipeline.impute.flop.result import has_word
from pipeline.impute.flop.rows import Declared, estimation_rows, load_declared
from pipeline.normalize.corrections import load_corrections, matches
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables
from pipeline.registry.identities import load_decisions

REMEDY = (
    "read what the model's developers say; then correct or acknowledge the value in data/raw/curated/corrections.yml, "
    "enter what they say with `traincompute curate add-fact`, or decide a pair in data/raw/curated/identities.csv"
)
WORDS_WITHIN = 0.02
SIZES = ("dataset_size", "training_tokens")
EXPERT_NAMES = r"(?i)\bA\d+(?:\.\d+)?B\b|\bMoE\b|mixture of experts|\b\d+x\d+(?:\.\d+)?B\b"


def find(context: Context, made: Tables) -> list[dict[str, Any]]:
    """The findings of the tables of a vintage as records with name and correction, in order of rank."""
    claims = made["claims"]
    view = make_view(made, load_declared(context))._replace(distinct=distinct_models(context, claims))
    known = claims.set_index("claim_id")
    known = known.assign(**{name: known[name].astype("str").fillna("") for name in ("locator", "unit", "code")})
    handled = {key: entry["id"] for key, entry in matches(known, load_corrections(context.paths))}
    entered = claims[claims["correction"].fillna("") != ""]
    handled |= dict(zip(entered["claim_id"], entered["correction"], strict=True))
    names = view.models["name"].to_dict()
    return [_record(finding, names.get(finding.model_id, ""), handled) for finding in find_all(view)]


def make_view(made: Tables, declared: Declared) -> View:
    """The tables of a vintage in the form that the checks use."""
    claims = made["claims"]
    rows = estimation_rows(made, declared).set_index("model_id")
    before = {name: printed(claims, name)["value"].reindex(rows.index) for name in (FLOP, "chip_hours")}
    return View(rows.assign(**before, chip=_only_chips(made["model_hardware"])), claims, declared)


def distinct_models(context: Context, claims: pd.DataFrame) -> frozenset[frozenset[str]]:
    """The pairs of model_ids that a line of identities.csv calls distinct."""
    file = context.paths.identities
    lines = [d for d in load_decisions(file, context.paths.short(file)) if d.relation == "distinct"]
    named = claims.drop_duplicates("record").set_index("record")["model_id"]
    return frozenset(frozenset((named.get(d.alias, slug(d.alias)), d.model_id)) for d in lines)


def _only_chips(mentions: pd.DataFrame) -> pd.Series:
    """model_id → hardware_id for models that name exactly one chip, if the hardware table has it."""
    named = mentions.groupby("model_id")["hardware_id"].agg(["size", "first"])
    return named.loc[named["size"] == 1, "first"]


def find_all(view: View) -> list[Finding]:
    """What all checks find, most certain first; a finding that two checks share is listed once."""
    notable = view.models["is_notable"].to_dict()
    found = sorted(
        (finding for check in CHECKS for finding in check(view)),
        key=lambda f: (f.rank, not notable.get(f.model_id), _order(f), f.model_id),
    )
    first: dict[tuple[str, ...], Finding] = {}
    for finding in found:
        key = (finding.model_id, finding.field, _digit(finding.stated), _digit(finding.expected))
        first.setdefault(key, finding)
    return list(first.values())


def _order(finding: Finding) -> float:
    """Among slips, the one that keeps the digits best comes first; among other findings, the one farthest off."""
    far = distance(finding.ratio)
    return round(abs(far - round(far)), 3) if finding.rank == SLIP else -far


def _digit(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1e}"


def check_dates(view: View) -> Iterator[Finding]:
    """Publication dates after the first snapshot that has the record."""
    rows = view.claims[view.claims["field"] == "name"].groupby("model_id")["since"].min()
    first, ids = rows.reindex(view.models.index), claim_ids(view)
    dates = view.models.loc[view.models["publication_date"] > first, "publication_date"]
    for model_id, day in zip(dates.index, dates, strict=True):
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
    """Dataset sizes that are in words: converted, they equal the stated number of tokens."""
    size, tokens, per_word = (*(view.models[name] for name in SIZES), view.declared.tokens_per_unit["word"])
    ratio = size * per_word / tokens
    found = view.models[((ratio - 1).abs() <= WORDS_WITHIN) & (view.models["dataset_unit"] != "word")]
    ids = claim_ids(view)
    for model_id in found.index:
        words, seen = size[model_id], tokens[model_id]
        text = f"{words:.4g} × 4/3 = {words * per_word:.4g}, the {seen:.4g} tokens stated: the dataset is in words"
        known = known_ids(ids, model_id, SIZES)
        yield Finding(RECORD, model_id, "words", "dataset_size", words, seen, words / seen, text, known)


def check_experts(view: View) -> Iterator[Finding]:
    """Names that say a mixture of experts (3B active parameters: A3B; 8 experts of 7B: 8x7B), where no source does."""
    names, words = view.models["name"], view.models["architecture"].fillna("")
    for model_id in view.models.index[names.str.contains(EXPERT_NAMES, regex=True) & ~has_word(words, "MoE")]:
        text = "a mixture of experts by its name: add a line to data/raw/curated/architectures.csv"
        yield Finding(RECORD, str(model_id), "experts", "architecture", words[model_id], "MoE", None, text, [])


CHECKS = (
    check_arithmetic,
    check_stated,
    check_bounds,
    check_operations,
    check_hardware,
    check_peak,
    check_chip_hours,
    check_cores,
    check_costs,
    check_dates,
    check_bases,
    check_words,
    check_experts,
    check_twins,
    check_mixtures,
)


def _record(finding: Finding, name: str, handled: dict[str, str]) -> dict[str, Any]:
    correction = next((handled[i] for i in finding.claim_ids if i in handled), "")
    return {**finding._asdict(), "name": name, "correction": correction}
