"""The commands of a checkout, which make, curate and develop the dataset: name: (module, one line)."""

Commands = dict[str, tuple[str, str]]

COMMANDS: dict[str, Commands] = {
    "Make the dataset": {
        "build": ("pipeline.cli", "Build the dataset offline from the committed facts."),
        "pull": ("pipeline.cli", "Fetch the sources and record the facts in the ledger."),
        "site": ("pipeline.site.cli", "Write the site as a folder of static files."),
    },
}
# group: (what it is for, its commands)
GROUPS: dict[str, tuple[str, Commands]] = {
    "curate": (
        "Add and check facts.",
        {
            "add-fact": ("pipeline.curate.cli", "Check a fact and add it to the curated facts."),
            "status": ("pipeline.curate.cli", "Show open tasks, such as stale sources and held values."),
            "audit": ("pipeline.curate.cli", "List values that contradict their own sources."),
            "duplicates": ("pipeline.curate.cli", "List records that may be the same model."),
            "candidates": ("pipeline.curate.cli", "List open models that are missing from the dataset."),
            "check-citations": ("pipeline.curate.cli", "Check that cited permalinks lead to the figures."),
        },
    ),
    "stage": (
        "Run one stage of the build.",
        {
            "normalize": ("pipeline.cli", "Run stage 1 of the build: turn facts into typed claims."),
            "validate": ("pipeline.cli", "Run stage 2 of the build: check tables against schemas."),
            "impute": ("pipeline.cli", "Run stage 3 of the build: estimate missing training compute."),
            "publish": ("pipeline.cli", "Run stage 4 of the build: write Parquet, CSV and DuckDB files."),
        },
    ),
    "dev": (
        "Maintain the calibration, docs and releases.",
        {
            "calibrate": ("pipeline.impute.cli", "Measure the accuracy of the estimates and their intervals."),
            "docs": ("pipeline.site.cli", "Update the generated output in README.md and docs/."),
            "release": ("pipeline.cli", "Create an immutable, citable release of the dataset."),
            "rebuild": ("pipeline.cli", "Rebuild a release from its commit and compare the files."),
        },
    ),
}
