"""Which claims of sources make a row of models break its schema: they are set aside, and the rest is published. Of a rule it is
the first column that it names, unless a person entered that value; what a person entered since then stops the build."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pipeline.base.errors import DataError
from pipeline.registry.context import Context
from pipeline.registry.schema import TableSchema
from pipeline.validate.origin import fields_of
from pipeline.validate.rows import holds

MODELS = "models"
BY_HAND = "curated"  # the adapter of what people enter
Cell = tuple[str, str]  # model_id and field


class ContradictionError(Exception):
    """Claims that are to be set aside, by claim_id, each with the reason."""

    def __init__(self, claims: dict[str, str]) -> None:
        self.claims = claims
        super().__init__(f"{len(claims)} claims break rules")


def blame(
    context: Context, error: DataError, models: pd.DataFrame, claims: pd.DataFrame
) -> ContradictionError | DataError:
    """The claims behind the problems of the error, which are to be set aside; or, where there are problems with another cause or
    in what people entered, an error with these alone."""
    table = context.schemas[MODELS]
    broken = list(_broken(error, models.set_index("model_id", drop=False), table))
    known = {(key, columns[0]) for key, columns, _ in broken}
    stated = _by_whom(claims[claims["status"] != "quarantined"], context)
    wide, found, entered = models.set_index("model_id"), dict[str, str](), set[str]()
    first = {
        key: (columns, reason) for key, columns, reason in reversed(broken)
    }  # without it, a row may keep the others
    for key, (columns, reason) in first.items():
        behind = _behind(list(_cells(key, columns, wide, table)), stated)
        found |= dict.fromkeys(behind, reason)
        if not behind:
            entered.add(key)
    left = [
        problem
        for problem in error.problems
        if problem.where != MODELS or problem.record in entered or (problem.record, problem.field) not in known
    ]
    return DataError(left) if left else ContradictionError(found)


def _by_whom(claims: pd.DataFrame, context: Context) -> pd.DataFrame:
    """The claims, with `own`: whether they are ours, and `entered`: whether a person wrote them. What is worked out from the
    number of a preprint has neither evidence nor a correction."""
    ours = [name for name, source in context.sources.items() if source.adapter == BY_HAND]
    own = claims["source_id"].isin(ours)
    written = (claims[["evidence", "correction"]].astype("str").fillna("") != "").any(axis=1)
    return claims.assign(own=own, entered=own & written)


def _broken(error: DataError, models: pd.DataFrame, table: TableSchema) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """(model_id, columns, reason) of each rule that a row breaks, and of each cell that is refused."""
    for rule in table.rules:
        for key in models.index[~holds(rule, models, table)].difference(list(rule.acknowledged)):
            yield str(key), rule.columns, f"breaks {rule.name}: {rule.why}"
    for problem in error.problems:
        if problem.value:  # that of a rule is about several cells and shows none
            yield problem.record, (problem.field,), f"{problem.field} {problem.reason}"


def _cells(key: str, columns: tuple[str, ...], models: pd.DataFrame, table: TableSchema) -> Iterator[Cell]:
    """The cells that the columns are made of: those of the row itself before those of the rows that it refers to."""
    for name in columns:
        yield from ((key, field) for field in fields_of(name.partition(".")[0], table))
    for here, _, there in (name.partition(".") for name in columns):
        if there and key in models.index:
            yield from ((str(models.at[key, here]), field) for field in fields_of(there, table))


def _behind(cells: list[Cell], stated: pd.DataFrame) -> list[str]:
    """The claim_ids of the sources that say what was selected for the first of the cells in which a source is heard, and
    said so after a person had last entered one of them."""
    about = [stated[(stated["model_id"] == key) & (stated["field"] == field)] for key, field in dict.fromkeys(cells)]
    chosen = [(each, each[each["status"] == "selected"]) for each in about]
    entered = max((won["since"].iloc[0] for _, won in chosen if won["entered"].any()), default=pd.Timestamp.min)
    for each, won in chosen:
        if len(won) and not won["own"].any() and won["since"].iloc[0] > entered:
            same = each["value_text"].eq(won["value_text"].iloc[0]) | each["value"].eq(won["value"].iloc[0])
            return list(each.loc[same & ~each["own"], "claim_id"])
    return []
