"""One module per kind of file that is no plain table: `read(content, source, where) -> Reading`. None imports
another."""
