"""What the checkout declares: sources, lock, schemas, fields, vocabularies, priorities, identities, constants,
views."""
