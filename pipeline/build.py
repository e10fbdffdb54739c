"""The build, from committed facts to published tables: normalize → gate → validate → impute → validate → publish.

Offline and deterministic: the same facts give the same bytes. Every stage takes and returns DataFrames; only `publish`
writes, in a thread of its own, and shows readers nothing until all is complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import NamedTuple

from pipeline.config import Config, load_config
from pipeline.errors import DataError
from pipeline.frames import Tables, spare_memory
from pipeline.impute.stage import UNFINISHED, imputed
from pipeline.normalize.correct import with_waivers, without_rules
from pipeline.normalize.stage import normalize_tables, read_checked, record_facts
from pipeline.paths import Paths
from pipeline.publish.builds import inputs_digest
from pipeline.publish.publication import manifest_head, publication
from pipeline.validate.blame import ContradictionError, blame
from pipeline.validate.findings import write_findings
from pipeline.validate.gate import Held, Verdict, through_gate
from pipeline.validate.stage import check_links, check_stated, check_tables


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
        judge = without_rules(context) if as_of else with_waivers(context, tables["claims"])
        with _blamed(judge, tables, as_of, aside, verdict.held):
            out.add(check_tables(judge, {name: tables[name] for name in tables.keys() - UNFINISHED}))
            check_stated(judge, tables)
        for more in imputed(context, tables):
            tables |= more
            with _blamed(judge, tables, as_of, aside, verdict.held):
                out.add(check_tables(judge, more))
        check_links(context, tables)
        write_findings(verdict.findings, verdict.idle, out.folder)
        out.finish(manifest_head(context, tables, as_of), digest)
    return Build(tables, verdict)


def normalized(context: Config, as_of: date | None, aside: Mapping[str, str]) -> Verdict:
    """What the gate lets through. The ledger, a third of the memory of a build, is gone when this returns."""
    read = read_checked(context)
    normalize = partial(normalize_tables, context, as_of, read, aside)
    return through_gate(context, as_of, read.ledger, context.corrections, normalize)


@contextmanager
def _blamed(judge: Config, tables: Tables, as_of: date | None, aside: Mapping[str, str], held: Held) -> Iterator[None]:
    """Raises ContradictionError in the place of DataError where facts of sources break a rule."""
    try:
        yield
    except DataError as error:
        raise blame(judge, error, tables, record_facts(judge, as_of, aside, held)) from error
