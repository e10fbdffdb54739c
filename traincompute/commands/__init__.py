"""What a user types: click modules of one or a few commands, importing nothing heavy before one runs."""
