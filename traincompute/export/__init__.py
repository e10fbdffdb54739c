"""Tables and results as files for other programs: CSV, JSON, Parquet and Excel, with units, version and sources."""
