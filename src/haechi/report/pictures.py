"""The plots of a report as files: SVG and the values that are drawn, on request PNG, in colours of the light page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from html import unescape
from importlib.resources import files
from pathlib import Path

import polars as pl

from haechi.data.writing import write_tables
from haechi.errors import HaechiError
from haechi.report.charts.canvas import words, wrap_name
from haechi.report.document import Plot, Report
from haechi.report.fonts import Font, find_font
from haechi.report.table import Table, plain
from haechi.text import Text

FOLDER = "plots"
_ZOOM = 2
TITLE = 34
"""How much higher a picture is that has its title above it, in one line."""
_LINE = 20
_TITLE_ROOM = 700.0  # letters of a title are a fifth larger than those that `wrapped` measures
_NOBODYS = "\U0010ffff"
"""A character that no font has; what looks like it is not there."""

_FONTS = "system-ui, 'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans KR', 'NanumGothic', sans-serif"
_PAPER = '<rect x="0" y="-140" width="100%" height="200%" fill="#fff"/>'

Painter = Callable[[str], bytes]


def painter(font: Path | None = None) -> Painter:
    """What turns the SVG of a plot into a PNG; refused where a package or a Korean font is missing.

    Do this before the figures are computed: what is missing is then said at once.
    """
    try:
        import fontTools  # noqa: F401 - only whether it is there
        import resvg_py
    except ImportError as missing:
        raise HaechiError.of(
            "--png",
            Text(f"{missing.name} 없음", f"no {missing.name}"),
            Text("추가 패키지 haechi[png]", "the extra packages haechi[png]"),
            Text("`pip install 'haechi[png]'`를 실행하세요", "run `pip install 'haechi[png]'`"),
        ) from missing
    chosen = find_font(font)
    render = partial(
        resvg_py.svg_to_bytes,
        background="#ffffff",
        zoom=_ZOOM,
        font_files=[str(chosen.file)],
        style_sheet=_style(f"'{chosen.family}'"),
    )
    return lambda svg: render(svg_string=_alone(_drawable(svg, chosen, render)))


def named_plots(report: Report) -> dict[Plot, str]:
    """The plots with the names of their files but for their ends, in the order of the report: plots/01-scores …"""
    plots = [
        (section.key, part) for section in report.sections for part in section.parts if isinstance(part, Plot)
    ]
    return {plot: f"{FOLDER}/{number:02}-{_slug(key)}" for number, (key, plot) in enumerate(plots, 1)}


def ends_of(draw: Painter | None) -> tuple[str, ...]:
    """How the files of a plot end."""
    return (".svg", ".csv", ".png") if draw else (".svg", ".csv")


def is_picture(path: Path) -> bool:
    """Whether a file may be one of a plot's, going by its name.

    >>> is_picture(Path("01-scores.svg")), is_picture(Path("mine.svg"))
    (True, False)
    """
    return re.fullmatch(r"\d\d+-[a-z0-9-]*\.(?:svg|csv|png)", path.name) is not None


def write_pictures(plots: Mapping[Plot, str], folder: Path, draw: Painter | None) -> None:
    """Write every plot under its name, and beside it what is drawn, number by number."""
    if not plots:
        return
    (folder / FOLDER).mkdir()
    style = f"<style>{_style(_FONTS)}</style>"
    for plot, name in plots.items():
        alone = _alone(plot.svg).replace("</title>", f"</title>{style}{_PAPER}", 1)
        (folder / f"{name}.svg").write_text(alone, "utf-8")
        write_tables([_frame(plot.values or plot.table)], folder / f"{name}.csv")
        if draw:
            (folder / f"{name}.png").write_bytes(draw(plot.svg))


def _frame(shown: Table) -> pl.DataFrame:
    """A table with plain numbers; of a figure with an interval its value."""
    own = shown.on_page()
    heads = [column.title for column in own.columns]
    named = [head if heads.count(head) == 1 else f"{head} {at}" for at, head in enumerate(heads, 1)]
    rows = [[plain(cell) for cell in row] for row in own.rows]
    return pl.DataFrame(rows, schema=named, orient="row", strict=False, infer_schema_length=None)


def _slug(key: str) -> str:
    """A section's key as part of a file's name; fields to group by may be called anything.

    >>> _slug("by-mode, ../level")
    'by-mode-level'
    """
    return re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:40]


def _style(fonts: str) -> str:
    """The style sheet of plots with the colours of the light page in place of their names."""
    page, chart = (
        files("haechi.report").joinpath(name).read_text("utf-8") for name in ("page.css", "chart.css")
    )
    light = dict(re.findall(r"(--[\w-]+): *(#\w+)", page.partition("}")[0]))
    drawn = re.sub(
        r"@media[^{]*\{(?:[^{}]*\{[^}]*\})*\s*\}", "", chart
    )  # a picture has one width and no paper
    coloured = re.sub(r"var\((--[\w-]+)\)", lambda name: light[name[1]], drawn)
    return f"text {{ font-family: {fonts}; }}\n{coloured}"


def _alone(svg: str) -> str:
    """The picture outside of a page, with a size of its own and its title above it, since no page says it."""
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    title = re.search("<title>(.+?)</title>", svg, re.DOTALL)
    lines = wrap_name(unescape(title[1]), _TITLE_ROOM) if title else []
    above = TITLE + _LINE * (len(lines) - 1) if lines else 0
    size = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + above}" '
    svg = svg.replace("<svg ", size, 1).replace('viewBox="0 0 ', f'viewBox="0 {-above} ', 1)
    svg = svg.replace(f'{width} {height}"', f'{width} {height + above}"', 1)
    shown = [words(12, 22 - above + _LINE * place, one, class_="title") for place, one in enumerate(lines)]
    return svg.replace("</title>", "</title>" + "".join(shown), 1)


def _drawable(svg: str, font: Font, render: Callable[..., bytes]) -> str:
    """The picture without characters that neither the font nor another on this machine has: no empty boxes."""

    def drawn(character: str) -> bytes:
        return render(
            svg_string=_alone(f'<svg viewBox="0 0 40 40"><text x="9" y="30">{character}</text></svg>')
        )

    lacking = set(svg) - font.characters
    boxes = {one for one in lacking if not one.isspace() and drawn(one) == drawn(_NOBODYS)}
    # A minus sign is the one such character that Korean fonts lack and plots have.
    return svg.translate({ord(one): "–" if one == "−" else "?" for one in boxes})
