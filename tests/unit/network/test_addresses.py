"""Which addresses may be fetched, and what is said of the others. That none of them is asked for is tested in
tests/faults/test_fetch.py."""

from __future__ import annotations

import pytest

from traincompute.network.addresses import CHECK, FetchError, address_fault, check_address

HERE, OUTSIDE = "http://127.0.0.1:8000/releases.json", "https://example.org/releases.json"
RULE = "only https:// (and http:// on this machine) is fetched, without a user name"


@pytest.mark.parametrize(
    ("url", "came_from"),
    [
        ("https://example.org/a.csv", ""),
        ("https://example.org:8443/a.csv", OUTSIDE),
        ("https://user.example.org/a@b.csv", ""),  # an @ in the path is no user name
        ("http://localhost/a.csv", ""),
        ("http://127.8.9.10:8000/a.csv", ""),  # RFC 1122: all of 127/8
        ("http://[::1]/a.csv", HERE),
        ("https://127.0.0.1/a.csv", ""),
        ("https://example.org/a.csv", HERE),
        ("v1/a.csv", OUTSIDE),
        ("//localhost/a.csv", HERE),
    ],
)
def test_https_is_fetched_and_http_on_this_machine(url: str, came_from: str) -> None:
    assert address_fault(url, came_from) == ""
    check_address(url, came_from)


@pytest.mark.parametrize(
    ("url", "came_from", "fault"),
    [
        ("http://192.0.2.1/a.csv", "", f"refused address 'http://192.0.2.1/a.csv': {RULE}"),
        ("ftp://localhost/a", "", f"refused address 'ftp://localhost/a': {RULE}"),
        ("https://me@example.org/a", "", f"refused address 'https://me@example.org/a': {RULE}"),
        ("http://me@localhost/a", "", f"refused address 'http://me@localhost/a': {RULE}"),
        ("https:///a.csv", "", f"refused address 'https:///a.csv': {RULE}"),
        ("https://example.org:0/a", "", f"refused address 'https://example.org:0/a': {RULE}"),
        ("v1/a.csv", "", f"refused address 'v1/a.csv': {RULE}"),
        ("http://a.org/a", OUTSIDE, f"refused address 'http://a.org/a', to which {OUTSIDE} leads: {RULE}"),
        ("https://example.org:port/a", "", "unreadable address 'https://example.org:port/a'"),
        ("http://[bad/a.csv", OUTSIDE, "unreadable address 'http://[bad/a.csv'"),
        *(
            (url, OUTSIDE, f"refused address {url!r}: nothing from outside ({OUTSIDE}) may lead to this machine")
            for url in ("https://localhost/a", "http://127.0.0.1/a", "https://[::1]/a")
        ),
    ],
)
def test_of_any_other_address_the_fault_is_named(url: str, came_from: str, fault: str) -> None:
    assert address_fault(url, came_from) == fault
    with pytest.raises(FetchError) as refused:
        check_address(url, came_from)
    error = refused.value
    assert (error.url, error.reason, error.remedy, error.exit_code) == (url, fault, CHECK, 3)


def test_the_message_is_one_line_however_the_reason_was_written() -> None:
    error = FetchError(OUTSIDE, "no answer:\n  broken   pipe", "try again")
    assert error.reason == "no answer: broken pipe"
    assert str(error) == f"{OUTSIDE}: no answer: broken pipe; try again"
