"""architectures.csv: what is refused, with the line at fault."""

from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.architectures import Architecture, load_architectures
from pipeline.registry.vocabularies import load_vocabularies

HEADER = "model_id,architecture,locator,reference,evidence,accessed\n"
GOOD = "t5-11b,encoder-decoder,section 2.1,arXiv:1910.10683,seen,2026-11-22\n"


CODES = load_vocabularies(Paths(CHECKOUT))["architectures"]


def load(root: Path, text: str) -> list[Architecture]:
    paths = Paths(root)
    paths.curated.mkdir(parents=True, exist_ok=True)
    paths.architectures.write_text(text, encoding="utf-8")
    return load_architectures(paths, CODES)


def test_a_model_can_be_of_several_kinds_and_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    lines = [GOOD, GOOD.replace("encoder-decoder", "MoE")]
    found = [Architecture("t5-11b", "MoE"), Architecture("t5-11b", "encoder-decoder")]
    assert load(tmp_path, HEADER + "".join(lines)) == load(tmp_path, HEADER + "".join(reversed(lines))) == found


def test_a_file_without_lines_declares_none(tmp_path: Path) -> None:
    assert load(tmp_path, HEADER) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (GOOD.replace("encoder-decoder", "encoder-decodr"), r'not in the vocabulary architectures.*"encoder-decoder"'),
        (GOOD.replace("arXiv:1910.10683", ""), "reference is missing"),
        (GOOD.replace("arXiv:1910.10683", "a paper"), '"a paper" is not a reference'),
        (GOOD.replace("seen", "guessed"), 'evidence "guessed" is not known'),
        (
            GOOD.replace("section 2.1", "section 2.1, text"),
            "7 cells; a line has 6 cells; quote a cell that contains a comma",
        ),
        (GOOD.replace("section 2.1", "text"), 'locator "text" leads nowhere'),
        (GOOD, "is listed twice"),
    ],
)
def test_a_line_at_fault_is_named(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(DataError, match=rf"data/raw/curated/architectures\.csv:3 \[t5-11b\].*{reason}"):
        load(tmp_path, HEADER + GOOD + line)


def test_another_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it must be model_id,architecture,locator,reference,evidence,accessed"):
        load(tmp_path, "model_id,kind\n")
