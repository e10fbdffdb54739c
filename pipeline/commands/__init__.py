"""What a maintainer types: one click module per command, importing nothing heavy before it runs."""
