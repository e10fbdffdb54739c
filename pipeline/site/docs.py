"""The docs as pages of the site: MkDocs reads the Markdown files of docs/ and those at the root, and checks every link;
the pages are written in the frame that all pages have. mkdocs.yml has their order."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from markupsafe import Markup

from pipeline.errors import DataError, Problem
from pipeline.paths import CHECKOUT
from pipeline.site.figures import size_of
from pipeline.site.site import Site
from traincompute.needs import is_installed

CONFIG = Path(__file__).with_name("mkdocs.yml")
AT_ROOT = {"README.md": "about.md"} | {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "LICENSE-DATA.md")}
COMMENT = re.compile(r"^<!-- .*?-->\n", re.MULTILINE | re.DOTALL)
# what the links of a page are where all pages are in one folder: of those in docs/, and of those at the root
IN_DOCS = {"](../README.md": "](about.md", "](../": "]("}
IN_ROOT = {
    "](README.md": "](about.md",
    "](docs/README.md": "](README.md",
    "](docs/": "](",
    "](LICENSE)": "](license.txt)",
    "](../../releases/latest/download/models.csv)": "](data-dictionary.md#models)",
}
HTML = {  # tables and code scroll on their own, and can be reached with the keyboard
    "<table>": '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}
PICTURE = re.compile(r'<img [^>]*src="(?P<file>figures/[^"]+)"[^>]*>')
DESCRIPTION_LENGTH = 200


def write_docs(site: Site, root: Path = CHECKOUT) -> None:
    """Writes docs/ of the site from the Markdown files below `root`; without the extra `site` one page that says so.

    Raises DataError for links that lead nowhere and for pages that mkdocs.yml lacks."""
    if not is_installed("site"):
        site.render(
            "doc.html", "docs/index.html", title="Documentation", content="", sections=[], nav=[], description=""
        )
        return
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    with TemporaryDirectory() as folder, _warnings() as warned:
        work = Path(folder)
        _copy_pages(root, work / "pages")
        (work / "theme").mkdir()
        (work / "theme" / "main.html").touch()
        config = load_config(
            str(CONFIG),
            docs_dir=str(work / "pages"),
            site_dir=str(work / "site"),
            theme={"name": None, "custom_dir": str(work / "theme"), "static_templates": []},
        )
        config.mdx_configs["toc"] = {"slugify": slug, "permalink": "#", "permalink_title": "Link to this section"}
        config.plugins["pages"] = _plugin(site, work / "pages")
        build(config)
        for picture in sorted((root / "docs" / "figures").iterdir()):
            if not (site.out / "figures" / picture.name).is_file():
                site.write(f"docs/figures/{picture.name}", picture.read_bytes())
        shutil.copyfile(work / "pages" / "license.txt", site.out / "docs" / "license.txt")
    DataError.raise_any(Problem("docs", "", "", "", message, "correct the link, or mkdocs.yml") for message in warned)


def slug(title: str, _: str) -> str:
    """The anchor of a heading as GitHub makes it: lower case, words joined by hyphens, punctuation left out."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _copy_pages(root: Path, target: Path) -> None:
    """All pages in one folder, without comments, and the pictures of the docs."""
    target.mkdir()
    shutil.copytree(root / "docs" / "figures", target / "figures")
    shutil.copyfile(root / "LICENSE", target / "license.txt")
    pages = [(file, file.name, IN_DOCS) for file in sorted((root / "docs").glob("*.md"))]
    pages += [(root / source, name, IN_ROOT) for source, name in AT_ROOT.items() if (root / source).is_file()]
    for file, name, links in pages:
        text = COMMENT.sub("", file.read_text(encoding="utf-8"))
        for link, moved in links.items():
            text = text.replace(link, moved)
        (target / name).write_text(text, encoding="utf-8")


def _plugin(site: Site, folder: Path) -> Any:
    """Writes each page of the folder in the frame of the site instead of MkDocs."""
    from mkdocs.plugins import BasePlugin

    class Pages(BasePlugin):  # type: ignore[misc]
        def on_page_context(self, context: Any, *, page: Any, config: Any, nav: Any) -> Any:
            content = PICTURE.sub(lambda found: _placed(site, found, folder), page.content)
            for plain, reachable in HTML.items():
                content = content.replace(plain, reachable)
            first = re.search(r"<p>(.*?)</p>", content, re.DOTALL)
            words = unescape(re.sub(r"<[^>]*>", "", first[1])).split() if first else []
            values = {
                "title": unescape(page.title),
                "description": " ".join(words)[:DESCRIPTION_LENGTH],
                "content": Markup(content),
                "sections": [(entry.id, unescape(entry.title)) for top in page.toc for entry in top.children],
                "nav": _navigation(nav),
            }
            site.render("doc.html", f"docs/{page.url}", **values)
            return context

    return Pages()


def _placed(site: Site, found: re.Match[str], folder: Path) -> str:
    """The tag of a picture with its width and height, and with the figure that the site draws in place of the committed
    one; MkDocs warns where there is no picture."""
    drawn = site.out / found["file"]
    picture = drawn if drawn.is_file() else folder / found["file"]
    if not picture.is_file():
        return found[0]
    width, height = size_of(picture)
    tag = found[0].replace("<img ", f'<img width="{width}" height="{height}" loading="lazy" ')
    return tag.replace(f'src="{found["file"]}', f'src="../{found["file"]}') if picture == drawn else tag


def _navigation(nav: Any) -> list[Mapping[str, Any]]:
    """The groups of pages in their order: a heading, which may be empty, and title and path of each page."""
    groups: list[Mapping[str, Any]] = []
    for item in nav:
        pages = item.children if item.is_section else [item]
        links = [(unescape(page.title), f"docs/{page.url}") for page in pages]
        groups.append({"heading": item.title if item.is_section else "", "pages": links})
    return groups


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """What MkDocs warns of while the block runs."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)
