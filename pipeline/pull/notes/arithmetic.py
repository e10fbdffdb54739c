"""Arithmetic that stands in free text: `read_arithmetic` finds it and keeps operands and operators only. Pure
functions; what cannot be read without doubt is left out, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from pipeline.pull.notes.evaluation import evaluate

_SCALE_WORDS = {
    3: "k thousand",
    6: "m mn million millions",
    9: "b bn billion billions",
    12: "t trillion trillions",
}
SCALES = {name: power for power, names in _SCALE_WORDS.items() for name in names.split()}
PREFIXES = {"k": 3, "m": 6, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21}  # of FLOP and of Hz

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_SIGNS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "−": "-", "–": ";", "—": ";",
                        "≈": "=", "≃": "=", "≅": "=", "∼": "~"})  # fmt: skip
_BLANKS = re.compile("[ \\t\\r\\f\\v\xa0\u2009\u202f]+")
_START, _TIMES, _EXPONENT = r"(?<![\w.,^])", r"[*×x·]", r"\(?\+?(-?\d{1,3})\)?(?!\d|\.\d)"
_MANTISSA = r"\d{1,20}(?:\.\d{1,20})?"
_REWRITES = [
    (re.compile(r"https?://\S+"), "\n"),
    (re.compile(r"(?m)^ {0,9}(?:[-•] |\* (?=[A-Za-z])|\d{1,2}[.)] )"), ""),  # markers of list items
    (re.compile(r"\[[^\[\]\n]{0,200}\]"), " "),  # "[assumed]", "[V100]"
    (re.compile(r"\b\d{1,3}x\d{1,3}(?:\.\d+)?B\b"), "name"),  # Mixtral 8x22B
    (re.compile(r"(?<=\d) ?[x*] ?(?=(?:NVIDIA|Nvidia|[AHV]\d{2,3}|TPU|GPU))"), " "),  # 8x A100, 4× NVIDIA
    (re.compile(r"(?<=[\d.)%]) ?[xX] ?(?=[\d(.])"), " * "),
    (re.compile(r"~=|=~|==| ~ "), "="),
    (re.compile(r"(?<=\* )10(?:0[3-9]|1\d|2[0-35-9])(?![\d.,])"), "$"),  # "× 1012": a superscript was lost
    (re.compile(r"-{1,2}>|=>|→"), ";"),
    (re.compile(r"~"), ""),
    (re.compile(r"\*\*"), "^"),
    (re.compile(r" ?\n {0,9}(?==)"), " "),  # a result on the next line
    (re.compile(r"(?<=[*/+=(]) ?\n\s{0,9}"), " "),  # a line that breaks off after an operator
]
_POWERS = [
    (re.compile(r"(?<![\d.,])(\d{1,3}),(\d{1,2})(?= ?[*×·] ?10 ?\^)"), r"\1.\2"),  # 3,5 * 10^9
    (re.compile(rf"{_START}({_MANTISSA}) ?{_TIMES} ?10 ?(?:\^|\*\*) ?{_EXPONENT}"), r"\1e\2"),
    (re.compile(rf"{_START}(?!6 ?{_TIMES})({_MANTISSA}) ?{_TIMES} ?10[eE]{_EXPONENT}"), r"\1e\2"),
    (re.compile(rf"{_START}10 ?(?:\^|\*\*) ?{_EXPONENT}"), r"1e\1"),
]
NUMBER = r"(?:(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3}(?!\w))?|\.\d+)"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})(?P<suffix> ?%|[A-Za-z_]\w*(?:-[A-Za-z]\w*)?(?:/[A-Za-z]\w*)*)?"
    r"|(?P<call>[A-Za-z_]\w*\()"  # sqrt(…), log(…)
    r"|(?P<word>[A-Za-z_#µ](?:\w|[*/](?=[A-Za-z])|['’-](?=\w))*)"
    r"|(?P<bad>[$€£]|,(?=\d)|/(?=/))"
    r"|(?P<eq>=)|(?P<open>\()|(?P<close>\))|(?P<op>[*/+^-])"
    r"|(?P<stop>[\n;:!?\"“”,|<>&\[\]{}]|\.(?=\s|$|[\"”)]))"
)
# words that stand for a number or an operation, so that the figures alone are not the calculation
_VALUE_WORD = re.compile(
    r"(?i)(?:times|twice|thrice|half|double|triple|plus|minus|divided|multiplied|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|hundred|dozen|thousands|squared|cubed|dollars?|usd|cents?|(?-i:[B-Zx]))$"
)
_FLOP_PREFIX = re.compile(
    r"(?i)(?:(kilo|mega|giga|tera|peta|exa|zetta|[kmgtpez])-?(?:flops{0,2}|fps)|([kmg])hz|(?-i:([TPEZ])Fs?))"
    r"(?![a-z]|-?day|/s-day)"
)
_TIME = re.compile(r"(?i)(?:.*[-*])?(s|sec|[gm]b|ms|min(?:ute)?s?|hr?s?|hours?|d|days?|weeks?|months?|years?)$")


# Kinds of tokens as letters: n number, s number alone in brackets, g arithmetic in brackets, m one of * + ^,
# r other brackets, w word, v word that counts, b unreadable. Units are words, with slashes among them.
_UNITS = r"(?:[wr]|s(?!m)|[/-](?=w)){0,8}"
_EXPRESSION = re.compile(rf"(?:(?:[wrvsn]|/(?=w))*[wr])?(?P<expression>[nsg]{_UNITS}(?:[m/-][nsg]{_UNITS})*)[wrs/-]*")
_HEAD = re.compile(r"(?P<skip>w{0,2})[ns](?=$|[wrsv]|/w|-w)")
_REAL_OPERATORS = tuple(sign + operand for sign in "/-" for operand in "nsg")
_OPERATION = re.compile(r"[m/-][nsg]")
_OPERAND = re.compile(NUMBER)


class Token(NamedTuple):
    """kind: number, single (number alone in brackets), group (arithmetic in brackets), remark (other brackets
    with a figure), op, word, call, bad, stop, eq, open, close. times: units of time in the bracket."""

    kind: str
    text: str
    times: frozenset[str] = frozenset()


class Side(NamedTuple):
    """What stands between two signs of equality: the number at its head, and its arithmetic if it has any."""

    head: str = ""
    text: str = ""
    times: frozenset[str] = frozenset()


def read_arithmetic(note: str) -> list[str]:
    """Calculations of a note, sorted, each with its result if one is stated: '6 * 37e9 * 14.8e12 = 3.3e24'.

    Units are dropped, scale words and percentages become plain numbers. A calculation with a unit of time
    that it does not convert itself ('3 months') is left out, unless its own result agrees."""
    found = {text for chain in _chains(_tokens(note)) for text in _equations(chain)}
    return sorted(text for text in found if len(text) <= 80)


def plain_numbers(text: str) -> str:
    """The text with powers of ten ('10⁹', '3.1 × 10^9') as 1e9, and with single spaces. The slip '1.57*10e11'
    is read as 1.57e11 (Megatron-LM 1.2B, CPM-Bee, CPM-Ant): nobody multiplies a mantissa by ten first."""
    text = _SUPERSCRIPT.sub(lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    text = _BLANKS.sub(" ", text)
    for pattern, replacement in _POWERS:
        text = pattern.sub(replacement, text)
    return text


def _tokens(note: str) -> list[Token]:
    text = plain_numbers(note).translate(_SIGNS)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return [token for match in _TOKEN.finditer(text) for token in _read_token(match)]


def _read_token(match: re.Match[str]) -> Iterator[Token]:
    if match["number"] is None:
        yield Token(match.lastgroup or "bad", match[0])
        return
    number, suffix = match["number"], (match["suffix"] or "").strip()
    torn = match.string[max(match.start() - 1, 0) : match.start()] == "."
    if torn or re.search(r",.*[eE]", number):  # "1.2.3", "2,106e22"
        yield Token("bad", match[0])
    elif suffix == "%":
        yield Token("number", format(Decimal(number.replace(",", "")).scaleb(-2).normalize(), "f"))
    elif suffix.lower() in SCALES:
        yield Token("number", scaled(number, SCALES[suffix.lower()]))
    elif not suffix or any(pattern.match(suffix) for pattern in (_TIME, _FLOP_PREFIX)):
        yield Token("number", scaled(number, 0))
        yield from [Token("word", suffix)] if suffix else []
    else:  # "6ND", "3D", "2nd", "18-layer"
        yield Token("word" if number.isdigit() else "bad", match[0])


def scaled(number: str, exponent: int) -> str:
    """A number times a power of ten, its digits kept: '1,000' and 0 → '1000', '2.1e3' and 9 → '2.1e12'."""
    digits, _, own = number.replace(",", "").lower().partition("e")
    total = int(own or 0) + exponent
    return f"{digits}e{total}" if total else digits


def _chains(tokens: list[Token]) -> Iterator[list[Side]]:
    sides: list[list[Token]] = [[]]
    for token in [*_fold(tokens), Token("stop", "")]:
        if token.kind == "eq":
            sides.append([])
        elif token.kind == "stop":
            yield [_read_side(side) for side in sides]
            sides = [[]]
        else:
            sides[-1].append(token)


def _fold(tokens: list[Token]) -> list[Token]:
    """Tokens with each bracket replaced by one (group, single, remark), or by none if it is words."""
    stack: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind in ("open", "call"):
            stack.append([token])
        elif token.kind == "close" and len(stack) > 1:
            inner = stack.pop()
            stack[-1].extend(_fold_bracket(inner[0], inner[1:]))
        elif token.text == "\n" and len(stack) > 1:  # a bracket that is not closed on its line
            stack = [[*stack[0], Token("bad", "("), token]]
        elif len(stack) <= 20:
            stack[-1].append(token)
    return stack[0] if len(stack) == 1 else [*stack[0], Token("bad", "(")]


def _fold_bracket(opening: Token, inner: list[Token]) -> list[Token]:
    if not any(token.kind in ("number", "single", "group", "remark") for token in inner):
        return [Token("word", opening.text[:-1])] if opening.kind == "call" else []
    if opening.kind == "call":
        return [Token("bad", opening.text)]
    side = _read_side(inner)
    if any(token.kind in ("eq", "stop", "bad") for token in inner) or not (side.text or side.head):
        return [Token("remark", "")]
    kind, text = ("group", f"({side.text})") if side.text else ("single", side.head)
    return [Token(kind, text, side.times)]


def _read_side(tokens: list[Token]) -> Side:
    tokens = _apply_scales(tokens)
    codes = "".join(_code(token) for token in tokens)
    if len(codes) > 200:
        return Side()
    first = _HEAD.match(codes)
    head = tokens[first.end("skip")].text if first else ""
    found = _EXPRESSION.fullmatch(codes)
    if not found or not _OPERATION.search(found["expression"]):
        return Side(head, times=_times(tokens))
    if first and first.end("skip") == found.start("expression"):  # "= 6 FLOP * 7e9": an operand, no result
        head = ""
    inner, codes = tokens[slice(*found.span("expression"))], found["expression"]
    kept = [t for i, t in enumerate(inner) if codes[i] in "nsgm" or codes[i : i + 2] in _REAL_OPERATORS]
    kept = [t for i, t in enumerate(kept) if not (i and t.kind == "single" and kept[i - 1].kind != "op")]
    text = "".join(f" {t.text} " if t.kind == "op" and t.text != "^" else t.text for t in kept)
    return Side(head, text, _times(inner).union(*(t.times for t in kept)))


def _code(token: Token) -> str:
    if token.kind == "op":
        return token.text if token.text in "/-" else "m"
    if token.kind == "word":
        return "v" if _VALUE_WORD.match(token.text) or token.text[0].isdigit() else "w"
    return {"number": "n", "single": "s", "group": "g", "remark": "r"}.get(token.kind, "b")


def _apply_scales(tokens: list[Token]) -> list[Token]:
    """Scale words and prefixes of FLOP moved into the number; '3/2 trillion' and '1e12 TFLOP' are unclear."""
    result: list[Token] = []
    for token in tokens:
        word = token.text if token.kind == "word" else ""
        prefix, last = _FLOP_PREFIX.match(word), result[-1] if result else Token("stop", "")
        letter = prefix[prefix.lastindex or 1][0].lower() if prefix else ""
        exponent = PREFIXES.get(letter, SCALES.get(word.lower(), 0))
        if exponent and last.kind == "number":
            ambiguous = (prefix and float(last.text) >= 1e9) or [t.text for t in result[-2:-1]] == ["/"]
            result[-1] = Token("bad", "") if ambiguous else Token("number", scaled(last.text, exponent))
        elif prefix and last.kind == "word":  # "2166 aggregate PFLOP/s": of which number?
            result.append(Token("bad", ""))
        if prefix or not exponent:
            result.append(token)
    return result


def _times(tokens: list[Token]) -> frozenset[str]:
    """Units of time that figures are given in: of 'hours', 'GPU days' and '24 hours / day' the first."""
    found, counting = set(), False
    for token in tokens:
        if token.kind in ("number", "single", "group"):
            counting = True
        elif token.kind != "word" or token.text == "per":
            counting = False
        elif counting and (unit := _TIME.match(token.text.partition("/")[0])):
            found.add(unit[1].lower()[: 2 if unit[1].lower()[:2] in ("mo", "ms", "gb", "mb") else 1])
    return frozenset(found - {"s", "gb", "mb"})


def _converted(side: Side) -> bool:
    """Whether each unit of time meets the factors that turn it into seconds."""
    have = [float(number) for number in _OPERAND.findall(side.text)]
    hours = 3600 in have or have.count(60) > 1 or 86400 in have or 604800 in have
    days = hours and (24 in have or 86400 in have or 604800 in have)
    met = {"m": 60 in have, "h": hours, "d": days, "w": days and (7 in have or 604800 in have)}
    met["mo"] = days and any(28 <= value <= 31 for value in have)
    met["y"] = days and any(360 <= value <= 366 for value in have)
    return all(met.get(unit, False) for unit in side.times)


def _equations(chain: list[Side]) -> Iterator[str]:
    for place, side in enumerate(chain):
        if not side.text:
            continue
        result = next((later.head for later in chain[place + 1 :] if later.head or not later.text), "")
        text = f"{side.text} = {result}" if result else side.text
        if _usable(text, side):
            yield text


def _usable(text: str, side: Side) -> bool:
    try:
        computed, stated = evaluate(text)
    except ValueError:
        return False
    if stated is None:  # 224 x 224 is a size, 10 - 20 a range, 1/2 a ratio
        large = computed >= (1e6 if len(_OPERAND.findall(text)) > 2 else 1e9)
        return " * " in text and " - " not in text and large and _converted(side)
    return (_converted(side) and " - " not in text) or abs(computed - stated) < 0.05 * abs(stated)
