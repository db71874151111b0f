"""The owner's page of the agent under test: a suite dropped in, the agent described, what would be asked, the run itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.text import Text
from haechi.web.agent_process import AgentProcess, AgentRunOptions
from haechi.web.bodies import SubmittedForm, read_form
from haechi.web.form_numbers import amount_in, count_in
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


class AgentRuns:
    """The page of the agent and what is pressed on it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._running, self._trays = AgentProcess(site.study, site.options.commands), Trays()

    def front(self, request: Request) -> Response:
        """The page."""
        return self._page(request, self._site.access.owner(request).csrf)

    def _page(
        self,
        request: Request,
        csrf: str,
        refused: tuple[Problem, ...] = (),
        given: SubmittedForm | None = None,
    ) -> Response:
        return self._site.page(
            request,
            "run.html",
            422 if refused else 200,
            csrf=csrf,
            refused=refused,
            allowed=self._site.options.commands,
            is_run=self._site.study.rubric.item == "run",
            **_shown(self._running, given),
        )

    async def suite(self, request: Request) -> Response:
        """A suite is dropped in."""
        in_thread = self._site.in_thread
        await in_thread(self._site.access.owner, request)
        tray = await in_thread(self._trays.new, "suite")
        try:
            file = await receive(request, tray, request.query_params.get("name", ""))
            await in_thread(self._running.take_suite, file)
        except HaechiError as error:
            return json_response({"error": [problem.as_json() for problem in error.problems]}, 422)
        finally:
            await in_thread(self._trays.drop, tray.id)
        return json_response({"next": self._address})

    def without_suite(self, request: Request) -> Response:
        """The suite is not wanted."""
        return self._done(request, self._running.drop_suite)

    async def keep(self, request: Request) -> Response:
        """The agent is described."""
        return await self._site.in_thread(self._keep, request, await read_form(request))

    def _keep(self, request: Request, given: SubmittedForm) -> Response:
        return self._done(
            request, lambda: self._running.keep(wanted_of(given), given.one("description")), given
        )

    async def begin(self, request: Request) -> Response:
        """The agent is asked."""
        return await self._site.in_thread(self._begin, request, await read_form(request))

    def _begin(self, request: Request, given: SubmittedForm) -> Response:
        return self._done(request, lambda: self._running.start(bool(given.one("retry"))))

    def stop(self, request: Request) -> Response:
        """A run is ended."""
        return self._done(request, self._running.stop)

    def _done(
        self, request: Request, work: Callable[[], None], given: SubmittedForm | None = None
    ) -> Response:
        csrf = self._site.access.owner(request).csrf
        try:
            work()
        except HaechiError as error:
            return self._page(request, csrf, error.problems, given)
        return RedirectResponse(self._address, status_code=303)

    @property
    def _address(self) -> str:
        return f"{self._site.options.base}/owner/run"


def routes(site: Site) -> list[Route]:
    """The routes of the agent."""
    agent = AgentRuns(site)
    return [
        Route("/owner/run", agent.front),
        Route("/owner/run/suite", agent.suite, methods=["POST"]),
        Route("/owner/run/without-suite", agent.without_suite, methods=["POST"]),
        Route("/owner/run/agent", agent.keep, methods=["POST"]),
        Route("/owner/run", agent.begin, methods=["POST"]),
        Route("/owner/run/stop", agent.stop, methods=["POST"]),
    ]


def _shown(running: AgentProcess, given: SubmittedForm | None) -> dict[str, Any]:
    """What the page shows: what is wished, what that would ask, and how the run stands; a form that was refused as it was given."""
    run = running.standing()  # asked first: what a run that has ended leaves to ask is then told
    shown: dict[str, Any] = {"prepared": None, "problems": ()}
    if running.wanted is not None and given is None:
        shown = _prepared(running)
    return {
        "run": run,
        "suite": running.suite,
        "given": given or _form_of(running.wanted or AgentRunOptions(), running.description),
        "example": _EXAMPLE,
        "most": _SHOWN,
        "dry": running.command(dry=True),
        "command": running.command(),
        "again": running.command(retry=True),
        **shown,
    }


def wanted_of(given: SubmittedForm) -> AgentRunOptions:
    """What is to be asked of whom, as the form says.

    >>> wanted_of(SubmittedForm(agent=["openai:qwen3@http://localhost:8000/v1"], rounds=["2"], version=["1.4"])).rounds
    2
    """
    version = given.one("version") or None
    if version is not None and (len(version) > _LONGEST_VERSION or not version.isprintable()):
        expected = Text("100자 이하의 이름", "a name of at most 100 characters")
        todo = Text("버전을 고치세요", "correct the version")
        raise HaechiError.of(Text("버전", "version").say(), version[:80], expected, todo)
    usual = AgentRunOptions()
    return AgentRunOptions(
        given.one("agent"),
        count_in(given, "rounds", Text("회차", "rounds")) or usual.rounds,
        version,
        count_in(given, "at_once", Text("동시에", "at once")) or usual.at_once,
        amount_in(given, "timeout", Text("기다리는 초", "seconds to wait")) or usual.timeout,
        count_in(given, "limit", Text("최대", "at most")),
    )


def _form_of(wanted: AgentRunOptions, description: str) -> SubmittedForm:
    said = {
        "agent": wanted.agent,
        "rounds": wanted.rounds,
        "version": wanted.version or "",
        "at_once": wanted.at_once,
        "timeout": f"{wanted.timeout:g}",
        "limit": wanted.limit or "",
        "description": description,
    }
    return SubmittedForm({name: [str(value)] for name, value in said.items()})


def _prepared(running: AgentProcess) -> dict[str, Any]:
    """What would be asked, or why it cannot be."""
    try:
        return {"prepared": running.prepared(), "problems": ()}
    except HaechiError as error:
        return {"prepared": None, "problems": error.problems}
