"""data/known_issues.yml: sentences with a number that is counted on the tables, and what is refused."""

from pathlib import Path

import duckdb
import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.publish.known_issues import known_issues


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "set.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table claims as select 'recalled' as evidence from range(1203)")
    return file


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    (tmp_path / "data").mkdir()
    return Paths(tmp_path)


def issues(paths: Paths, database: Path, text: str) -> list[str]:
    paths.known_issues.write_text(text + "\n", encoding="utf-8")
    return known_issues(paths, database)


def test_a_number_is_counted_on_the_tables_of_the_release(paths: Paths, database: Path) -> None:
    text = """
- issue: "{n} facts were recalled."
  count: SELECT count(*), 'and no more' FROM claims WHERE evidence = 'recalled'
- issue: Some tokens are those of a base model.
"""
    with duckdb.connect(str(database), read_only=True):  # while others read
        found = issues(paths, database, text)
    assert found == ["1,203 facts were recalled.", "Some tokens are those of a base model."]


def test_no_entry_means_no_issues_and_no_file_is_refused(paths: Paths, database: Path) -> None:
    assert issues(paths, database, "[]\n") == issues(paths, database, "# none is known") == []
    paths.known_issues.unlink()
    with pytest.raises(DataError, match=r"known_issues\.yml: the file is missing; `git diff`"):
        known_issues(paths, database)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ('- issue: "{n} facts"', "go together"),
        ("- {issue: some facts, count: select 1}", "go together"),
        ("- {issue: some facts, n: 4}", r":1: item 1\.n: unknown key; known keys: count, issue"),
        ("- {count: select 1}", r":1: item 1\.issue: the key is missing"),
    ],
)
def test_an_entry_that_cannot_be_printed_is_refused(paths: Paths, database: Path, entry: str, reason: str) -> None:
    with pytest.raises(DataError, match=rf"known_issues\.yml.*{reason}"):
        issues(paths, database, entry)
