"""The owner's files: dropped in, read as the command line reads them, confirmed, listed and taken back."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.errors import HaechiError, Problem
from haechi.store.database import local
from haechi.store.imports import COUNTED, WHAT, unnumbered
from haechi.web.bodies import Form, read_form
from haechi.web.commands import command
from haechi.web.intake import GIVEN, batch_forms, batch_words, reading_of, taken
from haechi.web.site import Site, json_response
from haechi.web.uploads import Tray, Trays, receive


def routes(site: Site) -> list[Route]:
    """The routes of the files."""
    trays, study = Trays(), site.study

    def front(request: Request) -> Response:
        visitor = site.access.owner(request)
        return files_page(request, visitor.csrf)

    def files_page(request: Request, csrf: str, problems: tuple[Problem, ...] = ()) -> Response:
        with study.database.read() as connection:
            others = unnumbered(connection)
        steps, done = [*reversed(study.history())], request.query_params.get("done", "")
        return site.page(
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
            local=local,
            counted=COUNTED,
            done=done,
            problems=problems,
            commands=[command("add", study.folder, "FILE"), command("history", study.folder)],
        )

    async def upload(request: Request) -> Response:
        await site.in_thread(site.access.owner, request)
        asked = request.query_params
        if asked.get("tray"):
            tray = trays.get(asked["tray"])
        else:
            what = asked.get("what", "")
            if what not in GIVEN and what not in batch_forms():
                raise HTTPException(400)
            tray = await site.in_thread(trays.new, what)
        try:
            await receive(request, tray, asked.get("name", ""))
        except HaechiError as error:
            return json_response({"error": [problem.as_json() for problem in error.problems]}, 422)
        return json_response({"tray": tray.id})

    def tray_page(
        request: Request,
        tray: Tray,
        given: Form,
        csrf: str,
        problems: tuple[Problem, ...] = (),
    ) -> Response:
        return site.page(
            request,
            "tray.html",
            422 if problems else 200,
            csrf=csrf,
            tray=tray,
            given=given,
            refused=problems,
            **reading_of(study, tray, given),
        )

    def look(request: Request) -> Response:
        visitor = site.access.owner(request)
        tray = _found(site, trays, request)
        given = Form({key: request.query_params.getlist(key) for key in request.query_params})
        return tray_page(request, tray, given, visitor.csrf)

    async def confirm(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(take, request, given)

    def take(request: Request, given: Form) -> Response:
        visitor = site.access.owner(request)
        tray = _found(site, trays, request)
        try:
            done = taken(study, tray, given)
        except HaechiError as error:
            return tray_page(request, tray, given, visitor.csrf, error.problems)
        trays.drop(tray.id)
        return _to_files(site, f"?done={done.number or 0}")

    def drop(request: Request) -> Response:
        site.access.owner(request)
        trays.drop(request.path_params["tray"])
        return _to_files(site)

    async def undo(request: Request) -> Response:
        given = await read_form(request)
        return await site.in_thread(take_back, request, given)

    def take_back(request: Request, given: Form) -> Response:
        visitor = site.access.owner(request)
        number = given.one("number")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise HTTPException(400)
        try:
            done = study.undo(int(number))
        except HaechiError as error:
            return files_page(request, visitor.csrf, error.problems)
        return _to_files(site, f"?done={done.number}")

    return [
        Route("/owner/files", front),
        Route("/owner/files", upload, methods=["POST"]),
        Route("/owner/files/undo", undo, methods=["POST"]),
        Route("/owner/files/{tray}", look),
        Route("/owner/files/{tray}", confirm, methods=["POST"]),
        Route("/owner/files/{tray}/drop", drop, methods=["POST"]),
    ]


def _to_files(site: Site, query: str = "") -> Response:
    return RedirectResponse(f"{site.options.base}/owner/files{query}", status_code=303)


def _found(site: Site, trays: Trays, request: Request) -> Tray:
    try:
        return trays.get(request.path_params["tray"])
    except HTTPException:  # confirmed in another window, or the server was started anew
        raise HTTPException(303, headers={"Location": f"{site.options.base}/owner/files?done=gone"}) from None
