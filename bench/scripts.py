"""What people do by hand with a CSV file of models: a row-wise script against one query, and 6 · N · D against the
estimates.

python -m bench.scripts models.csv    # the script: prints what it found as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench.case import Case
from bench.measure import PROCESSED, alone, compare, measure, module, python
from bench.row import Row

MODELS = PROCESSED / "models.csv"
FRONTIER = 10  # a model is at the frontier if it is among the ten largest of those published by then
QUERY = f"""
SELECT count(*) FILTER (place <= {FRONTIER}) AS frontier,
  count(*) FILTER (training_compute_flop >= 1e25) AS large, count(*) AS known
FROM (SELECT training_compute_flop, 1 + (SELECT count(*) FROM models b WHERE b.publication_date <= a.publication_date
        AND b.training_compute_flop > a.training_compute_flop) AS place
      FROM models a WHERE training_compute_flop IS NOT NULL AND publication_date IS NOT NULL)
"""
FACTOR = 3


def rows(quick: bool, runs: int) -> list[Row]:
    """Time of the query against that of the script, whether both find the same, and how good 6 · N · D is."""
    script = module("bench.scripts", MODELS)
    code = (
        "import duckdb, json; found = duckdb.connect({!r}, read_only=True).execute({!r}).fetchone(); "
        "print(json.dumps(dict(zip(('frontier', 'large', 'known'), found))))"
    )
    query = python(code.format(str(PROCESSED / "traincompute.duckdb"), QUERY))
    ours, theirs = measure(query, answers=True).answer, measure(script, answers=True).answer
    made = compare(Case("frontier of the dataset: one query ÷ a row-wise script", query, script, None), runs)
    made.append(Row("answers in which they differ", sum(ours[key] != theirs[key] for key in ours), "", target=0))
    return made + alone(_accuracy)


def by_row(file: Path) -> dict[str, int]:
    """The script: one row after another, with what such scripts do to a row; the frontier by comparing it with all
    others."""
    import pandas as pd

    table = pd.read_csv(file, low_memory=False)
    kept: list[dict[str, Any]] = []
    for _, row in table.iterrows():
        day, flop = pd.to_datetime(row["publication_date"], errors="coerce"), row["training_compute_flop"]
        if pd.isna(flop) or pd.isna(day):
            continue
        makers = [name.strip() for name in str(row["organizations"]).split(";")]
        kept.append({"day": day, "flop": float(flop), "organization": makers[0]})
    frontier = large = 0
    for one in kept:
        ahead = sum(1 for other in kept if other["day"] <= one["day"] and other["flop"] > one["flop"])
        frontier += ahead < FRONTIER
        large += one["flop"] >= 1e25
    return {"frontier": frontier, "large": large, "known": len(kept)}


def _accuracy() -> list[Row]:
    """How many values 6 · parameters · dataset size gives, and the share within a factor of three of the published
    value; the same for operation counting."""
    import pandas as pd

    models = pd.read_parquet(PROCESSED / "models.parquet")
    estimates = pd.read_parquet(PROCESSED / "estimates.parquet")
    stated = models["training_compute_source"].isin(["reported", "third_party"])
    naive = 6 * models["parameters"] * models["dataset_size"]
    counted = estimates[estimates["method"] == "operation_counting"].set_index("model_id")["value"]
    ours = models["model_id"].map(counted)
    made = []
    for name, value in (("6 · N · dataset size, blindly", naive), ("operation counting", ours)):
        ratio = (value / models["training_compute_flop"])[stated & value.notna()]
        near = ((ratio <= FACTOR) & (ratio >= 1 / FACTOR)).mean()
        note = f"{int(value.notna().sum())} values, {len(ratio)} beside a published one"
        made.append(Row(f"within a factor {FACTOR} of the published value: {name}", 100 * near, "%", note=note))
    return made


if __name__ == "__main__":
    print(json.dumps(by_row(Path(sys.argv[1]))))
