"""The build, from committed facts to published tables: normalize → gate → validate → impute → validate → publish.

Offline and deterministic: the same facts give the same bytes. Every stage takes and returns DataFrames; only `publish`
writes, in a thread of its own, and shows readers nothing until all is complete."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

from pipeline.config import Config, load_config
from pipeline.errors import DataError
from pipeline.frames import Tables, spare_memory
from pipeline.impute.stage import UNFINISHED, imputed
from pipeline.normalize.stage import normalize_tables, read_checked, record_facts
from pipeline.paths import Paths
from pipeline.publish.builds import inputs_digest
from pipeline.publish.publication import manifest_head, publication
from pipeline.validate.gate import Verdict, through_gate, write_findings
from pipeline.validate.stage import ContradictionError, blame, check_links, check_tables, with_waivers


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
