"""The derived columns; the targets are in docs/method.md."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

from pipeline.config import Config
from pipeline.impute.eras import with_eras
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_views

Tables = dict[str, pd.DataFrame]
# kWh. Patterson et al. 2021 (arXiv:2104.10350), table 4: GPT-3, T5, Meena, Switch; Luccioni et al. 2022
# (arXiv:2211.02001), tables 1 and 4: BLOOM, Gopher, OPT; GLaM, arXiv:2112.06905; PaLM, arXiv:2204.02311, appendix B;
# Llama 2, arXiv:2307.09288, table 2: GPU-hours × 400 W, as the table counts it
PUBLISHED_KWH = {
    "gpt-3-175b": 1_287_000,
    "bloom": 433_196,
    "opt-175b": 324_000,
    "palm-540b": 3_436_000,
    "gopher": 1_066_000,
    "t5-11b": 85_700,
    "meena": 232_000,
    "switch": 179_000,
    "glam": 456_000,
    "llama-2-70b": 1_720_320 * 0.4,
    "llama-2-34b": 1_038_336 * 0.4,
    "llama-2-13b": 368_640 * 0.4,
    "llama-2-7b": 184_320 * 0.4,
}


def of_field(tables: Tables, field: str) -> pd.DataFrame:
    return tables["estimates"].query("field == @field").set_index("model_id")


def test_energy_is_near_what_is_published(tables: Tables) -> None:
    ours = of_field(tables, "training_energy_kwh")
    ratio = ours["value"].reindex(list(PUBLISHED_KWH)) / pd.Series(PUBLISHED_KWH)
    factor = np.exp(np.abs(np.log(ratio)))
    assert ratio.notna().all()
    assert factor.median() <= 2
    assert factor.max() <= 2
    stated = ours[ours["disagreement_dex"].notna()]
    published = stated["value"] / 10 ** stated["disagreement_dex"]
    assert published.between(stated["low"], stated["high"]).mean() >= 0.75


def test_power_agrees_with_upstream(tables: Tables) -> None:
    apart = of_field(tables, "training_power_w")["disagreement_dex"].dropna()
    assert len(apart) >= 715  # without those of another number or kind of chips, which corrections drop
    assert (apart.abs() <= np.log10(1.05)).mean() >= 0.95


def test_cost_agrees_with_upstream_where_the_inputs_are_known(tables: Tables) -> None:
    ours = of_field(tables, "training_cost_usd")
    known = ours[~ours["assumptions"].str.contains("worked out from FLOP")]
    apart = known["disagreement_dex"].dropna()
    assert len(apart) >= 120  # without those whose inputs were corrected since
    assert (apart.abs() <= np.log10(1.5)).mean() >= 0.8
    rental = of_field(tables, "training_cost_cloud_usd")["disagreement_dex"].dropna()
    assert len(rental) >= 20
    assert (rental.abs() <= np.log10(1.5)).mean() >= 0.9


def rentals(tables: Tables) -> pd.DataFrame:
    """Costs of rental with the days of price and contract."""
    about = tables["models"][["model_id", "publication_date", "training_hours"]]
    made = of_field(tables, "training_cost_cloud_usd").reset_index().merge(about, on="model_id")
    seen = pd.to_datetime(made["assumptions"].str.extract(r" on (\d{4}-\d\d-\d\d)")[0])
    hours = made["training_hours"].astype("float64").fillna(793.5)
    contract = made["publication_date"] - pd.to_timedelta(hours // 24 + 120, "D")
    return made.assign(seen=seen, contract=contract, vendor=made["assumptions"].str.extract(r"at (.+) on \d{4}")[0])


def test_a_later_price_of_rental_is_taken_only_where_the_vendor_has_no_earlier_one(tables: Tables) -> None:
    """By chip and vendor: whatever was first taken for a later training is never later than what was taken for an
    earlier one, and a price from after the contract is the first that is taken at all."""
    made = rentals(tables).merge(tables["model_hardware"], on="model_id")
    first = made.groupby(["hardware_id", "vendor"])["seen"].transform("min")
    later = made["seen"] > made["contract"]
    assert later.sum() > 100
    assert (made["seen"] == first)[later].all()


def test_gpt_3(tables: Tables) -> None:
    row = tables["models"].set_index("model_id").loc["gpt-3-175b"]
    assert row["training_compute_pfs_days"] == pytest.approx(3640, rel=0.01)  # arXiv:2005.14165, table D.1
    assert row["days_on_top500_first"] == pytest.approx(24.5, abs=0.5)  # Summit, Rmax 148.6 PFLOP/s
    assert row["frontier_rank"] == 1
    assert row["training_carbon_kg"] == pytest.approx(552_000)
    assert (row["era_compute"], row["era_economic"]) == ("large_scale", "bespoke")


def test_intervals_belong_to_estimates(tables: Tables) -> None:
    models = tables["models"]
    for field, source in (("training_power_w", "training_power_source"), ("training_cost_usd", "training_cost_source")):
        ours = models[source] == "imputed"
        assert ours.sum() >= 80
        assert (models.loc[ours, f"{field}_low"] < models.loc[ours, field]).all()
        assert (models.loc[ours, f"{field}_high"] > models.loc[ours, field]).all()
        assert models.loc[~ours.fillna(False).astype(bool), f"{field}_low"].isna().all()


def first_sheet(facts: pd.DataFrame) -> pd.DataFrame:
    """Date and flop of the rows of Epoch AI's first file."""
    fields, at = ["publication_date", "training_compute_flop", "parameters"], pd.Timestamp("2022-05-03")
    facts = facts[(facts["source_id"] == "epoch_all") & facts["field"].isin(fields)]
    there = facts[(facts["since"] <= at) & (facts["until"].isna() | (facts["until"] > at))]
    wide = there.drop_duplicates(["record", "field"]).pivot(index="record", columns="field", values="value_text")
    wide = wide.dropna(subset=["parameters"])
    date = pd.to_datetime(wide["publication_date"], format="mixed", dayfirst=True, errors="coerce")
    flop = pd.to_numeric(wide["training_compute_flop"], errors="coerce")
    return pd.DataFrame({"date": date, "flop": flop}).dropna().query("flop > 0")


def test_frontier_of_the_dataset_is_the_naive_one(database: duckdb.DuckDBPyConnection) -> None:
    wrong = database.execute("""
        with n as (select * from models where is_notable and publication_date is not null
            and training_compute_flop is not null and training_compute_source <> 'imputed')
        , first as (select * from n qualify row_number() over (partition by training_run_id order by \
publication_date, model_id) = 1)
        select count(*) from n a where frontier_rank <> 1 + (select count(*) from first b
            where b.publication_date <= a.publication_date and b.training_compute_flop > a.training_compute_flop)
    """).fetchone()
    assert wrong == (0,)


def test_the_first_sheet_falls_into_the_published_eras(context: Config, ledger: pd.DataFrame, tables: Tables) -> None:
    # Jones 2022 (shape-of-code.com) has 18, 74 and 14 of the 106 models with date, FLOP and parameters
    rows = first_sheet(ledger).query("date < '2022-03-13'")
    models = rows.rename(columns={"date": "publication_date", "flop": "training_compute_flop"})
    models = models.assign(is_notable=True, training_compute_source="third_party", model_id=models.index.astype("str"))
    models = models.assign(training_run_id=models["model_id"])
    eras = with_eras(models, tables["supercomputers"], context.constants["eras"])
    found = eras["era_economic"].value_counts()
    assert found["do_it_yourself"] == pytest.approx(18, abs=1)
    assert found["cloud"] == pytest.approx(74, abs=1)
    assert found["bespoke"] == 14


def test_shares_add_up(database: duckdb.DuckDBPyConnection) -> None:
    for view in ("organization_shares", "country_shares"):
        sums = database.execute(
            f"select sum(share_of_models), sum(share_of_compute) from {view} group by year"
        ).fetchall()
        assert all(models == pytest.approx(1) and (flop is None or flop == pytest.approx(1)) for models, flop in sums)
    bounds = database.execute("""select min(herfindahl_models), max(herfindahl_models)
        from leaders""").fetchone()
    assert bounds is not None
    assert 0 < bounds[0] <= bounds[1] <= 1


def test_macros_agree_with_the_columns(database: duckdb.DuckDBPyConnection) -> None:
    row = database.execute(
        "select pfs_days(3.14e23), chip_hours(3.14e23, 'nvidia-v100', 0.2), h100_hours(9.894e14 * 1800, 0.5)"
    ).fetchone()
    assert row == pytest.approx((3634.26, 3.14e23 / (1.25e14 * 0.2 * 3600), 1), rel=1e-3)


@pytest.mark.parametrize("name", ["NVIDIA H100 SXM5 80GB", "nvidia h100-sxm5‑80gb", "“Nvidia H100 SXM5 80 GB”"])
def test_chips_are_found_by_any_spelling(database: duckdb.DuckDBPyConnection, name: str) -> None:
    row = database.execute("select peak_flops(?), chip_hours(9.894e14 * 3600, ?, 1)", [name, name]).fetchone()
    assert row == pytest.approx((9.894e14, 1), rel=1e-3)


@pytest.mark.parametrize("name", ["deepseek v3", "DeepSeek‑V3", "“DEEPSEEK V3”", "'DeepSeek–v3'"])
def test_models_are_found_by_any_spelling(database: duckdb.DuckDBPyConnection, name: str) -> None:
    assert database.execute("select model_id_of(?)", [name]).fetchone() == ("deepseek-v3",)


def test_regions_are_in_the_table(tables: Tables) -> None:
    regions = tables["models"]["training_region"].dropna()
    assert len(regions) >= 2
    assert regions.isin(tables["grid_regions"]["region_id"]).all()


def tables_of_method() -> dict[str, tuple[float, float, float]]:
    """By model the published figure, ours and the ratio, from both tables in docs/method.md; MWh and dollars are kept
    apart."""
    rows = {}
    for line in (CHECKOUT / "docs" / "method.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith("`") and len(cells) in (4, 5):
            kind = "MWh" if len(cells) == 5 else "USD"
            published, ours, ratio = (float(cell) for cell in cells[-3:])
            rows[f"{cells[0].strip('`')} {kind}"] = (published, ours, ratio)
    return rows


def test_the_tables_of_the_method_are_current(tables: Tables) -> None:
    rows = tables_of_method()
    energy, rental = of_field(tables, "training_energy_kwh"), of_field(tables, "training_cost_cloud_usd")
    assert len(rows) >= 20
    factors: dict[str, list[float]] = {"MWh": [], "USD": []}
    for key, (published, printed, ratio) in rows.items():
        model_id, kind = key.split()
        ours = energy.loc[model_id, "value"] / 1000 if kind == "MWh" else rental.loc[model_id, "value"]
        assert printed == pytest.approx(ours, rel=1e-3), key
        assert ratio == pytest.approx(ours / published, abs=0.006), key
        factors[kind].append(max(ratio, 1 / ratio))
        if kind == "MWh":
            assert published * 1000 == pytest.approx(PUBLISHED_KWH[model_id], rel=1e-3)
    assert all(np.median(kind) <= 2 for kind in factors.values())


def test_every_derived_number_has_its_formula_in_numbers(database: duckdb.DuckDBPyConnection) -> None:
    rows = database.execute(
        """select field, count(*), count(formula), count(distinct model_id)
            from derivations group by field"""
    )
    found = {field: counts for field, *counts in rows.fetchall()}
    assert len(found) == 10
    for field, counts in found.items():
        held = database.execute(f'select count("{field}") from models').fetchone()
        assert held is not None
        assert counts == [held[0]] * 3, field
    gpt = database.execute(
        """select formula from derivations where model_id = 'gpt-3-175b'
            and field = 'days_on_top500_first'"""
    )
    assert gpt.fetchone() == ("3.14e+23 FLOP ÷ (1.486e+17 FLOP/s of Summit, list of 2019-11 × 86400 s)",)


def test_no_view_is_missing(real: Paths, database: duckdb.DuckDBPyConnection) -> None:
    made = {row[0] for row in database.execute("select view_name from duckdb_views() where not internal").fetchall()}
    assert made == {view.name for view in load_views(real) if not view.is_macro}
