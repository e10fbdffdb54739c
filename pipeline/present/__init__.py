"""Shows what is published: generated pages, figures, site."""
