"""duplicates: pairs of records that may be the same model and that no line of identities.csv decides yet.

Nothing is merged here: each pair comes with its evidence and two lines, and a person pastes one of them."""

from __future__ import annotations

import duckdb

from pipeline.base.paths import Paths
from pipeline.curate.checks import Section, run_folder
from pipeline.registry.sources import load_sources

LEDGER = """
    CREATE TEMP TABLE ledger AS
    SELECT split_part(filename, '/', -2) AS source_id, record, field, value_text, since, until,
    list_contains($speaking, source_id) AS only_speaks
    FROM read_csv($files, all_varchar = true, header = true, filename = true, union_by_name = true)
    WHERE field IN ('name', 'parameters', 'publication_date', 'reference_url')"""


def find_duplicates(connection: duckdb.DuckDBPyConnection, paths: Paths) -> list[Section]:
    """The open pairs by check, each under the first check that found it. The checks see the facts of all snapshots as
    the table `ledger`; `only_speaks` marks sources that make no models of their own."""
    about = [source for source in load_sources(paths).values() if source.subject == "models"]
    files = [file.as_posix() for source in about for file in sorted((paths.raw / source.id).glob("facts*.csv"))]
    speaking = [source.id for source in about if not source.makes_models]
    connection.execute(LEDGER, {"files": files, "speaking": speaking})
    listed: set[frozenset[str]] = set()
    sections = []
    for section in run_folder(connection, "duplicates"):
        pairs = {frozenset((row["record"], row["other"])): row for row in section.rows}
        sections.append(section._replace(rows=[row for pair, row in pairs.items() if pair not in listed]))
        listed |= pairs.keys()
    return sections
