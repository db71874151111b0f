"""The item browser: all items searched, sorted and cut, one of them with every rating and piece of evidence beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from haechi.data.item import Item
from haechi.data.line_names import LABEL
from haechi.frozen import frozen
from haechi.prompt.evidence import UNFOUNDED, Quote, Transcript, check
from haechi.prompt.injection import KINDS, tries_of
from haechi.prompt.material import texts
from haechi.report.numbers import number
from haechi.rubrics import Rubric
from haechi.scoring.open_lines import open_lines
from haechi.text import Lang, Text
from haechi.typeset import TextMark
from haechi.web.access import language_of
from haechi.web.adjudication import AnswerCell, DisputedItem, case_of
from haechi.web.item_index import ONLY, PAGE, SORTS, ItemIndexes, ItemQuery
from haechi.web.item_view import Marks, view_of
from haechi.web.site import Site

_LONGEST = 200
_META = "meta."


@frozen
class RaterAnswer:
    """What a rater said to a question, with a name for its quotes, and those of them that do not stand where they should."""

    cell: AnswerCell
    name: str
    quoted: bool
    unfounded: tuple[Quote, ...]


def routes(site: Site) -> list[Route]:
    """The routes of the item browser."""
    indexes = ItemIndexes(site.study)

    def browse(request: Request) -> Response:
        site.access.owner(request)
        index = indexes.now()
        wanted = wanted_of(request.query_params)
        found = index.find(wanted)
        chosen = _number(request.query_params.get("item"))
        at = found.place(chosen) if chosen is not None else None
        page = at // PAGE if at is not None else max(0, (_number(request.query_params.get("page")) or 1) - 1)
        page = min(page, max(0, (len(found) - 1) // PAGE))
        rows = index.rows(wanted, page)
        shown = chosen if chosen is not None else (rows[0]["number"] if rows else None)
        at = page * PAGE if chosen is None and rows else at
        return site.page(
            request,
            "browse.html",
            index=index,
            wanted=wanted,
            score=wanted.score if wanted.score in index.scores else index.main,
            found=len(found),
            rows=rows,
            page=page,
            pages=max(1, -(-len(found) // PAGE)),
            link=lambda **more: _address(site, wanted, more),
            to_item=_address(site, wanted, {"item": 0}).removesuffix(
                "0"
            ),  # of fifty rows only the number differs
            before=found.number(at - 1) if at is not None else None,
            after=found.number(at + 1) if at is not None else None,
            chosen=chosen,
            number=number,
            rubric=site.study.rubric,
            **_detail(site, request, shown, index.scores_of if shown is not None else None),
        )

    return [Route("/owner/browse", browse)]


def wanted_of(query: QueryParams) -> ItemQuery:
    """What the address of the page asks for; what it cannot mean is not asked for.

    >>> wanted_of(QueryParams("sort=-score&meta.level=Q1&low=3&high=x&only=nothing"))
    ItemQuery(search='', score='', sort='-score', rater='', only='', low=3.0, high=None, meta=(('level', 'Q1'),))
    """
    sort, only = query.get("sort", ""), query.get("only", "")
    meta = [
        (key.removeprefix(_META), value) for key, value in query.items() if key.startswith(_META) and value
    ]
    return ItemQuery(
        query.get("q", "")[:_LONGEST],
        query.get("score", ""),
        sort if sort in SORTS else "",
        query.get("rater", ""),
        only if only in ONLY else "",
        _limit(query.get("low")),
        _limit(query.get("high")),
        tuple(meta),
    )


def _limit(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def _address(site: Site, wanted: ItemQuery, more: Mapping[str, Any]) -> str:
    """The address of the same search with something changed; it holds everything, so that it can be sent to somebody."""
    wanted = replace(wanted, **{name: more[name] for name in more if name not in ("item", "page")})
    asked = {
        "q": wanted.search,
        "score": wanted.score,
        "sort": wanted.sort,
        "rater": wanted.rater,
        "only": wanted.only,
        "low": "" if wanted.low is None else f"{wanted.low:g}",
        "high": "" if wanted.high is None else f"{wanted.high:g}",
        **{_META + name: value for name, value in wanted.meta},
        "page": more.get("page", ""),
        "item": more.get("item", ""),
    }
    said = urlencode({name: value for name, value in asked.items() if value != ""})
    return f"{site.options.base}/owner/browse" + (f"?{said}" if said else "")


def _detail(site: Site, request: Request, shown: int | None, scores_of: Any) -> dict[str, Any]:
    """One item with its ratings; the quotes of their evidence are marked in its text."""
    if shown is None:
        return {"case": None}
    lang = language_of(request, site.options.lang)
    form = site.workplace.form(lang)
    with site.study.database.read() as connection:
        case = case_of(connection, shown, form, site.study.rubric, partial(_unasked, site.study.rubric, lang))
    if case is None:
        raise HTTPException(404)
    said, marks = _looked_up(case, site.study.rubric)
    return {
        "case": case,
        "said": said,
        "tries": _tries(case.item, site.study.rubric, lang),
        "view": view_of(case.item, form, marks),
        "scores": scores_of(case.item.id),
    }


def _unasked(rubric: Rubric, lang: Lang, item: Item) -> dict[str, str]:
    """What raters may say of a run beside the form: points of what code measures, open lines, the label."""
    if item.kind != "run":
        return {}
    names = {c.key: c.name.say(lang) for c in rubric.criteria if c.rated_by == "code"}
    names |= {derived.key: derived.name.say(lang) for derived in rubric.scores if not derived.hidden}
    checked = rubric.checked_criterion
    if checked is not None:
        names |= {line.name: f"{checked.name.say(lang)}: {line.text}" for line in open_lines([item], checked)}
    return names | {LABEL: Text("의도 라벨", "Intent label").say(lang)}


def _tries(item: Item, rubric: Rubric, lang: Lang) -> list[tuple[str, str]]:
    """What an item seems to try on a judge: what it is called, and its words."""
    given = texts(rubric, item.content) if item.kind == rubric.item else []
    return [(KINDS[one.kind].say(lang), one.words) for one in tries_of(given, rubric)]


def _looked_up(case: DisputedItem, rubric: Rubric) -> tuple[dict[str, list[RaterAnswer]], Marks]:
    """What was said to every question, and the marks of its quotes, by the texts in which they stand."""
    item = case.item
    messages = tuple(texts(rubric, item.content)) if item.kind == rubric.item else ()
    transcript = Transcript(messages)
    said: dict[str, list[RaterAnswer]] = {}
    marks: dict[int, list[TextMark]] = {}
    for row in case.rows:
        for cell in row.cells:
            name = f"q{sum(map(len, said.values())) + 1}"
            quotes = check(cell.evidence, transcript).quotes if cell.evidence and messages else ()
            spans = [
                (index, span)
                for one in quotes
                for index in one.found_in
                for span in transcript.located(one.text, index)
            ]
            for index, (start, end) in spans:
                marks.setdefault(index, []).append(TextMark(start, end, name))
            wrong = tuple(one for one in quotes if one.status in UNFOUNDED)
            said.setdefault(row.name, []).append(RaterAnswer(cell, name, bool(spans), wrong))
    return said, marks
