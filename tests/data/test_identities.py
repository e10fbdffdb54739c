"""No record that is joined to a model contradicts it."""

import duckdb

SPEAKING = ("helm", "llmstats", "models_dev", "meta_cards", "fmti")


def test_no_record_knows_of_a_day_after_the_release_of_its_model(database: duckdb.DuckDBPyConnection) -> None:
    later = database.execute("""
        SELECT DISTINCT model_id FROM claims JOIN models USING (model_id)
        WHERE field = 'knowledge_cutoff' AND try_cast(code AS date) > publication_date""").fetchall()
    assert later == []


def test_a_record_has_the_size_of_its_model(database: duckdb.DuckDBPyConnection) -> None:
    apart = database.execute(f"""
        SELECT said.record, said.value FROM claims said JOIN models USING (model_id)
        WHERE said.source_id IN {SPEAKING} AND said.field = 'parameters'
        AND abs(said.value / parameters - 1) > 0.25 ORDER BY said.record""").fetchall()
    # what HELM prints; the papers have 2.7B for Phi-2, and 6.6B for SDXL together with its refiner; AI21's report has
    # 60B for Jurassic-2 Jumbo
    assert apart == [
        ("Jurassic-2 Jumbo (178B)", 178e9),
        ("Phi-2", 13e9),
        ("Phi-3.5 MoE", 41.9e9),
        ("Stable Diffusion XL", 6.6e9),
    ]


def test_releases_of_one_name_are_told_apart(database: duckdb.DuckDBPyConnection) -> None:
    found = database.execute("""
        SELECT source_id, record, model_id FROM claims
        WHERE field = 'publication_date' AND source_id IN ('helm', 'llmstats', 'models_dev')
        AND model_id IN ('gpt-4o-aug-2024', 'gemini-2.5-pro-jun-2025', 'command-r', 'codex')
        ORDER BY ALL""").fetchall()
    assert found == [
        ("helm", "Command R", "command-r"),  # 2024-03-11; models.dev lists the release of August
        ("helm", "GPT-4o (2024-08-06)", "gpt-4o-aug-2024"),
        ("helm", "Gemini 2.5 Pro", "gemini-2.5-pro-jun-2025"),  # 2025-06-17
        ("models_dev", "GPT-4o (2024-08-06)", "gpt-4o-aug-2024"),
        ("models_dev", "Gemini 2.5 Pro", "gemini-2.5-pro-jun-2025"),
    ]


def test_an_index_is_of_the_model_whose_version_it_names(database: duckdb.DuckDBPyConnection) -> None:
    versions = dict(
        database.execute("""
        SELECT model_id, capability_index_version FROM models
        WHERE model_id IN ('qwen3-235b-a22b-jul-2025', 'qwen3-235b-a22b-thinking-jul-2025')""").fetchall()
    )
    assert versions == {
        "qwen3-235b-a22b-jul-2025": None,
        "qwen3-235b-a22b-thinking-jul-2025": "Qwen/Qwen3-235B-A22B-Thinking-2507",
    }
