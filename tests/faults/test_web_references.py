"""A reference entered by hand leads to the web: row 97."""

from __future__ import annotations

import pytest

from pipeline import build
from pipeline.config import load_config
from pipeline.curated import Architecture, load_corrections, load_curated
from pipeline.errors import DataError
from pipeline.normalize.stage import read_ledger
from pipeline.paths import Paths

HOSTILE = [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://arxiv.org/abs/1; javascript:alert(1)",
    "https://localhost",
    "arXiv:1404.5997;arXiv:1502.03167",
]
FACTS = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
CORRECTION = (
    "- {{id: a, source: epoch_all, record: AlexNet, field: parameters, value_text: 1, since: 2022-01-01, "
    'entered: 2026-11-21, action: acknowledge, upstream: mended, reason: test, reference: "{0}"}}\n'
)


@pytest.mark.parametrize("reference", HOSTILE)
def test_a_reference_that_leads_elsewhere_is_refused(small: Paths, reference: str) -> None:
    (small.curated / "facts.csv").write_text(f"{FACTS}AlexNet,parameters,6e7,table 1,2026-11-21,,{reference},seen,\n")
    with pytest.raises(DataError, match=r"facts\.csv:2 \[AlexNet\]: parameters .* is not a reference; write arXiv:"):
        read_ledger(load_config(small))
    (small.curated / "facts.csv").unlink()
    (small.curated / "corrections.yml").write_text(CORRECTION.format(reference))
    with pytest.raises(DataError, match=r"corrections\.yml:1 .* is not a reference"):
        load_corrections(small)
    header = small.architectures.read_text()
    small.architectures.write_text(f"{header}alexnet,cnn,section 1,{reference},seen,2026-11-21\n")
    with pytest.raises(DataError, match=r"architectures\.csv:2 .* is not a reference"):
        load_curated(small, Architecture)


def test_nor_may_the_link_of_a_model_that_a_person_entered(small: Paths) -> None:
    line = "AlexNet,reference_url,javascript:alert(1),title,2026-11-21,,arXiv:1404.5997,seen,\n"
    (small.curated / "facts.csv").write_text(FACTS + line)
    with pytest.raises(DataError, match='reference_url "javascript:alert'):
        build.build(small)
