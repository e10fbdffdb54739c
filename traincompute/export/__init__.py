"""Tables and results as files for other programs: CSV, JSON and Parquet, with units, version and sources."""
