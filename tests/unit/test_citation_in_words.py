"""What a citation says, word for word: of a release, of a build, and of the build of a vintage."""

from __future__ import annotations

import json

from release_folders import EPOCH

from traincompute.citation import cite_as, cite_short, to_name

DIGEST = "ab" * 32
RELEASE = {
    "version": "2026.11.0",
    "date": "2026-12-01",
    "facts_until": "2026-11-20",
    "entered_until": "2026-11-28",
    "manifest_sha256": DIGEST,
}
HOUSED = RELEASE | {"url": "https://example.org/v2026.11.0"}
PRICES = EPOCH | {"source_id": "bls", "publisher": "BLS", "title": "Prices & wages", "attribution": "BLS, prices"}
FIXED = f"facts to 2026-11-20, entered by hand to 2026-11-28. CC BY 4.0. SHA-256 of manifest.json: {DIGEST}."
NAMED = "\nWith facts of: Epoch AI, 'Data on AI Models', https://epoch.ai/data/ai-models; BLS, prices.\n"
TITLE = "traincompute: how much compute it took to train machine-learning models"


def test_a_release_in_words() -> None:
    line = f"The traincompute contributors (2026). {TITLE}. Version 2026.11.0 [data set]. Released 2026-12-01, {FIXED}"
    assert cite_short(RELEASE) == line
    assert cite_as("text", RELEASE, [PRICES, EPOCH]) == line + NAMED


def test_a_release_for_bibtex() -> None:
    assert cite_as("bibtex", HOUSED, [PRICES]) == (
        "@dataset{traincompute_2026_11_0,\n"
        "  author = {{The traincompute contributors}},\n"
        f"  title = {{{{{TITLE}}}}},\n"
        "  year = {2026},\n"
        "  month = dec,\n"
        "  version = {2026.11.0},\n"
        "  license = {CC-BY-4.0},\n"
        "  url = {https://example.org/v2026.11.0},\n"
        f"  note = {{Data set. SHA-256 of manifest.json: {DIGEST}}}\n"
        "}\n\n"
        "@misc{bls,\n"
        "  author = {{BLS}},\n"
        r"  title = {{Prices \& wages}},"
        "\n"
        "  note = {{CC-BY-4.0}},\n"
        "  url = {https://epoch.ai/data/all.csv}\n"
        "}\n"
    )


def test_a_release_for_csl() -> None:
    ours, source = json.loads(cite_as("csl", HOUSED, [EPOCH]))
    assert ours == {
        "id": "traincompute-2026.11.0",
        "type": "dataset",
        "title": TITLE,
        "author": [{"literal": "The traincompute contributors"}],
        "issued": {"date-parts": [[2026, 12, 1]]},
        "version": "2026.11.0",
        "URL": "https://example.org/v2026.11.0",
        "note": f"Released 2026-12-01, {FIXED}",
    }
    assert source == {
        "id": "epoch_all",
        "type": "dataset",
        "title": "Data on AI Models",
        "author": [{"literal": "Epoch AI"}],
        "URL": "https://epoch.ai/data/ai-models",
        "note": "CC-BY-4.0",
    }


def test_each_attribution_with_facts_is_named_once_epoch_ai_first() -> None:
    again = EPOCH | {"source_id": "epoch_notable"}
    capital = PRICES | {"source_id": "acm", "publisher": "ACM", "attribution": "ACM"}
    small = PRICES | {"source_id": "arxiv", "publisher": "arXiv", "attribution": "arXiv"}
    own = EPOCH | {"source_id": "curated", "attribution": "own"}
    unused, silent = PRICES | {"attribution": "no facts", "facts": 0}, PRICES | {"attribution": None}
    assert to_name([PRICES, small, own, unused, silent, EPOCH, capital, again]) == [EPOCH, capital, small, PRICES]
