"""Writes the static pages of everything that has a name, their lists, and the sitemap of the whole site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader

from pipeline.present.site.assemble import PAGE, TEMPLATES
from pipeline.present.site.entries import describe
from pipeline.present.site.entries.addresses import INDEX, KINDS, Places, link, live, places_of
from pipeline.present.site.entries.groups import group_page, grouped
from pipeline.present.site.entries.model import model_page
from pipeline.present.site.entries.read import Told
from traincompute.query.rows import Row

PICTURE = "docs/figures/explorer.png"
OWN = TEMPLATES.overlay(loader=FileSystemLoader([Path(__file__).resolve().parent, PAGE]))
Page = dict[str, Any]


def entry_files(answers: Mapping[str, Row], told: Told, address: str) -> dict[str, bytes]:
    """{path below the site: content}. `answers`: what api/models/ID.json holds, by model; `address` is that of the site
    with / at its end, or ""."""
    groups = {**grouped(told), "source": {key: [] for key in told.sources}}
    groups["organization"] = {key: [] for key in told.organizations} | dict(groups["organization"])
    groups["chip"] = {key: [] for key in told.hardware} | dict(groups["chip"])
    places = places_of({"model": answers, **groups})
    frames = {name: OWN.get_template(f"{name}.html") for name in ("model", "group", "list")}
    shared = {"address": address, "picture": PICTURE, "data": None}

    def framed(name: str, path: str, page: Page) -> bytes:
        return frames[name].render(**{**shared, "path": path, **page}).encode()

    files = {}
    for key, answer in answers.items():
        path = places["model"][key]
        files[path] = framed("model", path, _model(answer, told, places))
    for kind, lines in groups.items():
        for key, models in lines.items():
            page = group_page(kind, key, models, told, places)
            ready = page | {"data": describe.written(page["data"]), "live": live(kind, key)}
            files[places[kind][key]] = framed("group", places[kind][key], ready)
    for kind in places:
        path = f"{KINDS[kind].folder}/{INDEX}.html"
        files[path] = framed("list", path, _list(kind, places, told))
    return files


def _model(answer: Row, told: Told, places: Places) -> Page:
    page = model_page(answer, told, places)
    data = describe.of_model(answer["model"], answer.get("prediction") or {})
    return page | {"data": describe.written(data), "live": live("model", page["id"])}


def _list(kind: str, places: Places, told: Told) -> Page:
    """The page that lists all of a kind."""
    rows, name = {
        "model": (told.models, "name"),
        "chip": (told.hardware, "name"),
        "source": (told.sources, "title"),
    }.get(kind, ({}, ""))
    texts = {key: str(rows[key][name]) if rows else key for key in places[kind]}
    ordered = sorted(texts, key=lambda key: (texts[key].casefold(), key))
    many = KINDS[kind].many
    return {
        "kind": "",
        "name": f"All {many}",
        "title": f"All {many}",
        "description": f"The {len(texts):,} {many} of the dataset of training compute, each with a page of its own.",
        "links": [link(places, kind, key, texts[key], kind) for key in ordered],
        "others": {other.folder: other.many for other in KINDS.values() if other.many != many},
    }


def sitemap(paths: Iterable[str], address: str) -> bytes:
    """The addresses of the pages, one in a line, as search engines read them (sitemaps.org)."""
    return "".join(f"{address}{path}\n" for path in sorted(paths)).encode()
