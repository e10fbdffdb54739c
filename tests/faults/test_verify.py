"""Rows 43, 54 and 55 of the fault list: a hostile release folder never gets the word "verified", runs nothing, and takes
neither ten seconds nor a gigabyte."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hostile_releases import BOMBS, SENTINEL, SPOILERS, make_hostile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from release_folders import entry_of, write_index
from test_poisoned import POISONED

from traincompute.base.places import ReleaseError
from traincompute.cache.folders import download_release
from traincompute.cache.index import find_release, read_index
from traincompute.verification import contents, verify
from traincompute.verification.bounded import BoundedError, Limits, run_bounded
from traincompute.verification.contents import problems_of
from traincompute.verification.sums import SUMS

SEED = 20261122
MEASURED = """
import resource, sys
from traincompute.cli import main
sys.argv = ["traincompute", "verify", sys.argv[1]]
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(used.ru_maxrss * 1024, file=sys.stderr)
    print(used.ru_utime + used.ru_stime, file=sys.stderr)
"""


def state(folder: Path) -> dict[str, str]:
    """Hashes of the plain files below a folder of reasonable size, and the names of all others."""
    found = {}
    for path in sorted(folder.rglob("*")):
        plain = path.is_file() and not path.is_symlink() and path.stat().st_size < 1e9
        found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if plain else ""
    return found


FOUND: dict[tuple[str, ...], list[str]] = {}  # by the bytes of all files but the zip and the sums


@pytest.fixture
def databases_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the folders have the database of the sound one, which takes two tenths of a second to judge; where the files
    beside it are wrong, that is enough."""
    judge, check = contents.check_database, contents._check_tables
    found: list[str] = []

    def checked(folder: Path, tables: Mapping[str, Any]) -> list[str]:
        found.extend(check(folder, tables))
        return found

    def judge_once(folder: Path, tables: Mapping[str, Any]) -> list[str]:
        if found:
            return []
        files = sorted(path for path in folder.iterdir() if path.suffix != ".zip" and path.name != SUMS)
        known = tuple(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files)
        if known not in FOUND:
            FOUND[known] = list(judge(folder, tables))
        return FOUND[known]

    monkeypatch.setattr(contents, "_check_tables", checked)
    monkeypatch.setattr(contents, "check_database", judge_once)


def test_the_folder_that_is_spoiled_was_sound(sound: Path) -> None:
    assert verify.verify_release(sound) == []
    assert len(SPOILERS) >= 40
    assert set(LIKE) | set(LIKE.values()) <= set(SPOILERS)
    assert not set(LIKE) & {*LIKE.values(), *BOMBS}


# folders that are spoiled as another one is, in another place or by another word, and are not tried
LIKE = {
    "default_of_a_second_form": "first_form_of_a_macro_of_two",
    "macro_with_a_second_form": "macro_with_a_default",
    "macro_that_is_gone": "macro_with_another_formula",
    "macro_of_rows_beside_a_view_of_its_name": "default_of_a_macro_of_rows",
    "macro_in_place_of_an_operator": "macro_with_the_name_of_a_function_in_capitals",
    "macro_in_place_of_a_function_of_an_extension": "macro_in_place_of_a_function_that_the_sql_has_too",
    "view_in_place_of_the_list_of_tables": "view_in_place_of_the_catalogue",
    "view_that_depends_on_a_setting": "macro_that_depends_on_a_setting",
    "view_by_chance": "macro_that_depends_on_a_setting",
    "view_of_other_numbers": "view_whose_columns_have_other_names",
    "view_that_is_gone": "view_whose_columns_have_other_names",
    "view_of_a_column_of_one_table_that_is_called_like_that_of_another": "view_of_other_rows",
    "comment_on_a_table": "comment_that_names_another_unit",
    "comment_on_a_column_of_a_view": "comment_that_names_another_unit",
    "column_that_depends_on_a_setting": "column_of_another_type",
    "database_with_a_column_that_takes_all_memory": "column_of_another_type",
    "column_with_a_default": "column_of_another_type",
    "column_that_may_not_be_empty": "column_of_another_type",
    "key_of_a_table": "column_of_another_type",
    "column_of_text_that_ignores_case": "column_of_another_type",
    "column_of_less_precision": "column_of_another_type",
    "column_of_a_time_that_depends_on_the_zone": "column_of_another_type",
    "column_of_lists_of_one_length": "column_of_another_type",
    "column_of_words_in_an_order_of_their_own": "type_beside_the_tables",
    "database_in_another_order": "value_whose_last_digit_differs",
    "list_with_nothing_in_it": "list_that_is_one_text_in_every_file",
    "list_where_there_is_none": "list_that_is_one_text_in_every_file",
    "list_that_is_one_text": "list_that_is_one_text_in_every_file",
    "list_in_another_order": "value_whose_last_digit_differs",
    "database_with_another_value": "value_whose_last_digit_differs",
    "value_that_is_no_number": "value_whose_last_digit_differs",
    "name_with_a_look_alike_letter": "name_that_is_empty_for_none",
    "parquet_whose_texts_are_said_to_end_early": "parquet_whose_largest_value_is_said_to_be_small",
    "parquet_with_an_index_of_pages": "parquet_with_bytes_that_are_of_no_column",
    "parquet_with_a_column_of_another_unit": "parquet_that_describes_the_table_otherwise",
    "parquet_that_is_garbage": "parquet_that_breaks_off",
    "column_that_is_computed": "column_of_another_type",
    "column_with_a_condition": "column_of_another_type",
    "database_with_another_column": "column_of_another_type",
    "index_beside_a_table": "sequence_beside_the_tables",
    "comment_on_a_view": "comment_on_a_macro",
    "table_macro_in_place_of_a_function": "macro_in_place_of_a_function_that_the_sql_has_too",
    "macro_that_asks_for_a_query": "macro_that_reads_a_file",
    "view_that_never_ends_in_place_of_a_table": "view_over_a_file_in_place_of_a_table",
    "blocks_behind_the_database": "bytes_behind_the_database",
    "very_many_files": "sums_of_a_million_files",
    "zip_with_a_file_of_another_disk": "zip_that_is_one_of_several_disks",
}


@pytest.mark.parametrize(
    "name",
    [name for name in SPOILERS if name not in {*BOMBS, *LIKE, *POISONED}],
)
def test_fault_43_54_55_a_hostile_folder_is_refused_and_nothing_of_it_runs(
    sound: Path, tmp_path: Path, databases_judged_once: None, name: str
) -> None:
    folder = make_hostile(sound, tmp_path, name, SEED)
    before, start = state(tmp_path), process_time()
    problems = problems_of(os.fsencode(folder))
    assert process_time() - start < 10
    assert problems
    assert all(line.isprintable() and "Traceback" not in line for line in problems)
    assert state(tmp_path) == before
    assert not (tmp_path / name / SENTINEL).exists()


# what ends before it is asked for anything, or is a bomb like another
SLOW = {"view_that_never_ends_in_place_of_a_table", "parquet_with_very_many_equal_rows"}


@pytest.mark.parametrize(
    "name",
    [name for name in ("sql_in_the_name_of_a_table", *BOMBS) if name not in SLOW],
)
def test_fault_43_what_would_run_or_take_all_memory_ends_in_one_line_of_the_command(
    sound: Path, tmp_path: Path, name: str
) -> None:
    folder = make_hostile(sound, tmp_path, name, SEED)
    before = state(tmp_path)
    command = [sys.executable, "-c", MEASURED, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    *said, memory, seconds = done.stderr.splitlines()
    assert (done.returncode, said) == (1, [])
    assert "verified" not in done.stdout.replace("cannot be verified", "")
    assert int(memory) < 1e9
    assert float(seconds) < 10
    assert state(tmp_path) == before


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_single_changed_byte_is_found_in_whatever_file(sound: Path, data: st.DataObject) -> None:
    files = sorted(sound.iterdir())
    file = data.draw(st.sampled_from(files))
    content = bytearray(whole := file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        file.write_bytes(content)
        assert problems_of(os.fsencode(sound))
    finally:
        file.write_bytes(whole)


def test_fault_43_verify_ends_when_its_time_is_up(sound: Path) -> None:
    assert verify.verify_release(sound, seconds=0.01) == [
        f"{sound}: cannot be verified: stopped after 0.01 s; --timeout SECONDS allows it more time"
    ]


def test_fault_43_a_package_in_the_folder_is_not_imported(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "duckdb.py").write_text(f"open({str(tmp_path / SENTINEL)!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    assert verify.verify_release(sound) == []
    assert not (tmp_path / SENTINEL).exists()


@pytest.mark.parametrize(
    ("task", "data", "seconds", "message"),
    [
        ("write_a_file", b"made.txt", 20, "File too large"),
        ("take_memory", b"200000000", 20, "more than 100 MB of memory"),
        ("never_end", b"", 0.1, "stopped after 0.1 s"),
        ("die", b"", 20, "more than 100 MB of memory, or is damaged"),
    ],
)
def test_fault_43_46_a_bounded_process_can_neither_write_nor_take_all_memory_or_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, data: bytes, seconds: float, message: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoundedError, match=message):
        run_bounded(f"bounded_tasks:{task}", data, Limits(seconds, 100_000_000))
    assert [path.read_bytes() for path in tmp_path.iterdir()] in ([], [b""])


def test_a_bounded_process_answers_where_it_keeps_to_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    assert run_bounded("bounded_tasks:take_memory", b"1000", Limits(20, 100_000_000)) == 1000


def test_a_bounded_process_does_not_spend_its_time_on_reading_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with pytest.raises(BoundedError, match="ModuleNotFoundError: pandas"):
        run_bounded("bounded_tasks:find_pandas", b"", Limits(20, 100_000_000))


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b'{"release": 1, "tables": {}}', b'{"tables": []}'])
def test_fault_55_a_release_whose_manifest_is_none_is_not_downloaded(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    folder = shutil.copytree(sound, tmp_path / "made" / sound.name)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_bytes(content)
    write_index(folder.parent, [entry_of(folder, manifest)])
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ReleaseError) as refused:
        download_release(find_release(read_index(str(folder.parent)), None), tmp_path / "to")
    assert len(str(refused.value).splitlines()) == 1
    assert "manifest" in str(refused.value)
    assert not (tmp_path / "to").exists()
