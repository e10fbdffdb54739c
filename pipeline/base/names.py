"""Normalises names of models for comparison and for ids. Nothing here guesses that two names mean the same model."""

from __future__ import annotations

import hashlib
import re
import unicodedata

INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u200b\u200c\u200d\u2060\ufeff\u00ad\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    )
)
# codes that a terminal obeys; those that are white space are collapsed
INVISIBLE |= {code: None for code in range(0xA0) if not (chr(code).isprintable() or chr(code).isspace())}


def clean_name(text: str) -> str:
    """The text in NFC, without control characters, zero-width and direction marks, white space collapsed and trimmed;
    else unchanged."""
    return " ".join(unicodedata.normalize("NFC", text).translate(INVISIBLE).split())


def slug(text: str) -> str:
    """A name in the form of an id: lower-case a-z, 0-9 and '.', anything else as '-'; Greek letters are spelled out."""
    spelled = re.sub(r"(?<=\w)\+(?!\w)", " plus", text)  # Command R+ is not Command R
    plain = spelled if text.isascii() else "".join(map(_ascii, unicodedata.normalize("NFKD", spelled)))
    return re.sub(r"[^a-z0-9.]+", "-", plain.lower()).strip("-.") or "model-" + short_hash(text, 8)


def short_hash(text: str, length: int = 6) -> str:
    """The first hex digits of the text's sha256."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def skeleton(text: str) -> str:
    """A name without case, punctuation and look-alike letters: names with equal skeletons are easily confused."""
    letters = map(_ascii, unicodedata.normalize("NFKD", text).casefold().translate(LOOKALIKES))
    return re.sub(r"[^a-z0-9]+", "", "".join(letters).lower())


# Cyrillic and Greek letters that look like Latin ones (from the confusables of Unicode TS 39)
LOOKALIKES = str.maketrans("аеорсухіѕјкмтвнοαρ", "aeopcyxisjkmtbhoap")


def _ascii(char: str) -> str:
    """What a character becomes in an id: Greek letters their names, accents nothing, the rest a gap."""
    if char.isascii():
        return char
    words = unicodedata.name(char, "").replace("LAMDA", "LAMBDA").split()
    if words[:1] == ["GREEK"] and "LETTER" in words and len(words) == 4:
        return f"-{words[3]}-"
    return "" if unicodedata.combining(char) else " "
