"""Reads the questions of examples.md, and finds those that some words are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).with_name("examples.md")
PART = re.compile(
    r"^## (?P<section>.+)|^### (?P<question>.+)\n\n```sql\n(?P<sql>.+)\n```\n\n"
    r"```python\n(?P<python>.+)\n```\n\n```r\n(?P<r>.+)\n```",
    re.MULTILINE,
)
ENDING = re.compile(r"(?:ies|y|es|s)$")
# what people type, without its ending = what the page says
SYNONYMS = """accelerator=chip act=1e25 ai=1e25 biggest=largest|most compan=organisation compute=compute|flop
    electricit=energy|power emission=carbon eu=1e25 gpu=chip|h100 lab=organisation license=licence
    organization=organisation price=cost threshold=1e25|1e24"""


class Example(NamedTuple):
    """A question by its number on the page, the section that it stands in, and one line that answers it in each
    language."""

    number: int
    section: str
    question: str
    sql: str
    python: str
    r: str


def read_examples() -> list[Example]:
    """All examples in the order of the page."""
    section, found = "", list[Example]()
    for part in PART.finditer(PAGE.read_text(encoding="utf-8")):
        section = part["section"] or section
        if part["question"]:
            found.append(Example(len(found) + 1, section, *part.group("question", "sql", "python", "r")))
    return found


def find_examples(words: Sequence[str]) -> list[Example]:
    """The examples that are about all of the words, those first that name them in the question, then in the section,
    then in the query; a number is the example of that number."""
    known = read_examples()
    if len(words) == 1 and words[0].isdigit():
        return [example for example in known if example.number == int(words[0])]

    synonyms = dict(entry.split("=") for entry in SYNONYMS.split())

    def weight(example: Example, word: str) -> int:
        stem = ENDING.sub("", word.lower())
        said = rf"(?<![^\W_])(?:{synonyms.get(stem, re.escape(stem))})"
        texts = (example.sql, example.section, example.question)
        return max(place * bool(re.search(said, text, re.IGNORECASE)) for place, text in enumerate(texts, 1))

    weights = {example: [weight(example, word) for word in words] for example in known}
    return sorted((one for one in known if all(weights[one])), key=lambda one: -sum(weights[one]))
