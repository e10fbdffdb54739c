"""components.csv: what is refused, with the line at fault."""

from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.registry.components import Component, check_known, load_components

HEADER = "model_id,component_id,role,locator,reference,evidence,accessed\n"
GOOD = "imagen,t5-11b,text_encoder,section 2.1,arXiv:2205.11487,seen,2026-11-28\n"


def load(root: Path, text: str) -> list[Component]:
    paths = Paths(root)
    paths.curated.mkdir(parents=True, exist_ok=True)
    paths.components.write_text(text, encoding="utf-8")
    return load_components(paths)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (GOOD.replace("text_encoder", "encoder"), 'role "encoder": is not known; one of text_encoder, image_encoder'),
        (GOOD.replace("arXiv:2205.11487", ""), "reference is missing"),
        (GOOD.replace("arXiv:2205.11487", "the paper"), '"the paper" is not a reference'),
        (GOOD.replace("seen", "guessed"), 'evidence "guessed" is not known'),
        (GOOD.replace("section 2.1", "paper"), 'locator "paper" leads nowhere'),
        (GOOD.replace("t5-11b", "imagen"), 'component_id "imagen": is the model itself'),
        (GOOD.replace("text_encoder", "tokenizer"), 'component_id "t5-11b": is listed twice; remove one'),
    ],
)
def test_a_line_at_fault_is_named(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(DataError, match=rf"data/raw/curated/components\.csv:3 \[imagen\]: .*{reason}"):
        load(tmp_path, HEADER + GOOD + line)


@pytest.mark.parametrize(("ids", "cell"), [({"imagen"}, 'component_id "t5-11b"'), ({"t5-11b"}, 'model_id "imagen"')])
def test_a_model_that_no_source_has_is_named(tmp_path: Path, ids: set[str], cell: str) -> None:
    with pytest.raises(DataError, match=rf"components\.csv:2 \[imagen\]: {cell}: no model has this id; see"):
        check_known(load(tmp_path, HEADER + GOOD), ids)
    check_known(load(tmp_path, HEADER + GOOD), {"imagen", "t5-11b"})
