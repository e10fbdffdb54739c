"""The Python interface on one release of two small tables (tests/tiny_release.py): what is loaded, asked and
refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tiny_release import MODELS, VERSION, write_tiny_release

import traincompute as t
from traincompute import reader
from traincompute.base.errors import InputError, QueryError
from traincompute.commands import examples
from traincompute.names.resolve import folded
from traincompute.query import run


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_release(tmp_path_factory.mktemp("one"))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))


def test_a_table_is_loaded_with_what_it_is_and_as_it_was_written(sound: Path) -> None:
    frame = t.load("models", str(sound))
    assert frame.columns.to_list() == MODELS.column_names
    assert frame.attrs["units"] == {}
    assert (frame.attrs["table"], frame.attrs["version"], len(frame.attrs["manifest_sha256"])) == (
        "models",
        VERSION,
        64,
    )
    assert frame.organization.to_list() == [["University of Toronto"], ["Google", "AI2"], None]
    joined = t.load("models", str(sound), columns=["organization", "model_id"], lists="joined")
    assert joined.columns.to_list() == ["organization", "model_id"]
    assert joined.organization.to_list()[:2] == ["University of Toronto", "Google;AI2"]


def test_a_slip_and_a_result_too_large_are_refused(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r'^lists is \'text\'; it may be "list" or "joined"$'):
        t.load("models", str(sound), lists="text")
    monkeypatch.setattr(run, "LARGEST_TABLE", 50_000)  # bytes, of eight for each number
    assert len(t.sql("from range(5000)", str(sound))) == 5000
    with pytest.raises(QueryError, match=r"^the result is larger than 1 GB; select fewer rows or columns$"):
        t.sql("from range(10000)", str(sound))
    for odd in ("union_value(k := 1)", "interval 1 day"):
        with pytest.raises(QueryError, match=r"^a is a .* cast it to varchar$"):
            t.sql(f"select {odd} as a", str(sound))


def test_names_are_matched_in_their_order_and_with_their_index(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def resolve(_: object, names: list[str]) -> list[dict[str, object]]:
        asked.append(names)
        return [{**reader.NOTHING, "asked": name} for name in names]

    monkeypatch.setattr(reader, "resolve", resolve)
    frame = t.match(pd.Series(["b", None, 4], index=[7, 8, 9]), str(sound))
    assert (frame.index.to_list(), frame.asked.to_list()) == ([7, 8, 9], ["b", "", "4"])
    assert frame.columns.to_list() == ["asked", *reader.NOTHING]
    assert frame.how.to_list() == ["none"] * 3
    t.match("a b", str(sound))
    t.match((name for name in "ab"), str(sound))
    assert asked[1:] == [["a b"], ["a", "b"]]


PAGE = """## Compute

### Which models are the largest?

```sql
from models order by flop
```

```python
largest
```

```r
arrange
```

## Money

### What does it cost?

```sql
select cost from models
```

```python
cost
```

```r
cost
```
"""


def test_a_question_is_found_by_its_words_section_and_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(examples, "PAGE", tmp_path / "page.md")
    _, cost = examples.read_examples()
    assert cost == (2, "Money", "What does it cost?", "select cost from models", "cost", "cost")
    found = {("model",): [1, 2], ("costs", "model"): [2], ("money",): [2], ("2",): [2], ("9",): [], ("2", "cost"): []}
    assert {words: [one.number for one in examples.find_examples(words)] for words in found} == found
    assert [one.number for one in examples.find_examples(["from"])] == [1, 2], "as the page has them"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("  GPT™－4  Turbo ", "GPT-4 Turbo"),
        ("https://huggingface.co/meta-llama/Llama-3/tree/main", "meta-llama/Llama-3"),
        ("bedrock/us.anthropic.claude-3-v1:0", "anthropic/claude-3"),
        ("fireworks_ai/llama-v3p1-8b", "fireworks_ai/llama-v3.1-8b"),
        ("a/Ours-latest", "Ours-latest"),
    ],
)
def test_a_name_is_asked_for_without_what_services_add(asked: str, text: str) -> None:
    assert folded(asked, {"ours-latest"}) == text
