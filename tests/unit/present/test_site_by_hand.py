"""The static pages and the answers of a dataset of five models, made up, word by word as in golden/site (see
site_by_hand.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import duckdb
import pytest
from kept import kept
from site_by_hand import fill, fill_as_earlier

from pipeline.present.site.answers.feed import feed
from pipeline.present.site.answers.files import answer_files, read_answers
from pipeline.present.site.entries import describe
from pipeline.present.site.entries.groups import group_page
from pipeline.present.site.entries.read import read_told
from pipeline.present.site.entries.write import entry_files, sitemap

ABOUT = {"version": "2026.11.0", "newest": "2026-03-30", "licence": "CC BY 4.0", "citation": None}


@pytest.fixture(scope="module")
def made() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        fill(connection)
        yield connection


def together(files: Mapping[str, bytes]) -> str:
    return "".join(f"===== {name}\n{content.decode()}" for name, content in files.items())


def own(page: str) -> str:
    """A page without the lines that all of its kind have: its title, what it says of itself, and its content."""
    head, _, body = page.partition("<main id=content>\n")
    told = [line for line in head.splitlines() if re.search("<title>|=description|canonical|og:image|json", line)]
    return "\n".join([*told, body])


def test_the_static_pages(made: duckdb.DuckDBPyConnection) -> None:
    files = entry_files(read_answers(made, ABOUT), read_told(made), "https://example.org/tc/")
    pages = {name: own(page.decode()).encode() for name, page in files.items()}
    assert together(pages) == kept("site/entries.txt")


def test_the_answers_as_files(made: duckdb.DuckDBPyConnection) -> None:
    assert together(answer_files(made, ABOUT, read_answers(made, ABOUT), "")) == kept("site/answers.txt")


def test_no_file_has_a_number_that_json_has_not(made: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        describe.written({"value": float("inf")})
    with pytest.raises(ValueError, match="not JSON compliant"):
        answer_files(made, ABOUT, {"gpt": {"value": float("nan")}}, "")


def test_a_page_lists_fifty_models_and_counts_the_rest(made: duckdb.DuckDBPyConnection) -> None:
    told = read_told(made)
    for many, listed, more in ((50, 50, 0), (51, 50, 1), (1234, 50, 1184)):
        page = group_page("country", "US", [told.models["palm"]] * many, told, {})
        assert (len(page["models"]), page["more"]) == (listed, more)
        assert page["description"].startswith(f"{many:,} models of the country US")


def test_a_sitemap_has_an_address_in_each_line() -> None:
    assert (
        sitemap(["b.html", "a/c.html"], "https://example.org/")
        == b"https://example.org/a/c.html\nhttps://example.org/b.html\n"
    )


def test_a_feed_has_a_hundred_entries_with_links_to_the_pages_of_the_site() -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "create table models as select 'm' || range as model_id, 'M' as name, true as is_notable from range(120)"
        )
        connection.execute(
            "create table revisions as select 'r' || range as revision_id, 'epoch' as source_id, 'm' || range as"
            " model_id, '' as record, null as field, 'record_added' as kind, null as old_value, null as new_value, null"
            " as unit, date '2026-01-01' + range::int as to_snapshot from range(120)"
        )
        head, *entries = feed(connection, "https://example.org/").decode().split("<entry>\n")
    assert "<updated>2026-04-30T00:00:00Z</updated>" in head  # 119 days after the first of January
    assert len(entries) == 100
    assert '<link href="https://example.org/models/m119.html" />' in entries[0]


def test_a_dataset_of_an_earlier_version_has_pages_too() -> None:
    with duckdb.connect() as connection:
        fill_as_earlier(connection)
        answers = read_answers(connection, ABOUT | {"newest": None})
        assert answers["zero"].keys() == {"version", "facts_until", "model", "claims", "estimates"}
        assert answers["zero"]["facts_until"] == ""
        page = entry_files(answers, read_told(connection), "")["models/gpt.html"].decode()
        assert "Training GPT &lt;3&gt; took 3.14e23 FLOP, as others have worked out." in page
        assert '<meta property=og:image content="../docs/figures/explorer.png">' in page
        changes = answer_files(connection, ABOUT, answers, "https://example.org/")["api/changes.atom"].decode()
    assert "<updated>1970-01-01T00:00:00Z</updated>" in changes
    assert '<link rel="self" href="https://example.org/api/changes.atom" />' in changes
