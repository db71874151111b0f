"""The owner's files: dropped in, read as the command line reads them, confirmed, listed and taken back."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.store.imports import COUNTED, WHAT, unnumbered_ratings
from haechi.web.bodies import SubmittedForm, asked_of, read_form
from haechi.web.commands import command
from haechi.web.intake import GIVEN, batch_forms, batch_words, reading_of, take_files, tell_problems
from haechi.web.site import Site, json_response
from haechi.web.uploads import Tray, Trays, receive


class Files:
    """The pages of one study's files."""

    def __init__(self, site: Site) -> None:
        self._site, self._study, self._trays = site, site.study, Trays()

    def front(self, request: Request) -> Response:
        """What came in so far, and the place to drop more."""
        return self._page(request, self._site.access.owner(request).csrf)

    def _page(self, request: Request, csrf: str, problems: tuple[Problem, ...] = ()) -> Response:
        study = self._study
        with study.database.read() as connection:
            others = unnumbered_ratings(connection)
        steps, done = [*reversed(study.history())], request.query_params.get("done", "")
        return self._site.page(
            request,
            "files.html",
            422 if problems else 200,
            csrf=csrf,
            what=[*GIVEN.items(), *((form, batch_words(form)) for form in batch_forms())],
            chosen="items" if not study.count_items() else "ratings",
            steps=steps,
            came=next((step for step in steps if str(step.number) == done and step.about is None), None),
            others=others,
            called=WHAT,
            counted=COUNTED,
            done=done,
            problems=problems,
            commands=[command("add", study.folder, "FILE"), command("history", study.folder)],
        )

    async def upload(self, request: Request) -> Response:
        """A file, into a new tray or one that is there."""
        await self._site.in_thread(self._site.access.owner, request)
        asked = request.query_params
        if asked.get("tray"):
            tray = self._trays.get(asked["tray"])
        else:
            what = asked.get("what", "")
            if what not in GIVEN and what not in batch_forms():
                raise HTTPException(400)
            tray = await self._site.in_thread(self._trays.new, what)
        try:
            await receive(request, tray, asked.get("name", ""))
        except HaechiError as error:
            return json_response({"error": [problem.as_json() for problem in error.problems]}, 422)
        return json_response({"tray": tray.id})

    def look(self, request: Request) -> Response:
        """How the files of a tray are read."""
        visitor = self._site.access.owner(request)
        return self._tray_page(request, self._tray(request), asked_of(request), visitor.csrf)

    def _tray_page(
        self,
        request: Request,
        tray: Tray,
        given: SubmittedForm,
        csrf: str,
        problems: tuple[Problem, ...] = (),
    ) -> Response:
        return self._site.page(
            request,
            "tray.html",
            422 if problems else 200,
            csrf=csrf,
            tray=tray,
            given=given,
            refused=problems,
            **reading_of(self._study, tray, given),
        )

    async def confirm(self, request: Request) -> Response:
        """The files of a tray are taken as they are read."""
        return await self._site.in_thread(self._take, request, await read_form(request))

    def _take(self, request: Request, given: SubmittedForm) -> Response:
        visitor = self._site.access.owner(request)
        tray = self._tray(request)
        try:
            done = take_files(self._study, tray, given)
        except HaechiError as error:
            problems = tell_problems(self._study, tray, error.problems)
            return self._tray_page(request, tray, given, visitor.csrf, problems)
        self._trays.drop(tray.id)
        return self._back(f"?done={done.number or 0}")

    def drop(self, request: Request) -> Response:
        """The files of a tray are not wanted."""
        self._site.access.owner(request)
        self._trays.drop(request.path_params["tray"])
        return self._back()

    async def undo(self, request: Request) -> Response:
        """A step is taken back."""
        return await self._site.in_thread(self._undo, request, await read_form(request))

    def _undo(self, request: Request, given: SubmittedForm) -> Response:
        visitor, number = self._site.access.owner(request), given.one("number")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise HTTPException(400)
        try:
            done = self._study.undo(int(number))
        except HaechiError as error:
            return self._page(request, visitor.csrf, error.problems)
        return self._back(f"?done={done.number}")

    def _back(self, query: str = "") -> Response:
        return RedirectResponse(f"{self._site.options.base}/owner/files{query}", status_code=303)

    def _tray(self, request: Request) -> Tray:
        try:
            return self._trays.get(request.path_params["tray"])
        except HTTPException:  # confirmed in another window, or the server was started anew
            there = f"{self._site.options.base}/owner/files?done=gone"
            raise HTTPException(303, headers={"Location": there}) from None


def routes(site: Site) -> list[Route]:
    """The routes of the files."""
    files = Files(site)
    return [
        Route("/owner/files", files.front),
        Route("/owner/files", files.upload, methods=["POST"]),
        Route("/owner/files/undo", files.undo, methods=["POST"]),
        Route("/owner/files/{tray}", files.look),
        Route("/owner/files/{tray}", files.confirm, methods=["POST"]),
        Route("/owner/files/{tray}/drop", files.drop, methods=["POST"]),
    ]
