"""The docs as pages of the site: MkDocs reads the Markdown files of docs/ and those at the root, and checks every link;
the pages are written in the frame that all pages have. mkdocs.yml has their order."""

from __future__ import annotations

import logging
import re
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.errors import DataError, Problem
from pipeline.paths import CHECKOUT
from pipeline.site.figures import size_of
from pipeline.site.site import HERE, Site

CONFIG = Path(__file__).with_name("mkdocs.yml")
AT_ROOT = {name: name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE-DATA.md")}
AT_ROOT |= {"LICENSE": "license.txt"}
COMMENT = re.compile(r"^<!-- .*?-->\n", re.MULTILINE | re.DOTALL)
# what the links of a page are where all pages are in one folder: of those in docs/, and of those at the root
IN_DOCS = {"](../": "]("}
IN_ROOT = {
    "](docs/": "](",
    "](LICENSE)": "](license.txt)",
    "](../../releases/latest/download/models.csv)": "](data-dictionary.md#models)",
}
PICTURE = re.compile(r'<img [^>]*src="(?P<file>figures/[^"]+)"[^>]*>')
HTML = {  # tables and code scroll on their own, and can be reached with the keyboard
    "<table>": '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}


def write_docs(site: Site, root: Path = CHECKOUT) -> None:
    """Writes docs/ of the site from the Markdown files below `root`; without the extra `site` one page that says so.

    Raises DataError for links that lead nowhere and for pages that mkdocs.yml lacks."""
    if not find_spec("mkdocs"):
        values = {"title": "Documentation", "content": "", "sections": [], "nav": [], "description": ""}
        site.render("doc.html", "docs/index.html", **values)
        return
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    warned: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(handler)
    try:
        theme: dict[str, Any] = {"name": None, "custom_dir": str(HERE / "templates" / "mkdocs"), "static_templates": []}
        folders = {"docs_dir": str(root / "docs"), "site_dir": str(site.out / "docs")}
        config = load_config(str(CONFIG), theme=theme, **folders)
        config.mdx_configs["toc"] = {"slugify": slug, "permalink": "#", "permalink_title": "Link to this section"}
        config.plugins["pages"] = _plugin(site, root)
        build(config)
    finally:
        logging.getLogger("mkdocs").removeHandler(handler)
    DataError.raise_any(Problem("docs", "", "", "", message, "correct the link, or mkdocs.yml") for message in warned)
    drawn = [f"figures/{picture.name}" for picture in (site.out / "figures").glob("*.svg")]  # which the pages show
    for name in ("sitemap.xml", "sitemap.xml.gz", *drawn):
        (site.out / "docs" / name).unlink(missing_ok=True)


def slug(title: str, _: str) -> str:
    """The anchor of a heading as GitHub makes it: lower case, words joined by hyphens, punctuation left out."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _plugin(site: Site, root: Path) -> Any:
    """Has MkDocs read the pages at the root, too, and write each page in the frame of the site."""
    from mkdocs.plugins import BasePlugin
    from mkdocs.structure.files import File

    class Pages(BasePlugin):  # type: ignore[misc]
        def on_files(self, files: Any, *, config: Any) -> Any:
            for source, name in AT_ROOT.items():
                if (root / source).is_file():
                    files.append(File.generated(config, name, abs_src_path=str(root / source)))
            return files

        def on_page_read_source(self, *, page: Any, config: Any) -> str:
            """The text without comments, with links to where all pages are in one folder."""
            text = COMMENT.sub("", Path(page.file.abs_src_path).read_text(encoding="utf-8"))
            for link, moved in (IN_ROOT if page.file.src_uri in AT_ROOT.values() else IN_DOCS).items():
                text = text.replace(link, moved)
            return text

        def on_nav(self, nav: Any, *, config: Any, files: Any) -> Any:
            """Keeps the groups of pages in their order: a heading, which may be empty, titles and paths."""
            self.groups = [
                {
                    "heading": item.title if item.is_section else "",
                    "pages": [(page.title, f"docs/{page.url}") for page in (item.children or [item])],
                }
                for item in nav
            ]
            return nav

        def on_post_page(self, output: str, *, page: Any, config: Any) -> str:
            content = PICTURE.sub(lambda found: _placed(site, found, root / "docs"), page.content)
            for plain, reachable in HTML.items():
                content = content.replace(plain, reachable)
            first = re.search(r"<p>(.*?)</p>", content, re.DOTALL)
            path, title = f"docs/{page.url}", unescape(page.title)
            parts = [part for top in page.toc for part in [top, *top.children]]
            for entry in (*parts, *(entry for part in parts for entry in part.children if part.level > 1)):
                about = "Docs" if entry.level == 1 else title
                site.headings.append([unescape(entry.title), "doc", f"{path}#{entry.id}", about, []])
            values = {
                "title": title,
                "description": " ".join(unescape(re.sub(r"<[^>]*>", "", first[1])).split()) if first else "",
                "content": Markup(content),
                "sections": [(entry.id, unescape(entry.title)) for top in page.toc for entry in top.children],
                "nav": self.groups,
            }
            return site.env.get_template("doc.html").render(root="../", page=path, **values)

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
