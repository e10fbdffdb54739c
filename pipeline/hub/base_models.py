"""A hub's listing → its plain base models, as ibis expressions: records by the million shrink to a few hundred.

A base model names no base but its own (gemma-4-31B-it names gemma-4-31B), and its name is that of no other form of such
weights. Either its account was the first with weights of exactly that count, or others built upon it. An account that
the dataset does not know must give more evidence: it was the first, the model is large and in use, and others built upon
it or its card says what it is for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ibis
import ibis.expr.types as ir

from pipeline.hub.estimates import columns_of
from pipeline.hub.names import FORMS
from pipeline.hub.tasks import DOMAIN_OF

SMALLEST = 1e6  # parameters of a model of a known account
LARGEST = 1e13  # more than any published model has: such files are jokes and tests
ASKED_FOR = 1000  # downloads a month of a model of an account that the dataset does not know
# what a repository is called that holds another form of weights that were trained elsewhere, a part of such weights, or
# a small model that drafts for one; then, one that holds weights which were edited or trained further
NOT_PLAIN = (
    r"(?i)gguf|ggml|gptq|awq|exl[23]|mlx|bnb|onnx|openvino|imatrix|nf4|(?:nv|mx)?fp[48]|int[48]|[1-8](?:\.\d+)?[-_]?bits?\b|"
    r"w[48]a\d+|\bq[2-8]_|quant|diffusers|tensorrt|coreml|marlin|autoround|eagle3?|dflash|dspark|mtp\b|draft|speculat|reap|"
    r"prune|-assistant$|"
    r"merge|abliterat|uncensored|heretic|lora|adapter|distill|fine-?tun|sft|dpo|grpo|step-?\d|checkpoint|midtrain|test\d*$"
)
COLUMNS = ("hub_id", "author", "created_date", "parameters", "training_tokens", "downloads", "task")


def listed(records: ir.Table) -> ir.Table:
    """What is asked of every record of a listing: COLUMNS, and the base that it names."""
    return columns_of(records, task=_first_task(records.tags)).select(*COLUMNS, "base_model_id")


def base_models(rows: ir.Table, accounts: Iterable[str], large: float) -> ir.Table:
    """The plain base models among `rows` (as `listed` gives them) whose size is known, with COLUMNS. `accounts` are those
    of organisations that the dataset knows, as `names.squeezed` writes them; of others the models of at least `large`
    parameters count."""
    rows = rows.mutate(ours=rows.author.lower().re_replace("[^a-z0-9]+", "").isin(sorted(accounts)))
    plain = rows.filter(_is_plain(rows) & (rows.ours | ((rows.parameters >= large) & (rows.downloads >= ASKED_FOR))))
    bases, sizes = _built_upon(rows), _first_of_size(rows)
    joined = plain.left_join(bases, plain.hub_id == bases.base_id).left_join(sizes, plain.parameters == sizes.size)
    used, first = joined.base_id.notnull(), joined.first_author == joined.author.lower()
    return joined.filter((joined.ours & (first | used)) | (first & (used | joined.task.notnull()))).select(*COLUMNS)


def _is_plain(rows: ir.Table) -> Any:
    name = rows.hub_id.substr(rows.hub_id.find("/") + 1)  # a few old ids have no account
    sized = (rows.parameters >= SMALLEST) & (rows.parameters < LARGEST)
    base = rows.base_model_id.isnull() | (_without_form(rows.base_model_id) == _without_form(rows.hub_id))
    return sized & base & ~name.re_search(NOT_PLAIN)


def _without_form(hub_id: Any) -> Any:
    return hub_id.lower().re_replace(FORMS, "")


def _first_task(tags: Any) -> Any:
    found = tags.filter(lambda tag: tag.isin(sorted(DOMAIN_OF)))
    return (found.length() > 0).ifelse(found[0], ibis.null("string"))


def _built_upon(rows: ir.Table) -> ir.Table:
    """base_id: the models that a model of another account names as its base, alone or in a list."""
    made = rows.filter(rows.base_model_id.notnull())
    named = made.select("author", base_id=made.base_model_id.split(", ").unnest())
    others = named.filter(named.base_id.split("/")[0].lower() != named.author.lower())
    return others.select("base_id").distinct()


def _first_of_size(rows: ir.Table) -> ir.Table:
    """size, first_author: the account that had weights of exactly so many parameters first; of one day the first by
    name, so that every engine says the same."""
    sized = rows.filter(rows.parameters >= SMALLEST)
    stamped = sized.select(size=sized.parameters, stamp=sized.created_date.cast("string") + " " + sized.author.lower())
    first = stamped.group_by("size").agg(stamp=stamped.stamp.min())
    return first.select("size", first_author=first.stamp.split(" ")[1])
