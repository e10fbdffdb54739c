"""Names that stand for a model only in one of their readings, among a handful of models."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_views
from traincompute.names.resolve import NOTHING, resolve

MACROS = ("name_words", "words_key")
# id, developer, and the names in use: kind and text
MODELS = [
    ("nova-pro", "Deepgram", {"name": "Nova Pro"}),
    ("amazon-nova-pro", "Amazon", {"name": "Amazon Nova Pro"}),
    ("amazon-nova-act", "Amazon", {"name": "Amazon Nova Act"}),
    ("amazon-nova-reel", "Amazon", {"name": "Amazon Nova Reel"}),
    ("falcon", "TII", {"name": "Falcon"}),
    ("hawk", "Acme", {"name": "Hawk", "hub": "acme/Falcon"}),
    ("sora", "OpenAI", {"name": "Sora 2"}),
    ("llama-8b", "Meta", {"name": "Llama 8B"}),
    ("yi-8b", "Acme", {"name": "Yi 8B"}),
]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        for macro in (view for view in load_views(Paths(CHECKOUT)) if view.name in MACROS):
            made.execute(f"CREATE MACRO {macro.name}{macro.query}")
        made.execute(
            """CREATE TABLE models (model_id VARCHAR, name VARCHAR, organization VARCHAR, organizations VARCHAR[],
            parameters DOUBLE, parameters_active DOUBLE, publication_date DATE, is_notable BOOL, \
training_compute_flop DOUBLE,
            base_model_id VARCHAR)"""
        )
        made.execute("CREATE TABLE model_settings AS SELECT 'thinking' AS spelling, false AS only_marked")
        made.execute("CREATE TABLE given (model_id VARCHAR, kind VARCHAR, alias VARCHAR)")
        for model_id, maker, names in MODELS:
            made.execute(
                "INSERT INTO models (model_id, name, organization, organizations) VALUES ($1, $2, $3, [$3])",
                [model_id, names["name"], maker],
            )
            made.executemany("INSERT INTO given VALUES (?, ?, ?)", [(model_id, *each) for each in names.items()])
        made.execute("UPDATE models SET base_model_id = 'llama-8b' WHERE model_id = 'yi-8b'")
        made.execute("""CREATE TABLE aliases AS SELECT *, string_split(name_words(alias), ' ') AS words,
            words_key(name_words(alias)) AS key, true AS is_decisive, ['a source'] AS source_ids FROM given""")
        made.execute(
            """CREATE TABLE organizations AS SELECT organization, NULL::VARCHAR AS parent,
            CASE WHEN organization = 'OpenAI' THEN ['Open AI'] END AS aliases FROM (SELECT DISTINCT organization \
FROM models)"""
        )
        yield made


@pytest.mark.parametrize(
    ("asked", "model_id"),
    [
        ("nova-act-instruct", "amazon-nova-act"),  # the developer's own word for the line
        ("nova-pro-instruct", "nova-pro"),  # which is another model's own name
        ("falcon-instruct", "falcon"),  # not what an account on a hub calls by that name
        ("openai-sora-2", "sora"),
        ("open-sora-2", None),  # the first word of another name of the developer is none of its names
    ],
)
def test_a_models_own_name_comes_before_a_part_of_another(
    connection: duckdb.DuckDBPyConnection, asked: str, model_id: str | None
) -> None:
    assert resolve(connection, [asked])[0]["model_id"] == model_id


def test_each_name_has_its_answer_and_what_it_was_made_from(connection: duckdb.DuckDBPyConnection) -> None:
    """Whatever is asked beside it. The account on a hub is no part of a name, and so no base."""
    of_llama = {"how": "base", "base_model_id": "llama-8b"}
    answers = {
        "Zephyr-Llama-8B": of_llama,
        "Falcon": {"how": "exact", "model_id": "falcon", "name": "Falcon"},
        "llama/zephyr-8b": {},
        "zephyr/llama-8b-x": of_llama,
        "Yi Llama 8B": of_llama | {"how": "unique part", "model_id": "yi-8b", "name": "Yi 8B"},
        "sora-2-instruct": {"how": "unique part", "model_id": "sora", "name": "Sora 2", "taken_off": ["instruct"]},
        "": {},
    }
    told = [NOTHING | answer | {"asked": asked} for asked, answer in answers.items()]
    assert resolve(connection, [*answers, "Falcon"]) == [*told, told[1]]
    assert (resolve(connection, ["Falcon"]), resolve(connection, [])) == ([told[1]], [])


def test_many_names_have_the_answers_that_each_has_alone(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16,000 names of a hub, asked for at once, needed more memory than a connection has."""
    names = [f"{account}/{name}" for account in "abc" for name in ("Zephyr-Llama-8B", "nova-act-instruct", "none")]
    alone = [resolve(connection, [name])[0] for name in names]
    monkeypatch.setattr("traincompute.names.resolve.AT_ONCE", 2)
    assert resolve(connection, names) == alone
