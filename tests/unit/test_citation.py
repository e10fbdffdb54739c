"""How a dataset is cited: what each style says of a release and of a build, and the sources that are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from release_folders import EPOCH, write_release

import traincompute as t
from pipeline.paths import Paths
from traincompute.citation import TITLE, cite_as, cite_short, to_name
from traincompute.cli import group

DIGEST = "ab" * 32
BUILD = {
    "version": "2026.11.0",
    "date": None,
    "facts_until": "2026-11-20",
    "entered_until": "2026-11-28",
    "manifest_sha256": DIGEST,
}
RELEASE = BUILD | {"date": "2026-12-01", "url": "https://example.org/v2026.11.0"}
PRICES = EPOCH | {"source_id": "bls", "publisher": "BLS", "title": "Prices & wages", "attribution": "BLS, prices"}
FIXED = f"facts to 2026-11-20, entered by hand to 2026-11-28. CC BY 4.0. SHA-256 of manifest.json: {DIGEST}."


@pytest.mark.parametrize("style", ["text", "bibtex"])
def test_every_style_has_version_hash_and_epoch_ai_with_its_address(built: Paths, tmp_path: Path, style: str) -> None:
    write_release(built.processed, tmp_path, "2026.11.0")
    released = str(tmp_path / "v2026.11.0")
    shown = t.cite(released, style)
    digest = t.load("models", released).attrs["manifest_sha256"]
    words = ("2026.11.0", digest, "Epoch AI", "Data on AI Models", "https://epoch.ai/data/ai-models")
    assert [word for word in words if word not in shown] == []
    options = [] if style == "text" else [f"--{style}"]
    assert CliRunner().invoke(group, ["cite", *options, "--version", released]).output == shown


def test_a_release_and_a_build_in_words() -> None:
    line = f"The traincompute contributors (2026). {TITLE}. Version 2026.11.0 [data set]."
    assert cite_short(BUILD) == f"{line} A build that is not released, {FIXED}"
    named = "With facts of: Epoch AI, 'Data on AI Models', https://epoch.ai/data/ai-models; BLS, prices."
    assert cite_as("text", RELEASE, [EPOCH, PRICES]) == f"{line} Released 2026-12-01, {FIXED}\n{named}\n"


def test_a_release_for_bibtex() -> None:
    ours, source = cite_as("bibtex", RELEASE, [PRICES]).split("\n\n")
    assert ours.startswith("@dataset{traincompute_2026_11_0,\n  author = {{The traincompute contributors}},\n")
    fields = ("  year = 2026", "  version = {2026.11.0}", "  url = {https://example.org/v2026.11.0}")
    assert set(fields) <= {line.rstrip(",") for line in ours.splitlines()}
    assert source.splitlines()[:3] == ["@misc{bls,", "  author = {{BLS}},", r"  title = {{Prices \& wages}},"]


def test_each_attribution_with_facts_is_named_once_epoch_ai_first() -> None:
    again = EPOCH | {"source_id": "epoch_notable"}
    capital = PRICES | {"source_id": "acm", "publisher": "ACM", "attribution": "ACM"}
    own = EPOCH | {"source_id": "curated", "attribution": "own"}
    unused, silent = PRICES | {"attribution": "no facts", "facts": 0}, PRICES | {"attribution": None}
    assert to_name([PRICES, own, unused, silent, EPOCH, capital, again]) == [EPOCH, capital, PRICES]


def test_another_style_is_refused(built: Paths) -> None:
    with pytest.raises(ValueError, match="no style 'mla'; there are: text, bibtex"):
        t.cite(str(built.processed), "mla")
