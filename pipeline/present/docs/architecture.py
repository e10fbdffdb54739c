"""The rooms of both packages, from the code itself: what each does, for docs/architecture.md, and who imports whom, drawn
for docs/figures/architecture.svg.

The order of the floors is the contract in pyproject.toml that import-linter enforces. An arrow that follows from others
is left out: what a room imports by way of another is below it anyway.
"""

from __future__ import annotations

import ast
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from pipeline.base.paths import Paths
from pipeline.present.docs import markdown

HEIGHT, GAP, FLOOR, MARGIN, TOP = 62, 16, 96, 24, 58  # of a box, between boxes, from floor to floor, around the sheet
WIDTHS = {"pipeline": 780, "traincompute": 420}
BETWEEN = 90
LINE_CHARACTERS = 0.165  # characters of the small type per pixel
Floors = list[list[str]]
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333 } .name { font: 600 15px system-ui, sans-serif; fill: #111 }
.title { font: 600 18px system-ui, sans-serif; fill: #111 } rect { fill: #fff; stroke: #777; rx: 6px }
path { fill: none; stroke: #2a6f97; stroke-width: 1.4 } .across { stroke: #b56576; stroke-dasharray: 4 3 }
"""


class Box(NamedTuple):
    """A room on the sheet: left, top and width in pixels, and what it says about itself."""

    left: float
    top: float
    width: float
    sentence: str

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def architecture(paths: Paths) -> str:
    """The picture as SVG."""
    floors = {package: read_floors(paths.root, package) for package in WIDTHS}
    rooms = [f"{package}.{room}" for package, rows in floors.items() for row in rows for room in row]
    arrows = reduced({room: set(imported(paths.root, room, rooms)) for room in rooms})
    boxes = dict(_boxes(paths.root, floors))
    width = sum(WIDTHS.values()) + BETWEEN + 2 * MARGIN
    height = TOP + FLOOR * max(map(len, floors.values()))
    parts = [_arrow(boxes, room, target) for room in rooms for target in sorted(arrows[room])]
    parts += [_drawn(room, box) for room, box in boxes.items()]
    parts += [f'<text class="title" x="{left}" y="34">{package}/</text>' for package, left in _lefts().items()]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    title = "<title>The rooms of the code, each importing only rooms below it</title>"
    sheet = f'<rect width="{width}" height="{height}" style="stroke: none"/>'
    return "\n".join([head, title, f"<style>{STYLE}</style>", DEFINITIONS, sheet, *parts, "</svg>"]) + "\n"


DEFINITIONS = """<defs>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L8 4L0 8z" style="fill: #2a6f97; stroke: none"/></marker></defs>"""


def with_rooms(page: str, paths: Paths) -> str:
    """The page with what each room says about itself between its marks, from the top floor down."""
    tables = [_table(paths.root, package) for package in WIDTHS]
    return markdown.between_marks(page, "rooms", "\n".join(tables))


def _table(root: Path, package: str) -> str:
    rooms = [room for floor in read_floors(root, package) for room in floor]
    rows = [markdown.row(f"`{room}`", _sentence(root, f"{package}.{room}")) for room in rooms]
    return f"| room of `{package}/` | what it does |\n|---|---|\n" + "".join(rows)


def read_floors(root: Path, package: str) -> Floors:
    """The floors of a package from the top down, as the contract of import-linter lists them."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers" and c["containers"] == [package])
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def imported(root: Path, room: str, rooms: list[str]) -> Iterator[str]:
    """The other rooms that the modules of a room import, also inside functions."""
    for file in _modules(root, room):
        for name in _imports(file):
            found = next((r for r in rooms if name == r or name.startswith(f"{r}.")), room)
            if found != room:
                yield found


def _modules(root: Path, room: str) -> list[Path]:
    place = root / room.replace(".", "/")
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def reduced(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The arrows that do not follow from others."""

    def below(room: str) -> set[str]:
        return arrows[room].union(*(below(target) for target in arrows[room]))

    return {room: {t for t in targets if not any(t in below(u) for u in targets)} for room, targets in arrows.items()}


def _lefts() -> dict[str, int]:
    return {"pipeline": MARGIN, "traincompute": MARGIN + WIDTHS["pipeline"] + BETWEEN}


def _boxes(root: Path, floors: Mapping[str, Floors]) -> Iterator[tuple[str, Box]]:
    for package, rows in floors.items():
        for number, row in enumerate(rows):
            width = (WIDTHS[package] - GAP * (len(row) - 1)) / len(row)
            for place, room in enumerate(row):
                left = _lefts()[package] + place * (width + GAP)
                yield f"{package}.{room}", Box(left, TOP + number * FLOOR, width, _sentence(root, f"{package}.{room}"))


def _sentence(root: Path, room: str) -> str:
    """What a room says about itself: the first sentence of its docstring."""
    place = root / room.replace(".", "/")
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def _drawn(room: str, box: Box) -> str:
    name = room.split(".")[1]
    lines = textwrap.wrap(box.sentence, int(box.width * LINE_CHARACTERS), max_lines=2, placeholder=" …")
    texts = [
        f'<text x="{box.left + 10:g}" y="{box.top + 38 + 15 * number:g}">{escape(line, quote=False)}</text>'
        for number, line in enumerate(lines)
    ]
    frame = f'<rect x="{box.left:g}" y="{box.top}" width="{box.width:g}" height="{HEIGHT}"/>'
    return f'{frame}<text class="name" x="{box.left + 10:g}" y="{box.top + 20}">{name}</text>{"".join(texts)}'


def _arrow(boxes: Mapping[str, Box], room: str, target: str) -> str:
    """A curve from the importing room down to the imported one, or sideways if they are in different packages."""
    start, end = boxes[room], boxes[target]
    if room.split(".")[0] != target.split(".")[0]:
        x, y = start.left + start.width, start.top + HEIGHT / 2
        to_y = end.top + HEIGHT / 2
        curve = f"M{x:g} {y:g}C{x + 60:g} {y:g} {end.left - 60:g} {to_y:g} {end.left - 2:g} {to_y:g}"
        return f'<path class="across" d="{curve}" marker-end="url(#tip)"/>'
    y, to_y = start.top + HEIGHT, end.top
    bend = (to_y - y) / 2
    curve = f"M{start.middle:g} {y:g}C{start.middle:g} {y + bend:g} {end.middle:g} {to_y - bend:g} {end.middle:g} {to_y - 2:g}"
    return f'<path d="{curve}" marker-end="url(#tip)"/>'
