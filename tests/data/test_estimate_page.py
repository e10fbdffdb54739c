"""Fifty runs through the form and the command."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pipeline.paths import CHECKOUT
from pipeline.site.estimate import estimate_data
from traincompute.database import open_database
from traincompute.planning.estimate import QUANTITIES, estimate_run

SITE = CHECKOUT / "pipeline" / "site"
SIZES: tuple[dict[str, Any], ...] = (
    {"parameters": 7e10, "tokens": 1.5e13},
    {"parameters": 6.71e11, "active_parameters": 3.7e10, "tokens": 1.48e13, "epochs": 1.5},
    {"flop": 3.14e23},
    {"parameters": 1e9, "tokens": 2e10, "training_factor": 8.0},
    {},
)
CHIPS = (
    {"chip": "NVIDIA H100 SXM5 80GB", "chips": 1024.0, "days": 150.0},
    {"chip": "NVIDIA A100", "chips": 4096.0, "hours": 7000.0, "utilization": 0.41},
    {"chip": "Google TPU v4", "chips": 6144.0, "days": 400.0, "price_per_hour": 1.5},
    {"chip": "NVIDIA GB200", "precision": "FP8", "chips": 512.0, "days": 99.0, "region": "France", "pue": 1.3},
    {"chip": "Cerebras CS-2", "chips": 16.0, "hours": 8000.0},
)
NODE = """
globalThis.window = globalThis;
const { cases, data, script } = JSON.parse(require("fs").readFileSync(0, "utf8"));
require("vm").runInThisContext(script);
console.log(JSON.stringify(cases.map((given) => traincompute.estimate(given, data))));
"""
pytestmark = [
    pytest.mark.usefixtures("database"),
    pytest.mark.skipif(not shutil.which("node"), reason="there is no node"),
]


def cases() -> list[dict[str, Any]]:
    """Runs by size, by hours and by both, on chips of all kinds."""
    timed = [size | chip for size, chip in product(SIZES, CHIPS)]
    untimed = [
        {name: value for name, value in run.items() if name not in ("hours", "days", *(["chips"] if place % 2 else []))}
        for place, run in enumerate(timed)
    ]
    return timed + untimed


def test_the_script_of_the_page_gives_what_python_gives(published: Path) -> None:
    with open_database(published) as connection:
        data = estimate_data(connection)
        scripts = ((SITE / "static" / name).read_text(encoding="utf-8") for name in ("tools.js", "estimate.js"))
        script = "".join(scripts).replace('"use strict";', "")
        asked = json.dumps({"cases": cases(), "data": data, "script": script})
        done = subprocess.run(["node", "-e", NODE], input=asked, capture_output=True, text=True, check=True)
        compared = 0
        for given, by_script in zip(cases(), json.loads(done.stdout), strict=True):
            if by_script["utilization"] is None or by_script["utilization"] > 1:
                continue  # nothing follows, or what no chips can do, which is an error in Python
            made = estimate_run(connection, **given)
            for name in QUANTITIES:
                figure = getattr(made, name)
                ends = (figure.value, figure.low, figure.high)
                wanted = [pytest.approx(end, rel=1e-12) for end in ends] if figure else [None] * 3
                assert by_script[name] == wanted, given
            compared += 1
    assert len(cases()) == 50
    assert compared > 35
