"""What every part of the site is written with: the published tables, the templates, and the folder to write to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipeline.files import Number, list_of, load_yaml, mapping
from pipeline.names import short_hash, slug
from traincompute.base.places import MANIFEST
from traincompute.citation import cite_short
from traincompute.database import open_database
from traincompute.releases import Dataset

HERE = Path(__file__).resolve().parent
LICENCE = "CC BY 4.0"
RULES = list_of(mapping(flop=Number, label=str, source=str))


class Kind(NamedTuple):
    """A kind of thing that has pages: what one and several are called, and the query that gives their ids and whether
    each has a page of its own. A thing without one is a row of the list of its kind."""

    one: str
    many: str
    query: str


KINDS = {
    "model": Kind("model", "models", "select model_id, true from models"),
    "organization": Kind(
        "organisation",
        "organisations",
        "select name, count(*) > 1 from (select unnest(organizations) as name from models) group by name",
    ),
    "country": Kind("country", "countries", "select distinct unnest(countries), true from models"),
    "chip": Kind(
        "chip", "chips", "select distinct hardware_id, true from model_hardware where hardware_id is not null"
    ),
    "source": Kind("source", "sources", "select source_id, true from sources"),
}


@dataclass
class Site:
    """A site that is being written.

    `folder` holds the published tables, `out` is the folder to write to, `connection` reads the tables and views in
    SQL, `address` is where the site will stand, ending in "/", or "" where that is not known yet. `headings` are those
    of the docs that are written, as the search lists them.
    """

    folder: Path
    out: Path
    connection: duckdb.DuckDBPyConnection
    address: str = ""
    headings: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Sets `version`, `as_of`, the day that the facts reach to, and `citation`, one sentence; of a folder without a
        manifest they are "unknown", "" and None."""
        edition = Dataset(self.folder).edition() if (self.folder / MANIFEST).is_file() else {}
        self.version = str(edition.get("version", "unknown"))
        self.as_of = str(edition.get("facts_until") or "")
        self.citation = cite_short(edition) if edition else None

    @cached_property
    def thresholds(self) -> list[dict[str, Any]]:
        """Thresholds of training compute that rules name, the lowest first: flop, label, source."""
        found: list[dict[str, Any]] = load_yaml(HERE / "thresholds.yml", "pipeline/site/thresholds.yml", RULES)
        return sorted(found, key=lambda rule: float(rule["flop"]))

    @cached_property
    def paths(self) -> Mapping[str, Mapping[str, str]]:
        """{kind: {id: path of its page}}, such as organization/openai.html for OpenAI, or of its row in the list, such
        as organization/index.html#a-star. Names that would share a path get a hash of theirs."""
        found = {}
        for kind, (_, _, query) in KINDS.items():
            has_page = dict(sorted(self.connection.execute(query).fetchall()))
            names = {key: key if kind in ("model", "source") else slug(key) for key in has_page}
            clashes = Counter(["index", *names.values()])
            names = {key: f"{name}-{short_hash(key)}" if clashes[name] > 1 else name for key, name in names.items()}
            form = {True: "{}/{}.html", False: "{}/index.html#{}"}
            found[kind] = {key: form[has_page[key]].format(kind, name) for key, name in names.items()}
        return found

    def link(self, kind: str, key: str, text: str = "") -> Markup:
        """A link to the page or row of a thing, from a page in a folder; the text alone where it has neither."""
        path, shown = self.paths[kind].get(key), escape(text or key)
        return Markup(f"<a href=../{path}>{shown}</a>") if path else shown  # our paths need no quotes

    @cached_property
    def env(self) -> Environment:
        """The templates of templates/, with everything that is put into them escaped."""
        made = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        made.globals |= {"version": self.version, "as_of": self.as_of, "licence": LICENCE, "address": self.address}
        return made

    def render(self, template: str, page: str, **values: Any) -> None:
        """Writes a page, such as model/gpt-4.html, from a template that extends base.html.

        The template also gets `root`, the relative path to the top of the site ("" or "../"), and `page`.
        """
        text = self.env.get_template(template).render(root="../" * page.count("/"), page=page, **values)
        self.write(page, text)

    def write(self, path: str, content: str | bytes) -> None:
        """Writes a file below the site."""
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def script(name: str, value: Any) -> str:
    """A script that gives the pages a value as traincompute.NAME."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"(window.traincompute ??= {{}}).{name} = {text};\n"


@contextmanager
def open_site(folder: Path, out: Path, address: str = "") -> Iterator[Site]:
    """The site of the tables in a folder. Raises ReleaseError if there are none, FileError for a damaged file."""
    with open_database(folder) as connection:
        yield Site(folder, out, connection, address)
