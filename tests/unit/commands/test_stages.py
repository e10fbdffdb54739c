"""The four stages, run one at a time, publish what `build` does."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from pipeline.publish.intermediate import load, save

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.registry.context import load_context
from pipeline.registry.frames import empty_frame
from traincompute.cli import group

STAGES = ("normalize", "validate", "impute", "validate", "publish")


def run(*words: str) -> str:
    done = CliRunner().invoke(group, ["stage", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def tables(paths: Paths) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(paths.processed.glob("*.csv"))}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("models.parquet", b"PAR1", "cannot be read: "),
        ("vintage.json", b'{"as_of"', "not valid JSON: "),
        ("vintage.json", b"{}", "as_of: the key is missing"),
        ("vintage.json", None, "the file is missing"),
    ],
)
def test_what_an_earlier_stage_left_damaged_is_named(
    small: Paths, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, reason: str
) -> None:
    context, stage = load_context(small), small.stages / name
    save(context, {"models": empty_frame(context.schemas["models"])}, None)
    assert load(context)[1] is None
    stage.write_bytes(content) if content else stage.unlink()
    with pytest.raises(DataError) as caught:
        load(context)
    assert str(caught.value).startswith(f"data/processed/stages/{name}: {reason}")
    assert str(caught.value).endswith("; run `traincompute stage normalize`")
