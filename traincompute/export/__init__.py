"""Tables and results as files for other programs: CSV, JSON, Parquet, Excel and Stata, with units, version and
sources."""
