"""The owner's pages: the dashboard, the disputed items, the export."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO
from urllib.parse import quote

import orjson
from markupsafe import Markup as SafeMarkup
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from haechi.analysis.analysis import Analysis
from haechi.analysis.audit_variants import audited_of, audited_variants
from haechi.data.rating_rules import ValueReader
from haechi.data.stances import ADJUDICATION
from haechi.errors import HaechiError
from haechi.report.html_parts import html_parts
from haechi.report.sections.trend import trend_figures, trend_title
from haechi.report.tables.audit import found_sentences
from haechi.store.raters import ADJUDICATOR
from haechi.web.access import language_of
from haechi.web.adjudication import Decision, case_of, decide, numbers_of
from haechi.web.bodies import read_body
from haechi.web.commands import command
from haechi.web.dashboard import Dashboard, Watch
from haechi.web.export import write_export
from haechi.web.figures import lowest
from haechi.web.first_words import first_words, human_words
from haechi.web.item_view import view_of
from haechi.web.site import Site, json_response

_PIECE = 64 * 1024
_IN_MEMORY = 8 * 1024 * 1024
_DECISIONS = (("as", "ratings"), ("rater", ADJUDICATOR), ("stance", ADJUDICATION))
_SHOWN = 50
_AUDITED = 300


class Owner:
    """The owner's first pages of one study."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._watch = Watch(site.study, site.workplace.rules, site.settings)
        self._values = ValueReader(site.study.rubric)

    def dashboard(self, request: Request) -> Response:
        """How the study stands, and what comes next."""
        site, visitor = self._site, self._site.access.owner(request)
        seen, settings = self._watch.look(), site.settings.now()
        overlap, standing = settings.overlap, site.workplace.asking.standing(settings.until)
        disputed = seen.figures.disputed[:_SHOWN]
        with site.study.database.read() as connection:
            numbers = numbers_of(connection, _linked(seen))
        return site.page(
            request,
            "owner.html",
            seen=seen,
            lowest=lowest,
            csrf=visitor.csrf,
            answer=first_words(seen, site.study.rubric, numbers, overlap, standing),
            numbers=numbers,
            disputed=disputed,
            questions=_questions(site, [one.item for one in disputed]),
            overlap=overlap,
            human=human_words(site.study.rubric, seen.figures, standing),
            until=settings.until,
            rubric=site.study.rubric,
            trend=_trend(seen.figures.scored),
            audit=_audit(seen.figures.scored),
        )

    def case(self, request: Request) -> Response:
        """A disputed item with everything that was said of it."""
        site, visitor = self._site, self._site.access.owner(request)
        form = site.workplace.form(language_of(request, site.options.lang))
        with site.study.database.read() as connection:
            found = case_of(connection, request.path_params["number"], form, site.study.rubric)
        if found is None:
            raise HTTPException(404)
        queue = self._watch.disputed()
        rest = queue[queue.index(found.item.id) + 1 :] if found.item.id in queue else queue
        with site.study.database.read() as connection:
            after = numbers_of(connection, rest[:_SHOWN])
        view = view_of(found.item, form)
        return site.page(
            request,
            "case.html",
            case=found,
            view=view,
            asked=(view.get("query") or {}).get("text"),
            csrf=visitor.csrf,
            mark=site.workplace.marks.study,
            next_case=next((after[item] for item in rest[:_SHOWN] if item in after), None),
            command=command("import", site.study.name, "decisions.csv", options=_DECISIONS),
        )

    async def decision(self, request: Request) -> Response:
        """What the owner decides on a question."""
        return await self._site.in_thread(self._decide, request, await read_body(request))

    def _decide(self, request: Request, body: bytes) -> Response:
        site, lang = self._site, language_of(request, self._site.options.lang)
        site.access.owner(request)
        try:
            given = Decision.model_validate(orjson.loads(body))
            with site.workplace.write() as connection:
                decide(connection, given, site.study.rubric, self._values)
                now = case_of(connection, given.item, site.workplace.form(lang), site.study.rubric)
        except (orjson.JSONDecodeError, ValidationError) as error:
            return json_response({"error": str(error)[:500]}, 422)
        except HaechiError as error:
            return json_response({"error": error.problems[0].say(lang)}, 422)
        return json_response({"saved": True, "decided": now is not None and now.decided})

    def export(self, request: Request) -> Response:
        """Everything in one file."""
        self._site.access.owner(request)
        archive: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed when sent
        write_export(self._site.study, archive)
        archive.seek(0)
        name = quote(f"{self._site.study.name}.zip")
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{name}"}
        return StreamingResponse(_pieces(archive), media_type="application/zip", headers=headers)


def routes(site: Site) -> list[Route]:
    """The routes of the owner."""
    owner = Owner(site)
    return [
        Route("/owner", owner.dashboard),
        Route("/owner/items/{number:number}", owner.case),
        Route("/owner/decisions", owner.decision, methods=["POST"]),
        Route("/owner/export.zip", owner.export),
    ]


def _audit(figures: Analysis | None) -> list[str]:
    """What was shown to move the AI judges; of many items `haechi audit` tells, as reading their texts takes seconds."""
    if figures is None or "ai" not in figures.raters.values():
        return []
    apart = audited_of(figures.study)  # which changes without a new rating in the study
    changed = () if apart is None else audited_variants(apart)
    return found_sentences(figures.audit if figures.n_items <= _AUDITED else None, changed, figures.rubric)


def _trend(runs: Analysis | None) -> tuple[str, SafeMarkup] | None:
    """Agent runs over their versions or rounds, as the report shows them; None where there are not two of them."""
    if runs is None or (found := runs.trend) is None:
        return None
    shown = html_parts(trend_figures(runs, found))
    return trend_title(found), SafeMarkup(shown)  # noqa: S704 - made of our own elements, texts escaped


def _linked(seen: Dashboard) -> list[str]:
    """The items that the dashboard leads to."""
    shown = [one.item for one in seen.figures.disputed[:_SHOWN]]
    return [*shown, *seen.undecided[:1], *(notes[0].item for notes in seen.threads)]


def _questions(site: Site, ids: list[str]) -> dict[str, str]:
    """What agent runs were asked: their ids say nothing to a reader."""
    if site.study.rubric.item != "run" or not ids:
        return {}
    asked = ((item.id, item.content.get("query_text")) for item in site.study.items(set(ids)))
    return {item: text for item, text in asked if text}


def _pieces(archive: IO[bytes]) -> Iterator[bytes]:
    with archive:
        while piece := archive.read(_PIECE):
            yield piece
