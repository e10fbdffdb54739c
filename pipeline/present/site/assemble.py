"""The files of page/ as the site has them: every page in the one frame, and the modules of each page as one script.

A page opened from disk may not import modules. So each module becomes a function that is called once, takes what it
imports from the object `traincompute` and puts there what it exports. Comments on lines of their own, a fifth of what
is loaded, stay in page/."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

PAGE = Path(__file__).resolve().parent / "page"
PAGES = ("index", "facts", "sql")  # the docs are filled by pages.py
FIRST = "theme"  # runs before anything is drawn
SCRIPTS = (FIRST, "explorer", "facts", "sql", "docs")
IMPORT = re.compile(r'^import (?:(\{[^}]*\}) from )?"\./([\w-]+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const) (\w+))", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)
TEMPLATES = Environment(
    loader=FileSystemLoader(PAGE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
    auto_reload=False,
)


def page_files() -> dict[str, bytes]:
    """{path below the site: content}: the pages but for the docs, the styles and the scripts."""
    pages = {f"{name}.html": TEMPLATES.get_template(f"{name}.html").render().encode() for name in PAGES}
    styles = {file.name: file.read_bytes() for file in sorted(PAGE.glob("*.css"))}
    return pages | styles | {f"{name}.js": script(name).encode() for name in SCRIPTS}


def script(entry: str) -> str:
    """The module and all that it imports, each after those that it imports. Raises graphlib.CycleError for a circle."""
    imported: dict[str, list[str]] = {}
    wanted = [entry]
    while wanted:
        name = wanted.pop()
        imported[name] = [found for _, found in IMPORT.findall(_source(name)) if found != FIRST]
        wanted += [other for other in imported[name] if other not in imported]
    modules = map(_called, TopologicalSorter(imported).static_order())
    return "\n".join(['"use strict";', "globalThis.traincompute ??= {};", *modules])


def _source(name: str) -> str:
    return (PAGE / f"{name}.js").read_text(encoding="utf-8")


def _called(name: str) -> str:
    """The module as a function that is called."""
    code = COMMENT.sub("", _source(name))
    body = IMPORT.sub(lambda line: f"const {line[1]} = traincompute;\n" if line[1] else "", code)
    exported = ", ".join(EXPORT.findall(body))
    return f"Object.assign(traincompute, (() => {{\n{EXPORT.sub('', body)}return {{ {exported} }};\n}})());\n"
