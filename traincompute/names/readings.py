"""The readings of a name: with and without the number format, context length and version in which the weights are
shipped, their form (instruct, chat, base) and their month. What a reading stands for is asked in unclear.sql.

A version or a date is left out only where the model that is found so has no other one there: Mistral 7B v0.3 is not
Mistral-7B-v0.1, and Gemini-Exp-1121 is not Gemini-Exp-1114."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from traincompute.query.rows import Row

FORMAT = (
    r"bnb|(?:nf|nvfp|mxfp|int|fp|bf|exl) ?[0-9]+(?: ?mix)?(?: block)?(?: dspark)?|i?q ?[0-9]+(?: [01k]\b)?(?: [sml]\b)?"
    r"|w[0-9]+a[0-9]+|[2-8] ?bits?|aqlm(?: pv)?(?: [1-8] ?bit)?(?: [1-8]x[0-9]+)?|awq|gptq|ggml|gguf|i1|mlx|onnx|dwq"
    r"|quantized|dynamic|imatrix|coreai|coreml|openvino|rkllm|unsloth|hf|vllm|diffusers|official|mtp"
)
VERSION = r"0\.[1-9]|1(?:\.0)?$|00[1-9]|[0-9]+e|cased|uncased"
CONTEXT = "[0-9]+k"
FORM = (
    r"(?:instruct|chat|base|it|inst)(?: (?:1(?:\.0)?$|turbo\b|fast\b))?|pt|sft|dpo|rl|versatile|preview|experimental"
    r"|exp|beta|discriminator|reference|generate"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = re.compile(
    r" (?:(?P<y4>(?:19|20)[0-9]{2}) ?(?P<m1>0[1-9]|1[0-2]) ?(?P<d1>[0-3][0-9])"
    r"|(?P<m2>0[1-9]|1[0-2]) ?(?:(?P<d2>[0-3][0-9])|(?P<y5>20[0-9]{2}))"
    rf"|(?P<y2>2[3-6])(?P<m3>0[1-9]|1[0-2])(?P<d3>[0-3][0-9])?|(?P<word>{'|'.join(MONTHS)})[a-z]*"
    r" (?P<y6>20[0-9]{2}))\b"
)
HUB = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
Date = tuple[int | None, int, int | None]  # year, month and day


class Reading(NamedTuple):
    """`step` is the rung on the ladder of unclear.sql, the surest first; year and month are those that were taken
    off."""

    step: int
    words: str
    year: int | None = None
    month: int | None = None


def readings(words: str, own: str) -> set[Reading]:
    """Of the words of a name, and of those behind the account of a hub, if it has one. Without the account the length
    of the context stays: another's longer context is another model."""
    return {*_plain(words, CONTEXT), *(_plain(own, None) if own else ())}


def left_out(words: str, read_as: str | None) -> list[str]:
    """The words of a name that the reading by which it was found does not have."""
    if not read_as:
        return []
    left = ([word for word in text.split() if word not in read_as.split()] for text in (words, _pointed(words)))
    return min(left, key=len)


def _plain(words: str, context: str | None) -> Iterator[Reading]:
    pointed = _pointed(words)
    for step, text in ((1, words), (2, pointed), (2, re.sub(r"(?<=[0-9])\.0\b", "", pointed))):
        yield Reading(step, text)
        shipped = _without(text, "|".join(filter(None, (FORMAT, VERSION, context))))
        less = {shipped, _without(text, FORM), _without(shipped, FORM)}
        yield from (Reading(4, form) for form in less if form)
        for form in {text, *less}:
            if dates := list(DATE.finditer(form)):  # of two the last counts
                year, month, _ = _date(dates[-1])
                yield Reading(4, DATE.sub("", form).strip(), year, month)


def _pointed(words: str) -> str:
    """3 5 is 3.5, m2 1 is m2.1, and 7b1 is 7.1b."""
    return re.sub(
        r"(?<![0-9.])([0-9])( |b)([0-9])(?= |$)", lambda found: f"{found[1]}.{found[3]}{found[2].strip()}", words
    )


def _without(words: str, what: str) -> str:
    return re.sub(rf" (?:{what})\b|(?<=[a-z]{{3}})chat\b", "", words).strip()


def has_other_digits(words: str, read_as: str, names: Iterable[Row]) -> bool:
    """Whether a model's names have another version, or its own names (`is_own`) another date, than what the reading of
    a name leaves out."""
    versions, dates = _numbers(words, read_as)
    known_versions, known_dates = list[str](), list[Date]()
    for name in names:
        if {*read_as.split()} <= {*name["words"]}:
            numbers = _numbers(" ".join(name["words"]), read_as)
            known_versions += numbers[0]
            known_dates += numbers[1] if name["is_own"] else []
    # Claude Instant v1 may be 1.2; two dates are the same as far as both are stated
    same_version = any(known == one or known.startswith(f"{one}.") for one in versions for known in known_versions)
    same_date = any(
        all(None in pair or pair[0] == pair[1] for pair in zip(one, known, strict=True))
        for one in dates
        for known in known_dates
    )
    return bool((versions and known_versions and not same_version) or (dates and known_dates and not same_date))


def _numbers(words: str, read_as: str) -> tuple[set[str], set[Date]]:
    """The versions and dates that a reading leaves out of a name; sizes and formats are none."""
    text = re.sub(rf" (?:{FORMAT})\b", "", " " + " ".join(left_out(words, read_as)))
    return {*filter(NUMBER.fullmatch, DATE.sub("", text).split())}, {_date(found) for found in DATE.finditer(text)}


def _date(found: re.Match[str]) -> Date:
    """Year, month and day of a date, as far as it has them."""
    part = found.groupdict()
    year = part["y4"] or part["y5"] or part["y6"] or (part["y2"] and f"20{part['y2']}")
    month = part["m1"] or part["m2"] or part["m3"] or MONTHS.index(part["word"]) + 1
    day = part["d1"] or part["d2"] or part["d3"]
    return int(year) if year else None, int(month), int(day) if day else None
