"""The build, from committed facts to published tables: normalize → validate → impute → validate → publish.

Offline and deterministic: the same facts give the same bytes. Every stage takes and returns DataFrames; only `publish`
writes. It writes each checked table while the next one is being made, and shows readers none until all are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

from pipeline.config import Config, load_config
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables, release_memory, spare_memory
from pipeline.impute.calibration.storage import is_stale
from pipeline.impute.stage import UNFINISHED, imputed
from pipeline.normalize.correct import lapsed, with_waivers, without_rules
from pipeline.normalize.reasons import BREAKS_RULE, NO_MODEL_LEFT
from pipeline.normalize.stage import normalized, record_facts
from pipeline.paths import Paths
from pipeline.publish.fingerprint import inputs_digest
from pipeline.publish.publication import publication
from pipeline.publish.stage import manifest_head
from pipeline.validate.blame import ContradictionError, blame
from pipeline.validate.cells import warnings_of
from pipeline.validate.rows import idle_acknowledgements
from pipeline.validate.stage import check_links, check_stated, check_tables

AGAIN = "facts that contradict others or whose model no source has; `traincompute curate status` lists them, too"
CHANGED = (
    "{correction_id} keeps its effect, but the cell has {now} now; check it, and give the entry `until` or the value"
)
LISTED = 10  # of each kind
EARLIER = "calibration   measured before these facts or methods; that is measured again for the next release, not now"


def build(paths: Paths, as_of: date | None = None) -> Tables:
    """Builds and publishes the dataset as it stood on `as_of` (None = newest). Raises DataError listing all faults."""
    spare_memory()
    aside: dict[str, str] = {}
    while True:
        try:
            return _build(paths, as_of, aside)
        except ContradictionError as found:
            aside |= found.claims


def _build(paths: Paths, as_of: date | None, aside: Mapping[str, str]) -> Tables:
    """One try, with these claims set aside. Raises ContradictionError where others break a rule of models."""
    digest, context = inputs_digest(paths, as_of), load_config(paths)
    with publication(context.schemas, context.views, paths.processed) as out:
        made: Tables = {}
        judge = without_rules(context) if as_of else context
        for tables in normalized(context, as_of, None, aside):
            made |= tables
            finished = {name: frame for name, frame in tables.items() if name not in UNFINISHED}
            with _blamed(judge, made, as_of, aside):
                out.add(check_tables(judge, finished))
            release_memory()
        judge = with_waivers(judge, made["claims"])
        with _blamed(judge, made, as_of, aside):
            check_stated(judge, made)
        for tables in imputed(context, made):
            made |= tables
            with _blamed(judge, made, as_of, aside):
                out.add(check_tables(judge, tables, made["claims"]))
            release_memory()
        check_links(context, made)
        out.finish(manifest_head(context, made, as_of), digest)
    return made


@contextmanager
def _blamed(judge: Config, made: Tables, as_of: date | None, aside: Mapping[str, str]) -> Iterator[None]:
    """Raises ContradictionError in the place of DataError where facts of sources break a rule; else what a person has
    to mend."""
    try:
        yield
    except DataError as error:
        raise blame(judge, error, made, record_facts(judge, as_of, aside)) from error


def summarize(context: Config, made: Tables) -> list[str]:
    """What a build did, in a few human-readable lines."""
    wide, estimates = made["models"], made["estimates"]
    counts = wide["training_compute_source"].value_counts().sort_index()
    taken = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    bounds_alone = int(taken["value"].isna().sum())
    methods = taken.loc[taken["value"].notna(), "method"].value_counts().sort_index()
    mentions, aside = made["model_hardware"], made["quarantine"]["reason_code"].isin([BREAKS_RULE, NO_MODEL_LEFT])
    looked_at = set(zip(made["corrections"]["model_id"], made["corrections"]["field"], strict=True))
    unusual: list[Problem] = warnings_of(wide, context.schemas["models"], looked_at)
    changed = lapsed(made["corrections"], made["claims"])
    excused = with_waivers(context, made["claims"]) if made["corrections"]["rule"].notna().any() else context
    idle = idle_acknowledgements(wide, excused.schemas["models"])
    return [
        f"models        {len(wide)}, of which {int(wide['is_notable'].sum())} notable",
        f"training FLOP {int(wide['training_compute_flop'].notna().sum())}: "
        + ", ".join(f"{n} {name}" for name, n in counts.items()),
        "imputed       "
        + (", ".join(f"{n} by {name}" for name, n in methods.items()) or "none")
        + f"; {bounds_alone} more have a bound; {int(estimates['value'].isna().sum())} times a method abstained",
        f"claims        {len(made['claims'])}, of which {len(made['quarantine'])} quarantined",
        f"hardware      {int(mentions['hardware_id'].notna().sum())} of {len(mentions)} mentions resolved",
        *([f"set aside     {aside.sum()} {AGAIN}"] if aside.any() else []),
        *_first(
            f"set aside     {_about(row)}: {row['reason']}" for row in made["quarantine"][aside].to_dict("records")
        ),
        *_first(f"correction    {_about(row)}: {CHANGED.format(**row)}" for row in changed),
        *_first(f"warning: {problem}" for problem in idle),
        *_first(f"warning: {problem}" for problem in unusual),
        *([EARLIER] if is_stale(context.paths) else []),
    ]


def _first(lines: Iterable[str]) -> list[str]:
    """The first lines of a kind, and how many more there are."""
    found = list(lines)
    more = [f"{len(found) - LISTED} more of these"] if len(found) > LISTED else []
    return [*found[:LISTED], *more]


def _about(row: Mapping[Any, Any]) -> str:
    return f'{row["source_id"]} [{row["record"]}]: {row["field"]} "{row["value_text"]}"'
