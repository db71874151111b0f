"""Tables to paste: as journals want them, with the report's own figures, and nothing that a paste loses."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from scipy import stats

from haechi import Study
from haechi.report.document import Report, Section
from haechi.report.paper import paper
from haechi.report.table import Estimate, Table, table
from haechi.text import choose_language


class _Cells(HTMLParser):
    """The tables of a page, as rows of words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        if name == "table":
            self.tables.append([])
        elif name == "tr":
            self.tables[-1].append([])
        elif name in ("td", "th"):
            self.tables[-1][-1].append("")
            self._open = True
            assert "border" in dict(attrs)["style"] or "padding" in dict(attrs)["style"]

    def handle_endtag(self, name: str) -> None:
        self._open = self._open and name not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[-1][-1][-1] += data


@pytest.mark.parametrize("name", ["maice-qac", "ubica", "hiring-agent", "diary-comment"])
@pytest.mark.parametrize("lang", ["ko", "en"])
def test_its_figures_are_those_of_the_report(demo, tmp_path, name, lang):
    choose_language(lang)
    report = Study(demo / name).report(tmp_path / "out")
    page = (tmp_path / "out" / "paper.html").read_text("utf-8")
    assert "<script" not in page
    assert "class=" not in page  # a paste drops style sheets
    markdown = (tmp_path / "out" / "report.md").read_text("utf-8").replace("\\", "")
    plain = unescape(re.sub(r"<[^>]+>", "", page))
    assert report.methods in plain
    tables = _Cells(page).tables
    assert len(tables) >= 2
    numbered = re.findall(r"<b>(?:표|Table) (\d+)</b>", page)
    assert [int(number) for number in numbered] == list(range(1, len(tables) + 1))
    every = [cell for rows in tables for row in rows[1:] for cell in row if re.search(r"\d", cell)]
    assert every
    assert [cell for cell in every if cell not in markdown] == []


def test_every_test_and_its_p_belong_together(demo, tmp_path):
    """As statcheck reads it: t and F of the methods paragraph give the p that is printed."""
    choose_language("en")
    found = 0
    for name in ("maice-qac", "ubica", "hiring-agent", "diary-comment"):
        words = Study(demo / name).report(tmp_path / name).methods
        for letter, dfs, value, sign, p in re.findall(
            r"\b([tF])\(([\d., ]+)\) = (−?[\d.]+), p ([=<>]) (\.\d+)", words
        ):
            df = [float(one) for one in dfs.split(",")]
            size = abs(float(value.replace("−", "-")))
            low, high = (
                2 * stats.t.sf(end, *df) if letter == "t" else stats.f.sf(end, *df)
                for end in (size + 0.005, size - 0.005)
            )
            found += 1
            if sign == "=":
                assert low - 0.0005 <= float(p) <= high + 0.0005, (name, letter, dfs, value, p)
            else:
                assert (low < float(p)) == (sign == "<")
    assert found >= 4


def test_a_stranger_writes_no_markup(tmp_path):
    choose_language("ko")
    odd = table(
        "<b>제목", ["<i>점수", "평균"], [["<script>alert(1)</script>", Estimate(None, why="<u>한 명")]]
    )
    report = Report(
        "<h1>x",
        "s",
        (),
        (),
        (Section("scores", "점수", (odd, "말", Table("", (), ()))),),
        "p < .05 <b>",
        (),
        (),
    )
    page = paper(report)
    assert "<script>" not in page
    assert "<u>" not in page
    assert "&lt;script&gt;" in page
    assert "한 명" in page
