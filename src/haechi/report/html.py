"""The report as one HTML file: opens from disk, asks the network for nothing, runs only the script that it brings."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from orjson import dumps

from haechi.report.document import Finding, Report, Section
from haechi.report.html_parts import html_part, item_link, picture_pair
from haechi.report.markup import Markup, element_pieces, join, tag, with_code
from haechi.report.words import BRACKETS, FINDINGS, MORE_FINDINGS, SIGNS, said
from haechi.text import language
from haechi.typeset import STYLE

_MARKS = {"good": "✓", "caution": "!", "problem": "✗", "plain": "·"}


def html(report: Report) -> str:
    """The whole page."""
    style, script = _own()
    shown = report.passages
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{report.title} — {report.subtitle}"),
        tag("style", Markup(style)),
    )
    header = tag(
        "header", tag("p", report.subtitle, class_="subtitle"), tag("h1", report.title), *_answer(report)
    )
    main = element_pieces(
        "main",
        [
            _findings(report, shown),
            *_facts(report),
            _more_findings(report, shown),
            _contents(report),
            *(piece for section in report.sections for piece in _section(section, shown)),
            _end(report),
        ],
        data_items=dumps(report.items).decode() if report.items else None,
        data_serve=report.serve or None,
    )
    body = element_pieces("body", [header, *main, tag("script", Markup(script))])
    return "".join(["<!doctype html>\n", *element_pieces("html", [head, *body], lang=language()), "\n"])


def policy() -> str:
    """What a report may do: wear its own style and run its own script, known by their digests, and nothing else at all.

    >>> policy()[:38]
    "default-src 'none'; style-src 'sha256-"
    """
    style, script = (b64encode(sha256(text.encode()).digest()).decode() for text in _own())
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; "
        "form-action 'none'"
    )


@cache
def _own() -> tuple[str, str]:
    """The style and the script of the page."""
    sheets = [files("haechi.report").joinpath(name).read_text("utf-8") for name in ("page.css", "chart.css")]
    script = files("haechi.report").joinpath("explore.js").read_text("utf-8")
    return "".join([*sheets, STYLE.read_text("utf-8")]), script


def _answer(report: Report) -> list[Markup]:
    """How good and how sure, in two sentences that one can read from across the table."""
    if report.answer is None:
        return []
    return [
        tag("p", *_with_figures(report.answer.good), class_="answer"),
        tag("p", *_with_figures(report.answer.sure), class_="sure"),
        *(
            [tag("figure", *picture_pair(*report.answer.gauge), class_="gauge", tabindex="0")]
            if report.answer.gauge
            else []
        ),
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
    items = [item_link(item, shown) for item in finding.items]
    if finding.browse:
        items = [tag("code", f"/owner/browse?{finding.browse}")]
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


def _contents(report: Report) -> Markup:
    links = [tag("a", section.title, href=f"#{_id(section.key)}") for section in report.sections]
    return tag("nav", *links, aria_label=said("차례", "contents"))


def _id(key: str) -> str:
    return "section-" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _section(section: Section, shown: frozenset[str]) -> list[Markup]:
    parts = [html_part(part, shown) for part in section.parts]
    class_ = "only-page" if section.only_page else None
    return element_pieces("section", [tag("h2", section.title), *parts], id=_id(section.key), class_=class_)


def _end(report: Report) -> Markup:
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", tag("code", value)))
        for name, value in report.reproducibility
    ]
    notes = [tag("li", with_code(note)) for note in report.notes]
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
