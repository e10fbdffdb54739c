"""Every form of reference that is entered has a kind and an address."""

from __future__ import annotations

import csv

import pytest

from pipeline.paths import CHECKOUT
from pipeline.site.references import KINDS, read_reference


@pytest.mark.parametrize(
    ("text", "kind", "link"),
    [
        ("arXiv:cs/0309048", "arXiv", "https://arxiv.org/abs/cs/0309048"),
        ("doi:10.1038/nature14539", "DOI", "https://doi.org/10.1038/nature14539"),
        ("https://doi.org/10.1101/2024.07.02.601703", "DOI", ""),
        ("https://github.com/facebookresearch/SAM/blob/13ea6634/README.md", "repository at a commit", ""),
        ("https://github.com/facebookresearch/metaseq/blob/main/projects/OPT/chronicles", "repository", ""),
        ("https://github.com/openai/gpt-2/blob/master/model_card.md", "model card", ""),
        ("https://github.com/PRIME-RL/PRIME/issues/17", "discussion", ""),
        ("https://openreview.net/forum?id=vOEXS39nOF", "discussion", ""),
        ("https://huggingface.co/EleutherAI/pythia-12b", "model card", ""),
        ("https://huggingface.co/blog/falcon3", "web page", ""),
        ("https://nlp.stanford.edu/pubs/glove.pdf", "report", ""),
        ("https://epoch.ai/data/all_ai_models.csv", "data file", ""),
        ("a letter", "text", ""),
    ],
)
def test_a_reference_has_a_kind_and_an_address(text: str, kind: str, link: str) -> None:
    assert read_reference(text) == (kind, link or text)


def test_every_curated_reference_has_a_kind() -> None:
    files = sorted((CHECKOUT / "data/raw/curated").glob("facts*.csv"))
    rows = [row for file in files for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())]
    found = {read_reference(row["reference"]).kind for row in rows}
    assert found == {kind for kind, _, _ in KINDS}
