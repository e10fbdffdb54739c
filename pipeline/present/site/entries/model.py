"""What the page of a model shows, from its answers (answers/parts.yml) and what is read beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markupsafe import Markup, escape

from pipeline.present.site.entries.addresses import Places, link
from pipeline.present.site.entries.describe import FLOP, model_description
from pipeline.present.site.entries.read import Told
from pipeline.present.site.entries.words import Card, between, cited, day, exactly, flop, listed, number, plain, share
from traincompute.explain.claims import bounds
from traincompute.query.rows import Row
from traincompute.show.values import human, interval, short_power

# columns of models that are shown besides the training compute: what is said before them, and their unit
BESIDE = {
    "parameters": ("", "parameter"),
    "parameters_active": ("active ", "parameter"),
    "training_tokens": ("trained on ", "token"),
    "dataset_size": ("dataset of ", ""),
    "hardware_quantity": ("", "chip"),
    "training_hours": ("", "hour"),
    "training_cost_usd": ("cost ", "USD"),
    "training_energy_kwh": ("energy ", "kWh"),
}
LIKELY = (("50 % interval", "flop_25", "flop_75"), ("90 % interval", "flop_05", "flop_95"))
SHOWN_CHANCES = {1e25: "At least 1e25 FLOP", 1e26: "At least 1e26 FLOP"}
CHANGES = {"record_added": "added the model", "record_removed": "has the model no more"}


def model_page(answer: Row, told: Told, places: Places) -> dict[str, Any]:
    """The values of the template model.html. `answer` is what api/models/ID.json holds."""
    model, likely = answer["model"], answer.get("prediction") or {}
    key = model["model_id"]
    chances = {row["threshold_flop"]: row["probability"] for row in answer.get("probabilities", [])}
    chosen = [row.get("value") for row in answer["claims"] if row["field"] == FLOP and row["status"] == "selected"]
    telling = [row for row in answer["claims"] if row["status"] != "superseded" or row.get("value") not in chosen]
    is_told = model.get("training_compute_source") in (None, "imputed")
    return {
        "kind": "model",
        "id": key,
        "name": model["name"],
        "title": f"{model['name']}: training compute",
        "description": model_description(model, likely, chances),
        "about": _about(model, places),
        "compute": [*_compute(model, likely), *_chances(chances)],
        "beside": Markup(" · ").join([*_beside(model), *_family(model, told, places)]),
        "claims": list(_claims(telling, places)),
        "estimates": [_estimate(row, is_told) for row in answer["estimates"]],
        "history": [_revision(row) for row in answer.get("revisions", [])],
        "rivals": [_rival(told.models[other], places) for other in told.rivals.get(key, [])],
    }


def _about(model: Row, places: Places) -> Markup:
    """Developers, day, countries, fields, notability."""
    makers = listed(link(places, "organization", name) for name in model.get("organizations", []))
    homes = listed(link(places, "country", name) for name in model.get("countries", []))
    rest = [", ".join(model.get("domains", [])), "notable" if model.get("is_notable") else ""]
    return Markup(" · ").join(filter(None, [makers, day(model), homes, *rest]))


def _compute(model: Row, likely: Row) -> Iterator[Card]:
    """Value, median and intervals."""
    whose = escape(plain(model.get("training_compute_source", "")))
    value = model.get(FLOP)
    yield "Value", listed(filter(None, [number(value, "FLOP"), whose])) if value else "none"
    if median := likely.get("flop_50"):
        yield "Median", number(median, "FLOP")
    for title, low, high in LIKELY:
        if likely.get(low) and likely.get(high):
            yield title, between(likely[low], likely[high])
    if not value and likely.get("method"):
        yield "Told by", f"{plain(likely['method'])}, tier {likely['tier']}"


def _chances(chances: Mapping[float, float]) -> Iterator[Card]:
    for level, title in SHOWN_CHANCES.items():
        if level in chances:
            yield title, exactly(round(chances[level], 4), share(chances[level]))


def _beside(model: Row) -> Iterator[Markup]:
    for name, (before, unit) in BESIDE.items():
        if (value := model.get(name)) is not None:
            yield escape(before + short_power(human(value, unit or model.get("dataset_unit"))))


def _family(model: Row, told: Told, places: Places) -> Iterator[Markup]:
    """Base model, chips, and the text that describes the model."""
    if base := told.models.get(model.get("base_model_id", "")):
        yield Markup("trained from {}").format(link(places, "model", base["model_id"], base["name"], "model"))
    if chips := dict.fromkeys(told.chips.get(model["model_id"], [])):
        names = (link(places, "chip", chip, told.hardware[chip]["name"]) for chip in chips)
        yield Markup("on {}").format(listed(names))
    for text in model.get("reference_url", "").split():
        yield Markup("text: {}").format(cited(text))


def _claims(rows: Iterable[Row], places: Places) -> Iterator[Markup]:
    """What is said; a source is linked where a page first names it."""
    named: set[str] = set()
    for row in rows:
        source = row["source_id"]
        yield _claim(row, escape(source) if source in named else link(places, "source", source))
        named.add(source)


def _claim(row: Row, source: Markup) -> Markup:
    """What is said, who says so, and the place where it stands."""
    unit, what = row.get("unit"), plain(row["field"]).removesuffix(" flop")
    said = human(row["value"], unit) if "value" in row else bounds({"low": None, "high": None, **row}, unit)
    place = cited(row.get("reference"), row.get("locator"), row.get("evidence"))
    status = "" if row["status"] == "selected" else f"; {row['status']}"
    where = f"{place}; {source}" if place else f"{source} since {row['since']}"
    said = short_power(said) or row.get("value_text", "")
    return Markup(f"{escape(what)} {escape(said)}: {where}{escape(status)}")


def _estimate(row: Row, is_told: bool) -> Markup:
    """An estimate of ours or the bound that it gives; where a value is published, without its formula."""
    low, high, value = row.get("low"), row.get("high"), row.get("value")
    ends = short_power(interval(low, high) if low and high else bounds({"low": low, "high": high}, None))
    shown = escape(f"{short_power(human(value, 'FLOP'))} ({ends})" if value else ends)
    taken = "; taken" if row.get("is_selected") else ""
    assumed = f"; assumes {', '.join(row['assumptions'])}" if row.get("assumptions") else ""
    how = f" = {row.get('formula', '')}{assumed}{taken}" if is_told else ""
    return Markup(f"{escape(plain(row['method']))} {shown}{escape(how)}")


def _revision(row: Row) -> str:
    old, new = (short_power(human(row.get(f"{age}_value", "nothing"), "FLOP")) for age in ("old", "new"))
    return f"{row['to_snapshot']} {row['source_id']}: {CHANGES.get(row['kind'], f'{old} → {new}')}"


def _rival(line: Row, places: Places) -> Markup:
    size = f"{flop(line['flop_50'])} FLOP" + ("" if line[FLOP] else ", likely")
    name = link(places, "model", line["model_id"], line["name"], "model")
    return Markup(" · ").join(filter(None, [name, (line["organizations"] or [""])[0], size]))
