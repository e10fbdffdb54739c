"""What a model uses as it is, such as a frozen text encoder, is not what it was made from
(data/raw/curated/components.csv)."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from pipeline.curated import Component
from pipeline.frames import is_in
from pipeline.normalize.claims import ids_by_name
from pipeline.normalize.reasons import COMPONENT


def without_components(claims: pd.DataFrame, components: Collection[Component]) -> pd.DataFrame:
    """The claims, with components taken out of the base models that they name; one that names nothing else gets a
    reason and is not selected. What the source printed stays in value_text."""
    about = claims["field"].eq("base_model") & claims["reason_code"].eq("")
    named = claims.loc[about & is_in(claims["model_id"], [c.model_id for c in components]), ["model_id", "code"]]
    if named.empty:
        return claims
    used = {(c.model_id, c.component_id) for c in components}
    known = ids_by_name(claims).to_dict()

    def others(model: str, text: str) -> str:
        names = [text] if text in known else [name.strip() for name in text.split(",")]
        return ",".join(name for name in names if (model, known.get(name)) not in used)

    left = [others(*row) for row in named.itertuples(index=False)]
    claims.loc[named.index, "code"] = [new or old for new, old in zip(left, named["code"], strict=True)]
    only = named.index[[not text for text in left]]
    claims.loc[only, "reason_code"] = COMPONENT
    claims.loc[only, "reason"] = "used as it is: a component, not the base (data/raw/curated/components.csv)"
    return claims
