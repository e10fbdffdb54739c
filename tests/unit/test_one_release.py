"""The Python interface on one release of two small tables (tests/tiny_release.py): what is loaded, asked and
refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from release_folders import entry_of, write_index
from tiny_release import MODELS, VERSION, write_tiny_release

import traincompute as t
from traincompute import reader
from traincompute.base.errors import InputError, QueryError, ReleaseError
from traincompute.examples import search
from traincompute.names.resolve import folded
from traincompute.verification import read_json


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


def test_a_slip_is_refused_with_the_nearest_name(sound: Path) -> None:
    with pytest.raises(InputError, match=r'^lists is \'text\'; it may be "list" or "joined"$'):
        t.load("models", str(sound), lists="text")
    for columns, words in ((["parameter"], "; did you mean parameters?"), (["x"], "; there are: ")):
        with pytest.raises(ReleaseError) as caught:
            t.load("models", str(sound), columns=columns)
        assert str(caught.value).startswith(f"models has no column {columns[0]}{words}")
        assert caught.value.exit_code == 2
    with pytest.raises(ReleaseError) as caught:
        t.path("model", str(sound))
    assert (str(caught.value), caught.value.exit_code) == (
        f"release {VERSION} has no table or file model; did you mean models?",
        2,
    )


def test_files_and_folders_of_a_release_have_places(sound: Path) -> None:
    assert t.path(version=str(sound)).suffix == ".duckdb"
    assert t.path("sources", str(sound)) == sound / "sources.parquet"
    assert t.path("sources.csv", str(sound)).name == "sources.csv"
    with pytest.raises(AttributeError, match=r"^module 'traincompute' has no attribute 'laod'$"):
        _ = t.laod
    assert {*t.__all__, "__version__"} <= {*dir(t)} == {*sorted(dir(t))}


def test_a_query_takes_parameters_for_a_minute_at_most(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []
    limit_time = reader.limit_time
    monkeypatch.setattr(reader, "limit_time", lambda c, s: seconds.append(s) or limit_time(c, s))  # type: ignore[func-returns-value]
    query = "select name from models where model_id = $id"
    assert t.sql(query, str(sound), {"id": "alexnet"}).name.to_list() == ["AlexNet"]
    assert seconds == [60.0]
    monkeypatch.setattr(reader, "LARGEST_RESULT", 50_000)  # bytes, of eight for each number
    assert len(t.sql("from range(5000)", str(sound))) == 5000
    with pytest.raises(QueryError, match=r"^the result is larger than 5e-05 GB; select fewer rows or columns$"):
        t.sql("from range(10000)", str(sound))


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


def test_the_releases_of_an_index_have_whole_numbers_and_days(sound: Path) -> None:
    index = write_index(sound.parent, [entry_of(sound, read_json(sound / "manifest.json"))])
    frame = t.versions(str(index))
    assert [*frame.dtypes.astype(str)][2:4] == ["datetime64[s]"] * 2
    assert [*frame.dtypes.astype(str)][5:] == ["Int64"] * 3
    assert frame.loc[0, ["version", "channel", "models"]].to_list() == [VERSION, "release", 3]


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
    monkeypatch.setattr(search, "PAGE", tmp_path / "page.md")
    _, cost = search.read_examples()
    assert cost == (2, "Money", "What does it cost?", "select cost from models", "cost", "cost")
    found = {("model",): [1, 2], ("costs", "model"): [2], ("money",): [2], ("2",): [2], ("9",): [], ("2", "cost"): []}
    assert {words: [one.number for one in search.find_examples(words)] for words in found} == found
    assert [one.number for one in search.find_examples(["from"])] == [1, 2], "as the page has them"


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
