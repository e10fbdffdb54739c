"""Tables → Parquet, CSV, DuckDB, views and manifest, swapped in at once; releases and what describes them."""
