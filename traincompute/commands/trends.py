"""`traincompute trends`: growth per year, and where it would lead."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import click

from traincompute.commands.options import AS_OF, data_option, dataset_folder
from traincompute.needs import builder_of
from traincompute.show.table import Column, print_table

MARK = "*"
Cells = dict[str, Callable[[dict[str, Any]], str]]  # heading → what stands below it in a row
QUANTITIES = [
    "training_compute_flop",
    "parameters",
    "training_tokens",
    "training_cost_usd",
    "training_power_w",
    "hardware_quantity",
]
SHORT = ["flop", "parameters", "tokens", "cost", "power", "hardware"]
GROUPS = [
    "all",
    "notable",
    "frontier_flag",
    "running_top_ten",
    "language",
    "notable_language",
    "era_compute",
    "era_economic",
    "country",
    "organization",
]


@click.command()
@AS_OF
@click.option("--quantity", type=click.Choice(SHORT), help="Only this quantity.")
@click.option("--group", type=click.Choice(GROUPS), help="Only this kind of group.")
@click.option(
    "--project",
    "until",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    callback=lambda _c, _p, value: value.date() if value else None,
    help="Show where the lines would lead on that day.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, all columns.")
@data_option
def trends(
    as_of: date | None,
    data: str | None,
    quantity: str | None,
    group: str | None,
    until: date | None,
    as_json: bool,
) -> None:
    """Show how fast compute and related quantities grow: rate, doubling time, 90 % intervals, projection.

    Example: traincompute trends --quantity flop --group running_top_ten
    """
    wanted = [QUANTITIES[SHORT.index(quantity)]] if quantity else QUANTITIES
    found, assumed = live_rows(as_of, wanted, until, data) if as_of or until else (published_rows(data, wanted), [])
    rows = [row for row in found if group in (None, row["group"])]
    if as_json:
        context = {"projected_to": until.isoformat(), "assumptions": assumed} if until else {}
        head = {"as_of": as_of.isoformat() if as_of else None, **context}
        click.echo(json.dumps({**head, "trends": [_plain(row) for row in rows]}, indent=1, allow_nan=False))
        return
    if not rows:
        raise click.ClickException("no group has enough models with such values on that day")
    cells = PROJECTED if until else GROWTH
    columns = [Column(name, name not in ("quantity", "group")) for name in cells]
    print_table(columns, [[cell(row) for cell in cells.values()] for row in rows])
    for line in warnings(rows):
        click.echo(line)
    for line in assumed:
        click.echo(f"assumed: {line}")


def warnings(rows: Sequence[dict[str, Any]]) -> list[str]:
    """What to bear in mind of trends whose newest runs mostly have no value."""
    if not any(row.get("selection_warning") for row in rows):
        return []
    return [
        f"{MARK} fewer runs have a value since 2024 than before, or fewer than half: the line tells of those alone",
        "with a value: of the group's runs, of those since 2024; all runs: growth with the distributions of the others",
    ]


def live_rows(
    as_of: date | None, quantities: Sequence[str], until: date | None, data: str | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows computed from a vintage, or with a projection, and what the projection assumes."""
    if data:
        raise click.UsageError("--data and --version go with neither --as-of nor --project")
    vintage = builder_of("--as-of" if as_of else "--project")
    rows = [row for name in quantities for row in vintage.trend_rows(as_of, name, until)]
    return rows, vintage.assumptions() if until else []


def published_rows(data: str | None, quantities: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the table trends, in the order of quantities and groups. Raises click.ClickException where it has
    none."""
    from traincompute.database import open_database
    from traincompute.query.rows import holds, rows

    with open_database(dataset_folder(data)) as connection:
        if not holds(connection, "trends"):
            raise click.ClickException("this dataset has no table trends: it was made by an earlier version")
        found = rows(connection, "select * from trends where list_contains($1, quantity)", list(quantities))
    return sorted(found, key=_place)


def _place(row: dict[str, Any]) -> tuple[int, int, str, str]:
    return QUANTITIES.index(row["quantity"]), GROUPS.index(row["group"]), row["member"] or "", str(row["since"] or "")


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: dates as text, missing values as null."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if value != value:  # nan and NaT
        return None
    return str(value)[:10] if hasattr(value, "year") else value


def _span(row: dict[str, Any], low: str, high: str) -> str:
    return f"{row[low]:.2f}–{row[high]:.2f}"


def _group(row: dict[str, Any]) -> str:
    since = "" if row["since"] is None or row["since"] != row["since"] else f" from {row['since'].year}"
    return f"{row['group']}{' ' + row['member'] if row['member'] else ''}{since}"


def _months(row: dict[str, Any]) -> str:
    months = row["doubling_months"]
    return "–" if months is None or months != months else f"{months:.1f}"


def _percent(row: dict[str, Any], name: str) -> str:
    share = row.get(name)
    return "–" if share is None or share != share else f"{share:.0%}"


def _valued(row: dict[str, Any]) -> str:
    mark = MARK if row.get("selection_warning") else " "
    return f"{_percent(row, 'valued_share')}, {_percent(row, 'valued_share_since_2024')}{mark}"


def _of_all_runs(row: dict[str, Any]) -> str:
    growth = row.get("growth_all_runs")
    if growth is None or growth != growth:
        return "–"
    return f"{growth:.2f} ({_span(row, 'growth_all_runs_low', 'growth_all_runs_high')})"


ABOUT: Cells = {
    "quantity": lambda row: SHORT[QUANTITIES.index(row["quantity"])],
    "group": _group,
    "runs": lambda row: str(row["n"]),
    "models": lambda row: str(row["models"]),
}
GROWTH: Cells = {
    **ABOUT,
    "×/year": lambda row: f"{row['growth_per_year']:.2f}",
    "90 %": lambda row: _span(row, "growth_low", "growth_high"),
    "sampling alone": lambda row: _span(row, "sampling_low", "sampling_high"),
    "doubles in months": _months,
    "with a value": _valued,
    "all runs": _of_all_runs,
    "R²": lambda row: f"{row['r_squared']:.2f}",
}
PROJECTED: Cells = {
    **ABOUT,
    "×/year": lambda row: f"{row['growth_per_year']:.2f}",
    "line there": lambda row: f"{row['projected']['value']:.1e}",
    "90 %": lambda row: f"{row['projected']['low']:.1e}–{row['projected']['high']:.1e}",
    "of one model": lambda row: f"{row['projected']['model_low']:.1e}–{row['projected']['model_high']:.1e}",
    "with a value": _valued,
    "years beyond data": lambda row: f"{row['projected']['years_beyond_data']:.1f}",
}
