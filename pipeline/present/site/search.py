"""The index that the search box of the docs looks through: a script with every section of every page as plain text."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from html import unescape

from pipeline.present.site.engine import packed
from pipeline.present.site.markup import Rendered

HEADING = re.compile(r"<h[1-4] id=\"[^\"]*\">.*?</h[1-4]>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def index(pages: Mapping[str, Rendered]) -> bytes:
    """A call of traincompute.receiveSearch with [page, its title, anchor, heading, text] for every section, as gzip in
    base64."""
    entries = [entry for name, page in pages.items() for entry in _sections(name, page)]
    return b'traincompute.receiveSearch("%s");\n' % base64.b64encode(packed(entries))


def _sections(name: str, page: Rendered) -> Iterator[list[str]]:
    texts = HEADING.split(page.html)[1:]  # what follows each heading
    for section, text in zip(page.sections, texts, strict=True):
        yield [name, page.sections[0].title, section.anchor, section.title, _plain(text)]


def _plain(html: str) -> str:
    """The text without tags, white space as single blanks."""
    return " ".join(unescape(TAG.sub(" ", html)).split())
