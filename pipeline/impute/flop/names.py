"""What the methods are called, and why one abstains: for code that says so on an engine and needs no pandas."""

from __future__ import annotations

BASE_PLUS_FINETUNE = "base_plus_finetune"
OPERATION_COUNTING = "operation_counting"
HAS_BASE = "needs the compute of the base model"
