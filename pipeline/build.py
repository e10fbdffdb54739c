"""The build, from committed facts to published tables: normalize → gate → validate → impute → validate → publish.

Offline and deterministic: the same facts give the same bytes. Every stage takes and returns DataFrames; only `publish`
writes, in a thread of its own, and shows readers nothing until all is complete."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

import pandas as pd

from pipeline.config import Config, load_config
from pipeline.errors import DataError
from pipeline.frames import Tables, spare_memory
from pipeline.impute.calibrate import is_stale
from pipeline.impute.stage import UNFINISHED, imputed
from pipeline.normalize.stage import normalize_tables, read_checked, record_facts
from pipeline.paths import Paths
from pipeline.publish.builds import inputs_digest
from pipeline.publish.publication import manifest_head, publication
from pipeline.validate.gate import Verdict, through_gate, write_findings
from pipeline.validate.stage import ContradictionError, blame, check_links, check_tables, with_waivers

AGAIN = "facts that contradict others or whose model no source has; `traincompute curate status` lists them, too"
SHOWN = 10  # facts that were set aside
EARLIER = "calibration   out of date; each release measures it again, so there is nothing to do"


class Build(NamedTuple):
    """The published tables, and what the gate found."""

    tables: Tables
    verdict: Verdict


def build(paths: Paths, as_of: date | None = None) -> Build:
    """Builds and publishes the dataset as it stood on `as_of` (None = newest). A fact that breaks a rule is set aside,
    and the build begins again. Raises DataError listing all faults that only a person can mend."""
    spare_memory()
    digest, context, aside = inputs_digest(paths, as_of), load_config(paths), dict[str, str]()
    while True:
        try:
            return _build(context, as_of, aside, digest)
        except ContradictionError as broken:
            aside |= broken.claims


def _build(context: Config, as_of: date | None, aside: Mapping[str, str], digest: str) -> Build:
    """One try, with these claims set aside. Raises ContradictionError where others break a rule."""
    with publication(context.schemas, context.views, context.paths.processed) as out:
        verdict = normalized(context, as_of, aside)
        tables = dict(verdict.tables)
        judge = with_waivers(context, as_of, tables["claims"])
        try:
            out.add(check_tables(judge, tables, UNFINISHED))
            for more in imputed(context, tables):
                tables |= more
                out.add(check_tables(judge, more))
        except DataError as error:
            read = read_checked(context)
            records = record_facts(context, read, as_of, aside, verdict.held)
            raise blame(judge, error, tables, records, read.ledger) from error
        check_links(context, tables)
        write_findings(verdict.findings, verdict.idle, out.folder)
        out.finish(manifest_head(context, tables["sources"], as_of), digest)
    return Build(tables, verdict)


def normalized(context: Config, as_of: date | None, aside: Mapping[str, str]) -> Verdict:
    """What the gate lets through. The ledger, a third of the memory of a build, is gone when this returns."""
    read = read_checked(context)
    normalize = partial(normalize_tables, context, as_of, read, aside)
    return through_gate(context, as_of, normalize(), read.ledger, normalize)


def summarize(paths: Paths, tables: Tables) -> list[str]:
    """The counts of a build, and the facts that were set aside."""
    models, claims, estimates, quarantine = map(tables.__getitem__, ("models", "claims", "estimates", "quarantine"))
    chosen = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    mentions = tables["model_hardware"]["hardware_id"]
    aside = quarantine[quarantine["reason_code"].isin(["breaks_rule", "no_model"])]
    cell = 'set aside     {source_id} [{record}]: {field} "{value_text}": {reason}'
    return [
        f"models        {len(models)}, {int(models['is_notable'].sum())} of them notable",
        f"training FLOP {models['training_compute_flop'].count()}: {_counts(models['training_compute_source'])}",
        f"imputed       {_counts(chosen.loc[chosen['value'].notna(), 'method'], ' by') or 'none'}; "
        f"{chosen['value'].isna().sum()} more have a bound; {estimates['value'].isna().sum()} times a method abstained",
        f"claims        {len(claims)}, {len(quarantine)} of them quarantined",
        f"hardware      {mentions.count()} of {len(mentions)} mentions resolved",
        *([f"set aside     {len(aside)} {AGAIN}"] if len(aside) else []),
        *(cell.format_map(row) for row in aside.head(SHOWN).to_dict("records")),
        *([f"{len(aside) - SHOWN} more of these"] if len(aside) > SHOWN else []),
        *([EARLIER] if is_stale(paths) else []),
    ]


def _counts(names: pd.Series, word: str = "") -> str:
    return ", ".join(f"{n}{word} {name}" for name, n in names.value_counts().sort_index().items())
