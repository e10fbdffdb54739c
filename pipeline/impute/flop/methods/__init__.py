"""One module per method of estimation; a method that does not apply says what is missing."""
