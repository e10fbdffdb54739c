"""A folder as one side of a comparison: its name, and what is read of its claims and estimates."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from traincompute.base.errors import InputError
from traincompute.comparison.side import open_side, read_claims, read_estimates

TABLES = '"tables": {"models": {"rows": 1, "content_sha256": "ab"}}'


@pytest.mark.parametrize(
    ("release", "label"), [('"release": {"version": "2026.11.0"}, ', "2026.11.0"), ('"release": null, ', "build")]
)
def test_a_release_is_called_by_its_version_and_a_build_by_its_folder(tmp_path: Path, release: str, label: str) -> None:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "manifest.json").write_text("{" + release + TABLES + "}")
    side = open_side(folder)
    assert (side.label, side.tables, side.file("models")) == (label, {"models": "ab"}, folder / "models.parquet")


def test_a_folder_without_a_manifest_and_a_broken_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no manifest\.json; give a release, or a folder of a build"):
        open_side(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="is not valid JSON; download the release again"):
        open_side(tmp_path)


def test_claims_of_before_there_were_codes_get_theirs_from_the_words(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{" + TABLES + "}")
    reasons = ["corrected (c-all): a slip", "not corrected (yet)", None]
    parquet.write_table(pa.table({"claim_id": ["1", "2", "3"], "reason": reasons}), tmp_path / "claims.parquet")
    assert read_claims(open_side(tmp_path))["reason_code"].tolist() == ["corrected", "", ""]
    coded = pa.table({"claim_id": ["1"], "reason": reasons[:1], "reason_code": ["held"], "other": [1]})
    parquet.write_table(coded, tmp_path / "claims.parquet")
    claims = read_claims(open_side(tmp_path))
    assert (list(claims), claims["reason_code"].tolist()) == (["claim_id", "reason_code", "reason"], ["held"])


def test_the_selected_estimates_are_read_with_lists_of_inputs(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{" + TABLES + "}")
    rows = {"model_id": ["a", "b", "c"], "field": ["f", "f", "f"], "is_selected": [True, False, True]}
    inputs = pa.array([["x", "y"], ["z"], None], pa.list_(pa.string()))
    parquet.write_table(pa.table({**rows, "inputs": inputs}), tmp_path / "estimates.parquet")
    found = read_estimates(open_side(tmp_path)).to_dict("list")
    assert found == {"model_id": ["a", "c"], "field": ["f", "f"], "inputs": [["x", "y"], []]}
