"""Read-only queries with limits on rows, time and memory, and descriptions of the tables, views and columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any

from traincompute.base.errors import QueryError, QueryTimeoutError
from traincompute.database import MEMORY_LIMIT, Row, duckdb, rows
from traincompute.show.rows import Result, exact

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 10_000
READING = ("SELECT", "MULTI")  # a PIVOT that looks up its own columns is several statements to DuckDB
LARGEST_TABLE = 1_000_000_000  # bytes of a result in memory
GRACE_S = 5.0  # within which DuckDB looks for an interrupt, but for long steps such as a function over a long list
Connection = duckdb.DuckDBPyConnection
Parameters = Mapping[str, Any] | None

CATALOGUE = """
select table_name as "table", estimated_size as rows, column_count as columns, coalesce(comment, '') as description
from duckdb_tables()
union all
select view_name, null, column_count, coalesce(comment, '') from duckdb_views() where not internal
order by 1"""
# a view's column means what that column of a table means whose comment it carries, else what its own comment says
DESCRIBED = """
with own as (select * from duckdb_columns() where table_name = $1 and not internal
), meant as (
    select s.column_index, m.* from own s join columns m using (column_name)
    left join duckdb_columns() t on t.table_name = m.table_name and t.column_name = m.column_name
    where m.table_name = $1 or t.comment = s.comment
    qualify row_number() over (partition by s.column_index order by m.table_name = $1 desc, m.table_name) = 1)
select s.column_name as name, s.data_type as type, unit, coalesce(description, s.comment, '') as description, derived,
    claim
from own s left join meant using (column_index) order by column_index"""
SAID = {  # what DuckDB says → what that means here
    r"^Out of Memory|bad_alloc": f"the query needs more than {MEMORY_LIMIT} of memory; select fewer rows or join on a "
    "key",
    r"(operations|extensions) are disabled|extensions is disabled|has been locked|is disabled (by|through) config":
    "`sql` reads the tables of the dataset only: files, network, extensions and settings are out of its reach",
    r"pytz": "times with a time zone cannot be shown; cast them, as in now()::timestamp",
    r"argument types '\S+\(VARCHAR\[\]|can't be cast to the destination type VARCHAR\[\]":
    "a column such as hardware holds lists: list_contains(hardware, 'NVIDIA A100') asks for an item, "
    "array_to_string(hardware, ';') like '%A100%' for a part of one",
}  # fmt: skip


def run(
    connection: Connection, query: str, parameters: Parameters = None, limit: int | None = None, **time: Any
) -> Result:
    """The result of the query, `limit` rows at most, within `timeout_s` seconds; `give_up` is called where DuckDB
    does not stop then. What the query can reach is for the connection to say.

    Raises QueryError for a query that does not read or fails, QueryTimeoutError for one that takes too long, also while
    the rows are read; the time that the caller needs between them does not count."""
    limited = _time_limit(connection, **time)
    cursor = limited(lambda: connection.execute(_checked(connection, query), parameters or None))
    result = Result(unique([str(column[0]) for column in cursor.description or []]))

    def read() -> Iterator[Any]:
        left = limit
        while batch := limited(lambda: cursor.fetchmany(BATCH_ROWS)):
            yield from batch[:left]
            if left is not None:
                result.is_cut = len(batch) > left
                if result.is_cut:
                    return
                left -= len(batch)

    result.rows = read()
    return result


def run_to_table(connection: Connection, query: str, parameters: Parameters = None) -> pa.Table:
    """The whole result as an Arrow table. Raises QueryError as `run`, for a large one and for intervals or unions."""
    import pyarrow as pa

    limited, left = _time_limit(connection), LARGEST_TABLE
    reader = limited(lambda: connection.sql(_checked(connection, query), params=parameters or None).arrow(BATCH_ROWS))
    batches: list[pa.RecordBatch] = []
    with reader:  # a result that is not read to its end would hold the file
        while (batch := limited(lambda: next(reader, None))) is not None:
            batches.append(batch)
            left -= batch.nbytes
            if left < 0:
                raise QueryError("the result is larger than 1 GB; select fewer rows or columns")
    if odd := [field for field in reader.schema if pa.types.is_union(field.type) or pa.types.is_interval(field.type)]:
        raise QueryError(f"{odd[0].name} is a {odd[0].type}, which cannot be written; cast it to varchar")
    table = pa.Table.from_batches(batches, reader.schema)
    return table.rename_columns(unique(table.column_names))


def _checked(connection: Connection, query: str) -> duckdb.Statement:
    """The one statement of the query. Raises QueryError for none, several, or one that does not read."""
    statements = connection.extract_statements(query)
    if not statements:
        raise QueryError("the query is empty")
    if len(statements) > 1:
        raise QueryError(f"one statement at a time, please: this is {len(statements)}")
    with suppress(ValueError):  # DuckDB has kinds that its Python package has no name for
        if statements[0].type.name in READING:
            return statements[0]
    raise QueryError("`sql` only reads; begin with SELECT, WITH, FROM, DESCRIBE, SUMMARIZE or PIVOT")


def _time_limit(
    connection: Connection, timeout_s: float = 60.0, give_up: Callable[[str], object] = str
) -> Callable[[Callable[[], Any]], Any]:
    """Returns a function that runs its argument; all calls together may take `timeout_s` seconds. It raises
    QueryTimeoutError when they are over, and QueryError with a message for people for any other error of DuckDB.
    `give_up` is what to do where DuckDB does not stop in time."""
    left = timeout_s
    stopped = f"stopped after {left:g} s; --timeout SECONDS allows it more time"

    def limited(work: Callable[[], Any]) -> Any:
        nonlocal left
        start = monotonic()
        timers = Timer(left, connection.interrupt), Timer(left + GRACE_S, give_up, [stopped])
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            return work()
        except duckdb.InterruptException as error:
            raise QueryTimeoutError(stopped) from error
        except (duckdb.Error, MemoryError) as error:
            raise QueryError(_plain(error)) from error
        finally:
            for timer in timers:
                timer.cancel()
            left -= monotonic() - start

    return limited


def unique(names: Sequence[str]) -> list[str]:
    """The names, the second `a` becoming a_1, so that a row can be a record."""
    taken: dict[str, None] = {}
    for name in names:
        numbered = (f"{name}_{number}" if number else name for number in count())
        taken[next(each for each in numbered if each not in taken)] = None
    return list(taken)


def list_tables(connection: Connection) -> list[Row]:
    """One entry per table and view: table, rows (of a view null), columns (number), description, and view = True."""
    return [entry | ({"view": True} if entry["rows"] is None else {}) for entry in rows(connection, CATALOGUE)]


def describe_table(connection: Connection, entry: Row) -> Row:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. An example is that of the
    fullest row that has one."""
    described = read_columns(connection, entry["table"])
    names = [f'"{column["name"]}"' for column in described]
    filled = " + ".join(f"({name} is not null)::int" for name in names)
    found = ", ".join(f"count({name}), arg_min({name}, (-({filled}), {names[0]}))" for name in names)
    [(total, *values)] = connection.execute(f'select count(*), {found} from "{entry["table"]}"').fetchall()
    columns = [
        {
            **{key: column[key] for key in ("name", "type", "unit")},
            "meaning": column["description"],
            "derived": column["derived"],
            "fill_rate": round(number / total, 4) if total else None,
            "example": None if example is None else exact(example),
        }
        for column, number, example in zip(described, values[::2], values[1::2], strict=True)
    ]
    return {**entry, "rows": total, "columns": columns}


def read_columns(connection: Connection, table: str) -> list[Row]:
    """What the columns of a table or view mean, in order: name, DuckDB type, unit, description, derived (how), and
    claim (the field of the claims that it carries, where that has another name)."""
    return rows(connection, DESCRIBED, table)


def read_meanings(connection: Connection, table: str) -> list[Row]:
    """The same of a table but for the DuckDB type, for which its catalogue would have to be asked."""
    meant = "select column_name as name, unit, description, derived, claim from columns"
    return rows(connection, f"{meant} where table_name = $1 order by position", table)


def _plain(error: Exception) -> str:
    """What DuckDB says of a query that fails, for people, and the place of the mistake."""
    text = "Out of Memory" if isinstance(error, MemoryError) else str(error)
    for said, message in SAID.items():
        if re.search(said, text):
            return message
    about = re.split(r"\n\t|\n+LINE \d+: ", re.sub(r"^[A-Z][\w-]*(?: [\w-]+)* Error: ", "", text))[0]
    place = re.search(r"\n(LINE \d+: )(.*)\n(.*)", text)
    return " ".join(about.split()) + (f"\n  {place[2]}\n  {place[3][len(place[1]) :]}" if place else "")
