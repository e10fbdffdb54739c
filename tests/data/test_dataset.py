"""What the real dataset must contain."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from contents import duckdb_content

from pipeline.config import Config, load_sources
from pipeline.curated import Architecture, load_curated
from pipeline.frames import empty_frame, to_arrow
from pipeline.names import slug
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

Tables = dict[str, pd.DataFrame]
INTERVAL = {"training_compute_low": "low", "training_compute_high": "high"}  # column → column of estimates
SCHEMAS = load_schemas(Paths(CHECKOUT))


def test_rows(tables: Tables) -> None:
    models = tables["models"]
    assert len(models) >= 3250
    assert models["is_notable"].sum() >= 1036
    assert models["model_id"].is_unique
    dates = models["publication_date"].dropna()
    assert (dates.min().year, dates.max().year) == (1950, 2026)


def test_published_compute_comes_from_sources(tables: Tables) -> None:
    sources = tables["models"]["training_compute_source"].value_counts()
    assert sources[["reported", "third_party", "corrected"]].sum() >= 1297
    imputed = tables["estimates"].query("is_selected and value.notna() and field == 'training_compute_flop'")
    assert sources["imputed"] == len(imputed)
    assert tables["models"]["training_compute_flop"].notna().sum() == sources.sum()


def apart(printed: str, published: str) -> str:
    """SQL: whether two numbers differ in twelve digits."""
    return f"coalesce(abs({printed} - {published}) > 1e-11 * abs({printed}), {printed} is distinct from {published})"


def test_every_number_in_models_has_one_selected_claim_or_estimate(database: duckdb.DuckDBPyConnection) -> None:
    numbers = [c for c in SCHEMAS["models"].columns if c.type == "number" and not c.derived and c.name not in INTERVAL]
    assert len(numbers) >= 13
    for column in numbers:
        orphans = database.execute(f"""
            select count(*) from models m
            left join (select model_id, value, count(*) n from (
                select model_id, value from claims where field = '{column.claim or column.name}' and status = 'selected'
                and value is not null
                union all
                select model_id, value from estimates where field = '{column.name}' and is_selected and value is not \
null
            ) group by all) c using (model_id)
            where (m."{column.name}" is not null and (c.n is distinct from 1 or \
{apart("c.value", f'm."{column.name}"')}))
            """).fetchone()
        assert orphans == (0,), column.name


@pytest.mark.parametrize(("column", "side"), INTERVAL.items())
def test_an_end_of_an_interval_is_stated_estimated_the_band_of_the_published_value_or_what_could_be_had(
    database: duckdb.DuckDBPyConnection, column: str, side: str
) -> None:
    orphans = database.execute(f"""
        select count(*) from models m
        left join (select model_id, value from claims where field = '{column}' and status = 'selected') c using \
(model_id)
        left join (select * from estimates where field = 'training_compute_flop' and is_selected) e using (model_id)
        left join predictions p using (model_id) left join models b on b.model_id = m.base_model_id
        where m."{column}" is not null and {apart("c.value", f'm."{column}"')}
        and ('{side}' = 'high' or m."{column}" is distinct from b."{column}")
        and ('{side}' = 'low' or m."{column}" is distinct from p.most_flop)
        and ('{side}' = 'high' or m."{column}" is distinct from e.low or e.low < c.value)  -- no lower than the base's
        and (c.value is not null or m."{column}" is distinct from e."{side}")
        and (c.value is not null or m.training_compute_source = 'imputed' or round(
          10 ** abs(log10(m."{column}" / m.training_compute_flop)), 1) not in (1.5, 3, 10, 31))
        """).fetchone()
    assert orphans == (0,)


def test_every_claim_points_at_a_fact(ledger: pd.DataFrame, tables: Tables) -> None:
    known = set(zip(ledger["source_id"], ledger["record"], ledger["field"], ledger["value_text"], strict=True))
    claims = tables["claims"].query(
        "not (source_id == 'curated' and (correction.notna() or evidence == '' or evidence.isna()))"
    )  # those are in corrections.yml, or follow from the number of a paper
    made = set(zip(claims["source_id"], claims["record"], claims["field"], claims["value_text"], strict=True))
    assert made <= known


def test_plain_numbers_keep_every_digit(tables: Tables) -> None:
    claims = tables["claims"]
    plain = claims[
        claims["value"].notna()
        & claims["correction"].isna()
        & claims["value_text"].str.fullmatch(r"[0-9.]+(e[+-]?[0-9]+)?")
    ]
    assert len(plain) > 9000
    printed = plain["value_text"].map(float)
    ordered = plain["note"].fillna("").str.contains("last digits")  # 2.0001e25 is read as 2e25
    assert (printed == plain["value"])[~ordered].all()
    assert ((printed / plain["value"] - 1).abs() < 2e-3)[ordered].all()


def test_every_loser_has_a_reason_and_at_most_one_claim_wins(tables: Tables) -> None:
    claims = tables["claims"]
    assert (claims["reason"].str.len() > 0).all()
    assert ((claims["reason_code"] == "first") == (claims["status"] == "selected")).all()
    chosen = claims[claims["status"] == "selected"]
    assert not chosen.duplicated(["model_id", "field"]).any()
    assert (chosen["supporting_publishers"] >= 1).all()


def test_no_two_models_are_plainly_the_same(tables: Tables) -> None:
    models = tables["models"]
    decided = pd.read_csv(CHECKOUT / "data" / "raw" / "curated" / "identities.csv", keep_default_na=False)
    distinct = set(decided.query("relation == 'distinct'")["alias"])
    twins = models[models.assign(slug=models["name"].map(slug)).duplicated(["slug"], keep=False)]
    open_cases = twins[~twins["name"].isin(distinct)].groupby(twins["name"].map(slug)).size()
    assert (open_cases <= 1).all(), open_cases[open_cases > 1].to_dict()


def test_missing_is_null_and_never_a_word(tables: Tables) -> None:
    texts = tables["models"].drop(columns=["name", "model_id"]).select_dtypes("str")
    words = texts.isin(["", "nan", "None", "N/A", "Not specified", "Unknown"])
    assert not words.any().any()


def test_parquet_carries_description_and_unit(published: Path, tables: Tables) -> None:
    for name, table in SCHEMAS.items():
        if name in tables:
            schema = pq.read_schema(published / f"{name}.parquet")
            assert schema.equals(to_arrow(empty_frame(table), table).schema, check_metadata=False), name
            assert all(schema.field(c.name).metadata[b"description"].decode() == c.description for c in table.columns)
    flop = pq.read_schema(published / "models.parquet").field("training_compute_flop")
    assert flop.metadata[b"unit"] == b"FLOP"


def test_csv_and_parquet_say_the_same(published: Path, tables: Tables) -> None:
    read = (
        pyarrow.csv.read_csv(
            published / "models.csv", convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True)
        )
        .sort_by("model_id")
        .to_pandas()
    )
    stored = pq.read_table(published / "models.parquet").to_pandas()
    assert (read["training_compute_flop"].fillna(0) == stored["training_compute_flop"].fillna(0)).all()
    assert (
        read["domains"].fillna("") == stored["domains"].map(lambda items: "" if items is None else ";".join(items))
    ).all()


def test_duckdb_has_the_tables_with_comments(database: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    silent = database.execute(
        """select table_name, column_name from duckdb_columns()
            where not internal and coalesce(comment, '') = ''"""
    ).fetchall()
    assert silent == []
    for name, frame in tables.items():
        assert database.execute(f'select count(*) from "{name}"').fetchone() == (len(frame),)


def test_manifest_tells_the_truth(published: Path, database: duckdb.DuckDBPyConnection) -> None:
    manifest = json.loads((published / "manifest.json").read_text())
    for name, entry in manifest["tables"].items():
        for file, stated in entry["files"].items():
            content = (published / file).read_bytes()
            assert stated == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        assert duckdb_content(database, SCHEMAS[name]) == entry["content_sha256"], name


def test_imputation_is_explained(tables: Tables) -> None:
    everything = tables["estimates"]
    estimates = everything.query("field == 'training_compute_flop'")
    methods = ["base_plus_finetune", "hardware", "operation_counting", "stated_in_note"]
    assert estimates.pivot(index="model_id", columns="method", values="estimate_id")[methods].notna().all(axis=None)
    assert set(estimates["model_id"]) == set(tables["models"].dropna(subset="training_run_id")["model_id"])
    abstained = estimates[estimates["value"].isna()]
    assert abstained["reason"].str.contains("^(?:a bound, no value: )?(?:needs|differs)").all()
    chosen = estimates[estimates["is_selected"] & estimates["value"].notna()]
    assert chosen["model_id"].is_unique
    assert (chosen["reason"] == "no published value").all()
    bounds = abstained[abstained["is_selected"]]
    assert bounds["model_id"].is_unique
    assert not set(bounds["model_id"]) & set(chosen["model_id"])
    assert bounds[["low", "high"]].notna().any(axis=1).all()
    assert bounds[["formula", "inputs"]].notna().all(axis=None)
    imputed = tables["models"].query("training_compute_source == 'imputed'")
    assert set(chosen["model_id"]) == set(imputed["model_id"])
    known = {*tables["claims"]["claim_id"], *everything["estimate_id"]}
    assert set(everything["inputs"].dropna().str.split(";").explode()) <= known
    assert chosen["formula"].notna().all()
    assert chosen["inputs"].str.split(";").str.len().ge(2).all()
    assert "stated_in_note" not in set(chosen["method"])


@pytest.mark.parametrize(
    "name",
    [
        "GloVe (6B)",  # not a layered network: 6·N·D does not apply
        "T5-11B",  # an encoder-decoder: 3·N·D
        "Perceiver IO",  # tokens do not pass through all parameters
    ],
)
def test_traps_are_not_imputed_by_operation_counting(tables: Tables, name: str) -> None:
    ids = tables["models"].loc[tables["models"]["name"] == name, "model_id"]
    counted = "is_selected and field == 'training_compute_flop' and method == 'operation_counting'"
    assert not set(ids) & set(tables["estimates"].query(counted)["model_id"])


def test_every_declared_architecture_is_that_of_a_model(context: Config, ledger: pd.DataFrame) -> None:
    declared = load_curated(context.paths, Architecture)
    assert {line.model_id for line in declared} <= set(ledger["model_id"])
    assert len(declared) > 100


def _printed(tables: Tables) -> pd.DataFrame:
    """The values read in papers, beside those of the model."""
    printed = pd.read_csv(Path(__file__).with_name("printed_flop.csv"))
    claims = tables["claims"]
    ids = claims.drop_duplicates("record").set_index("record")["model_id"]
    stated = claims["field"].isin(["training_compute_flop", "training_compute_stated"]) & claims["until"].isna()
    values = claims.loc[stated & claims["value"].notna(), ["model_id", "value", "source_id"]]
    pairs = printed.assign(row=printed.index, model_id=printed["model"].map(ids)).merge(
        values, on="model_id", how="left"
    )
    return pairs.assign(near=(pairs["value"] / pairs["flop"] - 1).abs().round(6) <= 0.05)


def test_values_that_papers_print_are_known(tables: Tables) -> None:
    printed = _printed(tables)
    assert set(printed["evidence"]) == {"seen"}
    assert printed["row"].nunique() >= 40
    assert printed.groupby("row")["near"].any().mean() >= 0.9


def test_values_that_developers_print_agree_with_other_sources(tables: Tables) -> None:
    # held out: the curated facts, many of which come from the same tables, are not used
    others = _printed(tables).query("printed_by == 'developer' and source_id.notna() and source_id != 'curated'")
    near = others.groupby("row")["near"].any()
    assert len(near) >= 20
    assert near.mean() >= 0.9


@pytest.mark.parametrize("source_id", ["epoch_all", "epoch_notable"])
def test_a_line_that_cites_a_table_names_the_column_that_prints_it(tables: Tables, source_id: str) -> None:
    source = load_sources(Paths(CHECKOUT))[source_id]
    columns = {name for names in source.fields.values() for name in names} | {*source.notes, *source.ignored}
    lines = tables["claims"].query("source_id == 'curated' and reference == @source.url and correction.isna()")
    assert len(lines) >= 10
    assert sorted(lines.loc[~lines["locator"].str.startswith(tuple(columns)), "locator"]) == []


def test_a_figure_seen_in_the_primary_source_is_from_it(tables: Tables) -> None:
    # what another paper prints about a model was read in a secondary source
    claims = tables["claims"]
    links = claims[claims["field"] == "reference_url"].groupby("model_id")["code"].agg(" ".join)
    seen = claims[(claims["evidence"] == "seen") & claims["reference"].str.startswith("arXiv:").fillna(False)]
    own = seen["model_id"].map(links).fillna("")
    linked = own.str.contains("arxiv.org/", regex=False)
    cited = [ref.removeprefix("arXiv:") in text for ref, text in zip(seen["reference"], own, strict=True)]
    wrong = seen[linked & ~pd.Series(cited, index=seen.index)]
    assert sorted(set(wrong["model_id"] + " " + wrong["reference"])) == []
