"""Names: what is folded and what is kept."""

import pytest

from pipeline.base.names import clean_name, skeleton, slug


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("VAETKI\n", "VAETKI"),  # Epoch AI, all models, 2026-03-30
        ("ALLaM\xa0adapted 70B ", "ALLaM adapted 70B"),  # the same file
        ("Tu\u0308lu 3", "T\u00fclu 3"),
        ("GPT\u200b-3", "GPT-3"),
        ("\u202eabc\u202c", "abc"),
        ("NA", "NA"),
        ("CaLM", "CaLM"),
    ],
)
def test_clean_name_is_nfc_trimmed_and_nothing_more(raw: str, clean: str) -> None:
    assert clean_name(raw) == clean


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GPT-3 175B (davinci)", "gpt-3-175b-davinci"),
        ("Llama 3.1-70B", "llama-3.1-70b"),
        ("π0.6 (pi-0.6)", "pi-0.6-pi-0.6"),
        ("λ-WASP", "lambda-wasp"),
        ("Command R+", "command-r-plus"),
        ("LSTM+CNN", "lstm-cnn"),
        ("Tülu 3", "tulu-3"),
        ("EN^2AS with performance reward", "en-2as-with-performance-reward"),
    ],
)
def test_slug(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_slug_of_a_name_without_latin_letters_is_a_stable_hash() -> None:
    assert slug("智云") == slug("智云")
    assert slug("智云") != slug("无涯")
    assert slug("智云").startswith("model-")


def test_confusable_names_share_a_skeleton() -> None:
    assert skeleton("СLIP") == skeleton("CLIP")  # a Cyrillic С
    assert skeleton("CaLM") == skeleton("CALM")
    assert skeleton("GPT-3") != skeleton("GPT-2")
