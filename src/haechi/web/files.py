"""The owner's files: dropped in, read as the command line reads them, confirmed, listed and taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.data.files import refuse
from haechi.data.mapping import MAPPED, read_map
from haechi.data.proposal import Proposal, What, Wishes, fields_of
from haechi.data.tables import Reading
from haechi.data.understanding import IGNORED, ColumnReading
from haechi.errors import HaechiError, Problem
from haechi.judge.providers import PROVIDERS
from haechi.store.imports import COUNTED, WHAT, unnumbered
from haechi.study import Study
from haechi.text import Text
from haechi.web.bodies import Form, read_form
from haechi.web.commands import Option, command
from haechi.web.site import Site, json_response
from haechi.web.uploads import Tray, Trays, receive

GIVEN = {
    "items": Text("평가할 항목", "Items to judge"),
    "ratings": Text("평가", "Ratings"),
    "meta": Text("항목에 덧붙일 정보", "More about the items"),
}
BATCH = "-batch"
_SHOWN = 200
_REHEARSED = 100_000  # ratings: while they are tried, others wait to write


class _Taken(Protocol):
    """What every way in has: its number in the history, None where nothing changed."""

    @property
    def number(self) -> int | None: ...


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
            what=[*GIVEN.items(), *((form, _batch_words(form)) for form in _batch_forms())],
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

    async def upload(request: Request) -> Response:
        await site.in_thread(site.access.owner, request)
        asked = request.query_params
        if asked.get("tray"):
            tray = trays.get(asked["tray"])
        else:
            what = asked.get("what", "")
            if what not in GIVEN and what not in _batch_forms():
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
            **_reading(study, tray, given),
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
            done = _taken(study, tray, given)
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


def _batch_forms() -> list[str]:
    return [f"{name}{BATCH}" for name, found in PROVIDERS.all().items() if found.batches]


def _batch_words(form: str) -> Text:
    name = form.removesuffix(BATCH)
    return Text(f"AI 배치 결과 ({name})", f"Batch results ({name})")


def wishes_of(given: Mapping[str, list[str]]) -> Wishes:
    """What the owner says about files, as the options of the commands do.

    >>> wishes_of({"map": ["item=대화 번호", ""], "rater": ["kim"]}).reading.map
    (('item', '대화 번호'),)
    """
    said = Form(given)
    row = said.one("header_row")
    if row and not (row.isascii() and row.isdigit() and 0 < int(row[:9]) < 10**6):
        expected, todo = Text("행의 번호", "the number of a row"), Text("번호를 고치세요", "correct it")
        raise refuse(Text("머리글 행", "header row").say(), row, expected, todo)
    keep = said.one("keep")
    reading = Reading(
        sheet=said.one("sheet") or None,
        header_row=int(row) if row else None,
        map=read_map(one for one in said.get("map", []) if one.strip()),
        item=said.one("item") or None,
        keep="first" if keep == "first" else "last" if keep == "last" else "all" if keep == "all" else None,
    )
    names = tuple(name.strip() for name in said.one("assistant").split(",") if name.strip())
    kind = said.one("kind")
    return Wishes(
        reading,
        names,
        said.one("rater") or None,
        kind if kind in ("human", "ai", "code") else None,
        said.one("stance") or None,
    )


def _options(tray: Tray, wishes: Wishes, given: Form) -> list[Option]:
    reading = wishes.reading
    corrects = "replace" if tray.what in ("items", "meta") else "correct"
    return [
        ("as", tray.what if tray.what not in ("items", "meta") else None),
        ("join", tray.what == "meta"),
        *(("map", f"{field}={column}") for field, column in reading.map),
        ("sheet", reading.sheet),
        ("header-row", reading.header_row),
        ("item", reading.item),
        ("keep", reading.keep),
        *(("assistant", name) for name in wishes.assistant),
        ("rater", wishes.rater),
        ("kind", wishes.kind),
        ("stance", wishes.stance),
        ("create-items", bool(given.one("create_items"))),
        ("skip-bad", bool(given.one("skip_bad"))),
        (corrects, bool(given.one("correct"))),
    ]


def _reading(study: Study, tray: Tray, given: Form) -> dict[str, Any]:
    """How the files of a tray are read with what the owner says: for the page."""
    name = "add" if tray.what in ("items", "meta") else "import"
    files = [path.name for path in tray.files]
    shown: dict[str, Any] = {
        "words": GIVEN.get(tray.what) or _batch_words(tray.what),
        "proposal": None,
        "joined": None,
        "would": None,
        "blocked": False,
        "fields": {},
        "problems": (),
        "rubric": study.rubric,
        "choice": choice,
        "mapped": MAPPED,
        "command": command(name, study.folder, *files),
    }
    try:
        wishes = wishes_of(given)
        shown["command"] = command(name, study.folder, *files, options=_options(tray, wishes, given))
        if tray.what in ("items", "ratings"):
            what: What = "items" if tray.what == "items" else "ratings"
            proposal = study.propose(tray.files, what, wishes)
            shown |= {"proposal": proposal, "fields": fields_of(study.rubric, what)}
            shown["problems"] = _problems(proposal)
            if what == "ratings" and not _is_open(proposal, given) and proposal.count <= _REHEARSED:
                shown["would"] = _taken(study, tray, given, dry_run=True)
            return shown
        if tray.what == "meta":
            return {**shown, "joined": _taken(study, tray, given, dry_run=True)}
        return {**shown, "would": _taken(study, tray, given, dry_run=True)}
    except HaechiError as error:
        return {**shown, "problems": error.problems, "blocked": True}


def _problems(proposal: Proposal) -> tuple[Problem, ...]:
    return (*proposal.asked, *proposal.problems[:_SHOWN])


def _is_open(proposal: Proposal, given: Form) -> bool:
    """Whether something has to be answered or mended first."""
    return bool(proposal.asked or (proposal.problems and not given.one("skip_bad")))


def _taken(study: Study, tray: Tray, given: Form, dry_run: bool = False) -> _Taken:
    """Bring in the files of a tray as they were shown; with `dry_run` only tell what that would do."""
    wishes, correct = wishes_of(given), bool(given.one("correct"))
    skip_bad, create_items = bool(given.one("skip_bad")), bool(given.one("create_items"))
    if tray.what == "items":
        proposal = study.propose(tray.files, "items", wishes)
        if _is_open(proposal, given):
            raise HaechiError(_problems(proposal))
        return study.take(proposal, skip_bad, create_items, correct)
    if tray.what == "ratings":
        return study.import_ratings(
            tray.files,
            wishes.rater,
            wishes.kind,
            wishes.stance,
            correct,
            skip_bad,
            create_items=create_items,
            reading=wishes.reading,
            dry_run=dry_run,
        )
    if tray.what == "meta":
        return study.join(
            tray.files,
            correct,
            skip_bad,
            create_items=create_items,
            reading=wishes.reading,
            dry_run=dry_run,
        )
    done = study.import_results(
        tray.files,
        tray.what.removesuffix(BATCH),
        wishes.rater,
        correct,
        skip_bad,
        create_items=create_items,
        dry_run=dry_run,
    )
    return done.ratings


def choice(reading: ColumnReading) -> str:
    """What `--map` would say for a column as it is read.

    >>> choice(ColumnReading("공감", "value", "sympathy")), choice(ColumnReading("메모", "ignore"))
    ('sympathy=공감', 'ignore=메모')
    """
    field = reading.criterion if reading.field == "value" and reading.criterion else reading.field
    return f"{IGNORED if reading.field == IGNORED else field}={reading.column}"
