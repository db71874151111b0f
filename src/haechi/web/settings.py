"""The owner's settings of the desk: how items are given out, practice, the survey, with whom participants talk."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.rubrics.practice import gold_items, practice_items
from haechi.store.desk_settings import DeskSettings, read_desk_settings, write_desk_settings
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.adaptive_desk import check_goal, goal_of
from haechi.web.bodies import SubmittedForm, read_form
from haechi.web.commands import command
from haechi.web.field_names import SETTINGS, problems_by_fields
from haechi.web.form_numbers import amount_in, count_in
from haechi.web.options import Talk
from haechi.web.practice import add_gold
from haechi.web.site import Site

_LONGEST = 20_000
_SEEDS = 10**9
# What the command line reads from a file.
_TEXTS = {"consent": Text("동의 글", "Consent text"), "talk_prompt": Text("시스템 프롬프트", "System prompt")}


class SettingsPages:
    """The settings of one study's desk."""

    def __init__(self, site: Site) -> None:
        self._site, self._study = site, site.study

    def front(self, request: Request) -> Response:
        """The settings as they are now."""
        csrf = self._site.access.owner(request).csrf
        return self._page(request, form_of_settings(self._site.settings.now()), csrf)

    def _page(
        self, request: Request, given: SubmittedForm, csrf: str, problems: tuple[Problem, ...] = ()
    ) -> Response:
        rubric, now, told = self._study.rubric, self._site.settings.now(), self._site.settings.given
        return self._site.page(
            request,
            "settings.html",
            422 if problems else 200,
            csrf=csrf,
            given=given,
            problems=problems,
            told=told,
            saved="saved" in request.query_params,
            practice=bool(practice_items(rubric)),
            gold=bool(gold_items(rubric)),
            talks=rubric.item == "dialogue",
            goal=goal_of(rubric),
            command=serve_command(self._study, now, told),
            texts=[
                (text, f"--{name.replace('_', '-')} FILE")
                for name, text in _TEXTS.items()
                if name in now.chosen() and name not in told
            ],
        )

    async def save(self, request: Request) -> Response:
        """New settings, which hold at once."""
        return await self._site.in_thread(self._save, request, await read_form(request))

    def _save(self, request: Request, given: SubmittedForm) -> Response:
        csrf = self._site.access.owner(request).csrf
        try:
            wanted = settings_of(given)
            with self._study.database.read() as connection:
                stored = read_desk_settings(connection)
            # What the command line says stays as it is stored: its fields cannot be changed on the page.
            wanted = wanted.changed({name: asdict(stored)[name] for name in self._site.settings.given})
            check_goal(self._study, wanted.until)
            talk = Talk.of(self._study, wanted)
            if talk is not None:
                talk.partner.connect()  # which needs its SDK and its key
        except HaechiError as error:
            return self._page(request, given, csrf, problems_by_fields(error.problems, SETTINGS))
        if wanted != stored:
            with self._site.workplace.write() as connection:
                write_desk_settings(connection, wanted)
        if wanted.gold:
            add_gold(self._study)
        return RedirectResponse(f"{self._site.options.base}/owner/settings?saved=1", status_code=303)


def routes(site: Site) -> list[Route]:
    """The routes of the settings."""
    pages = SettingsPages(site)
    return [
        Route("/owner/settings", pages.front),
        Route("/owner/settings", pages.save, methods=["POST"]),
    ]


def settings_of(given: SubmittedForm) -> DeskSettings:
    """The settings that a form says.

    >>> settings_of(SubmittedForm(overlap=["3"], training=["yes"], pass_mark=["80"])).chosen()
    {'overlap': 3, 'training': True, 'pass_mark': 0.8}
    """
    usual = DeskSettings()
    return DeskSettings(
        overlap=count_in(given, "overlap", Text("항목마다 평가자 수", "raters per item")),
        until=given.one("until").strip() or None,
        seed=_seed(given),
        repeat_every=count_in(given, "repeat_every", Text("다시 묻기", "repeats")),
        training=bool(given.one("training")),
        gold=bool(given.one("gold")),
        pass_mark=_share(given, usual.pass_mark),
        public_survey=bool(given.one("public_survey")),
        items_per_guest=count_in(
            given, "items_per_guest", Text("참여자마다 항목 수", "items per participant")
        )
        or usual.items_per_guest,
        kiosk=bool(given.one("kiosk")),
        consent=_words(given, "consent", Text("동의 글", "consent text")),
        talk=given.one("talk") or None,
        talk_prompt=_words(given, "talk_prompt", Text("시스템 프롬프트", "system prompt")),
        talk_turns=count_in(given, "talk_turns", Text("보낼 수 있는 글", "messages")) or usual.talk_turns,
        talk_max_cost=amount_in(given, "talk_max_cost", Text("최대 비용", "cost at most")),
    )


def form_of_settings(settings: DeskSettings) -> SubmittedForm:
    """The settings as the form shows them.

    >>> form_of_settings(DeskSettings(overlap=3, gold=True, pass_mark=0.85))["pass_mark"]
    ['85']
    """
    shown: dict[str, Any] = asdict(settings) | {"pass_mark": f"{round(100 * settings.pass_mark, 1):g}"}
    return SubmittedForm(
        {
            name: ["yes" if value is True else str(value)]
            for name, value in shown.items()
            if value not in (None, False)
        }
    )


def serve_command(study: Study, settings: DeskSettings, told: Container[str]) -> str:
    """The command that runs the desk in the same way; texts that are kept with the study need no file."""
    chosen = {
        name: "FILE" if name in _TEXTS else value
        for name, value in settings.chosen().items()
        if name not in _TEXTS or name in told
    }
    return command(
        "serve", study.folder, options=[(name.replace("_", "-"), value) for name, value in chosen.items()]
    )


def _seed(given: SubmittedForm) -> int:
    text = given.one("seed") or "0"
    if text.isascii() and text.isdigit() and int(text[:20]) < _SEEDS:
        return int(text)
    expected = Text("0 이상의 정수", "a whole number, 0 or more")
    todo = Text("값을 고치세요", "correct it")
    raise HaechiError.of(Text("난수 시드", "seed").say(), text[:80], expected, todo)


def _share(given: SubmittedForm, usual: float) -> float:
    percent = amount_in(given, "pass_mark", Text("통과 기준", "pass mark"))
    if percent is None or percent <= 100:
        return usual if percent is None else percent / 100
    expected = Text("100 이하의 퍼센트", "a percentage, at most 100")
    todo = Text("값을 고치세요", "correct it")
    raise HaechiError.of(Text("통과 기준", "pass mark").say(), f"{percent:g}", expected, todo)


def _words(given: SubmittedForm, name: str, called: Text) -> str | None:
    text = given.one(name).replace("\0", "")
    if len(text) <= _LONGEST:
        return text or None
    found = Text(f"{len(text):,}자", f"{len(text):,} characters")
    expected = Text(f"{_LONGEST:,}자 이하", f"at most {_LONGEST:,} characters")
    raise HaechiError.of(called.say(), found, expected, Text("줄이세요", "shorten it"))
