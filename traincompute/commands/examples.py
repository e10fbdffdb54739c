"""`traincompute examples`, and `figures` where there is no checkout that draws them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from traincompute.base.places import CARRIED_FIGURES
from traincompute.commands.options import dataset_folder, version_option

PAGE = Path(__file__).with_name("examples.md")
ENDING = re.compile(r"(?:ies|y|es|s)$")
# what people type, without its ending = what the page says
SYNONYMS = """accelerator=chip act=1e25 ai=1e25 biggest=largest|most compan=organisation compute=compute|flop
    electricit=energy|power emission=carbon eu=1e25 gpu=chip|h100 lab=organisation license=licence
    organization=organisation price=cost threshold=1e25|1e24"""
FIGURES = {file.stem: file for file in sorted(Path(CARRIED_FIGURES).glob("*.svg"))}


class Example(NamedTuple):
    """A question by its number, the section of the page that has it, and a line of each language that answers it."""

    number: int
    section: str
    question: str
    sql: str
    python: str
    r: str


def read_examples() -> list[Example]:
    """All examples in the order of the page; questions with SQL alone are none."""
    found = list[Example]()
    for part in PAGE.read_text(encoding="utf-8").removeprefix("## ").split("\n## "):
        section, *questions = part.split("\n### ")
        for question in questions:
            code = re.findall(r"^```[a-z]+\n(.+)\n```", question, re.MULTILINE)
            if len(code) == 3:
                found.append(Example(len(found) + 1, section.strip(), question.partition("\n")[0], *code))
    return found


def find_examples(words: Sequence[str]) -> list[Example]:
    """The examples that are about all of the words, those first that name them in the question, then in the section,
    then in the query; a number is the example of that number."""
    if len(words) == 1 and words[0].isdecimal():
        return [example for example in read_examples() if example.number == int(words[0])]
    synonyms, found = dict(entry.split("=") for entry in SYNONYMS.split()), dict[Example, int]()
    stems = [ENDING.sub("", word.lower()) for word in words]
    said = [rf"(?i)(?<![^\W_])(?:{synonyms.get(stem, re.escape(stem))})" for stem in stems]
    for example in read_examples():
        texts = (example.sql, example.section, example.question)
        weights = [max(place * bool(re.search(one, text)) for place, text in enumerate(texts, 1)) for one in said]
        if all(weights):
            found[example] = sum(weights)
    return sorted(found, key=found.__getitem__, reverse=True)


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--run", is_flag=True, help="Also print the answer to the question.")
@version_option
def examples(words: tuple[str, ...], run: bool, version: str | None) -> None:
    """List questions about the dataset, or show one question with the SQL, pandas and R code that answers it.

    Without a WORD, the command lists all questions. With words, the command shows the question that fits all of them
    best with its code, and lists the other questions that fit. With a number, it shows the question with that number.

    Example: traincompute examples energy
    """
    from traincompute.commands.sql import run_query

    asked = " ".join(words).split()
    found = find_examples(asked)
    if not found:
        raise click.ClickException(f'no example is about "{" ".join(asked)}"; try one word, such as energy, or none')
    for example in found[:1] if asked else []:
        click.echo(f"{example.number}. {example.question}\n")
        click.echo(f"SQL     {example.sql}\npandas  {example.python}\nR       {example.r}\n")
        if run:
            run_query(dataset_folder(version), example.sql, "table", human=True)
    for example in found[bool(asked) :]:
        click.echo(f"{example.number:4}  {example.section}: {example.question}")


@click.command()
@click.argument("names", type=click.Choice(list(FIGURES)), nargs=-1)
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", default="figures", help="Write files to DIR.")
def figures(names: tuple[str, ...], to: Path) -> None:
    """Write all figures in this package, or only the figures in NAMES, as SVG files.

    Example: traincompute figures --to .
    """
    to.mkdir(parents=True, exist_ok=True)
    for name in sorted({*names} or FIGURES):
        click.echo(f"wrote {shutil.copyfile(FIGURES[name], to / FIGURES[name].name)}")
