"""DuckDB's engine alone. `import duckdb` also brings relations, expressions and sources for data frames, which take
twice as long as the engine itself; what only runs SQL starts without them."""

try:
    import _duckdb as duckdb
except ImportError:  # a DuckDB that keeps its engine elsewhere
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
