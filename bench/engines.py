"""What ibis on DuckDB would cost the small build: the same formulas on the built models, in pandas and as expressions.

python -m bench.engines pandas    # or ibis; prints the seconds of one evaluation as JSON
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

from bench.measure import PROCESSED, measure, module
from bench.row import Row, shown

TIMES = 20
HALF_WIDTH_DEX = 0.48


def rows(quick: bool, runs: int) -> list[Row]:
    """For both: imports and opening, the first evaluation, and the median of the later ones, in milliseconds."""
    taken: dict[str, list[dict[str, Any]]] = {"pandas": [], "ibis": []}
    for _ in range(runs):
        for engine, answers in taken.items():
            answers.append(measure(module("bench.engines", engine), answers=True).answer)
    middle = {
        (engine, part): statistics.median(answer[part] for answer in answers)
        for engine, answers in taken.items()
        for part in answers[0]
    }
    parts = {"open": "import and open", "first": "first evaluation", "later": "each later evaluation"}
    return [
        Row(
            f"formula and interval on {middle['pandas', 'rows']:,.0f} models, {words}: ibis on DuckDB ÷ pandas",
            middle["ibis", part] / middle["pandas", part],
            note=f"{shown(1e3 * middle['ibis', part])} ms ÷ {shown(1e3 * middle['pandas', part])} ms",
        )
        for part, words in parts.items()
    ]


def once(engine: str) -> dict[str, float]:
    """Seconds to import and open, to evaluate the first time, and to evaluate each time after that."""
    start = time.perf_counter()
    evaluate = {"pandas": _pandas, "ibis": _ibis}[engine]()
    opened = time.perf_counter()
    found = evaluate()
    first = time.perf_counter()
    for _ in range(TIMES):
        evaluate()
    later = (time.perf_counter() - first) / TIMES
    return {"open": opened - start, "first": first - opened, "later": later, "rows": len(found)}


def _pandas() -> Any:
    import pandas as pd

    from pipeline.impute.flop import formulas

    models = pd.read_parquet(PROCESSED / "models.parquet", columns=["parameters", "training_tokens"])

    def evaluate() -> Any:
        flop = formulas.counted(6, models["parameters"], models["training_tokens"])
        ends = formulas.lower(flop, HALF_WIDTH_DEX), formulas.upper(flop, HALF_WIDTH_DEX)
        return models.assign(flop=flop, low=ends[0], high=ends[1])

    return evaluate


def _ibis() -> Any:
    import ibis

    from pipeline.impute.flop import formulas

    connection = ibis.duckdb.connect()
    models = connection.create_table("rows", connection.read_parquet(PROCESSED / "models.parquet"))

    def evaluate() -> Any:
        flop = formulas.counted(6, models.parameters, models.training_tokens)
        ends = formulas.lower(flop, HALF_WIDTH_DEX), formulas.upper(flop, HALF_WIDTH_DEX)
        return models.select("parameters", "training_tokens", flop=flop, low=ends[0], high=ends[1]).to_pandas()

    return evaluate


if __name__ == "__main__":
    print(json.dumps(once(sys.argv[1])))
