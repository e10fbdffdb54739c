"""What everyone stands on: where releases lie, their errors, and files that several processes share."""
