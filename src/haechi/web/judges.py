"""The owner's AI judges: what they would cost, started within a limit, followed, stopped, and gone on with."""

from __future__ import annotations

import math
import os
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.judge.estimates import Estimate, estimate
from haechi.judge.judges import judges_of
from haechi.judge.providers import PROVIDERS
from haechi.judge.providers.prices import Prices
from haechi.store.items import without_content
from haechi.store.journal import spent
from haechi.study import Study
from haechi.text import Text
from haechi.web.bodies import Form, read_form
from haechi.web.commands import command
from haechi.web.judging import Judging, Wanted, judge_command
from haechi.web.numbers import amount_in, count_in
from haechi.web.site import Site

_SHOWN = 5
_USUAL_LIMIT = 1.0  # dollars proposed at least, where the worst case is more


def routes(site: Site) -> list[Route]:
    """The routes of the judges."""
    study, judging = site.study, Judging(site.study)

    def judges_page(request: Request, given: Form, csrf: str, refused: tuple[Problem, ...] = ()) -> Response:
        with study.database.read() as connection:
            empty, first = without_content(connection, _SHOWN)
            paid = [row.as_dict() for row in spent(connection)]
        shown: dict[str, Any] = {
            "estimates": [],
            "problems": (),
            "proposed": None,
            "command": "",
            "wanted": None,
        }
        if given.one("model"):
            shown |= _estimated(study, given)
        return site.page(
            request,
            "judges.html",
            422 if refused else 200,
            csrf=csrf,
            given=given,
            refused=refused,
            run=judging.standing(),
            keys=_keys(),
            models=Prices.read(study.folder).names(),
            empty=empty,
            empty_first=first,
            items=study.count_items(),
            paid=paid,
            trying=command(
                "judge", study.folder, options=[("model", "openai:gpt-5-mini"), ("dry-run", True)]
            ),
            **shown,
        )

    def front(request: Request) -> Response:
        visitor = site.access.owner(request)
        given = Form({key: request.query_params.getlist(key) for key in request.query_params})
        return judges_page(request, given, visitor.csrf)

    async def begin(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(start, request, given)

    def start(request: Request, given: Form) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            judging.start(wanted_of(given))
        except (HaechiError, OSError) as error:
            return judges_page(request, given, csrf, _problems(study, error))
        return back()

    def go_on(request: Request) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            judging.go_on()
        except (HaechiError, OSError) as error:
            return judges_page(request, Form(), csrf, _problems(study, error))
        return back()

    def stop(request: Request) -> Response:
        site.access.owner(request)
        judging.stop()
        return back()

    def back() -> Response:
        return RedirectResponse(f"{site.options.base}/owner/judges", status_code=303)

    return [
        Route("/owner/judges", front),
        Route("/owner/judges", begin, methods=["POST"]),
        Route("/owner/judges/stop", stop, methods=["POST"]),
        Route("/owner/judges/go-on", go_on, methods=["POST"]),
    ]


def wanted_of(given: Form) -> Wanted:
    """Who is to judge, as the form says.

    >>> wanted_of(Form(model=["openai:gpt-5-mini", ""], max_cost=["2"]))
    Wanted(models=('openai:gpt-5-mini',), repeat=1, limit=None, max_cost=2.0)
    """
    models = tuple(name for name in (one.strip() for one in given.get("model", [])) if name)
    return Wanted(
        models,
        count_in(given, "repeat", Text("반복", "repeats")) or 1,
        count_in(given, "limit", Text("호출 수", "calls")),
        amount_in(given, "max_cost", Text("한도", "limit")),
    )


def _estimated(study: Study, given: Form) -> dict[str, Any]:
    """What the judges would take, or why they cannot be asked."""
    try:
        wanted = wanted_of(given)
        judges = judges_of(study, list(wanted.models))
        found = [estimate(study, judge, wanted.repeat, wanted.limit) for judge in judges]
    except HaechiError as error:
        return {"problems": error.problems}
    return {
        "wanted": wanted,
        "estimates": found,
        "proposed": given.one("max_cost") or _proposed(found),
        "command": judge_command(study, wanted),
    }


def _proposed(found: list[Estimate]) -> str:
    """A limit to begin with: the worst case, or a dollar or twice the likely cost where the worst case is more."""
    if any(one.cost is None or one.at_most is None for one in found):
        return ""
    likely, worst = sum(one.cost or 0 for one in found), sum(one.at_most or 0 for one in found)
    return f"{math.ceil(100 * min(worst, max(_USUAL_LIMIT, 2 * likely))) / 100:.2f}"


def _keys() -> list[tuple[str, str, bool]]:
    """The providers, the variable that holds the key of each, and whether it is set; never the key."""
    return [
        (name, one.keys[0], any(os.environ.get(key) for key in one.keys))
        for name, one in PROVIDERS.all().items()
        if one.keys
    ]


def _problems(study: Study, error: HaechiError | OSError) -> tuple[Problem, ...]:
    if isinstance(error, HaechiError):
        return error.problems
    expected = Text("쓰기가 허용된 폴더", "a folder that may be written to")
    todo = Text("폴더의 쓰기 권한과 빈 공간을 확인하세요", "check its permissions and the free space")
    return (Problem(str(study.folder), error.strerror or type(error).__name__, expected, todo),)
