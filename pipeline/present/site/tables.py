"""A page for each table of the dataset: what its columns mean, how to load it, and the files to download.

The text is the table's section of docs/data-dictionary.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

DICTIONARY = "docs/data-dictionary.md"
SECTION = re.compile(r"^## (?P<name>[a-z_0-9]+)\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
FORMATS = ("parquet", "csv")
FOLDER = "data/tables"
# larger tables but that of the models are in the release alone; the SQL page has every table
MAIN, LARGEST = "models", {".parquet": 900_000, ".csv": 800_000}


def files_of(built: Path, names: Sequence[str]) -> dict[str, bytes]:
    """{path below the site: content} of the published files of the tables; none if only a database is there."""
    tables = {name: [built / f"{name}.{kind}" for kind in FORMATS] for name in names}
    small = [file for name, files in tables.items() if all(_is_offered(name, file) for file in files) for file in files]
    return {f"{FOLDER}/{file.name}": file.read_bytes() for file in small}


def _is_offered(name: str, file: Path) -> bool:
    return file.exists() and (name == MAIN or file.stat().st_size <= LARGEST[file.suffix])


def table_names(dictionary: str) -> list[str]:
    """The tables that the dictionary describes, in its order."""
    return [found["name"] for found in SECTION.finditer(dictionary)]


def with_links(dictionary: str, files: Sequence[str]) -> str:
    """The dictionary with the way to each table's own page and files below its heading."""

    def linked(found: re.Match[str]) -> str:
        name = found["name"]
        return f"## {name}\n\n{' · '.join([f'[its page](table-{name}.md)', *_downloads(name, files)])}\n{found['text']}"

    return SECTION.sub(linked, dictionary)


def table_pages(dictionary: str, files: Sequence[str]) -> dict[str, str]:
    """{Markdown file: text} of the page of each table."""
    return {
        f"docs/table-{found['name']}.md": _page(found["name"], found["text"], files)
        for found in SECTION.finditer(dictionary)
    }


def _page(name: str, text: str, files: Sequence[str]) -> str:
    about, columns, rest = text.partition("\n| column |")
    read = [f'    traincompute sql "select * from {name} limit 5"', f"    traincompute export {name} --to {name}.csv"]
    more = [*_downloads(name, files), "[all tables](data-dictionary.md)"]
    python = f'In Python: `traincompute.load("{name}")`. {" · ".join(more)}'
    return "\n".join(
        [f"# {name}", about.rstrip(), "", *read, "", python, "\n## Columns\n", columns.lstrip() + rest, ""]
    )


def _downloads(name: str, files: Sequence[str]) -> list[str]:
    kinds = [kind for kind in FORMATS if f"{FOLDER}/{name}.{kind}" in files]
    return [f"[{name}.{kind}](../{FOLDER}/{name}.{kind})" for kind in kinds]
