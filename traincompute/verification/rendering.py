"""A table as its CSV file has it: lists joined, formulas escaped; and the hashes of that text."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from traincompute.show.values import LIST_SEPARATOR

FORMULA = r"^[=+@\t\r-]"  # no array of the signs: to make one pyarrow reads pandas, which takes 0.2 s


class Digests(NamedTuple):
    """Rows of a table, the hash of its contents as manifests state it, and that of its CSV file."""

    rows: int
    content: str
    file: str


def csv_digests(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Digests:
    """The digests of a table that is read batch by batch, so that a large one needs no more memory than a small one."""
    content, file, rows = Digest(), Digest(), 0
    flat = flatten(schema.empty_table()).schema
    with csv.CSVWriter(content, flat) as plain, csv.CSVWriter(file, flat) as escaped:
        for batch in batches:
            table = flatten(pa.Table.from_batches([batch], schema))
            plain.write_table(table)
            escaped.write_table(escape_formulas(table))
            rows += table.num_rows
    return Digests(rows, content.sha256.hexdigest(), file.sha256.hexdigest())


def flatten(data: pa.Table) -> pa.Table:
    """The table with its lists ;-joined. Raises ValueError for a list that the text would not tell from another one."""
    for number, field in enumerate(data.schema):
        if pa.types.is_list(field.type):
            lists = data[number].combine_chunks()
            if _is_ambiguous(lists):
                raise ValueError(
                    f"a list in {field.name} is empty, or has an item that is, or that holds a {LIST_SEPARATOR}"
                )
            data = data.set_column(number, field.name, pc.binary_join(lists, LIST_SEPARATOR))
    return data


def _is_ambiguous(lists: pa.ListArray) -> bool:
    items = lists.flatten()
    empty = pc.any(pc.equal(pc.list_value_length(lists), 0)).as_py()
    unclear = pc.any(pc.or_(pc.equal(items, ""), pc.match_substring(items, LIST_SEPARATOR))).as_py()
    return bool(empty or unclear or items.null_count)


def escape_formulas(flat: pa.Table) -> pa.Table:
    """The table with an apostrophe before each text that a spreadsheet would run as a formula."""
    for number, field in enumerate(flat.schema):
        if pa.types.is_string(field.type):
            values = flat[field.name]
            risky = pc.match_substring_regex(values, FORMULA)
            if pc.any(risky).as_py():
                marked = pc.binary_join_element_wise(pa.scalar("'"), values, "")
                flat = flat.set_column(number, field, pc.if_else(risky, marked, values))
    return flat


class Digest(io.RawIOBase):
    """A file object that hashes what is written to it, and passes it on."""

    def __init__(self, write: Callable[[Any], object] = lambda _: None) -> None:
        self.sha256, self.hand_on = hashlib.sha256(), write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self.hand_on(data)
        return len(data)


def write_csv(flat: pa.Table, write: Callable[[Any], object] = lambda _: None) -> str:
    """Passes a table without lists to `write` as CSV, in chunks: nulls empty, floats in their shortest exact form.
    Returns the SHA-256 of the whole."""
    with Digest(write) as sink:
        csv.write_csv(flat, sink)
        return sink.sha256.hexdigest()
