"""Records of a hub → rows of hub_models, as ibis expressions: the same for every engine that ibis supports."""

from __future__ import annotations

from typing import Any

import ibis
import ibis.expr.types as ir

from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import BASE_PLUS_FINETUNE, HAS_BASE, OPERATION_COUNTING, STATED_DEX

# how a base model is used, and whether that is further training; the tag has included the relation since 2024
RELATIONS = ("finetune", "adapter", "quantized", "merge")
TRAINED_FURTHER = ("finetune", "adapter", "")
SHAPE = {
    "id": "string",
    "author": "string",
    "createdAt": "timestamp",
    "downloads": "int64",
    "likes": "int64",
    "tags": "array<string>",
    "safetensors": "struct<total: int64>",
    "trainingTokens": "float64",
}


def hub_models(records: ir.Table, known: ir.Table) -> ir.Table:
    """The columns of schemas/products/hub_models.yml. `records` have the columns of SHAPE; `known` has huggingface_id
    and training_compute_flop of the models whose compute is in the dataset."""
    read = columns_of(records)
    joined = read.left_join(known, read.base_model_id == known.huggingface_id).drop("huggingface_id")
    return estimated(joined.rename(base_compute_flop="training_compute_flop"))


def columns_of(records: ir.Table, **more: Any) -> ir.Table:
    """The fields of the records that say something of the models, and `more` that is made of them."""
    tags = records.tags
    base = _tagged(tags, "base_model:")
    relation = base.split(":")[0]
    related = relation.isin(RELATIONS)
    return records.select(
        hub_id=records.id,
        author=records.author.coalesce(records.id.split("/")[0]),
        created_date=records.createdAt.cast("date"),
        parameters=records.safetensors["total"].cast("float64").nullif(0),
        training_tokens=records.trainingTokens.nullif(0),
        base_model_id=related.ifelse(base.split(":")[1], base),
        base_relation=related.ifelse(relation, ""),
        datasets=tags.filter(lambda tag: tag.startswith("dataset:")).map(lambda tag: tag.substr(len("dataset:"))),
        licence=_tagged(tags, "license:"),
        downloads=records.downloads,
        likes=records.likes,
        **more,
    )


def _tagged(tags: Any, prefix: str) -> Any:
    """What follows the prefix in the last tag that has it; for `base_model:`, the last names the relation if any
    does."""
    found = tags.filter(lambda tag: tag.startswith(prefix)).map(lambda tag: tag.substr(len(prefix)))
    return (found.length() > 0).ifelse(found[found.length() - 1], None)


def estimated(rows: ir.Table) -> ir.Table:
    """The rows with the estimate, its interval and its method, or the reason why there is none."""
    own = formulas.counted(formulas.FLOP_PER_PARAMETER_AND_TOKEN, rows.parameters, rows.training_tokens)
    has_base, further = rows.base_model_id.notnull(), rows.base_relation.isin(TRAINED_FURTHER)
    value = has_base.ifelse(
        further.ifelse(formulas.with_base(rows.base_compute_flop, own), rows.base_compute_flop), own
    )
    counted = value.notnull()
    at_least = has_base & further & rows.base_compute_flop.notnull() & ~counted
    low = counted.ifelse(formulas.lower(value, STATED_DEX), at_least.ifelse(rows.base_compute_flop, ibis.null()))
    return rows.mutate(
        training_compute_flop=value,
        training_compute_low=low,
        training_compute_high=formulas.upper(value, STATED_DEX),
        training_compute_method=_method(has_base, counted, at_least),
        reason=_reason(rows, counted),
    )


def _method(has_base: Any, counted: Any, at_least: Any) -> Any:
    return ibis.cases(
        (counted & has_base, BASE_PLUS_FINETUNE),
        (at_least, BASE_PLUS_FINETUNE),
        (counted, OPERATION_COUNTING),
        else_=ibis.null("string"),
    )


def _reason(rows: ir.Table, counted: Any) -> Any:
    return ibis.cases(
        (counted, ""),
        (rows.base_model_id.notnull() & rows.base_compute_flop.isnull(), HAS_BASE),
        (rows.base_model_id.notnull(), "needs the compute of the further training: a lower bound"),
        (rows.parameters.isnull(), "needs parameters"),
        else_="needs tokens seen",
    )
