"""Helps a person to enter, correct and decide: add-fact, propose, audit, status."""
