"""check-citations: whether each figure that was seen in a public repository stands where its permalink leads."""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache, partial
from urllib.parse import quote, unquote

from pipeline.curate.add_fact import read_lines
from pipeline.normalize.text import read_text
from pipeline.paths import Paths
from pipeline.schema import field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies
from traincompute.web import FetchError, fetch

RAW = "raw.githubusercontent.com"
MOST_BYTES = 64_000_000  # a technical report with pictures may have half as many bytes
NOT_THERE, NOT_READ = "not there", "not read"
REMEDIES = {  # title and remedy
    NOT_THERE: ("figures that their line or page does not print", "correct the permalink or the fact"),
    NOT_READ: ("files that could not be read", "try again later"),
}
PERMALINK = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/blob/(?P<commit>[0-9a-f]{40}/[^#?]+)"
    r"#(?:L(?P<line>[0-9]+)(?:-L(?P<last>[0-9]+))?|page=(?P<page>[0-9]+))"
)
SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "mn": 6, "m": 6, "bn": 9, "b": 9, "tn": 12,
          "t": 12, "百万": 6, "千亿": 11, "百亿": 10, "万亿": 12, "万": 4, "亿": 8, "兆": 12}  # fmt: skip
NUMBER = re.compile(
    r"(?<![\d.])(?<!\d,)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:(?:e|\s?[x×*·]\s?10\^)(?P<power>[+-]?\d{1,2})(?!\d))?"
    rf"(?:[\s-]?(?P<scale>{'|'.join(w + '(?![a-z])' * w.isascii() for w in SCALES)}))?",
    re.IGNORECASE,
)
MARKUP = {"**": "", "__": "", r"\times": "×", r"\cdot": "·", "~": " ", r"\,": "", r"\%": "%", "{": "", "}": "", "$": ""}
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WORKED_OUT = re.compile(r"\d[\w.,]*(?: \w+)?(?: [×+] \d[\w.,]*(?: \w+)?)+")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
Amount = tuple[float, float]  # the digits, and the factor that follows them


def check_citations(paths: Paths, mirror: str = "") -> Iterator[dict[str, str]]:
    """Opens the permalink of every fact that was seen and stands now, at GitHub or below a mirror of it. Of each that
    is not found: where the fact is (file and line), what it says, its reference, the outcome and a detail."""
    host = f"{mirror.rstrip('/')}/{RAW}" if mirror else f"https://{RAW}"
    vocabularies = load_vocabularies(paths)
    fields = field_registry(load_schemas(paths), vocabularies, ["models"])
    read = lru_cache(read_file)  # many facts of one file follow each other
    for where, row in sorted(read_lines(paths, "curated"), key=lambda line: line[1]["reference"]):
        if row["evidence"] == "seen" and (link := PERMALINK.fullmatch(row["reference"])):
            field, value, outcome = fields[f"models.{row['field']}"], row["value_text"], NOT_THERE
            value = read_text(field, value, vocabularies).code if field.type == "date" else value
            try:
                parts = read(f"{host}/{link['repository']}/{quote(unquote(link['commit']))}")
                detail = look(parts, link, partial(prints, kind=field.type, value=value, locator=row["locator"]))
            except FetchError as error:
                outcome, detail = NOT_THERE if "HTTP 404" in error.reason else NOT_READ, error.reason
            if detail:
                fact = {name: row[name] for name in ("record", "field", "value_text", "reference")}
                yield {"where": where, **fact, "outcome": outcome, "detail": detail}


def read_file(address: str) -> tuple[str, ...]:
    """The lines of a text, or the pages of a PDF. Raises FetchError."""
    fetch(address, body := io.BytesIO(), deadline=90, max_bytes=MOST_BYTES)
    if not body.getvalue().startswith(b"%PDF"):
        return tuple(body.getvalue().decode("utf-8", "replace").split("\n"))
    if not shutil.which("pdftotext"):
        raise FetchError(address, "a PDF, and pdftotext (poppler) is not installed")
    pages = subprocess.run(["pdftotext", "-layout", "-", "-"], input=body.getvalue(), capture_output=True, check=False)
    return tuple(pages.stdout.decode("utf-8", "replace").split("\f"))


def look(parts: tuple[str, ...], link: re.Match[str], is_printed: Callable[[str], bool]) -> str:
    """Where else a figure is printed that is not in the lines or on the page of the link; "" if it is there."""
    first = int(link["line"] or link["page"])
    if is_printed("\n".join(parts[first - 1 : int(link["last"] or first)])):
        return ""
    places = ", ".join([str(number) for number, part in enumerate(parts, 1) if is_printed(part)][:3])
    return f"it is in {'page' if link['page'] else 'line'} {places}" if places else "the file does not print it"


def prints(text: str, kind: str, value: str, locator: str = "") -> bool:
    """Whether a text prints a value, in any spelling: every number of it (or, of one that the locator works out, every
    factor), year, month and day of a date, or one of its words."""
    if kind == "date":
        day = date.fromisoformat(value)
        words = set(re.findall(r"\d+|[a-z]+", re.sub(r"(?<=\d)(?:th|st|nd|rd)\b", "", text.lower())))
        months = {f"{day:%B}".lower(), f"{day:%b}".lower(), f"{day:%m}", str(day.month)}
        return str(day.year) in words and bool(months & words) and bool({f"{day:%d}", str(day.day)} & words)
    if kind != "number":
        letters = re.sub(r"[\W_]+", "", text.casefold())
        return any(word and word in letters for word in re.sub(r"[^\w;]|_", "", value.casefold()).split(";"))
    printed = amounts(text)
    wanted = amounts(re.sub(r"\b[A-Za-z_]+[-_]?\d[\w.-]*", " ", value))  # without those in a name such as H100
    if not wanted or all(_stands(number, printed) for number in wanted):
        return bool(wanted)
    for expression in WORKED_OUT.findall(locator):  # its products and sums give the value within 2 %
        terms = [[amounts(part)[0] for part in term.split(" × ")] for term in expression.split(" + ")]
        total = sum(math.prod(number * scale for number, scale in term) for term in terms)
        if math.isclose(total, wanted[0][0] * wanted[0][1], rel_tol=0.02):
            return all(_stands(factor, printed) for term in terms for factor in term)
    return False


def amounts(text: str) -> list[Amount]:
    """Every number of a text: 14.8T, 14.8 trillion, 14,800B, 1.48 × 10^13, 14.8万亿."""
    for mark, sign in MARKUP.items():
        text = text.replace(mark, sign)
    text = re.sub("10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda raised: "10^" + raised[1].translate(RAISED), text)
    for number, word in enumerate(WORDS):
        text = re.sub(rf"\b{word}\b", str(number), text, flags=re.IGNORECASE)
    text = re.sub(r"\ba (?=thousand|million|billion|trillion)", "1 ", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<![\d.×x*·^])(?<![×x*·] )10\^", "1e", text)
    found = [(m, int(m["power"] or 0) + SCALES.get((m["scale"] or "").lower(), 0)) for m in NUMBER.finditer(text)]
    return [(float(m["digits"].replace(",", "")), 10.0**power) for m, power in found]


def _stands(wanted: Amount, printed: list[Amount]) -> bool:
    """Whether a number is printed, or its digits as those of a table whose head has the scale; "36" or "2" alone say
    nothing."""
    digits, factor = wanted
    sizes = [number * scale for number, scale in printed]
    if digits >= 100 or digits != int(digits):
        sizes += [number * factor for number, scale in printed if scale == 1]
    return any(math.isclose(size, digits * factor) for size in sizes)
