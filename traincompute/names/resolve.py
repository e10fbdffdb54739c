"""Which model a name stands for, and how surely. The SQL macro `model_id_of` gives the same answer for clear names.

A name is read without the path of a service, settings at its end, number format, context length, version, form
(instruct, chat, base) and month of its weights. A version or date is left out only where the model that is found has
no other: Mistral 7B v0.3 is not Mistral-7B-v0.1."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from traincompute.base.errors import NotFoundError
from traincompute.database import Row, duckdb, rows

KNOWN, UNCLEAR, SEARCH = (
    Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8") for name in ("known", "unclear", "search")
)
# names that are in use and no source has
IN_USE = "select lower(alias) as alias from aliases where kind = 'record' and source_ids is null"
# claude-opus-4.5 (thinking-32k) and gpt-5-high say at the end how a model was run, not which model it is; a number of
# tokens is without its k no version, nor a year and month such as 2507
SETTINGS = r"""
select string_agg(form, '|' order by length(spelling) desc, spelling) as marked,
    string_agg(form, '|' order by length(spelling) desc, spelling) filter (not only_marked) as bare
from (select *, replace(replace(replace(regexp_escape(spelling), '\ ', '[-_: ]?'), '\#k', '[1-9][0-9]{0,3}k'),
    '\#', '(?!2[3-6](?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))[1-9][0-9]{2,5}') as form from model_settings)"""
# models since o1, the first with a setting for how hard it thinks, and whether their weights can be downloaded
THINKING = "select model_id, open_weights from models where publication_date >= '2024-09-12'"
AT_ONCE = 2000  # names that one query thinks about: 12,000 needed more than the 2 GB of a connection
NOTHING: Row = {"model_id": None, "name": None, "how": "none", "candidates": [], "base_model_id": None, "taken_off": []}
HOW = ("exact", "normalised", "alias", "unique part", "ambiguous", "base", "none")  # the surest first
MOST_CANDIDATES = 12  # a name that fits more models than this has no main one
MOST_SUGGESTIONS, MOST_OTHERS, NAMED = 5, 3, "{model_id} ({name})"
# the candidates, and whether one is shown in place of the others: only one that begins with the text
FITTING = """
select model_id, name, coalesce(training_compute_flop, 0) as flop, starts_with(name_key(name), name_key($text))
    and (len($ids::varchar[]) = 1 or is_notable and flop > 0) as is_shown
from models where list_contains($ids::varchar[], model_id) order by list_position($ids::varchar[], model_id)"""
FORMAT = (
    r"bnb|(?:nf|nvfp|mxfp|int|fp|bf|exl) ?[0-9]+(?: ?mix)?(?: block)?(?: dspark)?|i?q ?[0-9]+(?: [01k]\b)?(?: [sml]\b)?"
    r"|w[0-9]+a[0-9]+|[2-8] ?bits?|aqlm(?: pv)?(?: [1-8] ?bit)?(?: [1-8]x[0-9]+)?|awq|gptq|ggml|gguf|i1|mlx|onnx|dwq"
    r"|quantized|dynamic|imatrix|coreai|coreml|openvino|rkllm|unsloth|hf|vllm|diffusers|official|mtp"
)
VERSION = r"|0\.[1-9]|1(?:\.0)?$|00[1-9]|[0-9]+e|cased|uncased"
CONTEXT = "|[0-9]+k"
FORM = (
    r"(?:instruct|chat|base|it|inst)(?: (?:1(?:\.0)?$|turbo\b|fast\b))?|pt|sft|dpo|rl|versatile|preview|experimental"
    r"|exp|beta|discriminator|reference|generate"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = (
    r" (?:(?P<y4>(?:19|20)[0-9]{2}) ?(?P<m1>0[1-9]|1[0-2]) ?(?P<d1>[0-3][0-9])"
    r"|(?P<m2>0[1-9]|1[0-2]) ?(?:(?P<d2>[0-3][0-9])|(?P<y5>20[0-9]{2}))"
    rf"|(?P<y2>2[3-6])(?P<m3>0[1-9]|1[0-2])(?P<d3>[0-3][0-9])?"
    rf"|(?P<word>{'|'.join(MONTHS)})[a-z]* (?P<y6>20[0-9]{{2}}))\b"
)
Date = tuple[int | None, int, int | None]  # year, month and day
ON_HUB = (
    r"(?a)^\s*(?:https?://)?(?:www\.)?(?:huggingface|hf)\.co/(?!papers/|datasets/|spaces/|blog/)([\w.-]+/[\w.-]+).*$"
)
# how services that run models write a name: the way to it, the version of the service, its settings, and 3p1 for 3.1
REGION = r"(?:us(?:-gov)?|eu|apac|global|au|jp|in)"
SERVED = (
    # service:name, where what follows is no tag
    (r"^[a-z][a-z-]*:(?!(?:instruct|chat|text|code|base|latest|free|v[0-9])\b)(?=[A-Za-z]+[\w./-]*[0-9])", ""),
    (r"^(?:[@\w.-]+/)*models/|^(?:[@\w.-]+/)+(?=[\w.-]+/[^/]+$)", ""),
    (rf"^(?:[\w-]+/)?{REGION}\.([a-z][a-z0-9]+)\.|^([a-z][a-z0-9]+)\.(?=[a-z][\w.-]*-v[0-9]+:[0-9]+$)", r"\1\2/"),
    (r"^(?:databricks/)?databricks-|^aihubmix/(?:cc|coding)-", ""),
    (r"-(?:v[0-9]+|1):0$|@(?:default|00[0-9])$|:(?:free|beta|extended|latest|online|nitro)$|-(?:maas|cloud)$", ""),
    (r"^((?:openai|anthropic)/.+)-fast$|^(.*[0-9].*)-latest$", r"\1\2"),
    (r"(?<=[0-9]):(?=[0-9]$)|(?<=[0-9])p(?=[0-9])", "."),
    (r"@(?=[0-9]{8}$)|:(?=[0-9.]+b)", "-"),
)


def resolve(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> list[Row]:
    """For each name in turn: asked, model_id and name (None where it stands for no one model), how (one of HOW),
    candidates (ids, the likeliest first), base_model_id (by its name the base of a model that is not here) and
    taken_off, the words left out to find it."""
    asked, in_use = list(names), {row["alias"] for row in rows(connection, IN_USE)}
    texts = {name: folded(name, in_use) for name in asked}
    [settings] = rows(connection, SETTINGS)
    shorter = {text: _shortened(text, settings) for text in texts.values() if text}
    distinct = sorted({*shorter, *(text for steps in shorter.values() for text, *_ in steps)})
    known = rows(connection, KNOWN, names=distinct)
    found, unclear = {row["asked"]: NOTHING | row for row in known}, [row for row in known if not row["model_id"]]
    for start in range(0, len(unclear), AT_ONCE):
        found |= _thought_about(connection, unclear[start : start + AT_ONCE])
    unsure = {name: steps for name, steps in shorter.items() if steps and found[name]["how"] not in HOW[:3]}
    thinking = {row["model_id"]: row["open_weights"] for row in rows(connection, THINKING)} if unsure else {}
    settled = {name: _without_settings(steps, found, thinking) for name, steps in unsure.items()}
    found |= {name: answer for name, answer in settled.items() if answer}
    answers = ((name, found.get(texts[name], NOTHING)) for name in asked)
    return [{"asked": name, **{part: answer[part] for part in NOTHING}} for name, answer in answers]


def search(connection: duckdb.DuckDBPyConnection, text: str, limit: int) -> list[Row]:
    """Models that a text may be about, the likeliest first; the columns are told in search.sql."""
    return rows(connection, SEARCH, text=folded(text), limit=limit)


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several: the notable one with the
    most compute among those whose names begin with the text. Raises NotFoundError with the candidates or the nearest
    names if it stands for none."""
    if rows(connection, "select 1 from models where model_id = ?", text):
        return text, None
    [found] = resolve(connection, [text])
    if found["model_id"]:
        return str(found["model_id"]), None
    if not found["candidates"]:
        near = ", ".join(map(NAMED.format_map, search(connection, text, MOST_SUGGESTIONS)))
        raise NotFoundError(f"no model {text!r}" + (f"; did you mean: {near}?" if near else ""))
    fits = rows(connection, FITTING, ids=found["candidates"], text=text)
    shown = [row for row in fits if row["is_shown"]]
    if not shown or len(fits) > MOST_CANDIDATES:
        listed = "".join(f"\n  {NAMED.format_map(row)}" for row in fits[:MOST_CANDIDATES])
        more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
        raise NotFoundError(f"{text!r} is no model's name; it could mean:{listed}{more}")
    chosen = str(max(shown, key=lambda row: row["flop"])["model_id"])
    others = [row["model_id"] for row in fits if row["model_id"] != chosen]
    if not others:
        return chosen, f"{text!r} is no full name; this is the only model that begins so"
    more = f" and {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else ""
    which = f"fits {len(fits)} models; this is the notable one with the most compute. The others: "
    return chosen, f"{text!r} {which}{', '.join(others[:MOST_OTHERS])}{more}"


def _thought_about(connection: duckdb.DuckDBPyConnection, unclear: Sequence[Row]) -> dict[str, Row]:
    """The answers for names that are asked for in each of their readings: of a model, else of the model that a
    fine-tune's name says it was made from."""
    read = []
    for place, name in enumerate(unclear, 1):
        each = {*_readings(name["words"], CONTEXT), *(_readings(name["own"]) if name["own"] else ())}
        read += [(place, *reading) for reading in sorted(each, key=str)]
    given = zip(("places", "steps", "words", "years", "months"), map(list, zip(*read, strict=True)), strict=True)
    names, owns = ([name[part] for name in unclear] for part in ("asked", "own"))
    found = rows(connection, UNCLEAR, names=names, owns=owns, **dict(given))
    for row, name in zip(found, unclear, strict=True):
        words = name["own"] or name["words"]
        read_as = row["read_as"] or words
        row["taken_off"] = _left_out(words, read_as)
        if _has_other_digits(words, read_as, row["names"] or []):
            how = "ambiguous" if row["candidates"] else "none"
            row |= {**NOTHING, "candidates": [row["model_id"], *row["candidates"]], "how": how}
    return {row["asked"]: row for row in found}


def _without_settings(
    steps: Sequence[tuple[str, str, bool]], found: Mapping[str, Row], thinking: Mapping[str, bool | None]
) -> Row | None:
    """The answer for a name that stands for one of the models that think only without its settings."""
    settings: list[str] = []
    for text, setting, is_bare in steps:
        answer = found[text]
        # weights that are called so are a model of their own, as Phi-4-mini-reasoning is
        if is_bare and setting == "reasoning" and thinking.get(answer["model_id"]):
            return None
        settings[:0] = re.findall(r"[^\W_]+", setting)
        if answer["model_id"] in thinking:
            return {**answer, "how": "unique part", "taken_off": [*answer["taken_off"], *settings]}
    return None


def folded(name: str, in_use: Collection[str] = ()) -> str:
    """The name as the table of names is asked for it: full-width letters as plain ones, white space collapsed, of an
    address on a hub the account and the model, and of a service's name the developer and the model, unless the name is
    `in_use`."""
    plain = unicodedata.normalize("NFKC", name.replace("™", "").replace("®", ""))
    text = " ".join(re.sub(ON_HUB, r"\1", plain).split())
    own = text.rpartition("/")[2]
    if own.lower() in in_use:
        return own
    for written, plainly in SERVED:
        text = re.sub(written, plainly, text)
    return text


def _shortened(text: str, settings: Row) -> list[tuple[str, str, bool]]:
    """The name without the last of its settings (patterns of marked ones, and of others), the last two, and so on; each
    with that setting, and whether nothing marks it as one."""
    steps: list[tuple[str, str, bool]] = []
    ending = rf"(?i)[-_ ]*[_,;(\[][-_ ]*({settings['marked']})[)\] ]*$|[-: ]+({settings['bare']})[)\] ]*$"
    while (found := re.search(ending, text)) and found.start():
        # in capitals, as no model_id is: a service's gemini-2.5-pro is any of three, and the id only one
        text = text[: found.start()].upper()
        steps.append((text, (found[1] or found[2]).lower(), bool(found[2])))
    return steps


def _readings(words: str, context: str = "") -> Iterator[tuple[int, str, int | None, int | None]]:
    """Of the words of a name: the step in unclear.sql, the words, and the year and month that were taken off. Behind
    the account of a hub the length of the context stays: another's longer context is another model."""
    pointed = _pointed(words)
    for step, text in ((1, words), (2, pointed), (2, re.sub(r"(?<=[0-9])\.0\b", "", pointed))):
        yield step, text, None, None
        shipped = _without(text, FORMAT + VERSION + context)
        less = {shipped, _without(text, FORM), _without(shipped, FORM)}
        yield from ((4, form, None, None) for form in less if form)
        for form in {text, *less}:
            if dates := list(re.finditer(DATE, form)):  # of two the last counts
                yield 4, re.sub(DATE, "", form).strip(), *_date(dates[-1])[:2]


def _left_out(words: str, read_as: str) -> list[str]:
    """The words of a name that the reading by which it was found does not have."""
    left = ([word for word in text.split() if word not in read_as.split()] for text in (words, _pointed(words)))
    return min(left, key=len)


def _pointed(words: str) -> str:
    """3 5 is 3.5, m2 1 is m2.1, and 7b1 is 7.1b."""
    return re.sub(r"(?<![0-9.])([0-9])(?: |(b))([0-9])(?= |$)", r"\1.\3\2", words)


def _without(words: str, what: str) -> str:
    return re.sub(rf" (?:{what})\b|(?<=[a-z]{{3}})chat\b", "", words).strip()


def _has_other_digits(words: str, read_as: str, names: Iterable[Row]) -> bool:
    """Whether a model's names have another version, or its own names (`is_own`) another date, than what the reading of
    a name leaves out. Claude Instant v1 may be 1.2; two dates are the same as far as both are stated."""
    (versions, dates), same, same_date = _numbers(words, read_as), list[bool](), list[bool]()
    for name in names:
        if {*read_as.split()} <= {*name["words"]}:
            their_versions, their_dates = _numbers(" ".join(name["words"]), read_as)
            same += [f"{theirs}.".startswith(f"{one}.") for one, theirs in product(versions, their_versions)]
            pairs = [zip(*both, strict=True) for both in product(dates, their_dates) if name["is_own"]]
            same_date += [all(None in pair or pair[0] == pair[1] for pair in each) for each in pairs]
    return any(found and not any(found) for found in (same, same_date))


def _numbers(words: str, read_as: str) -> tuple[set[str], set[Date]]:
    """The versions and dates that a reading leaves out of a name; sizes and formats are none."""
    text = re.sub(rf" (?:{FORMAT})\b", "", " " + " ".join(_left_out(words, read_as)))
    versions = [word for word in re.sub(DATE, "", text).split() if re.fullmatch(r"[0-9]+(?:\.[0-9]+)*", word)]
    return {*versions}, {_date(found) for found in re.finditer(DATE, text)}


def _date(found: re.Match[str]) -> Date:
    part = found.groupdict()
    year = part["y4"] or part["y5"] or part["y6"] or (part["y2"] and f"20{part['y2']}")
    month = part["m1"] or part["m2"] or part["m3"] or MONTHS.index(part["word"]) + 1
    day = part["d1"] or part["d2"] or part["d3"]
    return int(year) if year else None, int(month), int(day) if day else None
