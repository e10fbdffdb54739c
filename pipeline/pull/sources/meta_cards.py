"""Meta's model cards (Markdown): chip-hours and carbon from the table of training time, tokens and cutoff from the
lines that state them. Of the sentences nothing but the figures is kept."""

from __future__ import annotations

import re

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading

CELL = r"\s*\|\s*"
HOURS = re.compile(
    rf"\|?{CELL}(Llama [\d.]+ (?:(\d+B)|Scout|Maverick)){CELL}([\d.]+[kM]?)(?:{CELL}\\-)?{CELL}\d+{CELL}([\d.,]+)"
)
TOKENS = re.compile(r"(Llama [\d.]+(?: \w+)?) was pretrained on (over |up to |\\?~)?([\d.]+) trillion tokens")
CUTOFF = re.compile(
    r"pretraining data has a cutoff of ([A-Z]\w+ \d{4})(?: for the (\w+) and ([A-Z]\w+ \d{4}) for the)?"
)
SIGNS = {"over ": "> ", "up to ": "≤ ", "~": "~", "\\~": "~", "": ""}
WRONG_CARBON = "Llama 3.3 70B"  # 12.9 t for 7.0 million hours: 1.8 g per hour of a 700 W chip


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per model of the table of training time, under the name that it has there."""
    text = " ".join(re.sub(r"</?(?:td|th|tr|strong)[^>]*>", "|", decode(content, where)).split())
    rows, cutoff = HOURS.findall(re.sub(r"\|(?:\s*\|)+", "|", text)), CUTOFF.search(text)
    tokens = {name: f"{SIGNS[sign]}{count}T tokens" for name, sign, count in TOKENS.findall(text)}
    exact = dict(re.findall(r"\b(\d+B) \((\d+\.\d+B)\)", text))
    facts = []
    for name, size, hours, tons in rows:
        cells = {"parameters": exact.get(size, size), "chip_hours": hours}
        cells["training_carbon_kg"] = f"{tons} t" if name != WRONG_CARBON else ""
        cells["training_tokens"] = next((said for family, said in tokens.items() if name.startswith(family)), "")
        cells["knowledge_cutoff"] = (cutoff[1] if cutoff[2] in (None, size) else cutoff[3]) if cutoff else ""
        facts += [Fact(name, field, said) for field, said in cells.items() if said]
    return Reading(facts, len(rows))
