"""What the sources say about a record, in the form in which two records are compared."""

import pandas as pd
import pytest

from pipeline.curate.entries import Entry, bare_name, link_keys, make_entries, sizes_agree

NAN = float("nan")


def test_an_entry_has_what_all_sources_say_about_a_record() -> None:
    lines = [
        ("GPT-2", "gpt-2", "epoch_all", "name", "gpt", "GPT-2", NAN, "2022-09-01"),
        ("BERT", "bert", "epoch_all", "name", "", "BERT", NAN, "2022-09-01"),
        ("BERT", "bert", "epoch_all", "parameters", "", "110M", 1.1e8, "2022-09-01"),
        ("BERT", "bert", "wikidata", "parameters", "", "340M", 3.4e8, "2021-02-03"),
        ("BERT", "bert", "wikidata", "parameters", "", "a few", NAN, "2022-09-01"),
        ("BERT", "bert", "wikidata", "publication_date", "2018-10-11", "2018-10-11", NAN, "2022-09-01"),
        ("BERT", "bert", "epoch_all", "publication_date", "", "in autumn", NAN, "2022-09-01"),
        ("BERT", "bert", "epoch_all", "organization", "Google;Google AI", "Google, Google AI", NAN, "2022-09-01"),
        ("BERT", "bert", "wikidata", "organization", "", "unknown", NAN, "2022-09-01"),
        ("BERT", "bert", "wikidata", "reference_url", "", "https://arxiv.org/abs/1810.04805", NAN, "2022-09-01"),
        ("One", "one", "epoch_all", "parameters", "", "1", 1.0, "2022-09-01"),
        ("None", "none", "epoch_all", "parameters", "", "0", 0.0, "2022-09-01"),
    ]
    columns = ["record", "model_id", "source_id", "field", "code", "value_text", "value", "since"]
    rows = pd.DataFrame(lines, columns=columns).assign(since=lambda rows: pd.to_datetime(rows["since"]))
    only = frozenset(["epoch_all"])
    assert make_entries(rows) == [
        Entry(
            "BERT",
            "bert",
            frozenset(["epoch_all", "wikidata"]),
            since="2021-02-03",
            organizations=frozenset(["Google", "Google AI"]),
            links=frozenset(["arXiv:1810.04805"]),
            dates=frozenset(["2018-10-11"]),
            parameters=frozenset([1.1e8, 3.4e8]),
        ),
        Entry("GPT-2", "gpt-2", only, "2022-09-01"),
        Entry("None", "none", only, "2022-09-01"),
        Entry("One", "one", only, "2022-09-01", parameters=frozenset([1.0])),
    ]


def test_links_are_compared_by_arxiv_id_or_address() -> None:
    assert link_keys("https://arxiv.org/pdf/1812.04948v3 http://www.X.ai/blog/") == {"arXiv:1812.04948", "x.ai/blog"}


def test_a_name_is_bare_of_what_tells_two_of_it_apart() -> None:
    assert bare_name("CALM @ arXiv:2305.02195") == bare_name("CALM") == "CALM"


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ([9e9], [1e10], True),  # 10 % of the larger
        ([8.9e9], [1e10], False),
        ([7e9, 1e10], [7e10, 9.5e9], True),
        ([], [1e10], True),
    ],
)
def test_sizes_agree_within_a_tenth_or_where_one_is_not_known(
    one: list[float], other: list[float], agree: bool
) -> None:
    assert sizes_agree(one, other) is sizes_agree(other, one) is agree
