"""The words that the estimates of a hub share with the methods, apart from these because they need no pandas."""

from __future__ import annotations

BASE_PLUS_FINETUNE = "base_plus_finetune"
OPERATION_COUNTING = "operation_counting"
HAS_BASE = "needs the compute of the base model"
