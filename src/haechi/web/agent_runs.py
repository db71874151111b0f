"""The owner's page of the agent under test: a suite dropped in, the agent described, what would be asked, the run itself."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.text import Text
from haechi.web.bodies import Form, read_form
from haechi.web.numbers import amount_in, count_in
from haechi.web.running import Running, Wanted
from haechi.web.site import Site, json_response
from haechi.web.uploads import Trays, receive

_SHOWN = 5
_LONGEST_VERSION = 100
_EXAMPLE = """url: https://agent.example.com/chat
headers:
  Authorization: Bearer ${HAECHI_KEY_AGENT_EXAMPLE_COM}
body:
  message: $query
  session: $session
answer:
  message: data.assistantMessage
  payload: data
  error: error.message
"""


def routes(site: Site) -> list[Route]:
    """The routes of the agent."""
    running, trays = Running(site.study, site.options.commands), Trays()

    def run_page(
        request: Request, csrf: str, refused: tuple[Problem, ...] = (), given: Form | None = None
    ) -> Response:
        return site.page(
            request,
            "run.html",
            422 if refused else 200,
            csrf=csrf,
            refused=refused,
            allowed=site.options.commands,
            is_run=site.study.rubric.item == "run",
            **_shown(running, given),
        )

    def front(request: Request) -> Response:
        return run_page(request, site.access.owner(request).csrf)

    async def suite(request: Request) -> Response:
        await site.in_thread(site.access.owner, request)
        tray = await site.in_thread(trays.new, "suite")
        try:
            file = await receive(request, tray, request.query_params.get("name", ""))
            await site.in_thread(running.take_suite, file)
        except HaechiError as error:
            return json_response({"error": [problem.as_json() for problem in error.problems]}, 422)
        finally:
            await site.in_thread(trays.drop, tray.id)
        return json_response({"next": f"{site.options.base}/owner/run"})

    def without_suite(request: Request) -> Response:
        site.access.owner(request)
        running.drop_suite()
        return back()

    async def keep(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(kept, request, given)

    def kept(request: Request, given: Form) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            running.keep(wanted_of(given), given.one("description"))
        except HaechiError as error:
            return run_page(request, csrf, error.problems, given)
        return back()

    async def begin(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(start, request, bool(given.one("retry")))

    def start(request: Request, retry: bool) -> Response:
        csrf = site.access.owner(request).csrf
        try:
            running.start(retry)
        except HaechiError as error:
            return run_page(request, csrf, error.problems)
        return back()

    def stop(request: Request) -> Response:
        site.access.owner(request)
        running.stop()
        return back()

    def back() -> Response:
        return RedirectResponse(f"{site.options.base}/owner/run", status_code=303)

    return [
        Route("/owner/run", front),
        Route("/owner/run/suite", suite, methods=["POST"]),
        Route("/owner/run/without-suite", without_suite, methods=["POST"]),
        Route("/owner/run/agent", keep, methods=["POST"]),
        Route("/owner/run", begin, methods=["POST"]),
        Route("/owner/run/stop", stop, methods=["POST"]),
    ]


def _shown(running: Running, given: Form | None) -> dict[str, Any]:
    """What the page shows: what is wished, what that would ask, and how the run stands; a form that was refused as it was given."""
    run = running.standing()  # asked first: what a run that has ended leaves to ask is then told
    shown: dict[str, Any] = {"prepared": None, "problems": ()}
    if running.wanted is not None and given is None:
        shown = _prepared(running)
    return {
        "run": run,
        "suite": running.suite,
        "given": given or _form_of(running.wanted or Wanted(), running.description),
        "example": _EXAMPLE,
        "most": _SHOWN,
        "dry": running.command(dry=True),
        "command": running.command(),
        "again": running.command(retry=True),
        **shown,
    }


def wanted_of(given: Form) -> Wanted:
    """What is to be asked of whom, as the form says.

    >>> wanted_of(Form(agent=["openai:qwen3@http://localhost:8000/v1"], rounds=["2"], version=["1.4"])).rounds
    2
    """
    version = given.one("version") or None
    if version is not None and (len(version) > _LONGEST_VERSION or not version.isprintable()):
        expected = Text("100자 이하의 이름", "a name of at most 100 characters")
        todo = Text("버전을 고치세요", "correct the version")
        raise HaechiError.of(Text("버전", "version").say(), version[:80], expected, todo)
    usual = Wanted()
    return Wanted(
        given.one("agent"),
        count_in(given, "rounds", Text("회차", "rounds")) or usual.rounds,
        version,
        count_in(given, "at_once", Text("동시에", "at once")) or usual.at_once,
        amount_in(given, "timeout", Text("기다리는 초", "seconds to wait")) or usual.timeout,
        count_in(given, "limit", Text("최대", "at most")),
    )


def _form_of(wanted: Wanted, description: str) -> Form:
    said = {
        "agent": wanted.agent,
        "rounds": wanted.rounds,
        "version": wanted.version or "",
        "at_once": wanted.at_once,
        "timeout": f"{wanted.timeout:g}",
        "limit": wanted.limit or "",
        "description": description,
    }
    return Form({name: [str(value)] for name, value in said.items()})


def _prepared(running: Running) -> dict[str, Any]:
    """What would be asked, or why it cannot be."""
    try:
        return {"prepared": running.prepared(), "problems": ()}
    except HaechiError as error:
        return {"prepared": None, "problems": error.problems}
