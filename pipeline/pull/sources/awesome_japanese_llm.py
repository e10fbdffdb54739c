"""The list of Japanese language models (Markdown): the models trained from scratch of which it gives size and
tokens."""

from __future__ import annotations

import re
from html import unescape

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading

SCRATCH = re.compile(r"\| +\| Release Year \| +Architecture +\|(?: +Max Context Length +\|)? +Training Data .*License")
SIZE = re.compile(r"\*\*(\d[\d.]*[bB])(?:\((\d[\d.]*[bB])\))?\*\*")  # in bold type; **4b(3.8b)** is 3.8 billion
TOKENS = re.compile(r"[(（]\*\*([\d.]+[TB])\*\* tokens[)）]")
LEFT_OUT = "<br>|instruct| beta"  # rows of several models, fine-tunes, and states of a run that has a row of its own
NO_BREAK = "\u2011"  # the hyphen at which no line ends
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per model and size; a row without one count of tokens for all its sizes is left out."""
    tables = [part.split("\n\n")[0] for part in SCRATCH.split(decode(content, where))[1:]]
    lines = [line for table in tables for line in table.splitlines() if line.startswith("| [")]
    facts = [fact for line in lines for fact in _facts([cell.strip() for cell in line.strip("| ").split(" | ")])]
    return Reading(facts, len({fact.record for fact in facts}))


def _facts(cells: list[str]) -> list[Fact]:
    title, sizes, tokens = LINK.search(cells[0]), SIZE.findall(cells[2]), set(TOKENS.findall(" ".join(cells)))
    if not title or len(tokens) != 1 or re.search(LEFT_OUT, cells[0]):
        return []
    counts, (count,) = {(exact or nominal).upper() for nominal, exact in sizes}, tokens
    cell = {"domain": "Language", "task": "Language modeling", "training_tokens": f"{count} tokens"}
    cell |= {"publication_date": cells[1].strip("* "), "organization": re.sub(r" *(\[\^|<br>).*", "", cells[-2])}
    licence = unescape(cells[-1]).replace(NO_BREAK, "-")
    cell |= {"license": licence} if len(licence) < 40 and not re.search(r"<br>|\[", licence) else {}
    cell |= {"architecture": "MoE"} if "MoE" in cells[2] else {}
    rows = {_name(title[1], size, len(counts)): {"parameters": size, "reference_url": title[2]} for size in counts}
    return [Fact(name, key, text) for name, row in rows.items() for key, text in ({"name": name} | cell | row).items()]


def _name(title: str, size: str, sizes: int) -> str:
    """The name of the list, with the size behind it where one row stands for several."""
    return title if sizes == 1 else re.sub(r"[ -]\d[\d.]*[bB]$", "", title) + f" {size}"
