"""A synthetic listing of a hub, of any size: records in the shape of the API's, a million and more of them."""

from __future__ import annotations

from pathlib import Path

# of every ten models, three have no base, six were made from one, and one states its tokens
ROWS = """
SELECT 'author' || (i % 50021) || '/model-' || i AS id,
  'author' || (i % 50021) AS author,
  strftime(TIMESTAMP '2022-03-02' + INTERVAL 1 MINUTE * (i % 2000000), '%Y-%m-%dT%H:%M:%S.000Z') AS createdAt,
  (i * 7919) % 100000 AS downloads,
  (i * 104729) % 1000 AS likes,
  CASE WHEN i % 10 < 4 THEN ['transformers', 'safetensors', 'text-generation', 'license:apache-2.0', 'region:us']
    ELSE ['transformers', 'safetensors', 'license:mit', 'dataset:set' || (i % 997), 'base_model:' || base,
      'base_model:' || ['finetune', 'adapter', 'quantized', 'merge'][1 + i % 4] || ':' || base, 'region:us'] END AS tags,
  {'total': (1 + i % 400) * 175000000} AS safetensors,
  CASE WHEN i % 10 = 0 THEN (1 + i % 1500) * 1e10 END AS trainingTokens
FROM (SELECT range AS i, ['deepseek-ai/DeepSeek-V3.1', 'org/unheard'][1 + range % 2] AS base FROM range({count}))
"""


def write_listing(target: Path, count: int) -> None:
    """Writes `count` records as one JSON object per line, the same for the same count."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        rows = ROWS.replace("{count}", str(count))
        connection.execute(f"COPY ({rows}) TO '{target}' (FORMAT json)")
