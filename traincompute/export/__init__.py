"""Tables and results as files for other programs: CSV, JSON, Parquet, Excel, Stata, Markdown and LaTeX, with units,
version and sources."""
