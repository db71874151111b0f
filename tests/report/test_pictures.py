"""Plots as PNG: the letters are there, the page is light, and without a Korean font the command says so."""

from __future__ import annotations

import io
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_studies import diary_study, votes

from haechi.errors import HaechiError
from haechi.report.charts import DotRow, dot_chart
from haechi.report.fonts import find_font
from haechi.report.markup import tag
from haechi.report.pictures import TITLE, painter
from haechi.report.table import Estimate


@pytest.fixture(scope="module")
def nanum() -> Path:
    """The NanumGothic inside a package of the test group; no test depends on the machine's fonts."""
    inside = files("koreanize-matplotlib") or []
    return Path(next(file for file in inside if file.name == "NanumGothic.ttf").locate())


@pytest.fixture
def study(demo: Path) -> Path:
    return demo / "ubica"


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)


def ink(png: bytes, left: int, right: int, top: int, bottom: int) -> int:
    """How many pixels are not paper; places are those of the SVG below its title, of which a PNG has twice as many."""
    part = pixels(png)[2 * (TITLE + top) : 2 * (TITLE + bottom), 2 * left : 2 * right]
    return int((part.sum(axis=2) < 3 * 200).sum())


def one_row(name: str) -> str:
    return dot_chart("t", "d", [DotRow(name, (Estimate(3.0, 2.0, 4.0),))], 1, 5)


def test_korean_letters_digits_and_latin_are_drawn_where_they_stand(nanum):
    draw = painter(nanum)
    # The name stands at the left of 98, the digits of the axis below 42 (charts/dots.py).
    for name in ("합리성", "agent", "0123"):
        assert ink(draw(one_row(name)), 10, 98, 12, 42) > 100, name
    assert ink(draw(one_row("")), 10, 98, 12, 42) == 0
    assert ink(draw(one_row("")), 105, 700, 44, 60) > 100


def test_a_picture_has_its_title_above_it(nanum):
    draw = painter(nanum)
    row = DotRow("A", (Estimate(3.0, 2.0, 4.0),))
    plain, long = (
        draw(dot_chart(title, "d", [row], 1, 5)) for title in ("기준별 프로필 <&>", "가나다 " * 50)
    )
    assert ink(plain, 0, 860, -TITLE, 0) > 200
    assert ink(plain, 0, 860, -TITLE, -TITLE + 4) == 0
    assert ink(long, 0, 840, -TITLE, 0) > 2_000
    assert ink(long, 845, 860, -TITLE, 0) == 0
    assert pixels(long).shape[0] - pixels(plain).shape[0] == 2 * 3 * 20, "four lines instead of one"
    assert (pixels(plain)[2 * TITLE :] == pixels(long)[2 * (TITLE + 3 * 20) :]).all()


def test_different_korean_letters_are_different_pictures(nanum):
    # Boxes would all look the same.
    draw = painter(nanum)
    assert draw(one_row("가")) != draw(one_row("힣")) != draw(one_row("똠"))


def test_a_character_that_no_font_has_is_a_question_mark_and_no_box(nanum):
    draw = painter(nanum)
    assert draw(one_row("a\ufdd0b")) == draw(one_row("a\ufdd0b".replace("\ufdd0", "?")))


def test_colours_are_those_of_the_light_page(nanum):
    seen = {tuple(colour) for colour in pixels(painter(nanum)(one_row("A"))).reshape(-1, 3).tolist()}
    assert (255, 255, 255) in seen
    assert (0x1F, 0x5F, 0xBF) in seen  # --s1 of page.css
    corner = pixels(painter(nanum)(one_row("A")))[0, 0].tolist()
    assert corner == [255, 255, 255]


def test_no_colour_is_left_without_a_value():
    from haechi.report.pictures import _style

    assert "var(" not in _style("sans-serif")


def test_every_plot_of_a_report_is_written_and_shown_in_the_markdown(haechi, study, nanum, tmp_path):
    ran = haechi("report", study, "-o", tmp_path / "out", "--png", "--font", nanum, "--lang", "ko", "--json")
    assert ran.code == 0, ran.err
    files = [name for name in ran.json["files"] if name.startswith("plots/")]
    named = [name for name in files if name.endswith(".png")]
    assert sorted(path.name for path in (tmp_path / "out" / "plots").iterdir()) == sorted(
        name.removeprefix("plots/") for name in files
    )
    assert len(files) == 3 * len(named), "each has its SVG and its values"
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert len(named) == page.count("<figure tabindex") >= 5
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    for name in named:
        assert f"]({name})" in text
        assert pixels((tmp_path / "out" / name).read_bytes()).shape[1] == 1720
    # And a second report takes the place of the first, pictures and all.
    assert haechi("report", study, "-o", tmp_path / "out").code == 0
    assert {path.suffix for path in (tmp_path / "out" / "plots").iterdir()} == {".svg", ".csv"}


def test_a_folder_of_other_pictures_is_not_replaced(haechi, study, tmp_path):
    (tmp_path / "out" / "plots").mkdir(parents=True)
    (tmp_path / "out" / "plots" / "mine.svg").write_text("<svg/>")
    assert haechi("report", study, "-o", tmp_path / "out").code == 1
    assert (tmp_path / "out" / "plots" / "mine.svg").exists()


def test_the_change_of_two_studies_has_pictures_too(haechi, nanum, tmp_path):
    rated = {f"d{i}": {"ann": votes(i % 2, 1, 0), "bo": votes(1, i % 2, 0)} for i in range(4)}
    first, second = (diary_study(tmp_path / name, rated) for name in ("first", "second"))
    ran = haechi("report", first, second, "-o", tmp_path / "out", "--png", "--font", nanum, "--json")
    assert "plots/01-scores.png" in ran.json["files"]
    assert (tmp_path / "out" / "plots" / "01-scores.png").exists()


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_without_a_korean_font_the_command_says_what_to_install(haechi, study, tmp_path, lang):
    (tmp_path / "fonts").mkdir()
    ran = haechi(
        "report", study, "-o", tmp_path / "out", "--png", "--font", tmp_path / "fonts", "--lang", lang
    )
    assert ran.code == 1
    assert str(tmp_path / "fonts") in ran.err
    for todo in ("apt install fonts-nanum", "brew install", "Windows", "--font"):
        assert todo in ran.err
    assert not (tmp_path / "out").exists()


def test_a_font_without_korean_letters_or_a_broken_one_will_not_do(tmp_path):
    import matplotlib

    latin = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    (tmp_path / "broken.ttf").write_bytes(b"\0\1\0\0 no font")
    for given in (latin, tmp_path, tmp_path / "gone.ttf"):
        with pytest.raises(HaechiError, match=r"fonts-nanum"):
            find_font(given)


def test_a_font_without_png_is_wrong_usage(haechi, study, nanum, tmp_path):
    assert haechi("report", study, "-o", tmp_path / "out", "--font", nanum).code == 2


def test_hostile_names_stay_inside_the_picture(nanum):
    draw = painter(nanum)
    hostile = '<script>"&\x00</text><rect width="720" height="80"/>'
    # Between the first line of the grid, at 330, and the dot nothing is drawn; the rectangle would be black.
    assert ink(draw(one_row(hostile)), 335, 390, 14, 24) == 0
    assert draw(tag("svg", tag("text", "가", x=1, y=9), viewBox="0 0 9 9"))
