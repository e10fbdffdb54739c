"""How a curated fact is cited: the columns that say where it was read, and the words for how it was checked."""

from __future__ import annotations

CITATION = ("reference", "evidence", "accessed")
EVIDENCE = ("seen", "secondary", "recalled")
