"""Hostile release folders, made from a sound one with a seed: each function spoils one thing, and makes all sums, sizes and
hashes that somebody could make fit fit again."""

from __future__ import annotations

import json
import os
import random
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet
from release_folders import plain, sha256
from tiny_release import MODELS, VERSION

DATABASE, SQL, ZIP = "traincompute.duckdb", "traincompute.sql", f"traincompute-{VERSION}.zip"
INSIDE = f"traincompute-{VERSION}"
HEADERS, BLOCK = 3 * 4096, 1 << 18  # bytes of a DuckDB file
SENTINEL = "was_run.txt"  # what hostile SQL would write, beside the folder
Spoil = Callable[["Hostile"], None]
SPOILERS: dict[str, Spoil] = {}


def spoiler(function: Spoil) -> Spoil:
    SPOILERS[function.__name__] = function
    return function


class Hostile:
    """A release folder to spoil; `refit` makes manifest, zip and sums agree with its files."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(f"{folder.name}{seed}")
        self.sentinel = folder.parent / SENTINEL

    def sql(self, *statements: str) -> None:
        with duckdb.connect(str(self.folder / DATABASE)) as connection:
            for statement in statements:
                connection.execute(statement)
        self.refit()

    def forge(self, *statements: str) -> None:
        """Lets the SQL beside the database say the same."""
        with (self.folder / SQL).open("a") as file:
            file.write("".join(f"{statement};\n" for statement in statements))
        self.sql(*statements)

    def manifest(self, change: Callable[[dict[str, Any]], object]) -> None:
        file = self.folder / "manifest.json"
        manifest = json.loads(file.read_bytes())
        change(manifest)
        self.write("manifest.json", json.dumps(manifest).encode())

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)
        self.refit()

    def damage(self, name: str) -> None:
        """Changes a byte in a hundred."""
        content = bytearray((self.folder / name).read_bytes())
        for place in self.random.sample(range(len(content)), len(content) // 100 + 1):
            content[place] ^= self.random.randrange(1, 256)
        self.write(name, bytes(content))

    def zip(self, change: Callable[[zipfile.ZipFile], object], leave: str = "") -> None:
        members = [p for p in sorted(self.folder.iterdir()) if p.is_file() and p.name not in self._outside()]
        with zipfile.ZipFile(self.folder / ZIP, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in members:
                if path.name != leave:
                    archive.writestr(plain(f"{INSIDE}/{path.name}"), path.read_bytes())
            change(archive)
        self.sums()

    def refit(self) -> None:
        """Sizes and hashes in the manifest, the hash beside the database, the zip and the sums."""
        self._describe()
        (self.folder / f"{DATABASE}.sha256").write_text(f"{sha256(self.folder / DATABASE)}  {DATABASE}\n")
        self.zip(lambda _: None)

    def _describe(self) -> None:
        file = self.folder / "manifest.json"
        try:
            manifest = json.loads(file.read_bytes())
            for table in manifest["tables"].values():
                for name in table["files"]:
                    path = self.folder / name
                    table["files"][name] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
            file.write_text(json.dumps(manifest))
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
            return  # it is hostile itself

    def sums(self, end: str = "\n") -> None:
        names = sorted(p.name for p in self.folder.iterdir() if p.is_file() and not p.name.startswith("SHA256SUMS"))
        text = "".join(f"{sha256(self.folder / name)}  {name}{end}" for name in names)
        (self.folder / "SHA256SUMS").write_text(text, newline="")

    def add_sum(self, line: str) -> None:
        with (self.folder / "SHA256SUMS").open("a", newline="") as file:
            file.write(line)

    def _outside(self) -> tuple[str, ...]:
        return (DATABASE, f"{DATABASE}.sha256", "SHA256SUMS", ZIP)


def make_hostile(sound: Path, target: Path, name: str, seed: int) -> Path:
    """A copy of the sound release below `target`, spoiled; returns its folder."""
    folder = target / name / sound.name
    folder.mkdir(parents=True)
    for path in sound.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    SPOILERS[name](Hostile(folder, seed))
    return folder


# --- the manifest ---


def _named(hostile: Hostile, name: str) -> None:
    """Gives the table of models another name in the manifest."""
    hostile.manifest(lambda manifest: manifest["tables"].update({name: manifest["tables"].pop("models")}))


@spoiler
def sql_in_the_name_of_a_table(hostile: Hostile) -> None:
    name = f"models\"; copy (select 1) to '{hostile.sentinel}'; --"
    _named(hostile, name)


@spoiler
def path_in_the_name_of_a_table(hostile: Hostile) -> None:
    _named(hostile, "../models")


@spoiler
def table_with_a_name_in_capitals(hostile: Hostile) -> None:
    def rename(manifest: dict[str, Any]) -> None:
        entry = manifest["tables"].pop("sources")
        entry["files"] = {name.replace("sources", "SOURCES"): file for name, file in entry["files"].items()}
        manifest["tables"]["SOURCES"] = entry

    for kind in ("csv", "parquet"):
        (hostile.folder / f"sources.{kind}").rename(hostile.folder / f"SOURCES.{kind}")
    hostile.sql("alter table sources rename to other", 'alter table other rename to "SOURCES"')
    hostile.manifest(rename)


@spoiler
def manifest_that_breaks_off(hostile: Hostile) -> None:
    hostile.write("manifest.json", b"{")


@spoiler
def manifest_that_is_a_list(hostile: Hostile) -> None:
    hostile.write("manifest.json", b"[]")


@spoiler
def manifest_that_is_empty(hostile: Hostile) -> None:
    hostile.write("manifest.json", b"")


@spoiler
def manifest_that_is_deep(hostile: Hostile) -> None:
    hostile.write("manifest.json", b'{"tables":' + b"[" * 200_000 + b"]" * 200_000 + b"}")


@spoiler
def manifest_without_tables(hostile: Hostile) -> None:
    hostile.manifest(lambda manifest: manifest.update(tables={}))


@spoiler
def manifest_without_rows(hostile: Hostile) -> None:
    hostile.manifest(lambda manifest: manifest["tables"]["models"].pop("rows"))


@spoiler
def manifest_with_very_many_rows(hostile: Hostile) -> None:
    hostile.manifest(lambda manifest: manifest["tables"]["models"].update(rows=10**18))


@spoiler
def manifest_with_rows_that_are_text(hostile: Hostile) -> None:
    hostile.manifest(lambda manifest: manifest["tables"]["models"].update(rows="3"))


@spoiler
def manifest_with_other_contents(hostile: Hostile) -> None:
    digest = f"{hostile.random.getrandbits(256):064x}"
    hostile.manifest(lambda manifest: manifest["tables"]["models"].update(content_sha256=digest))


@spoiler
def manifest_of_another_release(hostile: Hostile) -> None:
    hostile.manifest(lambda manifest: manifest["release"].update(version="2026.12.0"))


@spoiler
def manifest_with_a_foreign_file(hostile: Hostile) -> None:
    entry = {"bytes": 3, "sha256": "0" * 64}
    hostile.manifest(lambda manifest: manifest["tables"]["models"]["files"].update({"../../etc/passwd": entry}))


@spoiler
def manifest_that_names_a_table_twice(hostile: Hostile) -> None:
    text = (hostile.folder / "manifest.json").read_text()
    (hostile.folder / "manifest.json").write_text(text.replace('"tables": {', '"tables": {}, "tables": {', 1))
    hostile._describe = lambda: None  # type: ignore[method-assign]  # which would write it anew
    hostile.refit()


@spoiler
def description_that_is_malformed(hostile: Hostile) -> None:
    hostile.write("datapackage.json", b'{"resources": [1]}')


# --- the database ---


@spoiler
def view_over_a_file_in_place_of_a_table(hostile: Hostile) -> None:
    names = ", ".join(f"content as {name}" for name in MODELS.column_names)
    hostile.sql(
        "drop view leaders",
        "drop table models",
        f"create view models as select {names} from read_text('/etc/hostname')",
    )


@spoiler
def view_that_never_ends_in_place_of_a_table(hostile: Hostile) -> None:
    endless = (
        "select a.range::text as model_id from range(10000000000) a, range(10000000000) b where a.range + b.range < 0"
    )
    hostile.sql("drop view leaders", "drop table models", f"create view models as {endless}")


@spoiler
def view_over_a_file_beside_the_tables(hostile: Hostile) -> None:
    hostile.sql("create view notes as select * from read_text('/etc/hostname')")


@spoiler
def macro_that_reads_a_file(hostile: Hostile) -> None:
    hostile.sql("create macro notes() as table select * from read_text('/etc/hostname')")


@spoiler
def macro_that_asks_for_a_query(hostile: Hostile) -> None:
    hostile.sql("create macro ask(q) as table select * from query(q)")


@spoiler
def table_that_the_manifest_lacks(hostile: Hostile) -> None:
    hostile.sql("create table secrets (text varchar)")


@spoiler
def table_that_the_database_lacks(hostile: Hostile) -> None:
    hostile.sql("drop table sources")


@spoiler
def table_in_another_schema(hostile: Hostile) -> None:
    hostile.sql("create schema other", "create table other.models (text varchar)")


@spoiler
def view_with_a_quote_in_its_name(hostile: Hostile) -> None:
    hostile.sql('create view "a"" ; drop" as select 1')


@spoiler
def database_with_another_value(hostile: Hostile) -> None:
    hostile.sql("update models set parameters = 1 where model_id = 'bert'")


@spoiler
def database_with_a_further_row(hostile: Hostile) -> None:
    hostile.sql("insert into sources values ('evil', true)")


@spoiler
def database_in_another_order(hostile: Hostile) -> None:
    hostile.sql(
        "create table again as from models order by model_id desc",
        "drop view leaders",
        "drop table models",
        "alter table again rename to models",
    )


@spoiler
def database_with_another_column(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models rename name to names")


@spoiler
def database_with_a_column_that_takes_all_memory(hostile: Hostile) -> None:
    wide = "create table models (model_id varchar, name varchar generated always as (repeat('x', 120000000)) virtual)"
    rows = "insert into models (model_id) values ('alexnet'), ('bert'), ('gpt-3')"
    hostile.sql("drop view leaders", "drop table models", wide, rows)


@spoiler
def database_that_is_garbage(hostile: Hostile) -> None:
    hostile.write(DATABASE, hostile.random.randbytes(50_000))


@spoiler
def database_that_breaks_off(hostile: Hostile) -> None:
    content = (hostile.folder / DATABASE).read_bytes()
    hostile.write(DATABASE, content[: hostile.random.randrange(5_000, len(content) // 2)])


@spoiler
def database_that_is_damaged(hostile: Hostile) -> None:
    hostile.damage(DATABASE)


@spoiler
def database_with_a_log_to_replay(hostile: Hostile) -> None:
    hostile.write(f"{DATABASE}.wal", hostile.random.randbytes(1000))


@spoiler
def database_with_another_hash_beside_it(hostile: Hostile) -> None:
    (hostile.folder / f"{DATABASE}.sha256").write_text(f"{'0' * 64}  {DATABASE}\n")
    hostile.sums()


# --- answers that are not those of the tables ---


@spoiler
def macro_in_place_of_a_function(hostile: Hostile) -> None:
    hostile.sql("create macro round(x) as 42")


@spoiler
def macro_in_place_of_a_function_that_the_sql_has_too(hostile: Hostile) -> None:
    hostile.forge('create macro "median"(x) as max(x)')


@spoiler
def table_macro_in_place_of_a_function(hostile: Hostile) -> None:
    hostile.forge('create macro "unnest"(x) as table select x')


@spoiler
def macro_with_another_formula(hostile: Hostile) -> None:
    hostile.sql("create or replace macro pfs_days(flop) as flop / 8.64e18")


@spoiler
def macro_with_a_default(hostile: Hostile) -> None:
    hostile.sql("create or replace macro pfs_days(flop := 1) as flop / 8.64e19")


@spoiler
def macro_with_a_second_form(hostile: Hostile) -> None:
    hostile.sql("create or replace macro pfs_days(flop) as flop / 8.64e19, (flop, times) as flop * times")


@spoiler
def macro_that_is_gone(hostile: Hostile) -> None:
    hostile.sql("drop macro pfs_days")


@spoiler
def view_of_other_rows(hostile: Hostile) -> None:
    other = "select name from models where parameters < 1e9 order by training_compute_flop desc"
    hostile.sql(f"create or replace view leaders as {other}")


@spoiler
def view_of_other_numbers(hostile: Hostile) -> None:
    hostile.sql("create view compute as select name, 1000 * training_compute_flop as flop from models")


@spoiler
def view_that_is_gone(hostile: Hostile) -> None:
    hostile.sql("drop view leaders")


def _stored(hostile: Hostile, column: str) -> None:
    """Puts another definition in place of that of the parameters; the rows stay."""
    rest = "model_id varchar, name varchar, training_compute_flop double, {}, publication_date date, organization varchar[]"
    names = "model_id, name, training_compute_flop, publication_date, organization"
    filled = names if "generated" in column else names.replace("flop,", "flop, parameters,")
    said = [line for line in (hostile.folder / SQL).read_text().split(";\n") if re.match(r"COMMENT .*\"models\"", line)]
    hostile.sql(
        "create table kept as from models",
        "drop view leaders",
        "drop table models",
        f"create table models ({rest.format(column)})",
        f"insert into models ({filled}) select {filled} from kept order by rowid",
        "drop table kept",
        "create view leaders as select name from models order by training_compute_flop desc",
        *said,
    )


@spoiler
def column_that_depends_on_a_setting(hostile: Hostile) -> None:
    zone = "if(current_setting('TimeZone') = 'UTC', 1, 1000)"
    known = "case model_id when 'alexnet' then 60000000 when 'bert' then 340000000 else 174600000000 end"
    _stored(hostile, f"parameters bigint generated always as ({known} * {zone}) virtual")


@spoiler
def column_that_is_computed(hostile: Hostile) -> None:
    known = "case model_id when 'alexnet' then 60000000 when 'bert' then 340000000 else 174600000000 end"
    _stored(hostile, f"parameters bigint generated always as ({known}) virtual")


@spoiler
def column_with_a_default(hostile: Hostile) -> None:
    _stored(hostile, "parameters bigint default 1000")


@spoiler
def column_with_a_condition(hostile: Hostile) -> None:
    _stored(hostile, "parameters bigint check (parameters > 0)")


@spoiler
def column_of_another_type(hostile: Hostile) -> None:
    _stored(hostile, "parameters hugeint")


@spoiler
def column_of_text_that_ignores_case(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models alter name set data type varchar collate nocase")


@spoiler
def column_that_may_not_be_empty(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models alter parameters set not null")


@spoiler
def index_beside_a_table(hostile: Hostile) -> None:
    hostile.sql("create index quick on models (parameters)")


@spoiler
def key_of_a_table(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models add primary key (model_id)")


@spoiler
def sequence_beside_the_tables(hostile: Hostile) -> None:
    hostile.sql("create sequence numbers")


@spoiler
def type_beside_the_tables(hostile: Hostile) -> None:
    hostile.sql("create type size as enum ('small', 'large')")


@spoiler
def comment_that_names_another_unit(hostile: Hostile) -> None:
    hostile.sql("comment on column models.training_compute_flop is 'Training compute [PFLOP]'")


@spoiler
def comment_that_the_sql_has_too(hostile: Hostile) -> None:
    hostile.forge("comment on column models.training_compute_flop is 'Training compute [PFLOP]'")


@spoiler
def comment_on_a_table(hostile: Hostile) -> None:
    hostile.sql("comment on table models is 'Numbers in thousands'")


@spoiler
def comment_on_a_view(hostile: Hostile) -> None:
    hostile.sql("comment on view leaders is 'The smallest first'")


@spoiler
def comment_on_a_macro(hostile: Hostile) -> None:
    hostile.sql("comment on macro pfs_days is 'In thousands'")


@spoiler
def list_that_is_one_text(hostile: Hostile) -> None:
    hostile.sql("update models set organization = ['Google;AI2'] where model_id = 'bert'")


@spoiler
def list_that_is_empty(hostile: Hostile) -> None:
    hostile.sql("update models set organization = [''] where model_id = 'alexnet'")


@spoiler
def list_that_is_one_text_in_every_file(hostile: Hostile) -> None:
    """The CSV file, the manifest and its digest of the contents stay as they were."""
    joined = pa.array([["University of Toronto"], ["Google;AI2"], None])
    parquet.write_table(MODELS.set_column(5, "organization", joined), hostile.folder / "models.parquet")
    list_that_is_one_text(hostile)


@spoiler
def bytes_behind_the_database(hostile: Hostile) -> None:
    hostile.write(DATABASE, (hostile.folder / DATABASE).read_bytes() + hostile.random.randbytes(100))


@spoiler
def blocks_behind_the_database(hostile: Hostile) -> None:
    hostile.write(DATABASE, (hostile.folder / DATABASE).read_bytes() + bytes(262144))


@spoiler
def sql_that_is_gone(hostile: Hostile) -> None:
    (hostile.folder / SQL).unlink()
    hostile.refit()


@spoiler
def sql_that_does_more(hostile: Hostile) -> None:
    hostile.forge("update models set parameters = 1")


@spoiler
def sql_that_writes_a_file(hostile: Hostile) -> None:
    text = (hostile.folder / SQL).read_text()
    hostile.write(SQL, f"{text}copy (select 1) to '{hostile.sentinel}';\n".encode())


@spoiler
def sql_that_lacks_a_table(hostile: Hostile) -> None:
    lines = (hostile.folder / SQL).read_text().splitlines(keepends=True)
    hostile.write(SQL, "".join(line for line in lines if "sources" not in line).encode())


@spoiler
def sql_that_breaks_off(hostile: Hostile) -> None:
    hostile.write(SQL, (hostile.folder / SQL).read_bytes()[:-30])


# --- answers that only some readers give: of the kinds above, each in another place ---


@spoiler
def first_form_of_a_macro_of_two(hostile: Hostile) -> None:
    hostile.forge("create macro tera(x) as x / 1e12, (x, times) as x / 1e12 * times")
    hostile.sql("create or replace macro tera(x) as x / 1e9, (x, times) as x / 1e12 * times")


@spoiler
def default_of_a_second_form(hostile: Hostile) -> None:
    hostile.forge("create macro tera(x) as x / 1e12, (x, times, over := 1) as x / 1e12 * times * over")
    hostile.sql("create or replace macro tera(x) as x / 1e12, (x, times, over := 1000) as x / 1e12 * times * over")


@spoiler
def default_of_a_macro_of_rows(hostile: Hostile) -> None:
    hostile.forge("create macro above(least := 1e25) as table select * from models where training_compute_flop > least")
    hostile.sql(
        "create or replace macro above(least := 1e22) as table select * from models where training_compute_flop > least"
    )


@spoiler
def macro_of_rows_beside_a_view_of_its_name(hostile: Hostile) -> None:
    hostile.sql("create macro leaders() as table select 42 as name")


@spoiler
def macro_with_the_name_of_a_function_in_capitals(hostile: Hostile) -> None:
    hostile.forge('create macro "SUM"(x) as 42')


@spoiler
def macro_in_place_of_an_operator(hostile: Hostile) -> None:
    hostile.forge('create macro "+"(a, b) as a * b')


@spoiler
def macro_in_place_of_a_function_of_an_extension(hostile: Hostile) -> None:
    hostile.forge('create macro "strptime"(text, form) as null')


@spoiler
def view_in_place_of_the_catalogue(hostile: Hostile) -> None:
    hostile.forge('create view "duckdb_columns" as select 1 as answer')


@spoiler
def view_in_place_of_the_list_of_tables(hostile: Hostile) -> None:
    hostile.forge('create view "sqlite_master" as select 1 as answer')


@spoiler
def view_that_depends_on_a_setting(hostile: Hostile) -> None:
    times = "if(current_setting('TimeZone') = 'UTC', 1, 1000)"
    hostile.forge(f"create view compute as select name, training_compute_flop * {times} as flop from models")


@spoiler
def view_that_depends_on_the_day(hostile: Hostile) -> None:
    hostile.forge("create view recent as select name, current_date - date '2026-11-01' as days from models")


@spoiler
def view_by_chance(hostile: Hostile) -> None:
    hostile.forge("create view by_chance as select name, training_compute_flop * random() as flop from models")


@spoiler
def macro_that_depends_on_a_setting(hostile: Hostile) -> None:
    hostile.forge("create macro exa(flop) as flop / if(getvariable('thousand') is null, 1e18, 1e15)")


@spoiler
def view_whose_columns_have_other_names(hostile: Hostile) -> None:
    hostile.sql("create or replace view leaders(model) as select name from models order by training_compute_flop desc")


@spoiler
def view_of_a_column_of_one_table_that_is_called_like_that_of_another(hostile: Hostile) -> None:
    hostile.sql("create or replace view leaders as select source_id as name from sources order by redistribute desc")


@spoiler
def comment_on_a_column_of_a_view(hostile: Hostile) -> None:
    hostile.sql("comment on column leaders.name is 'The smallest first'")


@spoiler
def column_of_less_precision(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models alter training_compute_flop set data type float")


@spoiler
def column_of_a_time_that_depends_on_the_zone(hostile: Hostile) -> None:
    hostile.sql("drop view leaders", "alter table models alter publication_date set data type timestamptz")


@spoiler
def column_of_words_in_an_order_of_their_own(hostile: Hostile) -> None:
    hostile.sql(
        "create type words as enum ('epoch_all', 'curated')",
        "alter table sources alter source_id set data type words",
    )


@spoiler
def column_of_lists_of_one_length(hostile: Hostile) -> None:
    hostile.sql(
        "drop view leaders", "alter table models drop organization", "alter table models add organization varchar[2]"
    )


@spoiler
def list_with_nothing_in_it(hostile: Hostile) -> None:
    hostile.sql("update models set organization = ['Google', 'AI2', null] where model_id = 'bert'")


@spoiler
def list_in_another_order(hostile: Hostile) -> None:
    hostile.sql("update models set organization = ['AI2', 'Google'] where model_id = 'bert'")


@spoiler
def list_where_there_is_none(hostile: Hostile) -> None:
    hostile.sql("update models set organization = [] where model_id = 'gpt-3'")


@spoiler
def value_that_is_no_number(hostile: Hostile) -> None:
    hostile.sql("update models set training_compute_flop = 'nan' where model_id = 'bert'")


@spoiler
def value_whose_last_digit_differs(hostile: Hostile) -> None:
    hostile.sql("update models set training_compute_flop = 3.1400000000000006e23 where model_id = 'gpt-3'")


@spoiler
def name_that_is_empty_for_none(hostile: Hostile) -> None:
    hostile.sql("update models set name = '' where model_id = 'bert'")


@spoiler
def name_with_a_look_alike_letter(hostile: Hostile) -> None:
    hostile.sql("update models set name = 'AlexNеt' where model_id = 'alexnet'")


def _footer(content: bytes) -> int:
    """Where the description of a Parquet file begins."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def _restated(hostile: Hostile, was: bytes, becomes: bytes) -> None:
    """Other bytes in the description of the Parquet file of models; its rows stay."""
    content = (hostile.folder / "models.parquet").read_bytes()
    start = _footer(content)
    assert was in content[start:]
    hostile.write("models.parquet", content[:start] + content[start:].replace(was, becomes))


@spoiler
def parquet_whose_largest_value_is_said_to_be_small(hostile: Hostile) -> None:
    """Whoever asks for what is above 1e22 skips all rows, as the statistics have it."""
    _restated(hostile, struct.pack("<d", 3.14e23), struct.pack("<d", 5e17))


@spoiler
def parquet_whose_texts_are_said_to_end_early(hostile: Hostile) -> None:
    _restated(hostile, b"gpt-3", b"car-3")


@spoiler
def parquet_whose_empty_cells_are_miscounted(hostile: Hostile) -> None:
    _restated(
        hostile, b"\x16\x02\x28\x08" + struct.pack("<d", 3.14e23), b"\x16\x00\x28\x08" + struct.pack("<d", 3.14e23)
    )


@spoiler
def parquet_with_bytes_that_are_of_no_column(hostile: Hostile) -> None:
    content = (hostile.folder / "models.parquet").read_bytes()
    start = _footer(content)
    hostile.write("models.parquet", content[:start] + hostile.random.randbytes(100) + content[start:])


@spoiler
def parquet_with_an_index_of_pages(hostile: Hostile) -> None:
    """Which says the least and largest values once more, for readers that skip pages."""
    parquet.write_table(MODELS, hostile.folder / "models.parquet", compression="zstd", write_page_index=True)
    hostile.refit()


def _told(hostile: Hostile, **about: str) -> None:
    """Rewrites the Parquet file of models with further words about the whole."""
    parquet.write_table(MODELS.replace_schema_metadata(about), hostile.folder / "models.parquet", compression="zstd")
    hostile.refit()


@spoiler
def parquet_that_tells_pandas_of_other_names(hostile: Hostile) -> None:
    """pandas.read_parquet would take the first column for the index."""
    columns = [
        {"name": n, "field_name": n, "pandas_type": "unicode", "numpy_type": "object", "metadata": None}
        for n in MODELS.column_names
    ]
    _told(hostile, pandas=json.dumps({"index_columns": ["model_id"], "column_indexes": [], "columns": columns}))


@spoiler
def parquet_that_describes_the_table_otherwise(hostile: Hostile) -> None:
    _told(hostile, title="Models", description="Numbers in thousands")


@spoiler
def parquet_with_a_column_of_another_unit(hostile: Hostile) -> None:
    field = pa.field(
        "training_compute_flop", pa.float64(), metadata={"description": "Training compute", "unit": "PFLOP"}
    )
    schema = MODELS.schema.set(2, field)
    parquet.write_table(MODELS.cast(schema), hostile.folder / "models.parquet", compression="zstd")
    hostile.refit()


@spoiler
def zip_whose_end_counts_fewer_files(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / ZIP).read_bytes())
    content[-14:-10] = b"\x01\x00\x01\x00"
    (hostile.folder / ZIP).write_bytes(content)
    hostile.sums()


@spoiler
def zip_that_is_one_of_several_disks(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / ZIP).read_bytes())
    content[-18:-14] = b"\x01\x00\x01\x00"
    (hostile.folder / ZIP).write_bytes(content)
    hostile.sums()


@spoiler
def zip_with_a_file_that_is_called_text_inside(hostile: Hostile) -> None:
    _member(hostile, internal_attr=1)


@spoiler
def zip_with_a_file_of_another_disk(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / ZIP).read_bytes())
    start = int.from_bytes(content[-6:-2], "little")
    content[start + 34] = 1
    (hostile.folder / ZIP).write_bytes(content)
    hostile.sums()


@spoiler
def zip_with_a_folder(hostile: Hostile) -> None:
    hostile.zip(lambda archive: archive.writestr(zipfile.ZipInfo(f"{INSIDE}/"), b""))


@spoiler
def zip_with_a_name_in_capitals(hostile: Hostile) -> None:
    content = (hostile.folder / "models.csv").read_bytes()
    hostile.zip(lambda archive: archive.writestr(plain(f"{INSIDE}/MODELS.csv"), content))


@spoiler
def zip_with_a_group_that_lends_its_rights(hostile: Hostile) -> None:
    _member(hostile, external_attr=0o102755 << 16)


@spoiler
def zip_with_two_names_for_one_file(hostile: Hostile) -> None:
    content = (hostile.folder / "models.csv").read_bytes()
    hostile.zip(
        lambda archive: archive.writestr(plain(f"{INSIDE}/sources.csv"), content),
        leave="sources.csv",
    )


@spoiler
def bytes_before_the_database(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / DATABASE).read_bytes())
    content[HEADERS - 100 : HEADERS] = hostile.random.randbytes(100)
    hostile.write(DATABASE, bytes(content))


def _largest_hidden(hostile: Hostile, *places: int) -> None:
    """Lets the statistics in the DuckDB file, not its rows, say that nothing needed more than 5e17 FLOP."""
    content = bytearray((hostile.folder / DATABASE).read_bytes())
    largest, begin, end = struct.pack("<d", 3.14e23), HEADERS, HEADERS + BLOCK  # the rows are in the next block
    stated = [found.start() for found in re.finditer(re.escape(largest), content[begin:end])]
    for place in places:
        content[begin + stated[place] : begin + stated[place] + 8] = struct.pack("<d", 5e17)
    content[begin : begin + 8] = _checksum(bytes(content[begin + 8 : end])).to_bytes(8, "little")
    hostile.write(DATABASE, bytes(content))


@spoiler
def database_whose_statistics_hide_its_largest_value(hostile: Hostile) -> None:
    _largest_hidden(hostile, 0, 1)


@spoiler
def database_that_hides_its_largest_value_from_filters(hostile: Hostile) -> None:
    """Whoever asks for the largest value gets it; whoever asks for what is above 1e22 gets nothing."""
    _largest_hidden(hostile, 1)


def _checksum(block: bytes) -> int:
    """What DuckDB writes before a block."""
    found = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        found ^= word * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    return found


# --- the sums ---


@spoiler
def sums_with_vertical_tabs(hostile: Hostile) -> None:
    hostile.sums(end="\v")


@spoiler
def sums_with_carriage_returns(hostile: Hostile) -> None:
    hostile.sums(end="\r\n")


@spoiler
def sums_without_an_end(hostile: Hostile) -> None:
    text = (hostile.folder / "SHA256SUMS").read_text()
    (hostile.folder / "SHA256SUMS").write_text(text.rstrip("\n"))


@spoiler
def sums_that_contradict_themselves(hostile: Hostile) -> None:
    text = (hostile.folder / "SHA256SUMS").read_text()
    (hostile.folder / "SHA256SUMS").write_text(f"{'0' * 64}  models.csv\n{text}")


@spoiler
def sums_of_a_file_that_is_not_there(hostile: Hostile) -> None:
    hostile.add_sum(f"{'0' * 64}  evil.md\n")


@spoiler
def sums_of_a_file_elsewhere(hostile: Hostile) -> None:
    hostile.add_sum(f"{'0' * 64}  ../../evil\n")


@spoiler
def sums_with_a_remark(hostile: Hostile) -> None:
    hostile.add_sum("all is well\n")


@spoiler
def sums_in_another_encoding(hostile: Hostile) -> None:
    text = (hostile.folder / "SHA256SUMS").read_text()
    (hostile.folder / "SHA256SUMS").write_bytes(text.encode("utf-16"))


@spoiler
def sums_of_a_million_files(hostile: Hostile) -> None:
    hostile.add_sum("".join(f"{'0' * 64}  {number}.md\n" for number in range(200_000)))


# --- Parquet and CSV ---


@spoiler
def parquet_that_is_garbage(hostile: Hostile) -> None:
    hostile.write("models.parquet", hostile.random.randbytes(5_000))


@spoiler
def parquet_that_breaks_off(hostile: Hostile) -> None:
    hostile.write("models.parquet", (hostile.folder / "models.parquet").read_bytes()[:-30])


@spoiler
def parquet_that_is_damaged(hostile: Hostile) -> None:
    hostile.damage("models.parquet")


@spoiler
def parquet_with_other_rows(hostile: Hostile) -> None:
    parquet.write_table(MODELS.slice(0, 2), hostile.folder / "models.parquet")
    hostile.refit()


@spoiler
def parquet_with_other_types(hostile: Hostile) -> None:
    other = MODELS.set_column(3, "parameters", MODELS["parameters"].cast(pa.string()))
    parquet.write_table(other, hostile.folder / "models.parquet")
    hostile.refit()


# --- the zip ---


@spoiler
def zip_with_files_elsewhere(hostile: Hostile) -> None:
    hostile.zip(lambda archive: archive.writestr(plain("../../evil/models.csv"), b""))


@spoiler
def zip_with_a_file_in_another_folder(hostile: Hostile) -> None:
    hostile.zip(lambda archive: archive.writestr(plain(f"{INSIDE}/evil/models.csv"), b""))


@spoiler
def zip_with_a_file_twice(hostile: Hostile) -> None:
    content = (hostile.folder / "models.csv").read_bytes()
    with warnings.catch_warnings(action="ignore"):
        hostile.zip(lambda archive: archive.writestr(plain(f"{INSIDE}/models.csv"), content))


@spoiler
def zip_with_another_value(hostile: Hostile) -> None:
    content = (hostile.folder / "models.csv").read_bytes().replace(b"3.14e+23", b"3.14e+25")
    hostile.zip(lambda archive: archive.writestr(plain(f"{INSIDE}/models.csv"), content), leave="models.csv")


@spoiler
def zip_that_lacks_a_file(hostile: Hostile) -> None:
    hostile.zip(lambda _: None, leave="models.csv")


@spoiler
def zip_that_unpacks_to_gigabytes(hostile: Hostile) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        with archive.open(plain(f"{INSIDE}/models.csv"), "w") as member:
            for _ in range(60):
                member.write(bytes(1 << 20))

    hostile.zip(fill, leave="models.csv")


def _member(hostile: Hostile, **about: Any) -> None:
    """The zip with a file of the release of which the directory says something else."""
    content, member = (hostile.folder / "models.csv").read_bytes(), plain(f"{INSIDE}/models.csv")
    for name, value in about.items():
        setattr(member, name, value)
    hostile.zip(lambda archive: archive.writestr(member, content), leave="models.csv")


@spoiler
def zip_with_a_link(hostile: Hostile) -> None:
    _member(hostile, external_attr=0o120777 << 16)


@spoiler
def zip_with_a_program_of_another_user(hostile: Hostile) -> None:
    _member(hostile, external_attr=0o104755 << 16)


@spoiler
def zip_with_a_file_that_all_may_write(hostile: Hostile) -> None:
    _member(hostile, external_attr=0o100666 << 16)


@spoiler
def zip_with_a_device(hostile: Hostile) -> None:
    _member(hostile, external_attr=0o020644 << 16)


@spoiler
def zip_of_another_system(hostile: Hostile) -> None:
    _member(hostile, create_system=0)


@spoiler
def zip_with_a_comment_on_a_file(hostile: Hostile) -> None:
    _member(hostile, comment=b"see elsewhere")


@spoiler
def zip_with_a_field_of_another_program(hostile: Hostile) -> None:
    _member(hostile, extra=b"ux\x04\x00evil")


@spoiler
def zip_with_a_comment(hostile: Hostile) -> None:
    hostile.zip(lambda archive: setattr(archive, "comment", b"evil"))


def _hide(hostile: Hostile, before: bool, hidden: bytes) -> None:
    """Puts bytes before all files of the zip, or between them and the directory, where few programs look."""
    content = (hostile.folder / ZIP).read_bytes()
    start = int.from_bytes(content[-6:-2], "little")
    end = content[start:-6] + (start + len(hidden)).to_bytes(4, "little") + content[-2:]
    files = hidden + content[:start] if before else content[:start] + hidden
    if before:  # the directory knows where each file begins
        end = _shifted(end, len(hidden))
    (hostile.folder / ZIP).write_bytes(files + end)
    hostile.sums()


def _shifted(directory: bytes, by: int) -> bytes:
    moved, place = bytearray(directory), 0
    while moved[place : place + 4] == b"PK\x01\x02":
        offset = int.from_bytes(moved[place + 42 : place + 46], "little") + by
        moved[place + 42 : place + 46] = offset.to_bytes(4, "little")
        place += 46 + int.from_bytes(moved[place + 28 : place + 30], "little")
    return bytes(moved)


@spoiler
def zip_with_bytes_before_the_directory(hostile: Hostile) -> None:
    _hide(hostile, False, hostile.random.randbytes(100))


@spoiler
def zip_with_a_file_before_the_directory(hostile: Hostile) -> None:
    _hide(hostile, False, (hostile.folder / ZIP).read_bytes()[:500])


@spoiler
def zip_with_bytes_before_the_files(hostile: Hostile) -> None:
    _hide(hostile, True, b"#!/bin/sh\n")


@spoiler
def zip_with_bytes_behind_its_end(hostile: Hostile) -> None:
    (hostile.folder / ZIP).write_bytes((hostile.folder / ZIP).read_bytes() + b"evil")
    hostile.sums()


@spoiler
def zip_whose_files_say_something_else_than_its_directory(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / ZIP).read_bytes())
    content[10:14] = b"\x21\x00\x21\x50"  # the first file's date
    (hostile.folder / ZIP).write_bytes(content)
    hostile.sums()


@spoiler
def zip_that_is_garbage(hostile: Hostile) -> None:
    (hostile.folder / ZIP).write_bytes(hostile.random.randbytes(5_000))
    hostile.sums()


@spoiler
def zip_that_is_damaged(hostile: Hostile) -> None:
    content = bytearray((hostile.folder / ZIP).read_bytes())
    for place in hostile.random.sample(range(len(content)), 40):
        content[place] ^= 0xFF
    (hostile.folder / ZIP).write_bytes(content)
    hostile.sums()


@spoiler
def zip_of_another_name(hostile: Hostile) -> None:
    (hostile.folder / "evil.zip").write_bytes((hostile.folder / ZIP).read_bytes())
    hostile.sums()


# --- other files ---


@spoiler
def program_that_is_listed(hostile: Hostile) -> None:
    hostile.write("install.sh", b"#!/bin/sh\n")


@spoiler
def file_that_is_not_listed(hostile: Hostile) -> None:
    (hostile.folder / "notes.md").write_text("mine")


@spoiler
def folder_in_the_folder(hostile: Hostile) -> None:
    (hostile.folder / "evil").mkdir()


@spoiler
def link_to_an_endless_device(hostile: Hostile) -> None:
    (hostile.folder / "notes.md").symlink_to("/dev/zero")
    hostile.add_sum(f"{'0' * 64}  notes.md\n")


@spoiler
def link_to_a_file_elsewhere(hostile: Hostile) -> None:
    (hostile.folder / "CHANGELOG.md").rename(hostile.folder.parent / "elsewhere.md")
    (hostile.folder / "CHANGELOG.md").symlink_to("../elsewhere.md")


@spoiler
def pipe_that_nobody_fills(hostile: Hostile) -> None:
    os.mkfifo(hostile.folder / "notes.md")
    hostile.add_sum(f"{'0' * 64}  notes.md\n")


@spoiler
def manifest_that_is_a_pipe(hostile: Hostile) -> None:
    (hostile.folder / "manifest.json").unlink()
    os.mkfifo(hostile.folder / "manifest.json")


@spoiler
def name_that_steers_the_terminal(hostile: Hostile) -> None:
    (hostile.folder / "\x1b[2J\x1b[31mverified").write_text("")


@spoiler
def very_many_files(hostile: Hostile) -> None:
    for number in range(1100):
        (hostile.folder / f"{number}.md").touch()
    hostile.sums()


# --- what takes all memory or time: each judged in a process of its own ---

BOMBS: dict[str, Spoil] = {}


def bomb(function: Spoil) -> Spoil:
    BOMBS[function.__name__] = spoiler(function)
    return function


@bomb
def parquet_with_a_gigabyte_in_a_few_bytes(hostile: Hostile) -> None:
    _swap_models(hostile, _equal_rows(10_000, "x" * 200_000))


@bomb
def parquet_with_very_many_equal_rows(hostile: Hostile) -> None:
    _swap_models(hostile, _equal_rows(20_000_000, "same"))


def _equal_rows(rows: int, text: str) -> pa.Table:
    """A table with one text, over and over, of which Parquet keeps one copy."""
    zeros = pa.Array.from_buffers(pa.int32(), rows, [None, pa.py_buffer(bytes(4 * rows))])
    return pa.table({"model_id": pa.DictionaryArray.from_arrays(zeros, [text])})


def _swap_models(hostile: Hostile, table: pa.Table) -> None:
    parquet.write_table(table, hostile.folder / "models.parquet", compression="zstd", store_schema=False)
    entry = {"rows": table.num_rows, "columns": table.num_columns}
    hostile.manifest(lambda manifest: manifest["tables"]["models"].update(entry))


@spoiler
def file_of_a_terabyte(hostile: Hostile) -> None:
    hostile.folder.joinpath("notes.md").touch()
    os.truncate(hostile.folder / "notes.md", 1 << 40)
    hostile.add_sum(f"{'0' * 64}  notes.md\n")
