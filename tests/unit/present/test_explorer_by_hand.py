"""What the explorer and the SQL page load of a dataset of five models, made up (see site_by_hand.py), text by text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kept import kept
from site_by_hand import fill, fill_as_earlier

from pipeline.present.site import details, overview, records, schema
from traincompute.base.errors import NotFoundError


def lines(value: dict[str, Any]) -> str:
    """JSON with the members of the first two levels on lines of their own."""
    parts = [
        (f"{outer}.{name}" if name else outer, part)
        for outer, inner in value.items()
        for name, part in (inner.items() if isinstance(inner, dict) else [("", inner)])
    ]
    return "".join(f"{name}: {json.dumps(part, ensure_ascii=False)}\n" for name, part in parts)


def test_what_the_explorer_loads(tmp_path: Path) -> None:
    page = tmp_path / "questions.md"
    page.write_text("## Part\n\n### Why?\n\n```sql\nselect 1\n```\n")
    with duckdb.connect() as made:
        fill(made)
        shards = details.read_details(made)
        parts: dict[str, Any] = {
            "overview": overview.read_overview(made, {"axes": [{"column": "training_compute_flop"}]}),
            "quantiles": overview.read_quantiles(made),
            "records": records.read_records(made),
            "schema": schema.read_schema(made, [page]),
            **{f"shard {key}": shard for key, shard in shards.items() if shard["models"]},
        }
    assert "".join(f"===== {name}\n{lines(part)}" for name, part in parts.items()) == kept("site/explorer.txt")
    assert list(shards) == [f"{number:02x}" for number in range(64)]


def test_a_dataset_of_an_earlier_version_has_less_to_load() -> None:
    with duckdb.connect() as made:
        fill_as_earlier(made)
        told = overview.read_overview(made, {"axes": []})
        assert [told[name] for name in ("trends", "expected", "chips", "parents")] == [[], [], [], {}]
        assert told["aliases"] == ["GPT-3", "", "", "", ""], "the names in the claims"
        assert overview.read_quantiles(made) is None
        made.execute(
            "create view models_completed as select model_id, 1 as tier, null as method, unnest([3]) as flop_05, 3 as"
            " flop_25, 3 as flop_50, 3 as flop_75, 3 as flop_95, 1 as tier_coverage_90, 2 as tier_models, 1e20 as"
            " training_compute_flop from models"
        )
        assert overview.read_quantiles(made) is None, "all have a value"
        held = records.read_records(made)
        assert [name for name, table in held.items() if table["rows"]] == ["claimed"]
        assert held["hardware"] == {"columns": [], "rows": []}
        shard = details.read_details(made)["24"]
        assert shard["columns"]["estimates"] == []
        assert len(shard["models"]["gpt"]["claims"]) == 4
        made.execute("delete from models")
        with pytest.raises(NotFoundError, match=r"^the dataset holds no model$"):
            overview.read_overview(made, {"axes": []})
