"""The report as one HTML file: opens from disk, asks the network for nothing, runs only the script that it brings."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

from orjson import dumps

from haechi.report.document import Finding, Part, Passage, Plot, Report, Section
from haechi.report.markup import CONTROLS, Markup, join, tag
from haechi.report.table import Cell, Column, Estimate, ItemLink, Mark, Table, Written, in_two
from haechi.report.words import BRACKETS, FINDINGS, MORE_FINDINGS, SIGNS, said
from haechi.text import language
from haechi.typeset import STYLE, typeset
from haechi.typeset import Mark as Quoted

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
_LONG = 40
_MARKS = {"good": "✓", "caution": "!", "problem": "✗", "plain": "·"}


def html(report: Report) -> str:
    """The whole page."""
    sheets = [files("haechi.report").joinpath(name).read_text("utf-8") for name in ("page.css", "chart.css")]
    style = Markup("".join([*sheets, STYLE.read_text("utf-8")]))
    script = files("haechi.report").joinpath("explore.js").read_text("utf-8")
    policy = _POLICY.format(hash=b64encode(sha256(script.encode()).digest()).decode())
    shown = report.passages
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{report.title} — {report.subtitle}"),
        tag("style", style),
    )
    body = tag(
        "body",
        tag(
            "header", tag("p", report.subtitle, class_="subtitle"), tag("h1", report.title), *_answer(report)
        ),
        tag(
            "main",
            _findings(report, shown),
            *_facts(report),
            _more_findings(report, shown),
            _contents(report),
            *(_section(s, shown) for s in report.sections),
            _end(report),
            data_items=dumps(report.items).decode() if report.items else None,
        ),
        tag("script", Markup(script)),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang=language()) + "\n"


def anchor(item: str) -> str:
    """The address of an item on the page; ids from strangers may hold anything.

    >>> anchor("s1") == anchor("s1") != anchor("s 1")
    True
    """
    return "item-" + sha256(item.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _answer(report: Report) -> list[Markup]:
    """How good and how sure, in two sentences that one can read from across the table."""
    if report.answer is None:
        return []
    return [
        tag("p", *_with_figures(report.answer.good), class_="answer"),
        tag("p", *_with_figures(report.answer.sure), class_="sure"),
        *([tag("figure", *_both(*report.answer.gauge), class_="gauge")] if report.answer.gauge else []),
    ]


def _with_figures(words: str) -> list[str | Markup]:
    """A sentence whose figures with intervals stand out."""
    pieces = list[str | Markup]()
    end = 0
    for found in re.finditer(r"(−?\d*\.\d+) (\[[^\]]*\])", words):
        pieces += [words[end : found.start()], tag("b", found[1]), " ", tag("span", found[2], class_="ends")]
        end = found.end()
    return [*pieces, words[end:]]


def _facts(report: Report) -> list[Markup]:
    pairs = [tag("div", tag("dt", name), tag("dd", *_with_ends(value))) for name, value in report.facts]
    key = [tag("p", BRACKETS.say(), class_="note")] if any(" [" in value for _, value in report.facts) else []
    return [tag("dl", *pairs, class_="facts"), *key]


def _with_ends(value: str) -> list[str | Markup]:
    """A value, and its interval in smaller letters."""
    point, bracket, ends = value.partition(" [")
    return [point, " ", tag("span", "[" + ends, class_="ends")] if bracket else [value]


def _findings(report: Report, shown: frozenset[str]) -> Markup:
    keys = frozenset(section.key for section in report.sections)
    listed = [_finding(one, shown, keys) for one in report.findings if _is_first(one, report)]
    tones = dict.fromkeys(one.tone for one in report.findings)
    signs = [tag("span", tag("b", _MARKS[tone]), f" {SIGNS[tone].say()}") for tone in SIGNS if tone in tones]
    legend = tag("p", *signs, class_="legend")
    return tag(
        "section", tag("h2", FINDINGS.say()), tag("ul", *listed, class_="findings"), legend, id="findings"
    )


def _is_first(finding: Finding, report: Report) -> bool:
    """Whether a finding is among the few to read first; how good it is the answer above has said."""
    return finding.first and not (report.answer and finding.rule == "overall")


def _more_findings(report: Report, shown: frozenset[str]) -> Markup:
    keys = frozenset(section.key for section in report.sections)
    listed = [_finding(one, shown, keys) for one in report.findings if not _is_first(one, report)]
    if not listed:
        return Markup("")
    title = f"{MORE_FINDINGS.say()} ({len(listed)})"
    return tag("details", tag("summary", title), tag("ul", *listed, class_="findings"), class_="more")


def _finding(finding: Finding, shown: frozenset[str], sections: frozenset[str]) -> Markup:
    items = [_link(item, shown) for item in finding.items]
    links = tag("span", " → ", join(items, ", "), class_="items") if items else Markup("")
    advice = []
    if finding.advice and finding.section in sections:
        advice = [tag("a", finding.advice, href=f"#{_id(finding.section)}", class_="advice")]
    elif finding.advice:
        advice = [tag("span", finding.advice, class_="advice")]
    words = tag("span", finding.words, " ", tag("span", finding.figure, class_="figure"), links, *advice)
    return tag(
        "li", tag("span", _MARKS[finding.tone], class_="mark", aria_hidden="true"), words, class_=finding.tone
    )


def _link(item: str, shown: frozenset[str]) -> Markup:
    short = "item" if len(item) <= _LONG else None
    if item in shown:
        return tag("a", item, href=f"#{anchor(item)}", class_=short)
    return tag("span", item, class_=short)


def _contents(report: Report) -> Markup:
    links = [tag("a", section.title, href=f"#{_id(section.key)}") for section in report.sections]
    return tag("nav", *links, aria_label=said("차례", "contents"))


def _id(key: str) -> str:
    return "section-" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _section(section: Section, shown: frozenset[str]) -> Markup:
    parts = [_part(part, shown) for part in section.parts]
    class_ = "only-page" if section.only_page else None
    return tag("section", tag("h2", section.title), *parts, id=_id(section.key), class_=class_)


def html_parts(parts: Iterable[Part]) -> Markup:
    """Parts of a report for another page; items in them lead nowhere.

    >>> html_parts(["3 < 4"])
    '<p>3 &lt; 4</p>'
    """
    return join([_part(part, frozenset()) for part in parts])


def _part(part: Part, shown: frozenset[str]) -> Markup:
    if isinstance(part, Table):
        return html_table(part, shown)
    if isinstance(part, Plot):
        return _plot(part, shown)
    if isinstance(part, Passage):
        return _passage(part)
    return tag("p", part) if part else Markup("")


def _plot(plot: Plot, shown: frozenset[str]) -> Markup:
    picture = tag("figure", tag("figcaption", plot.title), *_both(plot.svg, plot.narrow), tabindex="0")
    own = html_table(plot.table, shown)
    if not plot.folded:
        return join([picture, own])
    return join(
        [picture, tag("details", tag("summary", said("수치로 보기", "As a table")), own, class_="figures")]
    )


def _both(wide: Markup, narrow: Markup | None) -> list[Markup]:
    """A picture as it is shown on a page, and as on a phone; the style sheet shows one of them."""
    if narrow is None:
        return [tag("div", wide, class_="any-width")]
    return [tag("div", wide, class_="on-page"), tag("div", narrow, class_="on-phone")]


def html_table(table: Table, shown: frozenset[str]) -> Markup:
    """A table that scrolls by itself where it is wider than the page."""
    own = table.on_page()
    head = tag("tr", *(tag("th", c.title, scope="col", class_=_classes(c)) for c in own.columns))
    rows = [
        tag("tr", *(_cell(cell, column, place == 0, shown) for place, (cell, column) in enumerate(pairs)))
        for pairs in (zip(row, own.columns, strict=True) for row in own.rows)
    ]
    caption = [tag("caption", table.title)] if table.title else []
    note = tag("p", table.note, class_="note") if table.note else Markup("")
    return join(
        [
            tag(
                "div",
                tag("table", *caption, tag("thead", head), tag("tbody", *rows)),
                class_="wide",
                tabindex="0",
            ),
            note,
        ]
    )


def _classes(column: Column, *more: str) -> str | None:
    """The classes of a cell: figures stand on the right, and what a figure means has a colour."""
    return " ".join([*([] if column.is_words else ["n"]), *more]) or None


def _cell(cell: Cell, column: Column, is_name: bool, shown: frozenset[str]) -> Markup:
    if isinstance(cell, ItemLink):
        return tag("td", _link(cell.item, shown))
    if isinstance(cell, Written):
        return tag("td", _prose(cell), class_=_classes(column, *(["long"] if len(cell) > _LONG else [])))
    point, ends = in_two(cell, column.kind, column.digits)
    tone = cell.tone if isinstance(cell, Estimate | Mark) else "plain"
    long = column.is_words and not is_name and len(point) > _LONG
    heads = is_name and bool(point)  # a head without words says nothing to whoever hears the page
    return tag(
        "th" if heads else "td",
        point,
        *([" ", tag("span", ends.strip(), class_="ends")] if ends else []),
        class_=_classes(column, *(["long"] if long else []), *([] if tone == "plain" else [tone])),
        title=cell.why if isinstance(cell, Estimate) and cell.why else None,
        scope="row" if heads else None,
    )


def _passage(passage: Passage) -> Markup:
    lines = [
        tag("div", tag("dt", who), tag("dd", _prose(text, passage.quotes.get(place, ()))))
        for place, (who, text) in enumerate(passage.lines)
    ]
    rated = []
    if passage.ratings is not None:
        count = len(passage.ratings.rows)
        words = said(f"평가 {count:,}건", f"{count:,} ratings")
        rated = [
            tag("details", tag("summary", words), html_table(passage.ratings, frozenset()), class_="rated")
        ]
    summary = tag("summary", tag("b", passage.item), " — ", passage.heading)
    return tag(
        "details",
        summary,
        tag("dl", *lines, class_="talk"),
        *rated,
        id=anchor(passage.item),
        class_="passage",
    )


def _prose(text: str, quotes: Iterable[tuple[int, int]] = ()) -> Markup:
    """A text as its author saw it, with what raters quote of it marked."""
    marks = tuple(Quoted(start, end, "q") for start, end in quotes)
    return tag("div", Markup(typeset(CONTROLS.sub("\ufffd", text), marks)), class_="typeset", dir="auto")


def _end(report: Report) -> Markup:
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", tag("code", value)))
        for name, value in report.reproducibility
    ]
    notes = [tag("li", note) for note in report.notes]
    decisions = (
        [tag("h3", said("도구에 관한 결정", "Decisions about the instrument")), tag("ul", *notes)]
        if notes
        else []
    )
    return tag(
        "section",
        tag("h2", said("연구 방법", "Methods")),
        tag("p", report.methods, class_="methods"),
        tag("h2", said("재현", "Reproducibility")),
        tag("div", tag("table", tag("tbody", *rows)), class_="wide", tabindex="0"),
        tag("pre", "\n".join(report.commands), tabindex="0"),
        *decisions,
        id="methods",
    )


def as_html(things: Iterable[Table | str]) -> str:
    """Tables and sentences for a notebook; whatever names hold is text.

    >>> as_html(["a < b"])
    '<p>a &lt; b</p>'
    """
    return join([html_table(one, frozenset()) if isinstance(one, Table) else tag("p", one) for one in things])
