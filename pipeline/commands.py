"""The commands of a checkout, which make, curate and develop the dataset: name: (module, one line)."""

Commands = dict[str, tuple[str, str]]

COMMANDS: dict[str, Commands] = {
    "Make the dataset": {
        "build": ("pipeline.cli", "Build the dataset from the committed facts, offline."),
        "pull": ("pipeline.cli", "Fetch sources and enter what they print into the ledger."),
        "site": ("pipeline.site.cli", "Write the site: a static folder for the browser."),
    },
}
# group: (what it is for, its commands)
GROUPS: dict[str, tuple[str, Commands]] = {
    "curate": (
        "Add facts and check them.",
        {
            "add-fact": ("pipeline.curate.cli", "Check a fact and add it to the curated facts."),
            "status": ("pipeline.curate.cli", "Show what is stale, held, unresolved or uncovered."),
            "audit": ("pipeline.curate.cli", "List values that contradict their own sources."),
            "duplicates": ("pipeline.curate.cli", "List names that may be one model, with the line to paste."),
            "candidates": ("pipeline.curate.cli", "List open models that the dataset lacks."),
            "check-citations": ("pipeline.curate.cli", "Look up figures at the permalinks that facts cite."),
        },
    ),
    "stage": (
        "Run one stage of build.",
        {
            "normalize": ("pipeline.cli", "Run stage 1 of build: facts to typed claims."),
            "validate": ("pipeline.cli", "Run stage 2 of build: check the tables against their schemas."),
            "impute": ("pipeline.cli", "Run stage 3 of build: estimate missing training compute."),
            "publish": ("pipeline.cli", "Run stage 4 of build: write Parquet, CSV, DuckDB and manifest."),
        },
    ),
    "dev": (
        "Develop the dataset: calibration, docs, releases.",
        {
            "calibrate": ("pipeline.impute.cli", "Measure how far estimates are off, and their intervals."),
            "docs": ("pipeline.site.cli", "Write the generated pages of docs/."),
            "release": ("pipeline.cli", "Make an immutable, citable release of the dataset."),
            "rebuild": ("pipeline.cli", "Make a release again from its commit and compare every byte."),
        },
    ),
}
