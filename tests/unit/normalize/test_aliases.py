"""Which model a name stands for: a model's own name first, nothing where two could be meant."""

from __future__ import annotations

from datetime import date
from functools import cache
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest

from pipeline.config import load_sources
from pipeline.curated import Decision
from pipeline.normalize import aliases
from pipeline.normalize.aliases import make_aliases, names_used
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas, load_views

MODELS = pd.DataFrame(
    [
        ("gpt-4", "GPT-4 (Mar 2023)", True),
        ("gpt-4-jun-2023", "GPT-4 (Jun 2023)", True),
        ("palm-540b", "PaLM (540B)", True),
        ("palm-8b", "PaLM (8B)", False),
        ("palm-2", "PaLM 2", True),
        ("llama-2-7b", "Llama 2-7B", True),
        ("llama-2-70b", "Llama 2-70B", True),
        ("stable-diffusion-ldm", "Stable Diffusion (LDM)", True),
        ("stable-diffusion-1.5", "Stable Diffusion 1.5", False),
        ("calm", "CALM", False),
        ("calm-2", "CaLM", False),
        ("pi-0-pi-zero", "π0 (pi-zero)", False),
    ],
    columns=["model_id", "name", "is_notable"],
).assign(huggingface_id=None)
NAMED = pd.DataFrame(
    [
        ("llmstats", "Another", "GPT-4", "gpt-4-jun-2023"),
        ("fmti", "Third", "Llama 2", "llama-2-70b"),
        ("helm", "Fourth", "LLaMA2 (7 billion)", "llama-2-7b"),
        ("helm", "Fourth", "Claude", "claude"),
    ],
    columns=["source_id", "publisher", "record", "model_id"],
).assign(since=pd.Timestamp("2026-01-01"), until=pd.NaT)
OTHER = Decision("PaLM 2 (Bison)", "helm", "distinct", "palm-2", "", "another size", 2)
IN_USE = [Decision(name, "", "called", "palm-2", "", "a service's", 3) for name in ("text-unicorn", "gpt-4")]


def table_of_names(named: pd.DataFrame) -> pd.DataFrame:
    lines = iter([OTHER, *IN_USE])
    return make_aliases(named, MODELS, lines, load_views(Paths(CHECKOUT)), load_schemas(Paths(CHECKOUT))["aliases"])


@cache
def usual() -> dict[str, str]:
    return decided(NAMED)


def decided(named: pd.DataFrame) -> dict[str, str]:
    """{key: the model that it stands for}."""
    made = table_of_names(named)
    sure = made[made["is_decisive"].astype(bool)]
    assert (sure.groupby("key")["model_id"].nunique() == 1).all()
    return dict(zip(sure["key"], sure["model_id"], strict=True))


@pytest.mark.parametrize(
    ("key", "model"),
    [
        ("gpt4", "gpt-4"),  # its id, although one other publisher uses the name for another state
        ("palm", "palm-540b"),  # three share the name without brackets, one of them is notable
        ("palm2", "palm-2"),
        ("llama2", None),  # one source's name for one of a family
        ("llama2_7b", "llama-2-7b"),
        ("stablediffusion", None),  # a name without brackets that is the beginning of another model's name
        ("calm", None),  # two models, told apart by case alone
        ("pi0", "pi-0-pi-zero"),
        ("palm2bison", None),  # somebody decided that this is another model
        ("claude", None),  # no such model here
        ("textunicorn", "palm-2"),  # no source's name, but one in use
    ],
)
def test_a_key_stands_for_one_model_or_none(key: str, model: str | None) -> None:
    assert usual().get(key) == model


def test_two_publishers_who_mean_another_model_make_a_name_ambiguous() -> None:
    second = NAMED.iloc[:1].assign(source_id="helm", publisher="Fourth")
    assert "gpt4" not in decided(pd.concat([NAMED, second]))
    former = second.assign(until=pd.Timestamp("2026-02-01"))
    assert decided(pd.concat([NAMED, former]))["gpt4"] == "gpt-4", "what they do no longer does not count"


def test_a_name_is_listed_from_the_first_snapshot_to_the_last() -> None:
    days = [("2025-01-01", "2025-02-01"), ("2025-02-01", None)]
    ledger = pd.DataFrame(
        [
            ("epoch_all", "Ankh", "ankh", *days[0]),
            ("epoch_all", "Ankh", "ankh", *days[1]),
            ("epoch_all", "Old", "ankh", *days[0]),
        ],
        columns=["source_id", "record", "model_id", "since", "until"],
    ).assign(since=lambda f: pd.to_datetime(f["since"]), until=lambda f: pd.to_datetime(f["until"]))
    sources = load_sources(Paths(CHECKOUT))
    now = names_used(ledger, sources, None).set_index("record")
    assert now["until"].isna().to_dict() == {"Ankh": True, "Old": False}
    assert now["publisher"].tolist() == ["Epoch AI"] * 2
    assert (now["since"] == pd.Timestamp("2025-01-01")).all()
    for day, ended in ((date(2025, 1, 31), False), (date(2025, 2, 1), True)):
        then = names_used(ledger, sources, day).set_index("record")["until"]
        assert then.notna().to_dict() == {"Ankh": False, "Old": ended}, "both stood until that day"
    assert len(names_used(ledger, sources, date(2025, 1, 1))) == 2
    assert names_used(ledger, sources, date(2024, 12, 31)).empty
    kinds = ledger[::-1].astype({"source_id": "category", "record": "category"}).assign(model_id=["a", "b", "b"])
    spoken = names_used(kinds, sources, None)
    assert spoken[["record", "model_id"]].to_numpy().tolist() == [
        ["Old", "a"],
        ["Ankh", "b"],
    ], "in the order of the ledger"
    nobodys = ledger.assign(model_id=["ankh", None, ""])
    assert names_used(nobodys, sources, None)["record"].tolist() == ["Ankh"]


def test_a_name_in_use_is_no_sources_and_one_of_another_model_decides_nothing() -> None:
    made = table_of_names(NAMED).set_index(["alias", "model_id"])
    columns = ["kind", "source_ids", "key", "words", "is_decisive"]
    assert made.loc[("text-unicorn", "palm-2"), columns].fillna("").tolist() == [
        "record",
        "",
        "textunicorn",
        "text;unicorn",
        True,
    ]
    assert made.loc[("PaLM 2 (Bison)", "palm-2"), columns].tolist() == [
        "distinct",
        "helm",
        "palm2bison",
        "palm;2;bison",
        False,
    ]
    assert made.loc[("GPT-4", "gpt-4-jun-2023"), "since"] == pd.Timestamp("2026-01-01")
    assert "claude" not in made.index.get_level_values("model_id")


def test_the_query_reads_the_columns_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[str]] = []

    def from_pandas(frame: pd.DataFrame, **given: bool) -> pa.Table:
        read.append(pa.Table.from_pandas(frame, **given).column_names)
        return pa.Table.from_pandas(frame, **given)

    monkeypatch.setattr(aliases, "pa", SimpleNamespace(Table=SimpleNamespace(from_pandas=from_pandas)))
    table_of_names(NAMED)
    assert read == [
        ["source_id", "alias", "model_id"],
        list(NAMED),
        ["model_id", "name", "is_notable", "huggingface_id"],
    ]
