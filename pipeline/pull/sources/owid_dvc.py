"""Our World in Data's record of the files that it took: md5, size and day, as one pointer file (YAML, the live address)
or as a list of all its states with their commits (CSV)."""

from __future__ import annotations

import yaml

from pipeline.pull.documents import read_document
from pipeline.pull.tabular import Fact, Reading, plain_facts, read_table
from pipeline.registry.sources import Source


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per state, named by its commit; of the pointer file the one state, named by its day."""
    if content.startswith(b"date_accessed,"):
        table = read_table(content, source, where)
        rows = [(row[table.columns["name"]], row) for row in table.rows]
        facts = [fact for name, row in rows for fact in plain_facts(name, row, table.columns)]
        return Reading(facts, len(rows), 0, table.unknown)
    pointer = read_document(yaml.safe_load, content, where)
    day, (out,) = str(pointer["meta"]["origin"]["date_accessed"]), pointer["outs"]
    cells = {"name": day, "date": day, "md5": out["md5"], "bytes": str(out["size"])}
    return Reading([Fact(day, field, text) for field, text in cells.items()], 1)
