"""How names of models and citations are written. Nothing here guesses that two names mean the same model, and nothing
heavy is imported, so that commands start at once."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# Cyrillic and Greek letters that look like Latin ones (from the confusables of Unicode TS 39)
LOOKALIKES = str.maketrans("аеорсухіѕјкмтвнοαρ", "aeopcyxisjkmtbhoap")


def clean_name(text: str) -> str:
    """The text in NFC, without control characters, zero-width and direction marks, white space collapsed and trimmed;
    else unchanged."""
    clean = unicodedata.normalize("NFC", text)
    if not clean.isprintable():
        clean = "".join(sign for sign in clean if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf"))
    return " ".join(clean.split())


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


def _ascii(char: str) -> str:
    """What a character becomes in an id: Greek letters their names, accents nothing, the rest a gap."""
    if char.isascii():
        return char
    words = unicodedata.name(char, "").replace("LAMDA", "LAMBDA").split()
    if words[:1] == ["GREEK"] and "LETTER" in words and len(words) == 4:
        return f"-{words[3]}-"
    return "" if unicodedata.combining(char) else " "


# --- How a curated fact is cited

CITATION = ("reference", "evidence", "accessed")
EVIDENCE = ("seen", "secondary", "recalled")
NOT_LOCATED = "not located"  # says of a recalled figure that nobody knows where it stands
# Words that name a text but no place in it, whatever follows after a comma
TEXTS = frozenset({
    "announcement", "article", "arxiv", "blog", "journal", "main text", "paper", "post", "preprint", "report",
    "statement", "technical report", "text", "website",
})  # fmt: skip
# Words that name a long part of a text, and are a place only with what follows: "methods, training regimen"
PARTS = frozenset({"appendix", "documentation", "methods", "page", "supplement", "title page"})
PLACE = 'name the section, table or page where the figure is, or "not located" if it is recalled'
WEB = re.compile(r"arXiv:[^\s;]+|doi:10\.\S+|https?://[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?")
ADDRESS = "write arXiv:2211.05100, doi:10.1038/… or https://…; several with `; ` between them"


def leads_nowhere(locator: str, evidence: str) -> bool:
    """Whether a locator does not say where in the text a figure is. "not located" says so itself, of a recalled one."""
    words = locator.strip().lower()
    first = re.split(r"[,(]", words)[0].strip()
    return not words or first in TEXTS or words in PARTS or (first == NOT_LOCATED and evidence != "recalled")


def is_reference(text: str) -> bool:
    """Whether a reference entered by hand consists of arXiv ids, DOIs and addresses of the web, and of nothing that a
    browser would run or read from elsewhere."""
    return all(WEB.fullmatch(part) for part in text.split("; "))
