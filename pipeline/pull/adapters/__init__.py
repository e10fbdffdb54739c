"""One module per kind of upstream file: `read(content, source, where) -> Reading`. None imports another."""
