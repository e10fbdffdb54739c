"""Figures: which numbers go into them, and that the same numbers give the same bytes."""

from __future__ import annotations

import os
import re
import zlib
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths
from pipeline.present.cli import figures
from pipeline.present.figures import concentration, parts, revisions, style, supply, thresholds, tokens, write
from pipeline.present.figures.data import Data

vl_convert = pytest.importorskip("vl_convert")
EMBEDDING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><image href="data:image/png;base64,{}"/></svg>'
)


def spec() -> dict[str, object]:
    points = pd.DataFrame(
        {"year": [2015.123456, 2020.0], "value": [18.0, 24.0], "low": [17.5, 23.0], "high": [18.5, 25.0]}
    )
    x, y = style.year_axis(2010, 2026), style.power_axis("value", "Training compute (FLOP)", 14, 28)
    layers = parts.interval_layer(points, x, y, style.GREY), parts.points_layer(points, x, y, style.BLUE)
    return style.finish(style.layered(*layers), "A figure", ["below it"], "source and version")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The figure as SVG and PNG, only to be read."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(write.FIGURES, "one", lambda _data: spec())
        svg, png = write.write_figure(None, "one", tmp_path_factory.mktemp("drawn"))  # type: ignore[arg-type]
    return svg, png


def test_the_same_figure_has_the_same_bytes(
    drawn: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(write.FIGURES, "one", lambda _data: spec())
    again = write.write_figure(None, "one", tmp_path)  # type: ignore[arg-type]
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in drawn]
    assert drawn[1].read_bytes().startswith(b"\x89PNG")


def test_a_png_has_300_dots_an_inch(drawn: tuple[Path, Path]) -> None:
    svg, png = drawn
    wide = re.search(r'<svg[^>]* width="([\d.]+)"', svg.read_text(encoding="utf-8"))
    image = png.read_bytes()
    width, density = int.from_bytes(image[16:20]), image.index(b"pHYs") + 4
    assert wide is not None
    assert width == pytest.approx(float(wide[1]) / 96 * 300, abs=1)
    assert round(int.from_bytes(image[density : density + 4]) * 0.0254) == 300


def test_without_dots_there_is_no_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(write.FIGURES, "one", lambda _data: spec())
    folder = tmp_path / "docs" / "figures"
    assert [file.suffix for file in write.write_figure(None, "one", folder, dpi=0)] == [".svg"]  # type: ignore[arg-type]


def test_a_png_is_packed_anew_with_the_same_pixels() -> None:
    drawn = vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><circle r="200"/></svg>'
    )
    packed = write.smaller(drawn)
    assert len(packed) < len(drawn)
    assert packed.startswith(b"\x89PNG")
    assert packed.endswith(drawn[-12:])
    assert vl_convert.svg_to_png(EMBEDDING.format(b64encode(packed).decode())) == vl_convert.svg_to_png(
        EMBEDDING.format(b64encode(drawn).decode())
    )


def test_the_pixels_of_a_png_stand_in_one_piece_before_its_end() -> None:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4)

    head, size, end = chunk(b"IHDR", b"13 bytes long"), chunk(b"pHYs", b"9 bytes.."), chunk(b"IEND", b"")
    loose, tight = (zlib.compress(b"pixel" * 99, level) for level in (0, 8))
    drawn = [write.SIGNATURE, head, size, chunk(b"IDAT", loose[:200]), chunk(b"IDAT", loose[200:]), end]
    assert write.smaller(b"".join(drawn)) == b"".join([write.SIGNATURE, head, size, chunk(b"IDAT", tight), end])


def test_identifiers_are_counted_from_nought_in_each_figure() -> None:
    drawn = '<a id="clip12"/><b id="gradient_7"/><c clip-path="url(#clip12)"/><d id="clip3"/><e id="clipped"/>'
    assert write.stable(drawn) == (
        '<a id="clip0"/><b id="gradient_1"/><c clip-path="url(#clip0)"/><d id="clip2"/><e id="clipped"/>'
    )


def test_a_figure_says_what_it_shows(drawn: tuple[Path, Path]) -> None:
    svg = drawn[0].read_text(encoding="utf-8")
    for text in (
        "A figure",
        "below it",
        "source and version",
        "Training compute (FLOP)",
        "Date of publication",
        "1e20",
        ">2016<",
    ):
        assert text in svg, text
    assert "<script" not in svg
    assert not re.search(r'(href|src)="http', svg)  # nothing is loaded from anywhere
    assert not re.search(r"\d\.\d{3}", svg)


def test_numbers_of_a_drawing_are_rounded() -> None:
    assert write.round_numbers("M1.23456,10.0004L-3.999,2.5") == "M1.23,10L-4,2.5"


def test_the_numbers_of_a_threshold_are_drawn_by_year() -> None:
    days = pd.to_datetime(["2017-12-31", "2019-12-31", "2026-08-14", "2019-12-31"])
    table = pd.DataFrame({"threshold_flop": [1e25, 1e25, 1e25, 1e24], "published_until": days, "runs": [0, 1, 21, 9]})
    found = thresholds.of_level(table.assign(low_90=[0, 1, 9, 7], high_90=[1, 3, 30, 20]), 25)
    assert found["year"].round(1).to_list() == [2020.0, 2026.6]
    assert found[["value", "low", "high"]].to_numpy().tolist() == [[1, 1, 3], [21, 9, 30]]


def test_joint_models_count_in_equal_parts_and_subsidiaries_for_their_parent() -> None:
    models = pd.DataFrame({"year": [2020, 2020], "training_compute_flop": [6.0, 4.0], "who": ["A;B", "C"]})
    found = concentration.split(models, "who", {"C": "A"}).set_index("member")["share"]
    assert found.to_dict() == pytest.approx({"A": 0.7, "B": 0.3})


def test_tokens_per_parameter_are_drawn_of_language_models_that_have_them() -> None:
    models = pd.DataFrame(
        {
            "model_id": ["dense", "tuned", "seeing", "old"],
            "tokens_per_parameter": [20, np.nan, 100, 100],  # of one that is made from another there are none
            "domains": ["Language", "Language", "Vision", "Language"],
            "year": [2024.0, 2024.0, 2024.0, 2010.0],
        }
    )
    found = tokens.ratios(models, models).set_index("model_id")["value"]
    assert found.to_dict() == pytest.approx({"dense": np.log10(20)})


def test_large_revisions_are_named() -> None:
    models = pd.DataFrame({"model_id": list("abcde"), "publication_date": pd.to_datetime(["2020-01-01"] * 5)})
    changes = pd.DataFrame(
        {
            "source_id": "epoch_notable",
            "field": "training_compute_flop",
            "model_id": list("abcde"),
            "kind": ["value_changed", "value_changed", "value_changed", "blanked", "filled"],
            "old_value": [1e20, 1e22, 1e20, 1e25, np.nan],
            "new_value": [1e22, 1e20, 1.1e20, np.nan, 1e24],
            "ratio": [100, 0.01, 1.1, np.nan, np.nan],
        }
    )
    found = revisions.large_changes(changes, models)
    assert found["what"].tolist() == ["raised", "cut", "blanked", "filled in"]


def test_chips_in_use_add_up_as_far_as_all_quarters_are_complete() -> None:
    quarters = pd.to_datetime(["2023-12-31", "2024-03-31", "2024-06-30"])
    rows = [
        {
            "designer": designer,
            "chip": chip,
            "owner": owner,
            "scope": scope,
            "last_date": day,
            "is_complete": complete,
            "h100_equivalents": n,
        }
        for designer, chip, owner, scope, day, complete, n in (
            ("A", None, None, "cumulative", quarters[0], True, 100.0),
            ("A", None, None, "cumulative", quarters[1], True, 300.0),
            ("A", None, None, "cumulative", quarters[2], False, 350.0),  # only its first month is counted
            ("B", None, None, "cumulative", quarters[1], True, 50.0),
            ("B", None, None, "cumulative", quarters[2], True, 70.0),
            ("A", "A1", None, "cumulative", quarters[1], True, 300.0),  # a chip is in the total of its designer
            ("A", None, "C", "cumulative", quarters[1], True, 300.0),  # and what an owner has
            ("A", "A1", None, "quarter", quarters[1], True, 200.0),
        )
    ]
    ends = {f"h100_equivalents_{end}": lambda frame: frame["h100_equivalents"] for end in ("p5", "p95")}
    found = supply.in_use(pd.DataFrame(rows).assign(**ends), peak=1e15)
    assert found["year"].round(2).tolist() == [2024.0, 2024.25]
    assert (10 ** found["value"]).tolist() == pytest.approx([n * 1e15 * 365.25 * 86_400 for n in (100, 350)])


def test_the_largest_run_of_each_year_is_named() -> None:
    known = {"model_id": ["a", "b", "c"], "year": [2023.1, 2023.9, 2024.5], "training_compute_flop": [1e24, 1e25, 1e26]}
    names = pd.DataFrame({"model_id": ["a", "b", "c"], "name": ["A", "B", "C"]})
    found = supply.largest_runs(pd.DataFrame(known), names)
    assert found[["name", "value"]].to_numpy().tolist() == [["B", 25.0], ["C", 26.0]]


@pytest.mark.parametrize(
    "error", [KeyError("cost:notable"), IndexError("out of bounds"), ValueError("zero-size array")]
)
def test_fault_69_few_models_are_too_few_for_a_figure_and_many_are_a_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(_: Data) -> dict[str, object]:
        raise error

    monkeypatch.setitem(write.FIGURES, "one", fails)
    monkeypatch.setattr(Data, "models", pd.DataFrame(index=range(999)))
    with pytest.raises(DataError) as caught:
        write.write_figure(Data(Paths(tmp_path)), "one", tmp_path / "out")
    assert str(caught.value) == (
        "data/processed/models.parquet [one]: 999 models are too few for this figure; "
        "build from all facts, or name other figures"
    )
    monkeypatch.setattr(Data, "models", pd.DataFrame(index=range(1000)))
    with pytest.raises(type(error)):
        write.write_figure(Data(Paths(tmp_path)), "one", tmp_path / "out")


def test_the_fonts_of_the_machine_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setenv("FONTCONFIG_FILE", "/etc/fonts/fonts.conf")
    monkeypatch.setattr(write.vl_convert, "svg_to_png", lambda _: read.append(Path(os.environ["FONTCONFIG_FILE"])))
    write._read_fonts.__wrapped__()
    assert [file.parent for file in read] == [Path(write.__file__).parent]
    folders = ElementTree.parse(read[0]).getroot().findall("dir")
    assert [Path(folder.text or "/").exists() for folder in folders] == [False]
    assert os.environ["FONTCONFIG_FILE"] == "/etc/fonts/fonts.conf"


def test_fault_69_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    result = CliRunner().invoke(figures, ["parameters"])
    assert result.exit_code == 1
    assert result.output == "Error: you have no home folder, which Altair asks for; set HOME to any folder\n"


@pytest.mark.parametrize(
    ("name", "content"), [("manifest.json", b'{"version"'), ("models.parquet", b"PAR1"), ("models.parquet", b"")]
)
def test_fault_69_a_damaged_build_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    paths = Paths(CHECKOUT, output=tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}: .*; run `traincompute build`"):
        _ = Data(paths).models if "models" in name else Data(paths).manifest
