"""The files that describe a release: data package, Croissant, citation, card, changes."""
