"""Used everywhere: dataset locations, errors, and files that several processes share."""
