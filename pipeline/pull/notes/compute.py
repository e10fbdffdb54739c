"""What a note says about training compute: a figure, a limit, the method. Used by fragments alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipeline.pull.notes.arithmetic import NUMBER, scaled
from pipeline.pull.notes.sentences import agree, sentence_of

_MASS = r"(?:\d+(?:\.\d+)?[eE]\+?\d{1,2})"
_FLOP = r"(?i:flops?)\b(?! ?/|[ -](?:per|s\b))(?-i:)"
_TOTAL = re.compile(
    rf"(?<![\w.,^-])(?<!/ )(?P<n>{NUMBER}) ?(?:(?:training|train|total) )?"
    rf"(?P<p>(?i:peta|exa|zetta|yotta)-?|[PEZ])?{_FLOP}"
)
_PFS_DAYS = r"(?:pfs|petaflop/?s?|petaflops|pf)[- ]?days?\b"
_PFS = re.compile(rf"(?i)(?<![\w.,-])(\d[\d,]{{0,12}}(?:\.\d{{1,6}})?) ?{_PFS_DAYS}")
_BARE = re.compile(rf"(?<![\w.,^$-])(?P<n>{_MASS})(?!\d)")
_BOUND = re.compile(
    r"(?i)(?:(?P<low>(?<![-=<>])>=?|≥|\bat least|\bmore than|\bover|\babove|\bgreater than|\bin excess of)"
    r"|(?P<high><=?|≤|\bless than|\bunder|\bbelow|\bat most))\s?~?"
    rf"(?:(?P<n>{_MASS})(?!\d)(?! ?flops? ?/| ?/)(?: ?(?P<f>flops?)\b)?"
    rf"|(?P<d>\d{{1,6}}(?:\.\d{{1,6}})?) ?{_PFS_DAYS})"
)
_WEAK = re.compile(
    r"(?i)unlikely|(?<!very )likely|maybe|might|may\b|could|plausibl|possibl|\bnot\b|n't|\bif\b|would|perhaps"
    r"|probabl|unclear|was (?:just )?[<>u]|uncertain|guess|roughly|threshold|budget"
)
_PART = re.compile(
    r"(?i)forward|per (?:image|step|epoch|token|sample|example|iteration)|/s\b|inference|base model|fine-?tun"
    r"|bound|only|each|additional|without|teacher|backbone|encoder|LLM|other|close to|authors|\bif\b|would"
    r"|assum|compare|peak|performance"
)
_RESULT = re.compile(
    rf"(?P<left>[^\n=≈]{{0,300}})(?<![<>])[=≈]\s?~?(?P<n>{NUMBER}) ?(?P<p>[PEZ]|(?i:peta|exa|zetta))?"
    r"(?P<f>(?i:flops?))?(?=\s*(?:$|[\n,;()\[\"”]|\.(?!\d)))"
)
_LATER = re.compile(r"(?i)mean\b|average|total|\bplus\b|also|alternativ|instead|estimating|but\b|however|other")
_DOUBT = re.compile(
    r"(?i)not sure|per epoch|unclear|not stated|cannot|can't|initiali[sz]ed|n't (?:state|apply)|first stage"
    r"|if trained|unsure|no indication|lower bound|it is possible|fine-?tun\w* compute:"
)
_ANY_EQUAL = re.compile("[=≈]")
_6ND = re.compile(
    r"(?i)\b6 ?[*×·x]? ?(?:C ?[*×x]? ?N|N ?[*×x]? ?[DCT]|D ?[*×x]? ?N)\b"
    r"|\b6 ?FLOPs? ?(?:/|per) ?(?:active )?(?:param|token)"
    r"|\b6 ?[*×·x] ?\d[\d.,]*(?:e\+?\d+| ?[BM]\b| ?[mb]illion|\d{6})"
)
_REFUSED = re.compile(r"(?i)can'?t|cannot|not sure|n't|\bnot\b|disagree|unsure")
_RATE = re.compile(
    r"(?i)(?:[TPG]|tera|peta|giga)flops?\b|flops? ?/ ?(?:gpu|chip|s\b|sec)|flop/s"
    r"|[ (*]\d+(?:\.\d+)?e\+?1[1-6]\b"
)
_SPAN = re.compile(r"(?i)3600|86400|60 ?[*×x] ?60|\bhours?\b|\bdays?\b|\bweeks?\b|\bmonths?\b")
_USE = re.compile(r"(?i)utili[sz]ation|\bMFU\b|[*×x·] ?\(?0?\.[1-6]\d*\b|[1-6]\d(?:\.\d+)? ?%")


def _flop(match: re.Match[str]) -> str:
    prefix = (match["p"] or " ")[0].lower()
    return scaled(match["n"], {"p": 15, "e": 18, "z": 21, "y": 24}.get(prefix, 0))


def training_compute_stated(text: str, _: Mapping[str, str]) -> Iterator[str]:
    """The training compute that a note states, where it states one."""
    totals = [match for match in _TOTAL.finditer(text) if float(_flop(match)) >= 1e5]
    bare = [float(match["n"]) for match in _BARE.finditer(text) if float(match["n"]) >= 1e17]
    final = _final(text)
    if final:
        own = [float(scaled(m[0], 0)) for m in re.finditer(NUMBER, final["left"])]
        rivals = [value for value in [*(float(_flop(m)) for m in totals), *bare] if not _close(value, own)]
        if len(final["n"]) <= 30 and agree([*rivals, float(_flop(final))], 0.03):
            yield f"{_flop(final)} FLOP"
    elif pfs := {scaled(match[1], 0) for match in _PFS.finditer(text)}:
        if len(pfs) == 1 and not _PART.search(text) and not _BOUND.search(text):
            yield f"{pfs.pop()} pfs-days"
    elif totals and agree([*(float(_flop(match)) for match in totals), *bare], 0.03):
        said = [match for match in totals if not _PART.search(sentence_of(text, match))]
        doubtful = _WEAK.search(text) or _BOUND.search(text) or _DOUBT.search(text) or _ANY_EQUAL.search(text)
        if said and not doubtful and float(_flop(said[0])) >= 1e9:
            yield f"{_flop(said[0])} FLOP"


def _close(value: float, numbers: list[float]) -> bool:
    return any(agree([value, number], 0.03) for number in numbers)


def _final(text: str) -> re.Match[str] | None:
    """The last result behind a sign of equality, if it is one of FLOP and the note does not go on from it."""
    matches = list(_RESULT.finditer(text))
    if not matches or _ANY_EQUAL.search(text, matches[-1].end()):
        return None
    last = matches[-1]
    counted = float(_flop(last)) >= 1e15 or re.search(r"(?i)flop|6nd|\b6 ?[*×x]", last["left"])
    summed = "+" in last["left"]  # base model + fine-tuning = total
    spoiled = (
        (_PART.search(last["left"]) and not summed)
        or re.search(r",.*[eE]", last["n"])
        or _LATER.search(text, last.end())
        or _DOUBT.search(text)
    )
    return last if (last["f"] or counted) and not spoiled else None


def training_compute_bound(text: str, _: Mapping[str, str]) -> Iterator[str]:
    """The limits of the training compute that a note is sure of."""
    found: dict[str, set[str]] = {"<": set(), ">": set()}
    for match in _BOUND.finditer(text):
        nameless = match["n"] and not match["f"] and float(match["n"]) < 1e15
        if not nameless and not _WEAK.search(sentence_of(text, match)):
            figure = f"{scaled(match['n'], 0)} FLOP" if match["n"] else f"{match['d']} pfs-days"
            found[">" if match["low"] else "<"].add(figure)
    yield from (f"{sign} {min(figures)}" for sign, figures in found.items() if len(figures) == 1)


def training_compute_method(text: str, _: Mapping[str, str]) -> Iterator[str]:
    """How a note came to its figure, by the form of its arithmetic."""
    if any(_6ND.search(line) and not _REFUSED.search(line) for line in text.split("\n")):
        yield "6ND"
    lines = [line for line in text.split("\n") if len(re.findall(r"[*×·x] ?\(?\d|\d\)? ?[*×·x]", line)) >= 2]
    if any(_RATE.search(line) and _SPAN.search(line) and _USE.search(line) for line in lines):
        yield "chips × time × FLOP/s"
