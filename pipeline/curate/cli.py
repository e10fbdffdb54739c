"""`traincompute curate`: add facts, and check what is there. A command imports what it needs when it runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from pipeline.names import EVIDENCE
from pipeline.paths import checkout
from traincompute.commands.options import DAY, dataset_folder, json_option, limit_option

if TYPE_CHECKING:
    from pipeline.curate.checks import Section

PASTED = ("same", "distinct", "add_fact")  # what a check gives to paste
CITED = ("reference", "locator", "evidence", "since", "accessed")


@click.command()
@click.argument("record")
@click.argument("field")
@click.argument("value")
@click.option("--reference", required=True, help="Primary source, such as arXiv:2211.05100, doi:10.1038/… or https://…")
@click.option("--locator", required=True, help='Place in the source, such as "table 5" or "model card".')
@click.option("--evidence", required=True, type=click.Choice(EVIDENCE), help="How the fact was checked.")
@click.option("--set", "more", multiple=True, metavar="FIELD=VALUE", help="Another fact from the same place.")
@click.option(
    "--new", is_flag=True, help="Add a model that no source lists; needs publication_date, organization and domain."
)
@click.option("--accessed", type=DAY, default=datetime.now, metavar="DATE", help="Day of access.  [default: today]")
@click.option("--since", type=DAY, default=datetime.now, metavar="DATE", help="Day of entry.  [default: today]")
@click.option("--sure", is_flag=True, help="Accept a value that is far from all known values.")
@click.option("--dry-run", is_flag=True, help="Check and show the fact without writing it.")
def add_fact(
    record: str, field: str, value: str, more: Sequence[str], new: bool, sure: bool, dry_run: bool, **cited: Any
) -> None:
    """Check a fact about the model named RECORD and add it to the curated facts.

    \b
    Example: traincompute curate add-fact "BLOOM-3B" training_tokens "341B tokens" \\
                 --reference arXiv:2211.05100 --locator "table 5" --evidence seen
    """
    from pipeline.curate.add_fact import add_facts, canonical
    from pipeline.names import clean_name

    name = clean_name(record)
    stated = {"name": name} if new else {}  # unless it is given otherwise
    for key, _, text in ([field, "=", value], *(pair.partition("=") for pair in more)):
        key, text = key.strip(), clean_name(text)
        if not (key and text) or (key in stated and not (new and key == "name")):
            raise click.UsageError(f'"{key}={text}": give each field once and with a value: --set parameters=7B')
        stated[key] = text
    texts = {key: f"{cited[key]:%Y-%m-%d}" if key in ("since", "accessed") else clean_name(cited[key]) for key in CITED}
    texts["reference"] = canonical(texts["reference"])
    rows = [{**texts, "record": name, "until": "", "field": key, "value_text": text} for key, text in stated.items()]
    add_facts(checkout(), sorted(rows, key=lambda row: row["field"]), new, sure, dry_run)


@click.command()
@limit_option("Show at most N rows per section.", least=0, default=20, show_default=True)
@json_option
def status(limit: int, as_json: bool) -> None:
    """Show open tasks, such as stale sources, held values, unreadable facts and models without curated facts.

    Example: traincompute curate status --limit 5
    """
    from pipeline.curate.checks import built_tables, find_open

    paths = checkout()
    with built_tables(paths, dataset_folder()) as connection:
        _show(find_open(connection, paths), limit, as_json)


@click.command()
@limit_option("Show at most N findings per check.", default=20, show_default=True)
@json_option
def audit(limit: int, as_json: bool) -> None:
    """List values that contradict their own sources, starting with the most certain contradictions.

    In JSON, each check's name starts with a digit. 1: the value contradicts its own note. 2: the value contradicts
    others. 4: the record itself is faulty. 5: our estimate is implausible. The exit code is 1 if anything is found.

    Example: traincompute curate audit --limit 10
    """
    from pipeline.curate.checks import built_tables, run_folder

    with built_tables(checkout(), dataset_folder()) as connection:
        _show(found := run_folder(connection, "audit"), limit, as_json)
    raise SystemExit(bool(found))


@click.command()
@json_option
def duplicates(as_json: bool) -> None:
    """List pairs of records that may be the same model, with the lines to paste into identities.csv.

    Paste the `same` line, or the `distinct` line with a reason added. The exit code is 1 if any pair is undecided.

    Example: traincompute curate duplicates --json
    """
    from pipeline.curate.checks import built_tables, find_duplicates

    paths = checkout()
    with built_tables(paths, dataset_folder()) as connection:
        _show(found := find_duplicates(connection, paths), None, as_json)
    raise SystemExit(bool(found))


@click.command()
@limit_option("Show at most N candidates.", default=40, show_default=True)
@json_option
def candidates(limit: int, as_json: bool) -> None:
    """List models that are missing from the dataset: open ones on the Hugging Face Hub, and those that sources name.

    The command asks the Hub for the most downloaded models, and prints a command to add each. In the command, replace
    each … and check the date. If a model does not belong in the dataset, list it in data/raw/curated/declined.csv.

    Some sources, such as models.dev and HELM, only add facts to known models. The command lists the names there that
    stand for no model of the dataset.

    Example: traincompute curate candidates --limit 10
    """
    from pipeline.curate.candidates import find_candidates, find_names, list_models
    from pipeline.curate.checks import Section

    remedy = "add them, or decline them in data/raw/curated/declined.csv"
    found = [Section("names", "names in sources that stand for no model", remedy, find_names(checkout()))]
    try:
        missing = find_candidates(checkout(), [*list_models()])
        found.append(Section("candidates", "open models that the dataset lacks", remedy, missing))
    finally:  # the names, though the hub could not be asked
        _show([section for section in found if section.rows], limit, as_json)


@click.command("check-citations")
@click.option("--mirror", metavar="URL", default="", help="Fetch URL/host/path instead of https://host/path.")
@json_option
def check_citations(mirror: str, as_json: bool) -> None:
    """Check that each permalink to a public repository leads to the figure that we cite it for.

    Such a permalink has the form https://github.com/OWNER/NAME/blob/COMMIT/PATH#L12 (or #L12-L15, or #page=3 for a
    PDF). The exit code is 1 if a figure is not there. Files that cannot be read are listed, but do not affect the exit
    code.

    Example: traincompute curate check-citations
    """
    from pipeline.curate.checks import Section
    from pipeline.curate.citations import NOT_THERE, REMEDIES, check_citations
    from traincompute.show.terminal import waiting

    with waiting("looking"):
        found = sorted(check_citations(checkout(), mirror), key=lambda one: one["where"])
    rows = {outcome: [one for one in found if one["outcome"] == outcome] for outcome in REMEDIES}
    _show([Section(name, *REMEDIES[name], of) for name, of in rows.items() if of], None, as_json)
    raise SystemExit(bool(rows[NOT_THERE]))


def _show(sections: Sequence[Section], limit: int | None, as_json: bool) -> None:
    """The sections for people or as JSON: how many things are open in total, and the first rows, each with the lines
    to paste below it."""
    from traincompute.show.rows import one_line, print_rows

    if as_json:
        found = {s.name: {**s._asdict(), "total": s.total, "rows": s.rows[:limit]} for s in sections}
        click.echo(json.dumps(found, default=str, ensure_ascii=False, indent=1))
        return
    for section in sections:
        rows = section.rows[:limit]
        shown = f", the first {len(rows)}" if len(rows) < len(section.rows) else ""
        click.echo(f"{section.title}: {section.total}{shown} ({section.remedy})")
        below = ["\n".join(f"      {name}: {one_line(row[name])}" for name in PASTED if name in row) for row in rows]
        told = [{name: cell for name, cell in row.items() if name not in PASTED} for row in rows]
        print_rows(told, indent="  ", below=below if any(below) else ())
        click.echo()
    if not sections:
        click.echo("nothing is open")
