"""What status reads of a dataset: sources and lists of what is open, in a database of a few rows."""

from datetime import date

import duckdb
import pytest

from pipeline.curate.status import Section, read_section, read_sources

LOCK = {"epoch_all": {"snapshots": {"2026-03-30": {"retrieved_at": "2026-04-01T00:00:00+00:00"}}}}


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:")


def test_a_source_has_the_age_of_its_newest_snapshot_if_it_has_one(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""CREATE TABLE sources AS FROM (VALUES
        ('epoch_all', DATE '2026-03-01', 3, 'https://epoch.ai'), ('curated', DATE '2026-04-09', 2, NULL),
        ('helm', NULL, 0, NULL)) AS t(source_id, snapshot, records, url)""")
    curated, epoch, helm = read_sources(connection, LOCK, date(2026, 4, 10))
    assert (curated["snapshot"], curated["age_days"], curated["looked_at"]) == (date(2026, 4, 9), 1, None)
    assert epoch == {
        "source_id": "epoch_all",
        "built": date(2026, 3, 1),
        "records": 3,
        "pullable": True,
        "snapshot": date(2026, 3, 30),
        "age_days": 11,
        "looked_at": date(2026, 4, 1),
    }
    assert (helm["snapshot"], helm["age_days"]) == (None, None)


def test_a_row_stands_for_one_thing_or_for_its_count(connection: duckdb.DuckDBPyConnection) -> None:
    plain = Section("", "SELECT i AS n FROM range(3) t(i) ORDER BY i", "")
    assert read_section(connection, plain, 2) == {"total": 3, "rows": [{"n": 0}, {"n": 1}]}
    counted = plain._replace(query="SELECT i + 1 AS count FROM range(3) t(i)")
    assert read_section(connection, counted, 0) == {"total": 6, "rows": []}


def test_a_dataset_without_the_view_has_none_to_list(connection: duckdb.DuckDBPyConnection) -> None:
    missing = Section("", "SELECT field FROM missing_facts", "", view="missing_facts")
    assert read_section(connection, missing, 9) == {"total": 0, "rows": []}
    connection.execute("CREATE VIEW missing_facts AS SELECT 'parameters' AS field")
    assert read_section(connection, missing, 9) == {"total": 1, "rows": [{"field": "parameters"}]}
