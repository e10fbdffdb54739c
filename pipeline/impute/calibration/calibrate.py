"""`traincompute dev calibrate`: how far off the estimates are for models whose compute is published, leaving each one
out.

Measured once from upstream facts alone, and once with the curated facts, as if they had been entered by the date of the
vintage: these give the calibration that the build uses. In both, the published value is upstream's, and so is what
counts as independent of 6 · N · D and of hardware products.
"""

from collections.abc import Mapping
from datetime import date

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError, Problem
from pipeline.frames import conform
from pipeline.impute.calibration.evaluate import ANY_PHYSICAL, CASCADE, WHOLE, Line, by_folds, forward, measure, scored
from pipeline.impute.calibration.fit import fit
from pipeline.impute.calibration.material import Material, describe, prepare, rests_on
from pipeline.impute.flop.predictions import SIZE
from pipeline.impute.flop.rows import FIELD, base_edges, estimation_rows, load_declared
from pipeline.normalize.stage import Read, load_ledger, pivot_tables, read_ledger, read_vintage, select_claims
from traincompute.show.waiting import Say, silent

INPUTS = ("upstream", "curated")
FEWEST = 100  # published values: with fewer, a fifth of them says nothing about the rest
# curated claims about these, or corrections to them, would give the answer away
ANSWERS = ("training_compute", "training_cost")
Gathered = tuple[pd.DataFrame, pd.DataFrame]


def measure_all(context: Config, as_of: date, say: Say = silent) -> dict[str, pd.DataFrame]:
    """The tables of `fit_all`, and calibration; `say` is told how far it is."""
    gathered, about = gather_all(context, as_of)
    lines = []
    for inputs, (rows, edges) in gathered.items():
        published, material = rows.set_index("model_id")[FIELD], prepare(rows, edges, about)
        lines += evaluate(material, inputs, published, audited(context), say)
    return fit_all(gathered, about) | {"calibration": conform(pd.DataFrame(lines), context.schemas["calibration"])}


def gather_all(context: Config, as_of: date) -> tuple[dict[str, Gathered], pd.DataFrame]:
    """By inputs the rows, each with upstream's published value, and the edges; and what `describe` says of the models.

    Raises DataError if a vintage has too few published values to withhold some of them and judge by the others."""
    read = read_ledger(context, load_ledger(context))
    gathered = {inputs: gather(context, read, as_of, curated=inputs == "curated") for inputs in INPUTS}
    upstream = gathered["upstream"][0]
    if (models := upstream[FIELD].notna().sum()) < FEWEST:
        reason = f"has {models} models with a published value, but calibration needs {FEWEST}"
        raise DataError([Problem("--as-of", "", "", str(as_of), reason, "choose a later snapshot")])
    published, owner = (upstream.set_index("model_id")[name] for name in (FIELD, "owner"))
    about = describe(upstream, gathered["curated"][1], settled_values(context, read, as_of, published))
    seen_by = {}
    for inputs, (rows, edges) in gathered.items():
        of_owner = rows["model_id"].map(owner).fillna(rows["owner"])  # the same folds with either facts
        seen_by[inputs] = rows.assign(**{FIELD: rows["model_id"].map(published), "owner": of_owner}), edges
    return seen_by, about


def fit_all(gathered: Mapping[str, Gathered], about: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables of calibration_tables.Calibrated, fitted to all models with curated facts, as the build sees them."""
    calibrated = fit(prepare(*gathered["curated"], about), np.ones(len(about), dtype=bool))
    indexed = {name: getattr(calibrated, name).reset_index() for name in ("coefficients", "capability_index")}
    return calibrated._asdict() | indexed


def evaluate(material: Material, inputs: str, published: pd.Series, audit: pd.Series, say: Say = silent) -> list[Line]:
    """The rows of `calibration` about the predictions, all but `folds_all` and `audited` those of notable models."""

    def told(step: str) -> None:
        say(f"{inputs} facts, {step}")

    seen, *hidden = by_folds(material, told)
    everything, blind, sized, ahead = (scored(made, published) for made in (seen, *hidden, forward(material, told)))
    judged = _notable(everything)
    return [
        *measure(judged, "folds", inputs),
        *measure(_taken(everything), "folds_all", inputs, ("tier",), WHOLE),
        *measure(_taken(_notable(ahead)), "forward", inputs, ("tier", "domain", "period"), WHOLE),
        *measure(_taken(_notable(blind)), "masked", inputs, ("domain", "period"), WHOLE),
        *measure(_taken(_notable(sized[sized["tier"] == SIZE])), "sized", inputs, ("domain", "period"), WHOLE),
        *measure(_taken(scored(seen, audit)), "audited", inputs, ("tier",), ()),
        *measure(_taken(_like(judged, material.missing)), "missing", inputs, ("tier",), WHOLE),
    ]


def _notable(judged: pd.DataFrame) -> pd.DataFrame:
    return judged[judged["notable"].astype("bool")]


def _taken(judged: pd.DataFrame) -> pd.DataFrame:
    return judged[judged["method"].isin([ANY_PHYSICAL, CASCADE])]


def _like(judged: pd.DataFrame, missing: pd.Series) -> pd.DataFrame:
    """The rows with `share`: together they rest on the same things as the models without a published value do."""
    rests = rests_on(judged).where(judged["method"] == CASCADE)
    share = rests.map(missing / rests.value_counts()).fillna(0.0)
    return judged[share > 0].assign(share=share)


def audited(context: Config) -> pd.Series:
    """By model_id the FLOP that a blind audit found (data/audit/flop.csv)."""
    file = context.paths.root / "data" / "audit" / "flop.csv"
    return pd.read_csv(file).set_index("model_id")["flop"].dropna() if file.exists() else pd.Series(dtype="float64")


def settled_values(context: Config, read: Read, as_of: date, published: pd.Series) -> pd.Series:
    """By model_id the FLOP of the audit, else the published value unless a correction or another source contradicts it
    (what stands in its place may come from the count that is to be judged)."""
    rows = gather(context, read, as_of, curated=True, answers=True)[0]
    after = rows.set_index("model_id")[FIELD].reindex(published.index)
    return audited(context).combine_first(published.where(after == published))


def _to_come(ledger: pd.DataFrame, entered: pd.Series, as_of: date) -> pd.Series:
    """Which facts were entered by hand about a model that appeared after that day."""
    late = entered & (ledger["field"] == "publication_date") & (ledger["value_text"] > as_of.isoformat())
    return entered & ledger["record"].isin(ledger.loc[late, "record"])


def gather(context: Config, read: Read, as_of: date, *, curated: bool, answers: bool = False) -> Gathered:
    """The inputs of the methods and the edges to base models, from the facts of a vintage, with or without the curated
    ones and the declared corrections; of these, what would give the answer away only with `answers`."""
    ledger = read.ledger
    entered = ledger["source_id"].map({name: s.adapter == "curated" for name, s in context.sources.items()})
    kept = ~_to_come(ledger, entered, as_of)
    ledger, entered = ledger[kept], entered[kept]
    telling = ledger["field"].str.startswith(ANSWERS) & (not answers)
    ledger = ledger[~entered | (curated & ~telling & ledger["until"].isna())]
    ledger = ledger.assign(since=ledger["since"].mask(entered.astype(bool), pd.Timestamp(as_of)))
    typed = read_vintage(context, Read(ledger, read.readings), as_of)
    fixes = [fix for fix in context.corrections if answers or not fix["field"].startswith(ANSWERS)]
    judged = select_claims(context, typed, fixes if curated else [], None)
    made = pivot_tables(context, judged, typed[typed["subject"] == "hardware"])
    rows = estimation_rows({**made, "claims": judged}, load_declared(context))
    return rows, base_edges(judged, rows["model_id"])
