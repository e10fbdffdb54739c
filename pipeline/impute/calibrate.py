"""`traincompute dev calibrate`: what the build needs to know, fitted to all models whose compute is published, and how
far off the estimates are when each one is left out.

Measured once from upstream facts alone, and once with the curated facts as if they had been entered by the date of the
vintage: these give the tables that the build uses. In both, the published value and what is independent of formulas are
upstream's. The tables are files below data/calibration/; a digest of their inputs tells when they are stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np
import pandas as pd

from pipeline.config import Config, load_constants, locked_snapshots
from pipeline.frames import conform
from pipeline.impute import choose, evaluate, predictions
from pipeline.impute.evaluate import ALL, CASCADE, Line, describe, fit, measure, prepare, scored
from pipeline.impute.intervals import above_base, load_measured
from pipeline.impute.predictions import Tier
from pipeline.impute.results import ENDS, FIELD, log10
from pipeline.impute.rows import base_edges, estimation_rows
from pipeline.normalize.parse import with_values
from pipeline.normalize.stage import Read, chosen_tables, read_ledger, read_vintage
from pipeline.paths import CHECKOUT, Paths
from traincompute.base.distributions import QUANTILES
from traincompute.show.terminal import Say

VINTAGE = date(2026, 8, 23)  # the first day with a capability index for enough models
DIGEST = "inputs.sha256"
VOCABULARIES = ("architectures", "confidence", "dataset_units")  # what the methods read in them is declared there
METHODS = ("normalize", "impute", "impute/methods")  # the rooms that make the values and estimates
FEWEST = 100  # published values: with fewer, a fifth of them says nothing about the rest
ANSWERS = ("training_compute", "training_cost")  # curated claims about these, or corrections, would give them away
SOURCE = "epoch_notable"  # whose blanks that were filled later are scored
# evaluation → of which judged predictions, only those that would be taken, only of notable models, subsets, by tier
EVALUATIONS = {
    "folds": ("folds", False, True, ["whole", "independent"], True),
    "folds_all": ("folds", True, False, ["whole"], True),
    "forward": ("forward", True, True, ["whole"], True),
    "masked": ("masked", True, True, ["whole"], False),
    "sized": ("sized", True, True, ["whole"], False),
    "audited": ("audited", True, False, [ALL], False),
}
SCORES = ["model_id", "vintage", "method", "tier", *QUANTILES, "filled", "later_flop", "error_dex", "is_inside"]
DIGITS = 4


def measure_all(context: Config, as_of: date, say: Say = lambda _: None) -> dict[str, pd.DataFrame]:
    """The tables of `Calibrated`, and calibration; `say` is told how far it is."""
    read = read_ledger(context)
    upstream, curated = (gather(context, read, as_of, curated=entered) for entered in (False, True))
    published, owner = (upstream[0].set_index("model_id")[name] for name in (FIELD, "owner"))
    about, lines = describe(upstream[0], curated[1]), list[Line]()
    # what a blind audit found
    audit = pd.read_csv(context.paths.root / "data" / "audit.csv", dtype=str).query("what == 'published value'")
    audited = audit.set_index("id")["judged"].dropna().astype("float64")
    for inputs, (rows, edges) in {"upstream": upstream, "curated": curated}.items():
        of_owner = rows["model_id"].map(owner).fillna(rows["owner"])  # the same folds with either facts
        say(f"{inputs} facts")
        material = prepare(rows.assign(**{FIELD: rows["model_id"].map(published), "owner": of_owner}), edges, about)
        made = evaluate.judge_all(material)
        judged = {name: scored(some, published) for name, some in made.items()}
        judged["audited"] = scored(made["folds"], audited)
        for evaluation, (name, is_taken, is_notable, subsets, by_tier) in EVALUATIONS.items():
            some = judged[name]
            some = some[some["method"] == CASCADE] if is_taken else some
            some = some[some["notable"].astype("bool")] if is_notable else some
            some = some[some["tier"] == Tier.SIZE] if evaluation == "sized" else some
            lines += measure(some, evaluation, inputs, subsets, by_tier)
    coefficients, line, errors = fit(material, np.ones(len(about), dtype=bool))  # of the curated facts
    lines += measure_filled(load_measured(context.paths, "scores"))
    table = conform(pd.DataFrame(lines), context.schemas["calibration"])
    fitted = {"coefficients": coefficients.reset_index(), "capability_index": line, "intervals": errors}
    return fitted | {"calibration": table}


def gather(context: Config, read: Read, as_of: date, *, curated: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The inputs of the methods and the edges to base models, from the facts of a vintage, with or without those
    curated facts and corrections that do not give the answer away."""
    ledger = read.ledger
    entered = ledger["source_id"].map({name: s.adapter == "curated" for name, s in context.sources.items()})
    late = entered & (ledger["field"] == "publication_date") & (ledger["value_text"] > as_of.isoformat())
    to_come = entered & ledger["record"].isin(ledger.loc[late, "record"])  # entered about models of a later day
    telling = ledger["field"].str.startswith(ANSWERS)
    kept = ~entered | (curated & ~to_come & ~telling & ledger["until"].isna())
    ledger, entered = ledger[kept], entered[kept].astype("bool")
    ledger = ledger.assign(since=ledger["since"].mask(entered, pd.Timestamp(as_of)))
    typed = read_vintage(context, Read(ledger, read.readings), as_of)
    fixes = [fix for fix in context.corrections if not fix["field"].startswith(ANSWERS)]
    made = chosen_tables(context, typed, fixes if curated else [])
    rows = estimation_rows(context, made)
    return rows, base_edges(made["claims"], rows)


def score_vintages(context: Config, known: pd.DataFrame, say: Say = lambda _: None) -> pd.DataFrame:
    """`known` (the table `scores`) with what was printed since: what the methods say of models without a published
    value in a snapshot, from the facts of that day alone, against what the publisher printed later. What is known stays
    as it was written. A day with too few published values to judge the methods by has no lines."""
    read = read_ledger(context)
    parts = [known.assign(vintage=pd.to_datetime(known["vintage"]), filled=pd.to_datetime(known["filled"]))]
    done = set(zip(parts[0]["model_id"], parts[0]["vintage"], strict=True))
    for day in locked_snapshots(context.lock, SOURCE):
        later = printed_since(context, read, day)
        later = later[[(name, pd.Timestamp(day)) not in done for name in later.index]]
        say(f"estimates of {day}")
        rows, edges = gather(context, read, day, curated=False)
        later = later[later.index.isin(rows.loc[rows[FIELD].isna(), "model_id"])]
        if len(later) and rows[FIELD].count() >= FEWEST:
            about = describe(rows, edges)
            calibrated = fit(prepare(rows, edges, about), np.ones(len(about), dtype=bool))
            made = choose.estimates_of(rows, edges, calibrated)
            source = rows.set_index("model_id")["training_compute_source"]
            said = predictions.choose(made.assign(estimate_id=made["method"]), source, above_base(calibrated.intervals))
            said = said[said["tier"] != Tier.PUBLISHED].join(later, how="inner").reset_index()
            inside = said["later_flop"].between(said["flop_05"], said["flop_95"])
            error = log10(said["flop_50"] / said["later_flop"]).round(DIGITS)
            said = said.assign(vintage=pd.Timestamp(day), error_dex=error, is_inside=inside)
            parts.append(said.sort_values("model_id")[SCORES])
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def printed_since(context: Config, read: Read, day: date) -> pd.DataFrame:
    """By model_id: when the publisher first printed a value after that day (`filled`), and the last (`later_flop`)."""
    publisher = context.sources[SOURCE].publisher
    same = [name for name, source in context.sources.items() if source.publisher == publisher]
    facts, after = read.ledger, pd.Timestamp(day)
    cells = facts[(facts["field"] == FIELD) & facts["source_id"].isin(same) & (facts["since"] > after)]
    typed = with_values(cells, read.readings).dropna(subset="value").sort_values(["since", "source_id"])
    return typed.groupby("model_id").agg(filled=("since", "first"), later_flop=("value", "last"))


def measure_filled(scores: pd.DataFrame) -> Iterator[Line]:
    """The rows of `calibration` about models that were blank, each by its last snapshot without a value."""
    last = scores.sort_values("vintage").drop_duplicates("model_id", keep="last").assign(value=scores["flop_50"])
    dex = {name: log10(last[column] / last["value"]) for name, column in zip(ENDS, QUANTILES, strict=True)}
    judged = scored(last.assign(method=CASCADE, **dex), last.set_index("model_id")["later_flop"])
    return measure(judged, "filled", "upstream", [ALL], by_tier=True)


def write_files(paths: Paths, made: Mapping[str, pd.DataFrame], digest: str | None = None) -> list[str]:
    """Writes a CSV file per table and, if given, the digest of the inputs before the measuring; returns their names."""
    texts = {f"{name}.csv": str(frame.to_csv(index=False, lineterminator="\n")) for name, frame in made.items()}
    texts |= {DIGEST: digest + "\n"} if digest else {}
    for name, text in texts.items():
        (paths.calibration / name).write_text(text, encoding="utf-8")
    return [paths.short(paths.calibration / name) for name in texts]


def is_stale(paths: Paths) -> bool:
    """Whether the files were written from inputs other than those now in the checkout."""
    file = paths.calibration / DIGEST
    return not file.exists() or file.read_bytes().strip() != inputs_digest(paths).encode()


def inputs_digest(paths: Paths) -> str:
    """A digest of the lock (which stands for upstream facts), the curated files, the conventions and the methods."""
    curated = sorted(file for file in paths.curated.glob("*.*") if file != paths.declined)
    files = [paths.lock, paths.raw / "selection.yml", *curated]
    files += [paths.vocab / f"{name}.yml" for name in VOCABULARIES]
    code = [file for room in METHODS for file in sorted((CHECKOUT / "pipeline" / room).glob("*.py"))]
    digest = hashlib.sha256(json.dumps(load_constants(paths)["utilization"]).encode())
    for file in [*files, *code]:
        if file.exists():
            digest.update(f"{paths.short(file)} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
