"""What the published dataset knows, in the form in which a hub's models are compared with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from pyarrow import parquet

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.hub.names import plain_name, squeezed, stem, version, with_and_without_maker
from pipeline.impute.flop.formulas import FLOP_PER_PARAMETER_AND_TOKEN, counted
from pipeline.registry.vocabularies import Vocabulary, load_vocabularies

COLUMNS = [
    "name",
    "organization",
    "domains",
    "huggingface_id",
    "open_weights",
    "publication_date",
    "parameters",
    "parameters_active",
    "training_compute_flop",
]
SAME_SIZE = 0.1  # a hub counts every weight, papers round
RECENT = pd.Timedelta(days=730)
FEW = 5  # with fewer models of a domain, those of all domains say what is usual


class Known(NamedTuple):
    """`accounts`: squeezed account → organisation. `names`: plain names, those of ids on the hub among them. `sizes`: stem
    → parameters. `models`: organisation → name and parameters of its models. `tokens`: domain → the tokens at which 6·N·D
    gives the compute of its open models of late, in the median; "" for all domains."""

    accounts: Mapping[str, str]
    names: frozenset[str]
    sizes: Mapping[str, Sequence[float]]
    models: Mapping[str, Sequence[tuple[str, float]]]
    tokens: Mapping[str, float]

    def has(self, hub_id: str, parameters: float) -> bool:
        """Whether a model of the hub is in the dataset: by its id, its name, or its name without size and its size."""
        makers = self._makers(hub_id)
        names = with_and_without_maker(plain_name(hub_id), makers)
        stems = with_and_without_maker(stem(hub_id), makers)
        sizes = [size for name in stems for size in self.sizes.get(name, ())]
        return bool(names & self.names) or any(_is_near(s, parameters) for s in sizes)

    def has_account(self, hub_id: str) -> bool:
        return squeezed(hub_id.split("/")[0]) in self.accounts

    def alike(self, hub_id: str, parameters: float) -> list[str]:
        """Models of the same organisation, version and size: they may be the same by another name."""
        own, number = self.models.get(self._makers(hub_id)[1], ()), version(hub_id)
        return sorted(n for n, size in own if number and version(n) == number and _is_near(size, parameters))

    def _makers(self, hub_id: str) -> tuple[str, str]:
        author = hub_id.split("/")[0]
        return author, self.accounts.get(squeezed(author), "")


def _is_near(one: float, other: float) -> bool:
    return abs(one / other - 1) <= SAME_SIZE


def read_known(paths: Paths) -> Known:
    """What the built dataset knows. Raises DataError if there is no build."""
    file = paths.processed / "models.parquet"
    if not file.exists():
        raise DataError([Problem(paths.short(file), "", "", "", "does not exist", "run `traincompute build` first")])
    models = parquet.read_table(file, columns=COLUMNS).to_pandas()
    records = parquet.read_table(paths.processed / "claims.parquet", columns=["record"]).to_pandas()["record"].unique()
    return known_models(models, records, load_vocabularies(paths)["organizations"])


def known_models(models: pd.DataFrame, records: Iterable[str], organizations: Vocabulary) -> Known:
    """The same from the tables: `models` with COLUMNS, and the names that sources have for them."""
    linked = models[models["huggingface_id"].notna()]
    sized = models[models["parameters"].notna()]
    makers = zip(models["name"].map(plain_name), models["organization"].fillna(""), strict=True)
    names = {form for name, maker in makers for form in with_and_without_maker(name, [maker])}
    names |= {plain_name(text) for text in [*records, *linked["huggingface_id"]]}
    return Known(
        accounts=_accounts(models, organizations),
        names=frozenset(names),
        sizes=_by_stem(sized),
        models=_by_organization(sized),
        tokens=_usual_tokens(models),
    )


def _accounts(models: pd.DataFrame, organizations: Vocabulary) -> dict[str, str]:
    """Squeezed account → organisation: by its own name, by the newest model that names the account, or as stated."""
    named = {squeezed(name): name for name in models["organization"].dropna().unique()}
    linked = models[models["huggingface_id"].notna() & models["organization"].notna()]
    dated = linked.sort_values(["publication_date", "name"], na_position="first")
    owners = dict(zip(dated["huggingface_id"].str.split("/").str[0].map(squeezed), dated["organization"], strict=True))
    stated = {squeezed(a): code for code in organizations.codes for a in organizations.attribute(code, "hub") or []}
    return named | owners | stated


def _by_stem(sized: pd.DataFrame) -> dict[str, list[float]]:
    sizes: dict[str, list[float]] = {}
    rows = zip(sized["name"], sized["organization"].fillna(""), sized["parameters"], strict=True)
    for name, maker, size in rows:
        for form in with_and_without_maker(stem(name), [maker]):
            sizes.setdefault(form, []).append(size)
    return sizes


def _by_organization(sized: pd.DataFrame) -> dict[str, list[tuple[str, float]]]:
    groups = sized[sized["organization"].notna()].groupby("organization")
    return {str(name): list(zip(rows["name"], rows["parameters"], strict=True)) for name, rows in groups}


def _usual_tokens(models: pd.DataFrame) -> dict[str, float]:
    """Compute ÷ 6·N, median of the models of open weights of the last two years, by domain and for all ("")."""
    recent = models["publication_date"] >= models["publication_date"].max() - RECENT
    rows = models[recent & models["open_weights"].fillna(False).astype(bool)]
    per_token = counted(FLOP_PER_PARAMETER_AND_TOKEN, rows["parameters_active"].fillna(rows["parameters"]), 1)
    rows = rows.assign(tokens=rows["training_compute_flop"] / per_token).dropna(subset=["tokens"])
    by_domain = rows.explode("domains").groupby("domains")["tokens"].agg(["median", "size"])
    usual = by_domain.loc[by_domain["size"] >= FEW, "median"].to_dict()
    return {"": float(rows["tokens"].median()), **usual}
