"""Whether a text prints a figure, in any of its spellings: 14.8T, 14.8 trillion, 14,800B, 1.48e13, 14.8万亿.

A figure that stands without its scale may be that of a table whose head has it; "36" or "2" alone says nothing.
"""

from __future__ import annotations

import calendar
import re
from datetime import date
from fractions import Fraction
from math import prod
from typing import NamedTuple

SCALES = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mn": 6,
    "million": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "t": 12,
    "tn": 12,
    "trillion": 12,
    "万": 4,
    "百万": 6,
    "亿": 8,
    "百亿": 10,
    "千亿": 11,
    "万亿": 12,
    "兆": 12,
}
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBER = re.compile(
    r"(?<![\d.])(?<!\d,)(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:e(?P<e>[+-]?\d+)|\s?[x×*·]\s?10\^(?P<power>-?\d+))?"
    rf"(?:[\s-]?(?P<scale>万亿|千亿|百亿|百万|[万亿兆]|(?:{'|'.join(w for w in SCALES if w.isascii())})(?![a-z])))?",
    re.IGNORECASE,
)
POWER_ALONE = re.compile(r"(?<![\d.×x*·])(?<![×x*·] )10\^(-?\d+)")
MARKUP = {"**": "", "__": "", r"\times": "×", r"\cdot": "·", "~": " ", r"\,": "", r"\%": "%", "{": "", "}": "", "$": ""}
WORKED_OUT = re.compile(r"\d[\w.,]*(?: \w+)?(?: [×+] \d[\w.,]*(?: \w+)?)+")
SUPERSCRIPT = re.compile("10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
CLOSE = Fraction(1, 50)  # a product of printed factors and the rounded figure entered for it


class Amount(NamedTuple):
    """A printed number: its digits, and the scale that follows them."""

    digits: Fraction
    scale: Fraction

    @property
    def size(self) -> Fraction:
        return self.digits * self.scale

    @property
    def is_bare(self) -> bool:
        return self.scale == 1


def prints_number(text: str, value_text: str, locator: str = "") -> bool:
    """Whether the text prints every number of the value; of a value that the locator works out ("150K × 256K"), every
    factor."""
    printed = amounts(text)
    wanted = _numbers(value_text)
    if not wanted:
        return False
    return all(_stands(one, printed) for one in wanted) or _is_worked_out(wanted[0], locator, printed)


def prints_words(text: str, value_text: str) -> bool:
    """Whether the text prints the words of the value, whatever stands between their letters."""
    return any(_letters(item) in _letters(text) for item in value_text.split(";") if _letters(item))


def prints_date(text: str, day: date) -> bool:
    """Whether the text prints the year, the month as number or name, and the day."""
    tokens = set(re.findall(r"\d+|[a-z]+", text.lower()))
    names = {calendar.month_name[day.month].lower(), calendar.month_abbr[day.month].lower()}
    months = {str(day.month), f"{day.month:02d}"} | names
    days = {form for d in (str(day.day), f"{day.day:02d}") for form in (d, d + "th", d + "st", d + "nd", d + "rd")}
    return str(day.year) in tokens and bool(months & tokens) and bool(days & tokens)


def amounts(text: str) -> list[Amount]:
    """Every number of the text, with its scale."""
    text = _plain(text)
    powers = [Amount(Fraction(1), Fraction(10) ** int(match[1])) for match in POWER_ALONE.finditer(text)]
    return [_amount(match) for match in NUMBER.finditer(POWER_ALONE.sub(" ", text))] + powers


def _numbers(value_text: str) -> list[Amount]:
    """The numbers of a value, without those in a name such as H100."""
    return amounts(re.sub(r"\b[A-Za-z_]+[-_]?\d[\w.-]*", " ", value_text))


def _plain(text: str) -> str:
    for mark, sign in MARKUP.items():
        text = text.replace(mark, sign)
    text = SUPERSCRIPT.sub(lambda m: "10^" + m[1].translate(PLAIN), text)
    for number, word in enumerate(WORDS):
        text = re.sub(rf"\b{word}\b", str(number), text, flags=re.IGNORECASE)
    return re.sub(r"\ba (?=thousand|million|billion|trillion)", "1 ", text, flags=re.IGNORECASE)


def _amount(match: re.Match[str]) -> Amount:
    digits = Fraction(match["number"].replace(",", ""))
    power = int(match["e"] or match["power"] or 0)
    scale = SCALES.get((match["scale"] or "").lower(), 0)
    return Amount(digits, Fraction(10) ** (power + scale))


def _stands(wanted: Amount, printed: list[Amount]) -> bool:
    several = wanted.digits >= 100 or wanted.digits.denominator > 1
    sizes = {one.size for one in printed} | {one.digits * wanted.scale for one in printed if one.is_bare and several}
    return wanted.size in sizes


def _is_worked_out(wanted: Amount, locator: str, printed: list[Amount]) -> bool:
    """Whether the locator has products and sums whose parts stand in the text and give the value."""
    for expression in WORKED_OUT.findall(locator):
        terms = [
            [found[0] for part in term.split(" × ") if (found := amounts(part))] for term in expression.split(" + ")
        ]
        size = sum(prod(factor.size for factor in term) for term in terms)
        if abs(size / wanted.size - 1) <= CLOSE and all(_stands(factor, printed) for term in terms for factor in term):
            return True
    return False


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
