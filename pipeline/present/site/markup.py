"""Turns a Markdown page of the docs into HTML that the site's content security policy allows: no inline style, and of
raw HTML only what folds a part of a page (`<details>`).

Headings have the anchors that GitHub gives them, tables and code blocks scroll on their own, comments are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
FOLD = re.compile(r"<details>\n<summary>[^<>]*</summary>\n|</details>\n")  # the only HTML that a page may have
ALIGNED = re.compile(r"^text-align:(left|right|center)$")
ADDRESS = {"link_open": "href", "image": "src"}
ANCHOR = Markup(' <a class="anchor" href="#{}" aria-label="Link to the section {}">#</a>')
TABLE = Markup('<div class="scroll" role="group" tabindex="0" aria-label="{}">\n<table>\n')
CODE = Markup('<pre tabindex="0"><code>{}</code></pre>\n')


class Section(NamedTuple):
    """A heading: its level (1 to 6), its anchor and its text."""

    level: int
    anchor: str
    title: str


class Link(NamedTuple):
    """A link or a picture: the heading above it, its address and its text."""

    section: str
    address: str
    text: str


class Rendered(NamedTuple):
    """The sections and links of a page in order, and its HTML."""

    sections: Sequence[Section]
    links: Sequence[Link]
    html: str


def render_markdown(text: str, address_of: Callable[[str], str]) -> Rendered:
    """The page as HTML, with the addresses of links and pictures mapped by `address_of`. Raises ValueError for other
    HTML than a fold."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    for token in _all(tokens):
        _adapt(token, address_of)
    links = list(_links(tokens))
    sections = list(_mark_sections(tokens))
    _name_tables(tokens, sections)
    return Rendered(sections, links, _written(parser, tokens))


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    """Every token, nested ones included."""
    for token in tokens:
        yield token
        yield from _all(token.children or [])


def _links(tokens: Sequence[Token]) -> Iterator[Link]:
    """The links and pictures, each with the heading above it."""
    section = ""
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.type == "heading_open":
            section = token.content
        inline = token.children or []
        for place, child in enumerate(inline):
            if name := ADDRESS.get(child.type):
                inside = takewhile(lambda part: part.type != "link_close", inline[place:])
                text = child.content or "".join(part.content for part in inside)
                yield Link(section, str(child.attrGet(name)), text)


def _adapt(token: Token, address_of: Callable[[str], str]) -> None:
    """Maps addresses, drops comments and turns alignment into a class (the policy refuses style attributes)."""
    if token.type in ("html_block", "html_inline") and not FOLD.fullmatch(token.content):
        if COMMENT.sub("", token.content):
            raise ValueError(f"{token.content.strip()!r} is HTML; write it in Markdown")
        token.content = ""
    if name := ADDRESS.get(token.type):
        token.attrSet(name, address_of(str(token.attrGet(name))))
    if aligned := ALIGNED.match(str(token.attrs.pop("style", ""))):
        token.attrSet("class", aligned[1])
    if token.type == "th_open":
        token.attrSet("scope", "col")


def _mark_sections(tokens: Sequence[Token]) -> Iterator[Section]:
    """The sections; gives each heading its anchor and, below the first level, a link to itself."""
    seen: Counter[str] = Counter()
    for heading, inline in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        title = "".join(token.content for token in inline.children or [])
        anchor = slug(title)
        seen[anchor] += 1
        anchor += f"-{seen[anchor] - 1}" if seen[anchor] > 1 else ""
        heading.attrSet("id", anchor)
        section = Section(int(heading.tag[1:]), anchor, title)
        if section.level > 1 and inline.children is not None:
            inline.children.append(Token("html_inline", "", 0, content=ANCHOR.format(anchor, title)))
        yield section


def slug(title: str) -> str:
    """The anchor of a heading as GitHub makes it: lower case, words joined by hyphens, punctuation left out."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _name_tables(tokens: Sequence[Token], sections: Sequence[Section]) -> None:
    """Labels each table with the section that it is in."""
    titles, here = iter(sections), ""
    for token in tokens:
        if token.type == "heading_open":
            here = next(titles).title
        if token.type == "table_open":
            token.meta["label"] = f"Table: {here}" if here else "Table"


def _written(parser: MarkdownIt, tokens: Sequence[Token]) -> str:
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _table_open(_renderer: object, tokens: Sequence[Token], place: int, *_: object) -> str:
    """Opens the table inside a group that scrolls and takes keyboard focus."""
    return TABLE.format(tokens[place].meta["label"])


def _code(_renderer: object, tokens: Sequence[Token], place: int, *_: object) -> str:
    return CODE.format(tokens[place].content)
