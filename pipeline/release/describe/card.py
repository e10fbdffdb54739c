"""README.md of a release: a dataset card with the YAML header that data hubs read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pipeline.registry.schema import TableSchema
from traincompute.base.places import SUMS
from traincompute.verification import NAMESPACE

Row = Mapping[str, Any]


def card(
    about: Row,
    manifest: Row,
    schemas: Mapping[str, TableSchema],
    sources: Iterable[Row],
    citation: Sequence[str],
    issues: Sequence[str],
) -> str:
    """The card. `citation` is the citation as a line of text and as a BibTeX entry; `issues` are what is known to be
    wrong."""
    release = manifest["release"]
    return "\n\n".join(
        [
            _head(about, manifest),
            f"# {about['title']}",
            about["description"],
            _version(release, manifest),
            "## Tables\n\n" + _tables(manifest, schemas),
            _reading(release["version"]),
            _checking(),
            "## Known issues\n\n" + "\n".join(f"- {issue}" for issue in issues or ["None."]),
            f"## How to cite\n\n{citation[0]}\n\n```bibtex\n{citation[1]}```",
            "## Licence and sources\n\n" + _sources(about, sources),
        ]
    ) + "\n"  # fmt: skip


def _head(about: Row, manifest: Row) -> str:
    """The YAML header. JSON strings and lists are valid YAML, so no text can break it."""
    rows = max(entry["rows"] for entry in manifest["tables"].values())
    configs = [
        {"config_name": name, "data_files": f"{name}.parquet", **({"default": True} if name == "models" else {})}
        for name in manifest["tables"]
    ]
    head = {
        "pretty_name": about["title"],
        "license": about["licence"].lower(),
        "language": ["en"],
        "tags": about["keywords"],
        "size_categories": [_size(rows)],
        "configs": configs,
    }
    return "---\n" + "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items()) + "---"


def _size(rows: int) -> str:
    """The size category that hubs know, such as 10K<n<100K."""
    names = ["1", "10", "100", "1K", "10K", "100K", "1M", "10M", "100M"]
    digits = len(str(rows))
    return "n<1K" if digits < 4 else f"{names[digits - 1]}<n<{names[digits]}"


def _version(release: Row, manifest: Row) -> str:
    day = f", the dataset as it stood on {manifest['as_of']}" if manifest["as_of"] else ""
    snapshots = ", ".join(f"{name} {day}" for name, day in manifest["snapshots"].items())
    commit = f" Built from commit `{release['commit']}`." if release["commit"] else ""
    return (
        f"Version **{release['version']}** of {release['date']}{day}; schema version {manifest['schema_version']}."
        f"{commit} Snapshots of its sources: {snapshots}."
    )


def _tables(manifest: Row, schemas: Mapping[str, TableSchema]) -> str:
    lines = [
        f"| `{name}` | {entry['rows']} | {entry['columns']} | {schemas[name].title} |"
        for name, entry in manifest["tables"].items()
    ]
    return (
        "| table | rows | columns | what |\n|---|---|---|---|\n"
        + "\n".join(lines)
        + "\n\nEach is a Parquet file, a CSV file and a table of `traincompute.duckdb`. Every column is described, with"
        " unit, meaning and constraints, in `datapackage.json` and in the metadata of the Parquet and DuckDB files. A"
        " missing value is empty in CSV and null elsewhere. In CSV, the items of a list are joined by `;`, and a text"
        " that a spreadsheet would take for a formula has an apostrophe before it."
    )


def _reading(version: str) -> str:
    return f"""## How to read it

```python
import pandas
models = pandas.read_parquet("models.parquet")
```

```python
import traincompute  # with checks, a cache, and units in the attributes
models = traincompute.load("models", version="{version}")
```

```sh
duckdb -readonly traincompute.duckdb "select name, training_compute_flop from models order by 2 desc nulls last limit 5"
```"""


def _checking() -> str:
    return f"""## How to check it

`sha256sum -c {SUMS}` checks the files; `manifest.json` has the number of rows of each table. If there is
a signature and you have the publisher's key in a file `allowed_signers`:

```sh
ssh-keygen -Y verify -f allowed_signers -I PUBLISHER -n {NAMESPACE} -s {SUMS}.sig < {SUMS}
```

`traincompute diff OLD NEW` lists what changed since another release, cell by cell."""


def _sources(about: Row, sources: Iterable[Row]) -> str:
    lines = dict.fromkeys(f"- {row['attribution'] or row['title']} ({row['licence']})" for row in sources)
    return (
        f"[{about['licence_title']}]({about['licence_url']}). It contains facts from these sources, which ask to be"
        " credited:\n\n" + "\n".join(lines)
    )
