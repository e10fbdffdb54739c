"""Rows 73-75, 82-84 and 100 of the fault list: what is called verified gives the answers of its tables, and comes whole from
those who may publish. What else is refused is tested in test_verify.py, with every folder that hostile_releases.py makes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hostile_releases import make_hostile
from machine import needs_ssh_keygen
from release_folders import entry_of, write_index
from tiny_release import VERSION

from pipeline.commands.release import rebuild
from traincompute.base.places import SIGNATURE, ReleaseError
from traincompute.commands.releases import download, verify
from traincompute.verification import verify as verification
from traincompute.verification.sums import SUMS

POISONED = {
    "macro_in_place_of_a_function": "the macro round bears the name of a function of DuckDB",
    "macro_with_another_formula": "macro main.pfs_days is not what traincompute.sql",
    "view_of_other_rows": "view main.leaders is not what traincompute.sql",
    "list_that_is_one_text": "a list in organization is empty, or has an item that is, or that holds a ;",
    "database_whose_statistics_hide_its_largest_value": "its least or largest value of training_compute_flop in models is not",
    "zip_with_a_link": "models.csv is no plain file of the release",
    "bytes_behind_the_database": "has bytes that are not of the database",
    "comment_that_names_another_unit": "column main.models.training_compute_flop is not what traincompute.sql",
}  # fmt: skip

# of the same kinds, each in another place: other answers to some readers, lists, what is hidden in a zip or behind a file
ALIKE = {
    "macro_in_place_of_a_function_that_the_sql_has_too": "the macro median bears the name of a function of DuckDB",
    "macro_with_a_default": "parameters of pfs_days is not what traincompute.sql",
    "column_that_depends_on_a_setting": "table main.models is not what traincompute.sql",
    "zip_with_bytes_before_the_directory": "has bytes that are of none of its files",
    "first_form_of_a_macro_of_two": "macro main.tera is not what traincompute.sql",
    "default_of_a_second_form": "parameters of tera is not what traincompute.sql",
    "default_of_a_macro_of_rows": "parameters of above is not what traincompute.sql",
    "macro_of_rows_beside_a_view_of_its_name": "macro main.leaders is not what traincompute.sql",
    "macro_with_the_name_of_a_function_in_capitals": "main.SUM is not the name of a table, view or macro",
    "macro_in_place_of_an_operator": "main.+ is not the name of a table, view or macro",
    "macro_in_place_of_a_function_of_an_extension": "the macro strptime bears the name of a function of DuckDB",
    "macro_that_depends_on_a_setting": "the macro exa depends on a setting, the time or chance: getvariable",
    "view_in_place_of_the_catalogue": "the view duckdb_columns bears the name of a view of DuckDB",
    "view_in_place_of_the_list_of_tables": "the view sqlite_master bears the name of a view of DuckDB",
    "view_that_depends_on_a_setting": "the view compute depends on a setting, the time or chance: current_setting",
    "view_that_depends_on_the_day": "the view recent depends on a setting, the time or chance: current_date",
    "view_by_chance": "the view by_chance depends on a setting, the time or chance: random",
    "view_whose_columns_have_other_names": "column main.leaders.name is not what traincompute.sql",
    "view_of_a_column_of_one_table_that_is_called_like_that_of_another": "view main.leaders is not what traincompute.sql",
    "view_of_other_numbers": "main.compute.flop is not what traincompute.sql",
    "comment_on_a_column_of_a_view": "column main.leaders.name is not what traincompute.sql",
    "comment_on_a_table": "table main.models is not what traincompute.sql",
    "column_with_a_default": "table main.models is not what traincompute.sql",
    "column_of_less_precision": "table main.models is not what traincompute.sql",
    "column_of_a_time_that_depends_on_the_zone": "table main.models is not what traincompute.sql",
    "column_of_words_in_an_order_of_their_own": "table main.sources is not what traincompute.sql",
    "column_of_lists_of_one_length": "table main.models is not what traincompute.sql",
    "list_with_nothing_in_it": "a list in organization is empty, or has an item that is",
    "list_in_another_order": "the contents of models are not those that manifest.json describes",
    "list_where_there_is_none": "a list in organization is empty, or has an item that is",
    "list_that_is_one_text_in_every_file": "a list in organization is empty, or has an item that is",
    "value_that_is_no_number": "the contents of models are not those that manifest.json describes",
    "value_whose_last_digit_differs": "the contents of models are not those that manifest.json describes",
    "name_that_is_empty_for_none": "the contents of models are not those that manifest.json describes",
    "name_with_a_look_alike_letter": "the contents of models are not those that manifest.json describes",
    "database_that_hides_its_largest_value_from_filters": "whoever filters models by training_compute_flop does not get",
    "blocks_behind_the_database": "has bytes that are not of the database",
    "bytes_before_the_database": "cannot be opened",
    "parquet_whose_largest_value_is_said_to_be_small": "says the least or largest value of training_compute_flop",
    "parquet_whose_texts_are_said_to_end_early": "says the least or largest value of model_id",
    "parquet_whose_empty_cells_are_miscounted": "or how many cells are empty, otherwise than it is",
    "parquet_with_bytes_that_are_of_no_column": "has bytes that are of none of its columns",
    "parquet_with_an_index_of_pages": "has bytes that are of none of its columns",
    "parquet_that_tells_pandas_of_other_names": "says of itself what no release says: 'pandas'",
    "parquet_that_describes_the_table_otherwise": "as the Parquet file has it",
    "parquet_with_a_column_of_another_unit": "as the Parquet file has it",
    "zip_whose_end_counts_fewer_files": "has bytes that are of none of its files",
    "zip_that_is_one_of_several_disks": "has bytes that are of none of its files",
    "zip_with_a_file_that_is_called_text_inside": "has bytes that are of none of its files",
    "zip_with_a_file_of_another_disk": "has bytes that are of none of its files",
    "zip_with_a_folder": "is no plain file of the release",
    "zip_with_a_name_in_capitals": "is no plain file of the release",
    "zip_with_a_group_that_lends_its_rights": "is no plain file of the release",
    "zip_with_two_names_for_one_file": "is not that of the release",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged_once: None) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))


def listed(folder: Path, change: Callable[[dict[str, Any]], object] = lambda _: None) -> str:
    """The address of an index of the release in the folder, whose entry is changed."""
    entry = entry_of(folder, json.loads((folder / "manifest.json").read_bytes()))
    change(entry["files"])
    return str(write_index(folder.parent, [entry]))


def fetched(index: str, tmp_path: Path) -> Result:
    result = CliRunner().invoke(download, ["--index", index, "--to", str(tmp_path / "to")])
    assert result.exit_code == 0 or not (tmp_path / "to" / f"v{VERSION}").exists()
    return result


@pytest.mark.parametrize("name", POISONED)
def test_fault_73_74_75_84_100_a_poisoned_release_is_refused_by_all_that_call_one_verified(
    sound: Path, tmp_path: Path, name: str
) -> None:
    assert_refused(make_hostile(sound, tmp_path, name, 1), tmp_path, POISONED[name])


def test_whatever_is_found_in_a_release_all_that_call_one_verified_refuse_it(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "run_bounded", lambda _, folder, __: ["models.csv is not as it was"])
    assert_refused(sound, tmp_path, "models.csv is not as it was")


def assert_refused(folder: Path, tmp_path: Path, message: str) -> None:
    refused = fetched(listed(folder), tmp_path)
    assert isinstance(refused.exception, ReleaseError)
    assert message in str(refused.exception)
    for command in (verify, rebuild):
        judged = CliRunner().invoke(command, [str(folder)])
        assert judged.exit_code == 1
        assert message in judged.output


def test_fault_82_nothing_is_called_signed_that_is_not(sound: Path, tmp_path: Path) -> None:
    assert fetched(listed(sound), tmp_path).output.endswith("verified, but not signed\n")


@needs_ssh_keygen
def test_fault_82_where_it_is_known_who_may_sign_a_signature_is_asked_for(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "maker"], check=True)
    (tmp_path / "signers").write_text(f"publisher {(tmp_path / 'maker.pub').read_text()}")
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", str(tmp_path / "signers"))
    assert f"{SIGNATURE}: is missing; none of it was kept" in str(fetched(listed(sound), tmp_path).exception)
    judged = CliRunner().invoke(verify, [str(sound)])
    assert (judged.exit_code, judged.output) == (1, f"{SIGNATURE}: is missing\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files: files.pop(SUMS), f"the index lists no {SUMS}, so nothing says which files it has"),
        (
            lambda files: files.update({"install.md": files["CHANGELOG.md"]}),
            f"the index lists install.md, which is not in its {SUMS}",
        ),
    ],
)
def test_fault_83_an_index_lists_what_the_sums_do(
    sound: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    refused = fetched(listed(sound, change), tmp_path)
    assert isinstance(refused.exception, ReleaseError)
    assert message in str(refused.exception)
