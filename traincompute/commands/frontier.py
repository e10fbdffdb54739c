"""`traincompute frontier`: the largest published training run by year, and how many runs are expected above it."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder, form_options
from traincompute.commands.sql import run_query

ABOVE = """max(runs) filter ({0}) as runs_{1}, max(round(expected_runs, 1)) filter ({0}) as expected_{1},
    max(concat(low_90, '–', high_90)) filter ({0}) as interval_{1}"""
FRONTIER = f"""
with counted as (select published_until as until, {ABOVE.format("threshold_flop = 1e25", "1e25")},
    {ABOVE.format("threshold_flop = 1e26", "1e26")} from thresholds where scope = $scope group by all)
select until, max_by(model_id, (m.training_compute_flop, -epoch(publication_date))) as model_id,
    max(m.training_compute_flop) as largest_flop, counted.* exclude (until)
from counted join models m on publication_date <= until and (is_notable or $scope = 'all')
where training_compute_source <> 'imputed' group by all order by until"""


@click.command()
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@form_options("csv", "json")
@data_option
def frontier(everything: bool, form: str | None, data: str | None) -> None:
    """Show the largest published training run by the end of each year, and how many runs had at least 1e25 and 1e26
    FLOP: those with such a value, and those expected with their 90 % interval.

    Example: traincompute frontier --all
    """
    from traincompute.query.run import Options

    asked = {"scope": "all" if everything else "notable"}
    run_query(dataset_folder(data), FRONTIER, form or "table", asked, Options(human=not form))
