"""`traincompute frontier`: the largest training run by date, and the number of runs above thresholds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

from traincompute.commands.options import data_option
from traincompute.commands.thresholds import WORDS, read_models
from traincompute.show.table import columns_of, print_table
from traincompute.show.values import short_power

LEAST_SHARE = 0.005  # that is shown
UNDISCLOSED = "Largest run, allowing for undisclosed models"


@click.command()
@data_option
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@click.option("--organization", metavar="NAME", help="Only models that name this organisation first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def frontier(data: str | None, everything: bool, organization: str | None, as_json: bool) -> None:
    """Show the largest training run by the end of each year (the largest known value, the largest run allowing for
    undisclosed models with its 90 % interval, and the upper limit), how many runs had at least 1e25 and 1e26 FLOP, and
    both by organisation.

    Example: traincompute frontier --organization OpenAI
    """
    from traincompute.frontier import THRESHOLDS_FLOP, by_organization, largest
    from traincompute.thresholds import by_year, parts_of, year_ends

    models = read_models(data)
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    if organization:
        names = chosen["organization"].dropna().unique().tolist()
        chosen = chosen[chosen["organization"] == organization]
        if chosen.empty:
            near = get_close_matches(organization, names, 3, 0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise click.ClickException(f"no model of {organization!r}{hint}")
    ends = year_ends(models)
    runs = by_year(chosen, THRESHOLDS_FLOP, ends)
    found = {"largest": largest(chosen, ends), "runs": runs, "by_organization": by_organization(chosen, ends[-1:])}
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return

    def count(rows: list[dict[str, Any]]) -> dict[str, str]:
        """Cells of the rows of one day, one for each threshold, and what the lowest rests on."""
        total = rows[0]["expected_runs"]
        shares = {name: part / total for name, part in parts_of(rows[0]).items()} if total else {}
        cells = {
            short_power(f"≥ {row['threshold_flop']:.0e}"): (
                f"{row['runs']}, {row['expected_runs']:.1f} ({row['low_90']}–{row['high_90']})"
            )
            for row in rows
        }
        return {**cells, "based on": _shares(shares)}

    whose = f"{'all' if everything else 'notable'} models{f' of {organization}' if organization else ''}"
    click.echo(f"The largest training run of {whose}, in FLOP")
    _print([{"until": row["published_until"], **_largest(row)} for row in found["largest"]])
    click.echo("\nTraining runs: those with such a value, and those expected with a 90 % interval")
    days = [[row for row in runs if row["published_until"] == f"{end:%Y-%m-%d}"] for end in ends]
    _print([{"until": rows[0]["published_until"], **count(rows)} for rows in days])
    if not organization and (lines := found["by_organization"]):
        click.echo(f"\nBy organisation, until {found['largest'][-1]['published_until']}")
        short = ("Largest known run", UNDISCLOSED, "90 % interval")
        _print(
            [
                {
                    "organization": line["organization"],
                    **{name: cell for name, cell in _largest(line["largest"][0]).items() if name in short},
                    **count(line["runs"]),
                }
                for line in lines
            ]
        )


def _largest(row: Mapping[str, Any]) -> dict[str, str]:
    """The cells that say how large a run was, in FLOP."""
    return {
        "Largest known run": _flop(row["training_compute_flop"]),
        "model": row["model_id"] or "",
        UNDISCLOSED: _flop(row["median"]),
        "90 % interval": f"{_flop(row['low_90'])}–{_flop(row['high_90'])}",
        "Upper limit": _flop(row["most_flop"]),
        "based on": _shares(row["rests_on"]),
    }


def _print(rows: list[dict[str, str]]) -> None:
    cells = [[*row.values()] for row in rows]
    print_table(columns_of(list(next(iter(rows), {})), cells), cells)


def _flop(flop: float | None) -> str:
    return short_power(f"{flop:.2g}") if flop else ""


def _shares(shares: Mapping[str, float]) -> str:
    """What a number rests on, in percent."""
    shown = {WORDS[name]: share for name, share in shares.items() if share >= LEAST_SHARE}
    return ", ".join(f"{share:.0%} {word}" for word, share in shown.items())
