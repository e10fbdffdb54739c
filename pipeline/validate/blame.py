"""What is set aside where a row breaks its schema: of the facts behind the rule or the cell the one that changed last,
whoever entered the others. Only where all of them are ours the build stops: then our own lines contradict each
other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables
from pipeline.schema import Rule, TableSchema
from pipeline.validate.origin import fields_of

MODELS = "models"
BY_HAND = "curated"  # the adapter of what people enter
Cell = tuple[str, str, str]  # table, key of the row, and field
STATED = ["table", "key", "field", "claim_id", "source_id", "since", "changed", "value_text", "value", "own"]


class ContradictionError(Exception):
    """Facts that are to be set aside, by claim_id, each with the reason."""

    def __init__(self, claims: dict[str, str]) -> None:
        self.claims = claims
        super().__init__(f"{len(claims)} claims break rules")


def blame(context: Config, error: DataError, made: Tables, facts: pd.DataFrame) -> ContradictionError | DataError:
    """The facts behind the problems of the error, which are to be set aside; or an error with the problems for which
    there are none but our own. `made` has the tables so far, `facts` those of the tables of records
    (`record_facts`)."""
    stated = pd.concat([_stated(made, context), facts.assign(own=_ours(facts, context))], ignore_index=True)[STATED]
    stated = stated.astype({"own": "bool"})
    aside: dict[str, str] = {}
    left, seen = [], set[tuple[str, str]]()
    direct = [bool(_about(problem, context, made, stated).size) for problem in error.problems]
    for problem in sorted(error.problems, key=lambda problem: not direct[error.problems.index(problem)]):
        row = problem.where, problem.record
        if row in seen:
            continue  # without the first, a row may keep the other rules
        if found := _behind(problem, context, made, stated):
            rule = _rule(problem, context.schemas[problem.where])
            reason = f"breaks {rule.name}: {rule.why}" if rule else f"{problem.field} {problem.reason}"
            aside |= dict.fromkeys(found, reason)
            seen.add(row)
        else:
            left.append(problem)
    return DataError(left) if left else ContradictionError(aside)


def _rule(problem: Problem, table: TableSchema) -> Rule | None:
    """The rule that a row breaks; null for a cell that is refused."""
    return next((rule for rule in table.rules if problem.reason.startswith(f"breaks {rule.name} ")), None)


def _stated(made: Tables, context: Config) -> pd.DataFrame:
    """The selected claims as facts of the table of models; what is worked out from the number of a preprint nobody
    stated."""
    claims = made.get("claims", pd.DataFrame(columns=["status", "evidence", "correction", "model_id", *STATED[2:-1]]))
    claims = claims[claims["status"] == "selected"].rename(columns={"model_id": "key"}).assign(table=MODELS, changed=0)
    own = _ours(claims, context)
    written = (claims[["evidence", "correction"]].astype("str").fillna("") != "").any(axis=1)
    return claims.assign(own=own)[~own | written]


def _ours(facts: pd.DataFrame, context: Config) -> pd.Series:
    return facts["source_id"].isin([name for name, source in context.sources.items() if source.adapter == BY_HAND])


def _behind(problem: Problem, context: Config, made: Tables, stated: pd.DataFrame) -> list[str]:
    """The claim_ids of what is to be set aside for one problem."""
    table, frame = context.schemas[problem.where], made[problem.where]
    about = _about(problem, context, made, stated)
    of_row = stated[(stated["table"] == table.name) & (stated["key"] == problem.record)]
    if of_row.empty and "model_id" in frame:  # an estimate or a prediction: what its model is known by
        models = frame.loc[
            (frame[list(table.primary_key)].astype("str").agg(" ".join, axis=1) == problem.record), "model_id"
        ]
        of_row = stated[(stated["table"] == MODELS) & stated["key"].isin(models)]
    if about.empty:  # the cell is worked out, or must not be empty
        about = of_row[of_row["field"] != "name"].assign(place=0)
    of_chips = (stated["table"] == "hardware") & (stated["changed"] > 0) & stated["key"].isin(_chips(problem, made))
    about = pd.concat([about, stated[of_chips].assign(place=len(about))])
    last = _last(about, context.lock)
    if last is None:
        return []
    if last["table"] != MODELS:
        return [last["claim_id"]]
    claims = made["claims"]
    same = claims["value_text"].eq(last["value_text"]) | claims["value"].eq(last["value"])
    same &= claims["model_id"].eq(last["key"]) & claims["field"].eq(last["field"]) & ~_ours(claims, context)
    same &= claims["status"].ne("quarantined")
    return [last["claim_id"]] if last["own"] else list(claims.loc[same, "claim_id"])


def _about(problem: Problem, context: Config, made: Tables, stated: pd.DataFrame) -> pd.DataFrame:
    """The facts in the cells that a problem is about, with their `place` among these."""
    cells = dict.fromkeys(_cells(problem, context.schemas[problem.where], made[problem.where]))
    of_row = stated[stated["key"].isin({key for _, key, _ in cells})]
    order = {cell: place for place, cell in enumerate(cells)}
    place = pd.Series([order.get(cell) for cell in zip(*(of_row[n] for n in STATED[:3]), strict=True)], of_row.index)
    return of_row.assign(place=place)[place.notna()]


def _last(about: pd.DataFrame, lock: Mapping[str, object]) -> pd.Series | None:
    """The fact that changed last, of several of one day the one named first; null where all are ours."""
    ours, theirs = (some.sort_values("since", ascending=False) for some in (about[about["own"]], about[~about["own"]]))
    if theirs.empty:
        return None
    newest = theirs.sort_values(["since", "place"], ascending=[False, True], kind="stable").iloc[0]
    if ours.empty or _known_since(newest, lock) >= ours["since"].iloc[0]:
        return newest
    return ours.iloc[0]


def _known_since(fact: pd.Series, lock: Mapping[str, object]) -> pd.Timestamp:
    """The day on which we got the snapshot that brought the fact, which may be older than that."""
    snapshots = lock.get(fact["source_id"], {}).get("snapshots", {})  # type: ignore[attr-defined]
    got = snapshots.get(f"{fact['since']:%Y-%m-%d}", {}).get("retrieved_at", "")[:10]
    since: pd.Timestamp = fact["since"]
    return max(since, pd.Timestamp(got)) if got else since


def _cells(problem: Problem, table: TableSchema, frame: pd.DataFrame) -> Iterator[Cell]:
    """The cells that the columns of the broken rule, or the refused one, are made of: those of the row itself before
    those of the rows that it refers to."""
    rule = _rule(problem, table)
    columns = rule.columns if rule else (problem.field,)
    rows = frame.set_index(table.key)
    for name in columns:
        yield from ((table.name, problem.record, field) for field in fields_of(name.partition(".")[0], table))
    for here, _, there in (name.partition(".") for name in columns):
        if there and problem.record in rows.index:
            yield from ((table.name, str(rows.at[problem.record, here]), field) for field in fields_of(there, table))


def _chips(problem: Problem, made: Tables) -> list[str]:
    """The hardware_ids that a row has, or a model."""
    links = made["model_hardware"] if problem.where == MODELS else made[problem.where]
    key = links.columns[0]
    return list(links.loc[links[key] == problem.record, "hardware_id"].dropna()) if "hardware_id" in links else []
