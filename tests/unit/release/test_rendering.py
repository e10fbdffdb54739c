"""The text of a table as CSV has it, and the hashes of that text."""

from __future__ import annotations

import hashlib
from datetime import date

import pyarrow as pa
import pytest

from traincompute.verification.rendering import Digests, csv_digests, flatten, write_csv

TABLE = pa.table(
    {
        "name": ["=1+1", 'GPT-3, "davinci"', "@x", None],
        "organizations": [["OpenAI"], ["Google", "AI2"], None, ["-"]],
        "flop": [3.14e23, 0.1, None, -1.0],
        "day": [date(2020, 5, 28), None, None, date(1950, 7, 2)],
        "open": [True, False, None, True],
        "ordinal": [1, 2, None, -3],
    }
)
PLAIN = '''"name","organizations","flop","day","open","ordinal"
"=1+1","OpenAI",3.14e+23,2020-05-28,TRUE,1
"GPT-3, ""davinci""","Google;AI2",0.1,,FALSE,2
"@x",,,,,
,"-",-1.0,1950-07-02,TRUE,-3
'''


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_contents_are_hashed_as_they_are() -> None:
    batches = TABLE.to_batches(max_chunksize=3)
    assert len(batches) == 2
    assert csv_digests(TABLE.schema, batches) == Digests(4, sha256(PLAIN))


def test_a_table_is_written_in_chunks_and_its_hash_is_that_of_the_whole() -> None:
    written = bytearray()
    assert write_csv(flatten(TABLE), written.extend) == sha256(PLAIN)
    assert written.decode() == PLAIN
    assert write_csv(flatten(TABLE)) == sha256(PLAIN)


@pytest.mark.parametrize("items", [[], [""], ["a;b"], [None]])
def test_a_list_that_the_text_would_not_tell_from_another_is_refused(items: list[str | None]) -> None:
    table = pa.table({"tags": pa.array([["a"], items, None], pa.list_(pa.string()))})
    with pytest.raises(ValueError, match="a list in tags is empty, or has an item that is, or that holds a ;"):
        flatten(table)
