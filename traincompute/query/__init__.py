"""One sealed, bounded, read-only query; the catalogue of tables."""
