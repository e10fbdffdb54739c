"""Keeps the output that docs/queries.md prints under each query current: the page is run, not trusted."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.errors import DataError, Problem

# a query, and after a blank line the Markdown table that it gave
QUERY = re.compile(r"(```sql\n(?P<query>[^`]*)```\n)(?:\n(?:\|[^\n]*\n)+)?")


def with_output(page: str, database: Path) -> str:
    """The page with the table after each ```sql block as `traincompute sql --markdown --human` prints it now."""
    return QUERY.sub(lambda found: found[1] + "\n" + run(found["query"], database), page)


def run(query: str, database: Path) -> str:
    """What the command prints for a query. Raises DataError with its message where it fails."""
    from click.testing import CliRunner

    from traincompute.commands import sql

    result = CliRunner().invoke(sql, ["--data", str(database), "--markdown", "--human", query])
    if result.exit_code:
        first, message = query.strip().splitlines()[0], result.output.strip().removeprefix("Error: ")
        raise DataError([Problem("docs/queries.md", first, "", "", message, "mend the query")])
    return result.stdout
