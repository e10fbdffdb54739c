"""Options that several builder commands share."""

from __future__ import annotations

from datetime import date, datetime

import click

DAY = click.DateTime(["%Y-%m-%d"])
AS_OF = click.option(
    "--as-of",
    type=DAY,
    metavar="DATE",
    callback=lambda _c, _p, value: as_date(value),
    help="Build the dataset as it stood on that day.",
)


def as_date(value: datetime | None) -> date | None:
    return value.date() if value else None
