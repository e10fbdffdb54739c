"""The docs as pages of the site: every Markdown file of docs/, and those at the root that they link to, in one frame.

docs/README.md is the index: its headings and links, in their order, are the navigation of every page.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jinja2 import Template
from markupsafe import Markup

from pipeline.errors import DataError, Problem
from pipeline.present.site import gallery, search, tables
from pipeline.present.site.assemble import TEMPLATES
from pipeline.present.site.markup import Rendered, Section, render_markdown

INDEX = "docs/README.md"
BESIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE-DATA.md")
COPIED = {"LICENSE": "license.txt"}
PICTURES = (".svg", ".png")
LATEST = "../../releases/latest/download"
SCHEMES = ("https", "http", "mailto")
LISTED_LEVELS, FEWEST_LISTED = (2, 3), 4


def write_pages(root: Path, downloads: Sequence[str] = (), figures: Sequence[str] = ()) -> dict[str, bytes]:
    """{path below the site: content} for the pages, their pictures and the index of the search. `downloads` are
    the files of tables, `figures` the names of figures that the site has. Raises DataError for a dead link."""
    texts, copies = read_texts(root, downloads), copied_files(root)
    if figures:
        texts[gallery.PAGE] = gallery.with_links(texts[gallery.PAGE], figures)
    names = {source: page_name(source) for source in texts}
    known = (
        names
        | copies
        | gallery.places(figures)
        | {file: f"../{file}" for file in downloads}
        | released(texts, downloads)
    )
    rendered = {source: _rendered(source, text, known) for source, text in texts.items()}
    check_anchors(rendered, names)
    groups = navigation(rendered, names)
    frame = TEMPLATES.get_template("docs.html")
    pages = {f"docs/{name}": _framed(frame, name, rendered[source], groups) for source, name in names.items()}
    found = {"docs/search-index.js": search.index({names[source]: page for source, page in rendered.items()})}
    return pages | found | {f"docs/{name}": (root / source).read_bytes() for source, name in copies.items()}


def released(texts: Mapping[str, str], downloads: Sequence[str]) -> dict[str, str]:
    """{where the code host has the CSV of a table in the latest release, seen from the root: where the site has it};
    the table's page where it is too large for a site."""
    files = {name: f"{tables.FOLDER}/{name}.csv" for name in tables.table_names(texts.get(tables.DICTIONARY, ""))}
    return {
        f"{LATEST}/{name}.csv": f"../{file}" if file in downloads else f"table-{name}.html"
        for name, file in files.items()
    }


def read_texts(root: Path, downloads: Sequence[str]) -> dict[str, str]:
    """{Markdown file below the root: its text}, the index first; the dictionary also as a page for each table."""
    files = sorted(f"docs/{file.name}" for file in (root / "docs").glob("*.md"))
    sources = [INDEX, *(name for name in files if name != INDEX), *(name for name in BESIDE if (root / name).exists())]
    texts = {source: (root / source).read_text(encoding="utf-8") for source in sources}
    if tables.DICTIONARY in texts:
        pages = tables.table_pages(texts[tables.DICTIONARY], downloads)
        texts |= pages | {tables.DICTIONARY: tables.with_links(texts[tables.DICTIONARY], downloads)}
    return texts


def page_name(source: str) -> str:
    """The page of a Markdown file; docs/README.md is index.html."""
    return "index.html" if source == INDEX else f"{Path(source).stem.lower()}.html"


def copied_files(root: Path) -> dict[str, str]:
    """{file below the root: its place below docs/ of the site}: the licence, the notebooks and the pictures."""
    pictures = sorted(file for file in (root / "docs" / "figures").glob("*") if file.suffix in PICTURES)
    notebooks = {f"docs/{file.name}": file.name for file in sorted((root / "docs").glob("*.ipynb"))}
    return COPIED | notebooks | {f"docs/figures/{file.name}": f"figures/{file.name}" for file in pictures}


def _rendered(source: str, text: str, places: Mapping[str, str]) -> Rendered:
    try:
        return render_markdown(text, lambda address: link_of(source, address, places))
    except ValueError as error:
        raise DataError([Problem(source, "", "", "", str(error), "")]) from error


def link_of(source: str, address: str, places: Mapping[str, str]) -> str:
    """The address on the site for a link in the file `source`. Raises DataError where the site has nothing there."""
    parts = urlsplit(address)
    if parts.scheme in SCHEMES or (not parts.path and not parts.scheme and not parts.netloc):
        return address
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(parts.path)))
    if parts.scheme or parts.netloc or file not in places:
        remedy = "link to a page of docs/, to a picture in docs/figures/, or write the path as code"
        raise DataError([Problem(source, "", "link", address, "the site has no such page", remedy)])
    return places[file] + (f"#{parts.fragment}" if parts.fragment else "")


def check_anchors(rendered: Mapping[str, Rendered], names: Mapping[str, str]) -> None:
    """Raises DataError for links to sections that do not exist."""
    anchors = {names[source]: {section.anchor for section in page.sections} for source, page in rendered.items()}
    problems = []
    for source, page in rendered.items():
        for link in page.links:
            name, _, anchor = link.address.partition("#")
            known = anchors.get(name or names[source])
            if anchor and known is not None and anchor not in known:
                reason, remedy = "the page has no such section", "write the words of its heading, joined by hyphens"
                problems.append(Problem(source, link.text, "link", link.address, reason, remedy))
    if problems:
        raise DataError(problems)


def navigation(rendered: Mapping[str, Rendered], names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """{heading: {page: title}} as docs/README.md lists them: the index first, pages that it does not list last."""
    index = rendered[INDEX]
    groups: dict[str, dict[str, str]] = {index.sections[0].title: {names[INDEX]: "All pages"}}
    for link in index.links:
        if link.address in names.values():
            groups.setdefault(link.section, {})[link.address] = link.text
    listed = {name for pages in groups.values() for name in pages}
    rest = {
        name: rendered[source].sections[0].title
        for source, name in names.items()
        if name not in listed and not name.startswith("table-")  # the dictionary lists those
    }
    return groups | ({"More": rest} if rest else {})


def _framed(frame: Template, name: str, page: Rendered, groups: Mapping[str, Mapping[str, str]]) -> bytes:
    opening, mark, rest = page.html.partition("<h2")
    return frame.render(
        title=page.sections[0].title,
        here=name,
        groups=groups,
        opening=Markup(opening),
        sections=_listed(page.sections),
        rest=Markup(mark + rest),
    ).encode()


def _listed(sections: Sequence[Section]) -> list[Section]:
    """The sections that a page lists at the top; none if there are few."""
    listed = [section for section in sections if section.level in LISTED_LEVELS]
    return listed if len(listed) >= FEWEST_LISTED else []
