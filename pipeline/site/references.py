"""What kind of text a reference names, and the address where it is found."""

from __future__ import annotations

import re
from typing import NamedTuple

CODE = r"https?://(?:gist\.)?(?:github|gitee|gitlab)\.com/"
HUB = r"https?://huggingface\.co/"
# The first that matches tells the kind; {} of its address is the first group, and no address means the reference itself
KINDS = (
    ("arXiv", r"(?:arXiv:|https?://arxiv\.org/abs/)(\S+)", "https://arxiv.org/abs/{}"),
    ("DOI", r"(?:doi:|https?://(?:dx\.)?doi\.org/)(\S+)", "https://doi.org/{}"),
    ("repository at a commit", rf"(?:{CODE}|{HUB})\S+/(?:blob|tree|raw|resolve)/[0-9a-f]{{7,40}}(?:/\S*)?", ""),
    ("discussion", rf"{CODE}\S+/(?:issues|pull|discussions)/\d+\S*|https?://openreview\.net/forum\S+", ""),
    ("model card", rf"{HUB}(?!blog/|datasets/|spaces/|docs/|papers/)[^/\s]+/[^/\s]+/?|\S+/\S*model[-_]card\S*", ""),
    ("repository", rf"{CODE}\S+", ""),
    ("report", r"\S+\.pdf", ""),
    ("data file", r"\S+\.csv", ""),
    ("web page", r"https?://\S+", ""),
)


class Reference(NamedTuple):
    """The kind of text, one of those in KINDS or "text", and its address, or the reference as it stands."""

    kind: str
    link: str


def read_reference(text: str) -> Reference:
    """The kind and the address of a reference as it is entered: arXiv:1404.5997, doi:10.1038/nature14539, https://…"""
    for kind, form, address in KINDS:
        if found := re.fullmatch(form, text):
            return Reference(kind, address.format(found[1]) if address else text)
    return Reference("text", text)
