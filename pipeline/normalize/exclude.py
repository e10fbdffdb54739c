"""What does not count, and why: ordered lists of rules over facts (OF_FACTS) and over claims (OF_CLAIMS).

The first rule that finds a claim gives it the reason, as a code (schemas/vocab/reasons.yml) and as a sentence, which
`explain` shows. Claims without a reason take part in the selection (select.py). Texts that could not be read have the
reason of the grammar, and what corrections.yml drops or replaces that of the entry, before any rule for claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from pipeline.frames import is_in, iso_days, mapped
from pipeline.normalize.columns import hex_digits, joined
from pipeline.normalize.correct import CELL, STATED, waived, with_own
from pipeline.normalize.facts import Vintage, held_days
from pipeline.normalize.identify import ids_by_name
from pipeline.normalize.publication_dates import FIELD, early_precision, later_than_paper
from pipeline.schema import PAST

UTILIZATION, HOURS = "hardware_utilization", ("training_hours", "chip_hours", "hardware_quantity")
VALUE, LOW, HIGH = "training_compute_flop", "training_compute_low", "training_compute_high"
FARTHEST = 100  # a bound that is farther from its value is none
INSTEAD = ["value_text", "code", "note", "reference", "since"]  # what differs in a claim that we state instead
NOTHING = pd.DataFrame({"field": pd.Series([], dtype="str")})
MODEL_CELL = ["publisher", "model_id", "field"]


class Exclusion(NamedTuple):
    """A rule, and the fields that it must see (none: all). It finds claims by their labels; further columns fill the
    places in the sentence, and may say which correction is behind it, what we state instead (INSTEAD), or what is left
    of a code of which only a part does not count (`left`; "" for nothing). A rule without a code leaves the claims in:
    the columns say what they are to be read as."""

    code: str
    find: Callable[[pd.DataFrame, Vintage], pd.DataFrame]
    fields: tuple[str, ...]
    sentence: str
    remedy: str = ""


def exclude(claims: pd.DataFrame, rules: Sequence[Exclusion], vintage: Vintage) -> pd.DataFrame:
    """The facts or claims, with the reason of the first rule that finds each; claims that we state instead beside
    them."""
    claims = claims.copy(deep=False)
    for rule in rules:
        hits = rule.find(claims[is_in(claims["field"], rule.fields)] if rule.fields else claims, vintage)
        if not rule.code:
            claims.loc[hits.index, hits.columns] = hits
            continue
        hits = hits[claims.loc[hits.index, "reason_code"].eq("").to_numpy()]
        if "left" in hits:
            claims.loc[hits.index, "code"] = claims["code"].loc[hits.index].where(hits["left"] == "", hits["left"])
            hits = hits[hits["left"] == ""]
        if hits.empty:
            continue
        claims.loc[hits.index, ["reason_code", "remedy"]] = [rule.code, rule.remedy]
        claims.loc[hits.index, "reason"] = [rule.sentence.format(**row) for row in hits.to_dict("records")]
        if "correction" in hits:
            claims.loc[hits.index, "correction"] = hits["correction"]
        if INSTEAD[0] in hits:
            instead = hits.reset_index(names="label")[["label", *INSTEAD]].to_dict("records")
            claims = with_own(claims, instead, vintage.context.sources)
    return claims


def held(facts: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """What a held record has had since the `day` as of which it is read."""
    if not vintage.held:
        return NOTHING
    day = held_days(facts, vintage.held)
    return iso_days(day[facts["since"] > day]).to_frame("day")


def after_snapshot(facts: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Dates of what has happened that lie after the `snapshot` that has them."""
    snapshot = iso_days(facts["snapshot"])
    return snapshot[(facts["code"] != "") & (facts["code"] > snapshot)].to_frame("snapshot")


def bound_excludes_value(facts: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Lower bounds above the value or the upper bound of their record, and upper bounds below the value."""
    bounds = _bounds(facts)
    low = (bounds["field"] == LOW) & ((bounds["value"] > bounds[VALUE]) | (bounds["value"] > bounds[HIGH]))
    return bounds.loc[low | ((bounds["field"] == HIGH) & (bounds["value"] < bounds[VALUE])), ["field"]]


def no_bound(facts: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Bounds that are the value itself, or typing errors: far away from it."""
    bounds = _bounds(facts)
    ratio = bounds["value"] / bounds[VALUE]
    return bounds.loc[(ratio == 1) | (ratio > FARTHEST) | (ratio < 1 / FARTHEST), ["field"]]


def _bounds(facts: pd.DataFrame) -> pd.DataFrame:
    """The bounds of training compute in plain columns, each beside VALUE, LOW and HIGH of its record."""
    stated = facts.loc[(facts["locator"] == "") & facts["value"].notna(), [*CELL, "value"]]
    wide = stated.groupby(CELL)["value"].first().unstack().reindex(columns=[VALUE, LOW, HIGH])
    return stated[stated["field"] != VALUE].join(wide, on=["source_id", "record"])


def withdrawn(facts: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Values that their publisher no longer states: a `newer` file of that publisher still has the record and the
    column, but has emptied the cell on a `day`. What the newer file itself had counts as well."""
    publishers = {name: one.publisher for name, one in vintage.context.sources.items() if one.subject == "models"}
    snapshots, ledger = facts.groupby("source_id")["snapshot"].first(), vintage.ledger
    used = mapped(ledger["source_id"], snapshots.to_dict(), "datetime64[s]")
    ended = (ledger["until"] > snapshots[snapshots.index.isin(list(publishers))].min()) & (ledger["until"] <= used)
    ended &= (ledger["locator"] == "") & (ledger["model_id"].fillna("") != "")
    cells = ledger.loc[ended, [*CELL, "model_id", "until"]]
    if cells.empty:
        return NOTHING
    present = facts.loc[is_in(facts["source_id"], cells["source_id"].unique()), CELL]
    present = present[is_in(present["record"], cells["record"].unique())].drop_duplicates()
    columns = facts.loc[facts["locator"] == "", ["source_id", "field"]].drop_duplicates()
    cells = joined(cells, present[CELL[:2]].drop_duplicates(), CELL[:2])  # the record is still there
    cells = joined(cells, columns, ["source_id", "field"])
    empty = joined(cells, present, CELL, how="left", indicator=True).query("_merge == 'left_only'").sort_values("until")
    empty = empty.assign(publisher=mapped(empty["source_id"], publishers, "str"))
    empty = empty[[*MODEL_CELL, "source_id", "until"]].drop_duplicates(MODEL_CELL, keep="last")
    plain = (facts["reason_code"] == "") & (facts["locator"] == "") & (facts["model_id"].fillna("") != "")
    stated = facts.loc[plain, ["source_id", "model_id", "field"]].reset_index(names="label")
    stated = stated.assign(publisher=mapped(stated["source_id"], publishers, "str"))
    changes = ledger["until"].where(ledger["until"] <= used).fillna(ledger["since"].where(ledger["since"] <= used))
    last_change = changes.groupby(ledger["source_id"]).max().to_dict()  # of each source's file
    both = joined(stated, empty, MODEL_CELL, suffixes=("", "_new"))
    gone = both[both["until"] > mapped(both["source_id"], last_change, "datetime64[s]")]
    gone = gone.drop_duplicates("label").set_index("label")
    return pd.DataFrame({"newer": gone["source_id_new"], "day": iso_days(gone["until"])})


def worked_out(claims: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Utilisations whose own record has had its hours or chips corrected, unless somebody acknowledged them."""
    fixed = claims["reason_code"].isin(["corrected", "replaced"]) & (claims["field"] != UTILIZATION)
    entry = claims.loc[fixed, [*CELL[:2], "correction"]].groupby(CELL[:2])["correction"].min()
    shares = claims.loc[claims["field"] == UTILIZATION, [*CELL, *STATED]].join(entry, on=CELL[:2])
    shares = shares[shares["correction"].notna()]
    return shares.loc[~waived(shares, vintage.fixes), ["correction"]]


def breaks_rule(claims: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """What a build found to break a `rule` of a table."""
    if not vintage.aside:
        return NOTHING
    ids = claims["claim_id"] if "claim_id" in claims else hex_digits(claims["hash"].to_numpy(), claims.index)
    return ids[is_in(ids, vintage.aside)].map(vintage.aside).to_frame("rule")


def components(claims: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """Base models that are used as they are, such as a frozen text encoder, and which of the names are `left`,
    comma-separated. What the source printed stays in value_text."""
    used = {(component.model_id, component.component_id) for component in vintage.context.components}
    about = claims["field"].eq("base_model") & claims["reason_code"].eq("")
    named = claims.loc[about & is_in(claims["model_id"], {model for model, _ in used}), ["model_id", "code"]]
    ids = ids_by_name(claims[["record", "model_id"]]).to_dict() if len(named) else {}
    left = []
    for model, text in named.itertuples(index=False):
        names = [text] if text in ids else [name.strip() for name in text.split(",")]
        left.append(",".join(name for name in names if (model, ids.get(name)) not in used))
    return pd.DataFrame({"left": pd.Series(left, index=named.index, dtype="str")})


# fmt: off
FIXES = "data/raw/curated/corrections.yml"
BOUND = f"look at the source; if the bound is right, correct the value in {FIXES}"
OF_FACTS = (  # about anything, as the sources state them
    Exclusion("held", held, (), "held: the record is read as of {day}",
              "accept the change in data/raw/curated/waivers.csv"),
    Exclusion("after_snapshot", after_snapshot, PAST, "later than the snapshot of {snapshot}",
              "look at the source; if the date is known, enter it in data/raw/curated/"),
    Exclusion("bound_excludes_value", bound_excludes_value, (VALUE, LOW, HIGH),
              "the bound contradicts the value of its record", BOUND),
    Exclusion("no_bound", no_bound, (VALUE, LOW, HIGH),
              f"the value itself, or ×{FARTHEST} away from it: no bound", BOUND),
    Exclusion("withdrawn", withdrawn, (), "withdrawn: blank in {newer} since {day}"),
)
SET_ASIDE = Exclusion("breaks_rule", breaks_rule, (), "{rule}",
                      f"look at the source; correct it in {FIXES}, or acknowledge it there with `rule`")
OF_CLAIMS = (  # about models, with corrections applied
    Exclusion("corrected", worked_out, (UTILIZATION, *HOURS),
              "worked out from hours or chips that have been corrected ({correction})"),
    SET_ASIDE,
    Exclusion("replaced", later_than_paper, (FIELD, "reference_url", "name", "base_model"),
              "its paper has the number {paper}"),
    Exclusion("component", components, (),
              "used as it is: a component, not the base (data/raw/curated/components.csv)"),
    Exclusion("", early_precision, (FIELD,), ""),
)
# fmt: on
