"""Markdown and mathematics of a transcript: what is set, what stays as it is written, and where everything stands."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.typeset import TextMark, typeset

ALLOWED = {
    *("p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "span", "mark"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}  # fmt: skip
ATTRIBUTES = {"class", "data-at", "data-to", "data-marks", "title", "start", "display", "alttext"}
ATTRIBUTES |= {
    "mathvariant",
    "displaystyle",
    "scriptlevel",
    "stretchy",
    "fence",
    "form",
    "accent",
    "movablelimits",
}
ATTRIBUTES |= {
    "columnalign",
    "columnlines",
    "rowlines",
    "notation",
    "linethickness",
    "minsize",
    "maxsize",
    "width",
}


class Page(HTMLParser):
    """Reads HTML as a browser would: elements, visible words, and the words with their places."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.words, self.places = [], "", []
        self._open: list[dict[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert tag in ALLOWED or tag == "math" or tag.startswith("m") or tag == "none", tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, (tag, attrs)
        if tag not in ("br", "hr"):
            self._open.append(dict(attrs))

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        self.words += data
        at = self._open[-1].get("data-at") if self._open else None
        if at is not None and "data-to" not in self._open[-1]:
            self.places.append((int(at), data))


def bare(text: str) -> str:
    """The page without its places, to compare structure."""
    text = re.sub(r' data-(?:at|to)="\d+"', "", text)
    return re.sub(r"<span>(.*?)</span>", r"\1", text)


@pytest.mark.parametrize(
    ("text", "strong"),
    [
        ("**굵게**를 쓴다", "굵게"),
        ('**"굵게"**를 쓴다', '"굵게"'),
        ("그는**(네)**라고 했다", "(네)"),
        ("**마침표.**그리고", "마침표."),
        ("**제목:**내용", "제목:"),
        ("- **`코드`**는", "<code>코드</code>"),
    ],
)
def test_bold_words_may_carry_a_particle(text, strong):
    assert f"<strong>{strong}</strong>" in bare(typeset(text)).replace("&quot;", '"')


@pytest.mark.parametrize("text", ["2 * 3 * 4", "snake_case_name", "** 굵지 않음 **", "네~~좋아요~~", "5**"])
def test_signs_that_mean_nothing_stay(text):
    assert bare(typeset(text)) == f"<p>{text}</p>"


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("함수 $f(x)$는", ["$f(x)$"]),
        (r"점 \((1, 2)\)와 \[x=1\] 끝", [r"\((1, 2)\)", r"\[x=1\]"]),
        ("$$\nx=1\n$$", ["$$\nx=1\n$$"]),
        ("- 값\n\n  $$\n  x\n  $$", ["$$\n  x\n  $$"]),
        ("> $$\n> x\n> $$", ["$$\n> x\n> $$"]),
        ("$ x^2 $도", ["$ x^2 $"]),
        ("$100$원", ["$100$"]),
        ("$넓이 = a \\times b$", ["$넓이 = a \\times b$"]),
        ("2$x$와 $a$,$b$", ["$x$", "$a$", "$b$"]),
        ("책은 $5이고 펜은 $10입니다", []),
        ("$5와 $x$", ["$x$"]),
        ("$5,$x$", ["$x$"]),
        ("$5~$10", []),
        ("10$에서 20$까지", []),
        ("it is $5/month or $10/month", []),
        (r"\$5와 \$6", []),
        ("`$x$`", []),
        ("```\n$x$\n```", []),
        ("$끝이 없다", []),
    ],
)
def test_formulas_are_told_from_prices(text, formulas):
    found = re.findall(r'class="formula[^"]*" data-at="(\d+)" data-to="(\d+)"', typeset(text))
    assert [text[int(at) : int(to)] for at, to in found] == formulas


@pytest.mark.parametrize(
    "latex",
    [
        r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
        r"\begin{cases} x & x \ge 0 \\ -x & \text{그 외} \end{cases}",
        r"\begin{aligned} a &= b \\ &= c \end{aligned}",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"\lim_{x \to 0} \frac{\sin x}{x}",
        r"\sum_{k=1}^{n} k",
        r"a = b \\ c = d",
        r"\boxed{x = 3}",
        r"50% \text{ 이상}",
    ],
)
def test_formulas_of_tutoring_answers_become_mathml(latex):
    page = typeset(f"$${latex}$$")
    assert "<math" in page
    assert "as-source" not in page
    shown = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert "\\" not in shown
    assert "&" not in shown
    assert not re.search(r"%", latex) or "%" in shown


def test_a_condition_stands_below_its_limit():
    assert "<munder><mo>lim</mo>" in typeset(r"$$\lim_{x \to 0} x$$")


@pytest.mark.parametrize(
    "latex", [r"\unknown{x}", "x^{", r"\newcommand{\a}{\b\b}\a", "{" * 100 + "}" * 100, "x" * 6000]
)
def test_a_formula_that_cannot_be_converted_stays_as_its_source_and_is_marked(latex):
    page = typeset(f"값은 ${latex}$이다")
    assert 'class="formula as-source"' in page
    assert html.escape(f"${latex}$") in page


def test_lines_tables_code_and_headings():
    page = bare(typeset("# 제목\n한 줄\n다음 줄\n\n|가|나|\n|-:|-|\n|1|2|\n\n```py\na < b\n```\n3. 셋\n---"))
    assert page == (
        '<p class="heading h1">제목</p><p>한 줄<br>다음 줄</p>'
        '<table><thead><tr><th class="right">가</th><th>나</th></tr></thead>'
        '<tbody><tr><td class="right">1</td><td>2</td></tr></tbody></table>'
        '<span class="language">py</span><pre><code>a &lt; b</code></pre>'
        '<ol start="3"><li>셋</li></ol><hr>'
    )


def test_a_link_goes_nowhere_and_a_picture_is_not_fetched():
    page = typeset("[여기](https://example.org/x) ![그림](https://example.org/y.png)")
    assert "href" not in page
    assert "<img" not in page
    assert 'title="https://example.org/x"' in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        r"$\text{<script>alert(1)</script>}$",
        r"$\text{</mtext></math><img src=x onerror=alert(1)>}$",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\style{position:fixed;inset:0}{x}$",
        r"$\class{save}{x}$",
        r"$\color{white}{x}$",
        r"$\hspace{-999em}x$",
        r"$\phantom{x}$",
        "```<b>\n<svg onload=alert(1)>\n```",
        "<!-- --><style>*{display:none}</style>",
    ],
)
def test_nothing_of_a_transcript_becomes_markup(text):
    page = typeset(text)
    Page(page)
    assert not re.search(r"<(?!/?(?:p|span|pre|code|m\w+)\b)", page)
    assert not re.search(r"style=|href=|on\w+=\w+\"|999em", re.sub(r'alttext="[^"]*"|>[^<]*<', "", page))


def test_words_that_markdown_would_leave_out_are_shown_as_written():
    surplus = "|가|\n|-|\n|나|숨은 칸|"
    assert "숨은 칸" in typeset(surplus)
    nested = "> " * 30 + "깊은 말"
    assert "깊은 말" in typeset(nested)
    assert "[1]: 참고" in html.unescape(re.sub("<[^>]+>", "", typeset("[1]: 참고")))


def test_marks_are_put_where_they_are_asked_for_also_around_a_formula():
    text = "값은 **$x^2$**입니다 그리고"
    page = typeset(text, (TextMark(3, 13, "a"), TextMark(12, 14, "b")))
    marked = re.findall(r'<mark data-marks="([^"]*)">(.*?)</mark>', page)
    words = [(names, re.sub(r"<[^>]+>", "", inside)) for names, inside in marked]
    assert words == [("a", "x2"), ("a b", "입"), ("b", "니")]


def placed(text: str) -> str:
    """The text as its places are counted: what no page can hold is another sign."""
    text = re.sub("[\0\ud800-\udfff]", "\ufffd", text)
    return text.replace("\r\n", " \n").replace("\r", "\n")


SIGNS = "** * _ ` ~~~ $ $$ \\( \\) \\[ \\] \\ [ ](http://a.b) ![ <script> </math> <b/onclick=x> &amp; &#60; | # 한글 를 x^2 5 % { } 😀 ' \""
LATEX = "\\frac{1}{2} \\begin{cases}a&b\\\\c\\end{cases} \\text{<img/src=x>} \\style{position:fixed}{x} \\hspace{-99em}"
SPACED = (
    "```\n",
    "\n",
    "\n\n",
    " ",
    "\t",
    "    ",
    "\r\n",
    "\u3000",
    "|-|-|\n",
    "|a|b|\n",
    "- ",
    "1. ",
    "> ",
    "---\n",
    "\0",
    "\ud800",
)
BITS = st.sampled_from((*SIGNS.split(), *LATEX.split(), *SPACED))


@settings(max_examples=150, deadline=None)
@given(st.lists(BITS, max_size=40).map("".join) | st.text(max_size=200))
def test_any_text_gives_only_our_elements_and_every_word_has_its_place(text):
    page = Page(typeset(text))
    units = placed(text).encode("utf-16-le")
    for at, said in page.places:
        size = len(said.encode("utf-16-le"))
        source = units[2 * at : 2 * at + size].decode("utf-16-le")
        assert re.sub(r"\s", " ", source) == re.sub(r"\s", " ", said)


@pytest.mark.parametrize(
    "piece", ["[", "*a ", "**", "> ", "$", "$a ", "\\(", "\\[\n", "1. ", "[a](", "![", "&", "_a_ ", "```\n", "\\", "|", "a|b\n-|-\n", "<", "가", "가나 "]
)  # fmt: skip
def test_twenty_thousand_signs_end(piece):
    Page(typeset((piece * 20_000)[:20_000]))


def test_a_text_longer_than_anything_that_is_set_is_shown_as_written():
    assert typeset("**가**" * 20_001).startswith('<p class="plain"><span data-at="0">**가**')
