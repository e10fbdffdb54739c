"""What is set aside where a row breaks its schema: of the facts behind the rule or the cell the one that changed last,
whoever entered the others. Only where all of them are ours the build stops: then our own lines contradict each
other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables, is_in
from pipeline.normalize.columns import hex_digits
from pipeline.schema import Rule
from pipeline.validate.stage import MODELS

ELSEWHERE: dict[str, str | None] = {
    "base_model_id": "base_model",
    "training_run_id": "training_run",
}  # column → field of its claim
HOURS = ("chip_hours", "training_hours", "hardware_quantity")
DERIVED = dict.fromkeys(("a100_hours", "h100_hours", "training_cost_cloud_usd"), HOURS)  # column → fields it comes from
FACT = ["table", "key", "field", "claim_id", "source_id", "since", "changed", "value_text", "value", "is_ours"]
RELATED = 1_000  # the place of facts that are in none of the cells, after all that are


class ContradictionError(Exception):
    """Facts that are to be set aside, by claim_id, each with the reason."""

    def __init__(self, claims: dict[str, str]) -> None:
        self.claims = claims
        super().__init__(f"{len(claims)} claims break rules")


def blame(
    context: Config, error: DataError, made: Tables, records: pd.DataFrame, ledger: pd.DataFrame
) -> ContradictionError | DataError:
    """The facts behind the problems of the error, which are to be set aside; or an error with the problems for which
    there are none but our own, and where these stand. `made` has the tables so far, `records` the facts of the tables
    of records (`record_facts`), `ledger` the file and line of all facts."""
    if not {problem.where for problem in error.problems} <= made.keys():
        return error  # no row, but a file
    curated = [name for name, source in context.sources.items() if source.adapter == "curated"]
    facts = [records.assign(is_ours=is_in(records["source_id"], curated))]
    if "claims" in made:
        claims = made["claims"][made["claims"]["status"] == "selected"].rename(columns={"model_id": "key"})
        is_ours = claims["source_id"].isin(curated)
        written = (claims[["evidence", "correction"]].astype("str").fillna("") != "").any(axis=1)
        facts.append(claims.assign(table=MODELS, changed=0, is_ours=is_ours)[~is_ours | written])  # no others stated it
    stated = pd.concat(facts[::-1], ignore_index=True).reindex(columns=FACT).astype({"is_ours": bool})
    aside, left, done = dict[str, str](), list[Problem](), set[tuple[str, str]]()
    rules = {(name, f"breaks {rule.name}"): rule for name, table in context.schemas.items() for rule in table.rules}
    broken = [(problem, rules.get((problem.where, problem.reason.partition(" (")[0]))) for problem in error.problems]
    behind = [(problem, rule, _behind(problem, rule, context, made, stated)) for problem, rule in broken]
    for problem, rule, cells in sorted(behind, key=lambda each: not (each[2]["place"] < RELATED).any()):
        if problem[:2] in done:
            continue  # without the first, a row may keep the other rules
        if (last := _last(cells, context.lock)) is not None:
            reason = f"breaks {rule.name}: {rule.why}" if rule else f"{problem.field} {problem.reason}"
            aside |= dict.fromkeys(_same_value(last, made, curated), reason)
            done.add(problem[:2])
        else:
            of_cells = is_in(hex_digits(ledger["hash"].to_numpy(), ledger.index), cells["claim_id"])
            lines = ledger[of_cells].drop_duplicates("hash", keep="last")
            places = ", ".join(f"{file}:{line}" for file, line in zip(lines["file"], lines["line"], strict=True))
            left.append(problem._replace(reason=problem.reason + (f" ({places})" if places else "")))
    return DataError(left) if left else ContradictionError(aside)


def _behind(problem: Problem, rule: Rule | None, context: Config, made: Tables, stated: pd.DataFrame) -> pd.DataFrame:
    """The facts that a problem may come from, with their `place`: those in the cells that the columns of the rule are
    made of, of the row before those of the rows that it refers to; what changed of its chips; and where none of the
    cells is stated, all facts of the row or its model."""
    table, frame = context.schemas[problem.where], made[problem.where]
    row = frame[frame[list(table.primary_key)].map(str).agg(" ".join, axis=1) == problem.record]
    columns = [name.partition(".") for name in (rule.columns if rule else (problem.field,))]
    rows = [(problem.record, here) for here, _, _ in columns]
    rows += [(str(row[here].iloc[0]), there) for here, _, there in columns if there and len(row)]
    claim_of = {column.name: column.claim for column in table.columns} | ELSEWHERE
    cells = [(key, field) for key, name in rows for field in (claim_of.get(name) or name, *DERIVED.get(name, ()))]
    order = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
    is_about = zip(stated["key"], stated["field"], strict=True)
    place = pd.Series([order.get(cell) for cell in is_about], stated.index, dtype="float64")
    place = place.where(stated["table"] == table.name)
    chips = row
    if problem.where == MODELS and "model_hardware" in made:
        chips = made["model_hardware"][made["model_hardware"]["model_id"] == problem.record]
    is_related = (stated["table"] == "hardware") & stated["key"].isin(chips.get("hardware_id", []))
    is_related &= stated["changed"] > 0
    if place.isna().all():  # the cell is worked out, or must not be empty
        of_row = (stated["table"] == problem.where) & (stated["key"] == problem.record)
        of_row |= (stated["table"] == MODELS) & stated["key"].isin(row.get("model_id", []))
        is_related |= of_row & (stated["field"] != "name")
    return stated.assign(place=place.mask(is_related & place.isna(), RELATED)).dropna(subset="place")


def _last(cells: pd.DataFrame, lock: Mapping[str, Any]) -> pd.Series | None:
    """The fact that changed last, of several of one day the one named first; null where all are ours. Of ours and
    theirs of one day it is theirs, and theirs begins on the day on which we got the snapshot that brought it."""
    ordered = cells.sort_values(["since", "place"], ascending=[False, True], kind="stable")
    ours, theirs = ordered[ordered["is_ours"]], ordered[~ordered["is_ours"]]
    if theirs.empty:
        return None
    newest = theirs.iloc[0]
    day = f"{newest['since']:%Y-%m-%d}"
    got = lock.get(newest["source_id"], {}).get("snapshots", {}).get(day, {}).get("retrieved_at", day)[:10]
    is_ours_newer = not ours.empty and f"{ours['since'].iloc[0]:%Y-%m-%d}" > max(day, got)
    return ours.iloc[0] if is_ours_newer else newest


def _same_value(fact: pd.Series, made: Tables, curated: list[str]) -> list[str]:
    """The claim_ids of the fact and, of a model, of what other sources state alike."""
    if fact["is_ours"] or fact["table"] != MODELS:
        return [fact["claim_id"]]
    claims = made["claims"]
    same = claims["value_text"].eq(fact["value_text"]) | claims["value"].eq(fact["value"])
    same &= claims["model_id"].eq(fact["key"]) & claims["field"].eq(fact["field"])
    same &= claims["status"].ne("quarantined") & ~claims["source_id"].isin(curated)
    return list(claims.loc[same, "claim_id"])
