"""The explorer as a folder: from disk and from a host, damaged, incomplete, of another dataset, with hostile names."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from browser import NOTABLE, Browser, ids

from pipeline.present.site.write import write_site

FEW = (
    "delete from models where not is_notable or publication_date < date '2020-05-01' or publication_date > date"
    " '2020-12-31'"
)
OF_FEW = "delete from {} where model_id not in (select model_id from models)"
SAYING = ("claims", "estimates", "predictions", "revisions")  # most of the rows


def test_it_opens_from_disk_without_a_request_or_an_error(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    assert page.count() == len(ids(database, NOTABLE))
    page.open("model=gpt-3-175b")
    page.wait("return document.querySelector('.estimates')")
    assert "FLOP" in page.text(".cards")
    assert page.foreign(page.home) == []


NAME = '<img src=x onerror="window.hit=1">\'</script><b>&amp;'
QUOTED = NAME.replace("'", "''")
ALTERED = (
    FEW,
    *(OF_FEW.format(table) for table in SAYING),
    (
        f"update models set name = '{QUOTED}', reference_url = 'javascript:window.hit=1', organizations = ['{QUOTED}']"
        " where model_id = 'gpt-3-175b'"
    ),
    (
        f"update claims set value_text = '{QUOTED}', reason = '{QUOTED}', reference = 'javascript:window.hit=1' where"
        " model_id = 'gpt-3-175b'"
    ),
    "alter table models drop column training_power_w",
    "alter table models drop column accessibility",
    "alter table models drop column publication_date_precision",
    "update models set training_cost_usd = null, open_weights = null",
    "update models set era_compute = 'large scale' where training_compute_flop > 1e23",
    "update models set training_energy_kwh = 5e6 where is_notable",
)


@pytest.fixture(scope="module")
def altered(built: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The explorer of a copy of the dataset with few of its models, a hostile name, and columns missing and empty."""
    folder = tmp_path_factory.mktemp("altered")
    copy = folder / "altered.duckdb"
    shutil.copy(built, copy)
    with duckdb.connect(str(copy)) as connection:
        for statement in ALTERED:
            connection.execute(statement)
    write_site(copy, folder / "site")
    return (folder / "site" / "index.html").as_uri()
