"""Files of Epoch AI that are no plain tables: benchmarked model versions with the Epoch Capabilities Index, counts of
chips, and prices of chips. The subject of a source says which of them it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipeline.config import Source
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import LONGEST_LINK, Reading, Table, name_records, plain_facts, read_table

AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")  # the whole file shows the order of the parts
PRICES = ("purchase", "on_demand", "committed_1_year", "committed_3_years")


def read(content: bytes, source: Source, where: str) -> Reading:
    """The records of a file."""
    table = read_table(content, source, where)
    if source.subject == "chip_stock":
        return read_chip_counts(table, "cumulative" if "cumulative" in where.rpartition("/")[2] else "quarter")
    return read_prices(table) if source.subject == "hardware_prices" else read_benchmarked(table)


def read_benchmarked(table: Table) -> Reading:
    """One record per model that has an index. Of several versions it is that of the one released first: the models of
    this dataset bear the date of their first version, and the best of several would be chosen by its result. Settings
    of effort share one index; of versions of one day the first by name is named."""
    day, version = (table.columns[field] for field in ("version_date", "capability_index_version"))
    indexed = [row for row in table.rows if row[table.columns["capability_index"]]]
    first: dict[str, dict[str, str]] = {}
    for row in sorted(indexed, key=lambda row: (row[day] or "9999", row[version])):
        first.setdefault(clean_name(row[table.columns["name"]]), row)
    fields = [field for field in table.columns if field.startswith("capability_index")]
    cells = ((name, field, clean_name(row[table.columns[field]])) for name, row in first.items() for field in fields)
    facts = [Fact(name, field, text) for name, field, text in cells if name and text]
    return Reading(facts, len(first), int("" in first), table.unknown)


def read_chip_counts(table: Table, scope: str) -> Reading:
    """One record per designer, chip (or all of a designer), owner (or all) and quarter or span of quarters: units, H100
    equivalents, power and cost with their 5 % and 95 % points. `scope` says whether they are of one quarter or of all
    since the first. The quarters of companies do not end with those of the calendar: a note or a column says where not
    all of a quarter is counted."""
    records = name_records(table.rows, table.columns["name"], None)
    facts = []
    for record, row in records:
        is_partial = row.get("incomplete") == "True" or row.get("Notes", "").startswith("Incomplete")
        for fact in plain_facts(record, row, table.columns):
            day = AMERICAN.fullmatch(fact.value_text)
            facts.append(fact._replace(value_text=f"{day[3]}-{day[1]:0>2}-{day[2]:0>2}") if day else fact)
        facts += [Fact(record, "scope", scope), Fact(record, "is_complete", str(not is_partial).lower())]
    return Reading(facts, len(table.rows), len(table.rows) - len(records), table.unknown)


def read_prices(table: Table) -> Reading:
    """One record per price, named by chip, seller, place, size, kind and date: up to four per row, one for each filled
    price column. Prices that differ only in a note are one record; others with the same name are distinguished by an
    ordinal."""
    prices = [price for row in table.rows for price in _prices(row, table.columns)]
    distinct = list({tuple(price.items()): price for price in prices}.values())
    records = name_records(distinct, "name", None)
    facts = [Fact(record, field, text) for record, price in records for field, text in price.items() if text]
    return Reading(facts, len(distinct), len(distinct) - len(records), table.unknown)


def _prices(row: Mapping[str, str], columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The prices of a row, each with what the row says about all of them."""
    cells = {field: clean_name(row[column]) for field, column in columns.items()}
    common = {field: text for field, text in cells.items() if field not in PRICES}
    common["reference_url"] = common["reference_url"] if len(common["reference_url"]) <= LONGEST_LINK else ""
    size = f"{cells['chips']} chip{'' if cells['chips'] == '1' else 's'}" if cells["chips"] else ""
    for kind in PRICES:
        if price := cells[kind]:
            parts = (cells["hardware"], cells["vendor"], cells["location"], size, kind, cells["price_date"])
            field = "price_usd" if kind == "purchase" else "price_usd_per_chip_hour"
            yield {"name": ", ".join(part for part in parts if part), **common, "kind": kind, field: price}
