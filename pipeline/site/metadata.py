"""What the site says of itself to search engines, previews and programs: schema.org, robots.txt, sitemap, llms.txt."""

from __future__ import annotations

from typing import Any

from pipeline.site.site import Site
from traincompute.citation import AUTHOR, LICENCE_URL, TITLE

ABSTRACT = (
    "How much compute it took to train machine-learning models: every value with its source and a 90 % interval, and"
    " estimates for models without a published value."
)
DESCRIBED = "select table_name, comment from duckdb_tables() where not internal order by table_name"
DOWNLOADS = ("models.csv", "thresholds.csv", "trends.csv")


def write_downloads(site: Site) -> None:
    """data/tables/: the tables that most people want, as they were published."""
    for name in DOWNLOADS:
        if (file := site.folder / name).is_file():
            site.write(f"data/tables/{name}", file.read_bytes())


def write_metadata(site: Site) -> None:
    """robots.txt, llms.txt and 404.html; with an address also sitemap.txt, which lists the pages written so far."""
    sitemap = f"Sitemap: {site.address}sitemap.txt\n" if site.address else ""
    site.write("robots.txt", f"User-agent: *\nAllow: /\n{sitemap}")
    described = site.connection.execute(DESCRIBED).fetchall()
    site.write("llms.txt", site.env.get_template("llms.txt").render(tables=described))
    site.write("404.html", site.env.get_template("404.html").render(root=site.address, page="404.html"))
    if site.address:
        pages = sorted(path.relative_to(site.out).as_posix() for path in site.out.rglob("*.html"))
        site.write("sitemap.txt", "".join(f"{site.address}{page}\n" for page in pages if page != "404.html"))


def dataset_about(site: Site) -> dict[str, Any]:
    """What https://schema.org/Dataset says of the dataset, with its downloads."""
    about = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": TITLE,
        "description": ABSTRACT,
        "url": site.address,
        "license": LICENCE_URL,
        "version": site.version,
        "dateModified": site.as_of,
        "creator": [{"@type": "Organization", "name": AUTHOR}],
        "citation": site.citation,
        "keywords": ["training compute", "machine learning", "FLOP", "large language models"],
        "distribution": [
            {"@type": "DataDownload", "name": name, "contentUrl": f"{site.address}data/tables/{name}",
             "encodingFormat": "text/csv"}
            for name in DOWNLOADS
        ],
    }  # fmt: skip
    return {name: value for name, value in about.items() if value}
