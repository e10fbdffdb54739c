"""`traincompute frontier`: the largest training run by date, and the number of runs above thresholds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click

from traincompute.commands.options import data_option, dataset_folder, json_option
from traincompute.commands.thresholds import WORDS, read_models
from traincompute.show.rows import print_rows
from traincompute.show.values import human_text

LEAST_SHARE = 0.005  # that is shown
Row = dict[str, Any]


@click.command()
@data_option
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@click.option("--organization", metavar="NAME", help="Only models that name this organisation first.")
@json_option()
def frontier(data: str | None, everything: bool, organization: str | None, as_json: bool) -> None:
    """Show the largest training run by the end of each year (the largest known value, the largest run allowing for
    undisclosed models with its 90 % interval, and the upper limit), how many runs had at least 1e25 and 1e26 FLOP, and
    both by organisation.

    Example: traincompute frontier --organization OpenAI
    """
    from traincompute.frontier import THRESHOLDS_FLOP, by_organization, largest
    from traincompute.thresholds import by_year, year_ends

    models = read_models(dataset_folder(data))
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    if organization:
        names = chosen["organization"].dropna().unique().tolist()
        chosen = chosen[chosen["organization"] == organization]
        if chosen.empty:
            near = get_close_matches(organization, names, 3, 0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise click.ClickException(f"no model of {organization!r}{hint}")
    ends = year_ends(models)
    lines, runs = largest(chosen, ends), by_year(chosen, THRESHOLDS_FLOP, ends)
    theirs = by_organization(chosen, ends[-1:])
    if as_json:
        found = {"largest": lines, "runs": runs, "by_organization": theirs}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    whose = f"{'all' if everything else 'notable'} models{f' of {organization}' if organization else ''}"
    click.echo(f"The largest training run of {whose}, in FLOP; runs with at least so much, and those expected")
    days: dict[str, list[Row]] = {line["published_until"]: [] for line in lines}
    for row in runs:
        days[row["published_until"]].append(row)
    print_rows([{"until": day} | _cells(line, days[day]) for day, line in zip(days, lines, strict=True)])
    if theirs and not organization:
        click.echo(f"\nBy organisation, until {lines[-1]['published_until']}")
        print_rows([{"organization": one["organization"]} | _cells(one["largest"][0], one["runs"]) for one in theirs])


def _cells(line: Row, runs: Sequence[Row]) -> Row:
    """How large the largest run was, to two digits; for each threshold the runs with such a value, and those expected
    with a 90 % interval; and what the largest rests on."""
    names = ("training_compute_flop", "median", "most_flop", "low_90", "high_90")
    known, median, most, low, high = (line[name] and float(f"{line[name]:.2g}") for name in names)
    counts = {
        f"≥ {human_text(row['threshold_flop'])}": (
            f"{row['runs']}, {row['expected_runs']:.1f} ({row['low_90']}–{row['high_90']})"
        )
        for row in runs
    }
    shares = {WORDS[name]: share for name, share in line["rests_on"].items() if share >= LEAST_SHARE}
    return {
        "Largest known run": known,
        "model": line["model_id"] or "",
        "Largest run, allowing for undisclosed models": median or None,
        "90 % interval": f"{human_text(low)}–{human_text(high)}" if median else "",
        "Upper limit": most,
        **counts,
        "based on": ", ".join(f"{share:.0%} {word}" for word, share in shares.items()),
    }
