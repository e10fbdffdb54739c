"""The reports of the Foundation Model Transparency Index: one CSV file of answers per developer and edition. Of an
answer that was found to disclose its subject, the figure is read if it gives exactly one; no sentence is kept."""

from __future__ import annotations

import re

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, read_rows

FIGURES = {  # indicator: field, pattern, how its groups are written
    "model size": ("parameters", r"([\d.]+) ?(B|M|billion)?(?:-| )parameters?", "{} {}"),
    "data size": ("dataset_size", r"([\d.]+) ?(trillion|T|billion|B) tokens", "{} {} tokens"),
    "compute usage": ("training_compute_flop", r"([\d.]+)(?: ?[x×] ?10\^|[Ee]\+?)(\d+)\b(?! ?FLOPs/)", "{}e{}"),
    "development duration": ("chip_hours", r"([\d,]{6,}) ?(?:NVIDIA H100 )?(G)PU-[Hh]ours", "{}"),
    "energy usage": ("training_energy_kwh", r"(?<![\d,.])(?<!- )([\d,.]+) ?([kM]Wh)", "{} {}"),
}


def read(content: bytes, source: Source, where: str) -> Reading:
    """The figures of the model that the report is about, as source.yml names it; other reports have no record."""
    header, rows = read_rows(content, where)
    model = next((name for file, name in source.about.items() if file in where), "")
    columns = ["Indicator", *header[1:]]  # Adept's file has another word above the first column
    answers = [dict(zip(columns, row, strict=True)) for row in rows] if model else []
    facts = [Fact(model, *figure) for answer in answers if (figure := _figure(answer))]
    named = [Fact(model, "dataset_unit", "token")] if any(fact.field == "dataset_size" for fact in facts) else []
    return Reading(facts + named, int(bool(model)))


def _figure(answer: dict[str, str]) -> tuple[str, str] | None:
    """(field, text) of an answer that scored; an upper bound stays one."""
    field, pattern, form = FIGURES.get(re.sub(" for final.*", "", answer["Indicator"].strip().lower()), ("", "", ""))
    text = f"{answer['Disclosure']} {answer['Justification']}".replace("mWh", "MWh").replace("\n", " ")
    field = "training_tokens" if re.search(rf"trained (?:\w+ )?on {pattern}", text) and "tokens" in form else field
    found = {form.format(*match) for match in re.findall(pattern, text)} if field and answer["Score"] == "1" else set()
    return (field, ("≤ " if re.search("upper.bound", text) else "") + found.pop()) if len(found) == 1 else None
