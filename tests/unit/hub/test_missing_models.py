"""What the dataset knows, and which models of a hub it lacks: a few rows by hand, without an engine."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyarrow import parquet
from pyarrow import table as arrow

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.hub import declined, known
from pipeline.hub.candidates import Candidate, find_candidates
from pipeline.hub.known import Known, known_models, read_known
from pipeline.hub.names import active_parameters, plain_name, stem, version, with_and_without_maker
from pipeline.registry.vocabularies import Vocabulary

BIG_LAB = Vocabulary("organizations", "", True, {"Big Lab": {}, "Maker": {"hub": ["maker-hub"]}}, {})
NEWEST = pd.Timestamp("2026-06-01")
MODELS: dict[str, dict[str, Any]] = {
    "Nova 3 Super": {"parameters": 1.2e11, "huggingface_id": "big-lab/NV3"},
    "Nova 3.8 Max": {"parameters": 2.4e12, "huggingface_id": "moved/N", "publication_date": NEWEST},
    "Nova 3.7 Max": {"parameters": 2.4e12},
    "Old N": {"organization": "Maker", "huggingface_id": "moved/O", "publication_date": pd.Timestamp("2020-01-01")},
    "Nameless": {"organization": None, "huggingface_id": "nobody/x", "parameters": 5e9},
}


def models(rows: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """Rows of the table models by their names, of Big Lab unless told otherwise."""
    plain = {"organization": "Big Lab", "domains": ["Language"], "huggingface_id": None, "open_weights": True,
             "publication_date": NEWEST, "parameters": None, "parameters_active": None, "training_compute_flop": None}  # fmt: skip
    made = pd.DataFrame([plain | {"name": name} | cells for name, cells in rows.items()])
    numbers = ["parameters", "parameters_active", "training_compute_flop"]
    return made.astype(dict.fromkeys(numbers, "float64"))


def dataset(rows: dict[str, dict[str, Any]] = MODELS, records: tuple[str, ...] = ()) -> Known:
    return known_models(models(rows), records, BIG_LAB)


def test_accounts_names_and_sizes_are_those_of_the_models() -> None:
    """The account `moved` is of the organisation whose newest model names it; Maker states one of its own."""
    found = dataset(records=("Nova Zero (base)",))
    assert found.accounts == {"biglab": "Big Lab", "maker": "Maker", "moved": "Big Lab", "makerhub": "Maker"}
    assert found.names >= {"nova3super", "nv3", "novazero", "oldn", "nameless", "n", "o", "x"}
    assert found.sizes == {"nova3super": [1.2e11], "nova38max": [2.4e12], "nova37max": [2.4e12], "nameless": [5e9]}
    assert found.models == {"Big Lab": [("Nova 3 Super", 1.2e11), ("Nova 3.8 Max", 2.4e12), ("Nova 3.7 Max", 2.4e12)]}
    assert dataset({"Big Lab Comet 7B": {"parameters": 7e9}}).sizes == {"biglabcomet": [7e9], "comet": [7e9]}


@pytest.mark.parametrize(
    ("hub_id", "parameters", "there"),
    [
        ("big-lab/NV3", 1e9, True),
        ("other/Nova-3-Super", 1e9, True),
        ("big-lab/Nova-3-Super-120B-A12B", 1.2e11 / 0.901, True),
        ("big-lab/Nova-3-Super-120B-A12B", 1.2e11 / 0.899, False),
        ("big-lab/Nova-3-Super-120B-A12B", 1.2e11 / 1.099, True),
        ("big-lab/Nova-3-Super-120B-A12B", 1.2e11 / 1.101, False),
        ("big-lab/BigLab-Nova-3-Super-120B", 1.2e11, True),
        ("moved/Big-Lab-Nova-3-Super-7B", 1.2e11, True),
        ("other/Big-Lab-Nova-3-Super-7B", 1.2e11, False),
    ],
)
def test_a_model_is_known_by_its_id_its_name_or_its_name_and_size(hub_id: str, parameters: float, there: bool) -> None:
    assert dataset().has(hub_id, parameters) is there


def test_models_of_the_same_organisation_version_and_size_are_alike() -> None:
    found = dataset()
    assert found.alike("moved/N3.8-2.4T", 2.446e12) == ["Nova 3.8 Max"]
    assert found.alike("moved/N3.8-2.4T", 3e12) == found.alike("moved/N-2.4T", 2.4e12) == []
    assert found.alike("other/N3.8-2.4T", 2.4e12) == []
    assert [found.has_account(hub_id) for hub_id in ("Big_Lab/x", "other/x")] == [True, False]


def test_tokens_are_usual_where_five_open_models_of_two_years_tell() -> None:
    """compute ÷ 6·N of the active parameters: five of Speech, four of Video and none that is closed or too old."""
    rows = {
        f"Voice {n}": {"domains": ["Speech"], "parameters": 1e9, "training_compute_flop": 6e9 * n} for n in range(1, 5)
    }
    rows |= {
        f"Film {n}": {"domains": ["Video"], "parameters": 1e9, "training_compute_flop": 6e9 * 100} for n in range(4)
    }
    rows["Film 3"] |= {"parameters": 9e9, "parameters_active": 1e9}
    rows["Of two years"] = rows["Voice 3"] | {"publication_date": NEWEST - pd.Timedelta(days=730)}
    rows["Older"] = rows["Voice 3"] | {
        "publication_date": NEWEST - pd.Timedelta(days=731),
        "training_compute_flop": 6e20,
    }
    rows["Closed"] = rows["Voice 3"] | {"open_weights": False, "training_compute_flop": 6e20}
    rows["Unknown"] = rows["Closed"] | {"open_weights": None}
    assert dataset(rows).tokens == {"": 4.0, "Speech": 3.0}  # of 1, 2, 3, 3, 4 and four times 100


def test_what_is_built_is_read_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Paths(tmp_path)
    with pytest.raises(DataError, match=r"models\.parquet: does not exist; run `traincompute build` first"):
        read_known(paths)
    paths.processed.mkdir(parents=True)
    parquet.write_table(arrow(models(MODELS).assign(more=1)), paths.processed / "models.parquet")
    parquet.write_table(arrow({"record": ["Nova 0"], "field": ["x"]}), paths.processed / "claims.parquet")
    monkeypatch.setattr(known, "load_vocabularies", lambda _: {"organizations": BIG_LAB})
    found = read_known(paths)
    assert (found.accounts, "nova0" in found.names) == (dataset().accounts, True)


# --- names


@pytest.mark.parametrize(
    ("name", "plain", "without_size", "number", "active"),
    [
        ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "nvidianemotron3super120ba12b", "nvidianemotron3super", "3", 12e9),
        ("RMBG v2.0", "rmbg20", "rmbg20", "2.0", None),
        ("openbmb/MiniCPM-V-4_5", "minicpmv45", "minicpmv45", "4.5", None),
        ("Qwen3.6-27B-Instruct-2507", "qwen3627b", "qwen36", "3.6", None),
        ("G9v3-39A5B", "g9v339a5b", "g9v3", "9", 5e9),
        ("Nova (7.5B) it", "nova75b", "nova", "", None),
        ("maker7/Nova_350m-chat", "nova350m", "nova", "", None),
        ("Nova 2T-preview", "nova2t", "nova", "", None),
    ],
)  # fmt: skip
def test_a_name_is_compared_without_account_form_and_size(
    name: str, plain: str, without_size: str, number: str, active: float | None
) -> None:
    assert (plain_name(name), stem(name), version(name)) == (plain, without_size, number)
    assert active_parameters(name) == active


def test_a_name_is_compared_without_that_of_its_maker_too() -> None:
    assert with_and_without_maker("biglabnova", ["Big-Lab", ""]) == {"biglabnova", "nova"}
    assert with_and_without_maker("biglab", ["Big Lab"]) == {"biglab"}


# --- candidates


def found(*rows: dict[str, Any], gone: tuple[str, ...] = ()) -> list[Candidate]:
    """The candidates among rows as base_models gives them, of 7B parameters and unknown task unless told otherwise."""
    plain = {
        "created_date": date(2026, 6, 1),
        "parameters": 7e9,
        "training_tokens": None,
        "downloads": 5000.0,
        "task": None,
    }
    made = [plain | {"author": row["hub_id"].split("/")[0]} | row for row in rows]
    return find_candidates(pd.DataFrame(made), dataset()._replace(tokens={"": 1e12, "Speech": 1e10}), gone)


def test_a_candidate_says_what_is_known_of_it() -> None:
    first, second, third = found(
        {"hub_id": "big-lab/Voice-9B", "parameters": 9e9, "task": "text-to-speech"},
        {"hub_id": "big-lab/Comet-30B-A3B", "parameters": 3e10, "task": "text-generation"},
        {"hub_id": "Unknown-Lab/N3.8-7T", "parameters": 7e12, "training_tokens": 2e12},
    )
    assert third == Candidate(
        name="Voice-9B",
        organization="Big Lab",
        parameters=9e9,
        created=date(2026, 6, 1),
        downloads=5000,
        needs="chip_hours",
        expected_flop=6 * 9e9 * 1e10,
        alike=[],
        variants=[],
        hub_id="big-lab/Voice-9B",
        add_fact="traincompute curate add-fact Voice-9B parameters 9000000000 --new --set publication_date=2026-06-01 "
        "--set 'organization=Big Lab' --set domain=Speech --set chip_hours=… "
        "--reference https://huggingface.co/big-lab/Voice-9B --locator 'model card' --evidence …",
    )
    assert (second.needs, second.expected_flop) == ("training_tokens", 6 * 3e9 * 1e12)
    assert "--set domain=Language --set parameters_active=3000000000 --set training_tokens=… " in second.add_fact
    assert (first.organization, first.needs, first.expected_flop) == ("Unknown-Lab", "", 6 * 7e12 * 2e12)
    assert "--set organization=Unknown-Lab --set domain=… --set training_tokens=2000000000000 --ref" in first.add_fact
    (odd,) = found({"hub_id": "x=$(reboot)…"})  # a few old ids have no account
    assert shlex.split(odd.add_fact)[3] == "x=$(reboot)…"


def test_variants_stand_behind_the_plainest_and_most_downloaded() -> None:
    """By their plain names or the same count; two versions are two models, and two accounts too."""
    rows = [
        {"hub_id": "big-lab/Nova-4-7B-Instruct", "downloads": 9.0, "parameters": 7.2e9},
        *({"hub_id": f"big-lab/Nova-4-7B-v{n}", "downloads": 10.0 - n, "parameters": 7e9} for n in (5, 6, 7)),
        {"hub_id": "big-lab/Nova-4-7B", "downloads": 1.0, "parameters": 7.2e9},
        {"hub_id": "big-lab/Comet", "downloads": 8.0},
        {"hub_id": "big-lab/Star", "downloads": 8.0},
        {"hub_id": "big-lab/Nova-5-7B", "downloads": 6.0},
        {"hub_id": "Other/Star-x", "downloads": 8.0},
        {"hub_id": "big-lab/Sun-5", "parameters": 7.2e9},
    ]
    assert {one.hub_id: one.variants for one in found(*rows)} == {
        "big-lab/Comet": ["big-lab/Star", "big-lab/Nova-5-7B", "big-lab/Nova-4-7B-v5", "big-lab/Nova-4-7B-v6"],
        "big-lab/Nova-4-7B": ["big-lab/Nova-4-7B-Instruct"],
        "big-lab/Sun-5": [],
        "Other/Star-x": [],
    }


def test_of_one_name_that_of_a_known_account_stays_else_the_oldest() -> None:
    later = {"created_date": date(2026, 7, 1)}
    rows = [
        {"hub_id": "a/Sun"},
        {"hub_id": "big-lab/Sun", **later},
        {"hub_id": "a/Moon", **later},
        {"hub_id": "b/Moon"},
    ]
    assert [one.hub_id for one in found(*rows)] == ["b/Moon", "big-lab/Sun"]


def test_what_is_known_or_declined_of_one_variant_is_so_of_all() -> None:
    rows = [
        {"hub_id": "big-lab/Sun"},
        {"hub_id": "big-lab/Sun-it", "downloads": 1.0},
        {"hub_id": "big-lab/Moon", "parameters": 8e9},
    ]
    assert [one.hub_id for one in found(*rows, gone=("BIG-LAB/sun-IT",))] == ["big-lab/Moon"]
    rows += [{"hub_id": "big-lab/NV3", "parameters": 8e9}]
    assert [one.hub_id for one in found(*rows)] == ["big-lab/Sun"]


# --- declined


def test_what_was_declined_is_kept_in_order_and_read_again(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.declined.parent.mkdir(parents=True)
    assert declined.read_declined(paths) == {}
    for hub_id, reason in (("c/d", "x" * 200), ("a/b", "a copy, again"), ("c/d", "x")):
        declined.decline(paths, hub_id, reason, date(2026, 8, 22))
    assert paths.declined.read_text() == 'hub_id,since,reason\na/b,2026-08-22,"a copy, again"\nc/d,2026-08-22,x\n'
    assert declined.read_declined(paths)["a/b"] == ["a/b", "2026-08-22", "a copy, again"]
    with pytest.raises(DataError) as error:
        declined.decline(paths, "e", "x" * 201, date(2026, 8, 22))
    first, second = str(error.value).splitlines()
    assert first == 'discover [e]: hub_id "e": is no id of a model; write account/name, as the hub does'
    assert second.endswith(": is too long; say in 1 to 200 characters why it is no model for the dataset")
    paths.declined.write_text(paths.declined.read_text() + "c/d,20260822, \ne/f,22.8.2026,x\n")
    with pytest.raises(DataError) as error:
        declined.read_declined(paths)
    assert str(error.value).splitlines() == [
        'data/raw/curated/declined.csv:4 [c/d]: since "20260822": is no day; write it as 2026-11-22',
        'data/raw/curated/declined.csv:4 [c/d]: reason " ": no reason is given; say in 1 to 200 characters why it is no '
        "model for the dataset",
        'data/raw/curated/declined.csv:4 [c/d]: hub_id "c/d": is listed twice; remove one of the two lines',
        'data/raw/curated/declined.csv:5 [e/f]: since "22.8.2026": is no day; write it as 2026-11-22',
    ]
