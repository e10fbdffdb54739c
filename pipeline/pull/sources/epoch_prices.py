"""Epoch AI's file of chip prices: one record per price, named by chip, seller, place, size, kind and date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.config import Source
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import LONGEST_LINK, Reading, name_records, read_table

KINDS = ("purchase", "on_demand", "committed_1_year", "committed_3_years")


def read(content: bytes, source: Source, where: str) -> Reading:
    """Up to four records per row, one for each filled price column. Prices that differ only in a note are one record;
    others with the same name are distinguished by an ordinal."""
    table = read_table(content, source, where)
    prices = [price for row in table.rows for price in _prices(row, table.columns)]
    distinct = list({tuple(price.items()): price for price in prices}.values())
    records = name_records(distinct, "name", None)
    facts = [Fact(record, field, text) for record, price in records for field, text in price.items() if text]
    return Reading(facts, len(distinct), len(distinct) - len(records), table.unknown)


def _prices(row: Mapping[str, str], columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The prices of a row, each with what the row says about all of them."""
    cells = {field: clean_name(row[column]) for field, column in columns.items()}
    common = {field: text for field, text in cells.items() if field not in KINDS}
    common["reference_url"] = common["reference_url"] if len(common["reference_url"]) <= LONGEST_LINK else ""
    size = f"{cells['chips']} chip{'' if cells['chips'] == '1' else 's'}" if cells["chips"] else ""
    for kind in KINDS:
        if price := cells[kind]:
            parts = (cells["hardware"], cells["vendor"], cells["location"], size, kind, cells["price_date"])
            field = "price_usd" if kind == "purchase" else "price_usd_per_chip_hour"
            yield {"name": ", ".join(part for part in parts if part), **common, "kind": kind, field: price}
