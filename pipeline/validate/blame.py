"""What is set aside where a row breaks its schema: of the facts behind the rule or the cell the one that changed last,
whoever entered the others. Only where all of them are ours the build stops: then our own lines contradict each
other."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.schema import Rule, TableSchema
from pipeline.validate.stage import MODELS

BY_HAND = "curated"  # the adapter of what people enter
ELSEWHERE = {"base_model_id": "base_model", "training_run_id": "training_run"}  # column → field of its claim
HOURS = ("chip_hours", "training_hours", "hardware_quantity")
DERIVED = dict.fromkeys(("a100_hours", "h100_hours", "training_cost_cloud_usd"), HOURS)  # column → fields it comes from
FACT = ["table", "key", "field", "claim_id", "source_id", "record", "since", "changed", "value_text", "value", "own"]


class ContradictionError(Exception):
    """Facts that are to be set aside, by claim_id, each with the reason."""

    def __init__(self, claims: dict[str, str]) -> None:
        self.claims = claims
        super().__init__(f"{len(claims)} claims break rules")


def blame(context: Config, error: DataError, made: Tables, facts: pd.DataFrame) -> ContradictionError | DataError:
    """The facts behind the problems of the error, which are to be set aside; or an error with the problems for which
    there are none but our own, and where these stand. `made` has the tables so far, `facts` those of the tables of
    records (`record_facts`)."""
    facts = facts.assign(own=_entered_by_hand(facts, context))
    stated = pd.concat([_stated(made, context), facts], ignore_index=True).reindex(columns=FACT).astype({"own": bool})
    aside: dict[str, str] = {}
    left, done = [], set[tuple[str, str]]()
    behind = [(problem, _facts_of(problem, context, made, stated)) for problem in error.problems]
    for problem, cells in sorted(behind, key=lambda pair: pair[1].empty):  # first those whose own cells are stated
        row, table = (problem.where, problem.record), context.schemas[problem.where]
        if row in done:
            continue  # without the first, a row may keep the other rules
        cells = pd.concat([cells, _related(problem, table, made, stated, everything=cells.empty)])
        last = _last(cells, context.lock)
        if last is None:
            left.append(problem._replace(reason=problem.reason + _places(context.paths, cells)))
            continue
        rule = _rule(problem, table)
        reason = f"breaks {rule.name}: {rule.why}" if rule else f"{problem.field} {problem.reason}"
        aside |= dict.fromkeys(_same_value(last, made, context), reason)
        done.add(row)
    return DataError(left) if left else ContradictionError(aside)


def _rule(problem: Problem, table: TableSchema) -> Rule | None:
    """The rule that a row breaks; null for a cell that is refused."""
    return next((rule for rule in table.rules if problem.reason.startswith(f"breaks {rule.name} ")), None)


def _stated(made: Tables, context: Config) -> pd.DataFrame:
    """The selected claims as facts of the table of models; what is worked out from the number of a preprint nobody
    stated."""
    if "claims" not in made:
        return pd.DataFrame(columns=FACT)
    claims = made["claims"][made["claims"]["status"] == "selected"].rename(columns={"model_id": "key"})
    own = _entered_by_hand(claims, context)
    written = (claims[["evidence", "correction"]].astype("str").fillna("") != "").any(axis=1)
    return claims.assign(table=MODELS, changed=0, own=own)[~own | written]


def _entered_by_hand(facts: pd.DataFrame, context: Config) -> pd.Series:
    return facts["source_id"].isin([name for name, source in context.sources.items() if source.adapter == BY_HAND])


def _facts_of(problem: Problem, context: Config, made: Tables, stated: pd.DataFrame) -> pd.DataFrame:
    """The facts in the cells that a problem is about, with their `place` among these."""
    cells = dict.fromkeys(_cells(problem, context.schemas[problem.where], made[problem.where]))
    order = {cell: place for place, cell in enumerate(cells)}
    of_rows = stated[stated["key"].isin({key for _, key, _ in cells})]
    place = [order.get(cell) for cell in zip(of_rows["table"], of_rows["key"], of_rows["field"], strict=True)]
    return of_rows.assign(place=pd.Series(place, of_rows.index, dtype="float64")).dropna(subset="place")


def _cells(problem: Problem, table: TableSchema, frame: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Table, key and field of the cells that the columns of the broken rule, or the refused one, are made of: those of
    the row itself before those of the rows that it refers to."""
    rule = _rule(problem, table)
    columns = [name.partition(".") for name in (rule.columns if rule else (problem.field,))]
    rows = frame.set_index(table.key)
    for here, _, _ in columns:
        yield from ((table.name, problem.record, field) for field in fields_of(here, table))
    for here, _, there in columns:
        if there and problem.record in rows.index:
            yield from ((table.name, str(rows.at[problem.record, here]), field) for field in fields_of(there, table))


def fields_of(column: str, table: TableSchema) -> tuple[str, ...]:
    """The fields of the claims that a column is made of: its own, then those that it is worked out from."""
    claim = {c.name: c.claim for c in table.columns}.get(column)
    return ELSEWHERE.get(column) or claim or column, *DERIVED.get(column, ())


def _related(
    problem: Problem, table: TableSchema, made: Tables, stated: pd.DataFrame, *, everything: bool
) -> pd.DataFrame:
    """The facts that changed of the chips that a row has; and of a row whose cell is worked out, or must not be empty,
    all facts of the row or its model."""
    frame = made[problem.where]
    row = frame[frame[list(table.primary_key)].astype("str").agg(" ".join, axis=1) == problem.record]
    chips = row
    if problem.where == MODELS and "model_hardware" in made:
        chips = made["model_hardware"][made["model_hardware"]["model_id"] == problem.record]
    of_chips = stated["key"].isin(chips.get("hardware_id", [])) & (stated["table"] == "hardware")
    related = of_chips & (stated["changed"] > 0)
    if everything:
        rows = {(problem.where, problem.record), *((MODELS, model) for model in row.get("model_id", []))}
        of_rows = [pair in rows for pair in zip(stated["table"], stated["key"], strict=True)]
        related |= pd.Series(of_rows, stated.index) & (stated["field"] != "name")
    return stated[related].assign(place=len(stated))


def _last(cells: pd.DataFrame, lock: Mapping[str, Any]) -> pd.Series | None:
    """The fact that changed last, of several of one day the one named first; null where all are ours. Of ours and
    theirs of one day it is theirs."""
    ordered = cells.sort_values(["since", "place"], ascending=[False, True], kind="stable")
    ours, theirs = ordered[ordered["own"]], ordered[~ordered["own"]]
    if theirs.empty:
        return None
    newest = theirs.iloc[0]
    is_ours_older = ours.empty or _got_on(newest, lock) >= ours["since"].iloc[0]
    return newest if is_ours_older else ours.iloc[0]


def _got_on(fact: pd.Series, lock: Mapping[str, Any]) -> pd.Timestamp:
    """The day on which we got the snapshot that brought the fact, which may be older than that."""
    snapshots = lock.get(fact["source_id"], {}).get("snapshots", {})
    got = snapshots.get(f"{fact['since']:%Y-%m-%d}", {}).get("retrieved_at", "")[:10]
    since: pd.Timestamp = fact["since"]
    return max(since, pd.Timestamp(got)) if got else since


def _same_value(fact: pd.Series, made: Tables, context: Config) -> list[str]:
    """The claim_ids of the fact and, of a model, of what other sources state alike."""
    if fact["own"] or fact["table"] != MODELS:
        return [fact["claim_id"]]
    claims = made["claims"]
    same = claims["value_text"].eq(fact["value_text"]) | claims["value"].eq(fact["value"])
    same &= claims["model_id"].eq(fact["key"]) & claims["field"].eq(fact["field"])
    same &= claims["status"].ne("quarantined") & ~_entered_by_hand(claims, context)
    return list(claims.loc[same, "claim_id"])


def _places(paths: Paths, facts: pd.DataFrame) -> str:
    """File and line of facts that people entered: the last line that has each."""
    places = []
    for source, record, field, text in facts[["source_id", "record", "field", "value_text"]].itertuples(index=False):
        for file in sorted((paths.raw / source).glob("facts*.csv")):
            with file.open(encoding="utf-8", newline="") as handle:
                rows = csv.reader(handle)
                lines = [rows.line_num for row in rows if row[:3] == [record, field, text]]
            places += [f"{paths.short(file)}:{lines[-1]}"] if lines else []
    return f" ({', '.join(places)})" if places else ""
