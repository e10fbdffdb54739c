"""Names, and the codes and spellings of vocabularies."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import DataError
from pipeline.names import clean_name, short_hash, skeleton, slug
from pipeline.paths import Paths
from pipeline.vocabularies import load_vocabularies, resolve_items


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("VAETKI\n", "VAETKI"),  # Epoch AI, all models, 2026-03-30
        ("ALLaM\xa0adapted 70B ", "ALLaM adapted 70B"),  # the same file
        ("Tu\u0308lu 3", "T\u00fclu 3"),
        ("GPT\u200b-3", "GPT-3"),
        ("\u202eabc\u202c", "abc"),
        ("a\x1b[0m ~\x7f\x80\x9f\x00b\x1fc", "a[0m ~b c"),  # codes of a terminal, of which one is white space
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
        ("YandexGPT Я 5", "yandexgpt-5"),
        ("Odysseuς͵2", "odysseu-2"),  # a final sigma and a numeral sign: Greek, but no letters with a name of their own
        ("EN^2AS with performance reward", "en-2as-with-performance-reward"),
    ],
)
def test_slug(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_slug_of_a_name_without_latin_letters_is_a_stable_hash() -> None:
    assert slug("智云") == f"model-{hashlib.sha256('智云'.encode()).hexdigest()[:8]}"
    assert slug("智云") != slug("无涯")
    assert short_hash("abc") == "ba7816"  # FIPS 180-2, appendix B.1


def test_confusable_names_share_a_skeleton() -> None:
    assert skeleton("СLIP") == skeleton("CLIP")  # a Cyrillic С
    assert skeleton("CaLM") == skeleton("CALM")
    assert skeleton("GPT-3") != skeleton("GPT-2")


WORDS = """description: Codes.
ignored: [Unknown]
on_unknown: error
codes:
  Vision: {aliases: [Images, "Images, video", 3]}
  Language: {}
"""


def load(root: Path, text: str) -> Any:
    file = root / "schemas" / "vocab" / "domains.yml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return load_vocabularies.__wrapped__(Paths(root))


def test_a_cell_is_split_into_codes_and_a_spelling_with_a_comma_stays_whole(tmp_path: Path) -> None:
    domains = load(tmp_path, WORDS)["domains"]
    assert domains.lookup["3"] == domains.lookup["Images"] == "Vision"
    assert domains.attribute("Language", "aliases") is domains.attribute("Sound", "aliases") is None
    assert resolve_items("Language ,Images, video,, Images", domains) == (["Language", "Vision"], [])
    assert resolve_items("Images, Unknown, Vision, Sound", domains) == (["Vision", "Sound"], ["Sound"])
    assert domains.unknown("Visiom")[1].startswith('did you mean "Vision"? Otherwise add it to schemas/vocab/')
    any_word = load(tmp_path, WORDS.replace("error", "report"))["domains"]
    assert resolve_items("Images; a;b", any_word) == (["Vision", "a", "b"], [])


def test_a_spelling_of_two_codes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r'domains\.yml \[Language\]: aliases "Images": also stands for Vision; remove'):
        load(tmp_path, WORDS.replace("Language: {}", "Language: {aliases: [Images]}"))
