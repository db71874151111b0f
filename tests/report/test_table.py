"""One awkward table in every rendering: gaps, wide letters, markup, formulas, long names, negative numbers."""

from __future__ import annotations

import re

import pytest

from haechi.report.html_parts import html_table
from haechi.report.markdown import markdown_table
from haechi.report.table import Column, Estimate, ItemLink, ScoreName, Table, VerdictMark, table
from terminals import printed

LONG = "a-rater-with-a-very-long-name-" * 4
WHY = "평가자가 한 명뿐입니다"
AWKWARD = table(
    "제목 [bold]t[/] | <b>",
    [
        Column("점수 [red]x[/]", "words"),
        Column("r | r", "coefficient", short="r"),
        Column("mean", leave_out=2),
        Column("n", "count", leave_out=1),
        Column("p", "p"),
        Column("met", "share", brief=True),
        Column("spark", "words", terminal_only=True, leave_out=3),
        Column("said", "words"),
    ],
    [
        [
            ScoreName("total", "총점", computed=True),
            Estimate(-0.4, -0.9, 0.1, tone="problem"),
            Estimate(-3.456, -4.0, -2.9),
            12_345,
            0.0004,
            Estimate(0.625, 0.4, 0.8),
            "▁▂█",
            "=1+1",
        ],
        [ScoreName("A[bold]", "A|B"), Estimate(None, why=WHY), None, 0, 0.2, None, "", "a | b\n`c` <i>"],
        [LONG, Estimate(0.9, tone="good"), 3.0, 7, None, Estimate(1.0), "", ItemLink("@SUM(A1)")],
    ],
    note="note <b> | [bold]",
)


def on_terminal(shown: Table, width: int, colour: bool = False) -> str:
    return "\n".join(printed([shown], width, colour))


def test_a_terminal_shows_what_was_written_and_takes_nothing_for_markup():
    text = on_terminal(AWKWARD, 250)
    assert "제목 [bold]t[/] | <b>" in text
    assert "점수 [red]x[/]" in text
    total, other = (
        line.split() for line in text.splitlines() if line.split()[:1] in (["total"], ["A[bold]"])
    )
    expected = ["−.40", "[−.90,", ".10]", "−3.46", "[−4.00,", "−2.90]", "12,345", "<", ".001", "62", "%"]
    assert total[1:] == [*expected, "▁▂█", "=1+1"]  # the share without its interval
    assert other[1:6] == ["–", "–", "0", ".200", "–"]
    assert "note <b> | [bold]" in text
    assert "left out" not in text


def test_colours_say_what_figures_mean_and_what_is_sure():
    text = on_terminal(AWKWARD, 250, colour=True)
    assert "\x1b[31m−.40\x1b[0m" in text
    assert "\x1b[32m.90\x1b[0m" in text
    assert "\x1b[1m< .001\x1b[0m" in text
    assert "\x1b[1mtotal" in text


@pytest.mark.parametrize("width", [40, 80])
def test_a_narrow_terminal_leaves_out_columns_in_their_order_and_says_so(width):
    lines = on_terminal(AWKWARD, width).splitlines()
    said = " ".join(lines)
    assert "columns left out of this narrow terminal: n · mean · spark" in re.sub(" +", " ", said)
    assert any(line.lstrip().startswith("total") for line in lines)


def test_the_same_table_can_be_shown_again_wider():
    assert "left out" in on_terminal(AWKWARD, 60)
    assert "left out" not in on_terminal(AWKWARD, 250)


def test_markdown_keeps_every_cell_in_its_row():
    head, _, total, other, long = markdown_table(AWKWARD).splitlines()[2:7]
    cells = r"(?<!\\)\|"
    assert {len(re.split(cells, line)) for line in (head, total, other, long)} == {7 + 2}
    assert total == (
        "| 총점 | −.40 [−.90, .10] | −3.46 [−4.00, −2.90] | 12,345 | \\< .001 | 62 % [40, 80] | \\=1+1 |"
    )
    assert other == "| A\\|B | – | – | 0 | .200 | – | a \\| b ⏎ \\`c\\` \\<i\\> |"
    assert "spark" not in head


def test_html_says_why_there_is_no_figure_and_what_figures_mean():
    page = html_table(AWKWARD, frozenset())
    assert f'<td class="n" title="{WHY}">–</td>' in page
    assert '<td class="n problem">−.40 <span class="ends">[−.90, .10]</span></td>' in page
    assert '<th scope="row">총점</th>' in page
    assert "<td>a | b\n`c` &lt;i&gt;</td>" in page
    assert "<b>" not in page
    assert "spark" not in page


def test_marks_are_signs_of_their_medium():
    marked = table(
        "",
        [Column("", "words"), Column("gate", "words")],
        [[VerdictMark("good"), "a"], [VerdictMark("problem"), "b"]],
    )
    assert markdown_table(marked).splitlines()[-2:] == ["| ✅ | a |", "| ❌ | b |"]
    assert '<th class="good" scope="row">✓</th>' in html_table(marked, frozenset())
    assert "\x1b[31m✗\x1b[0m" in on_terminal(marked, 80, colour=True)
