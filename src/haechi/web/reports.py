"""The owner's report: written as the command writes it, read on a page, downloaded, and compared with another study."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from haechi.analysis.analysis import Analysis
from haechi.analysis.analysis_cache import state_of
from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.report import change, folder
from haechi.report.document import Report
from haechi.report.html import policy
from haechi.study.study import Study
from haechi.text import Text, language
from haechi.web.commands import command
from haechi.web.shelf import Shelf
from haechi.web.site import Site

_KEPT = 4  # a download may still be on its way when a newer report is made
_ZIP = "report.zip"


class ReportOptions(NamedTuple):
    """Which report: grouped by fields, without names, or as the change since another study."""

    by: tuple[str, ...] = ()
    anonymous: bool = False
    since: str | None = None


@frozen
class WrittenReport:
    """A report that was written, for a state of the studies."""

    key: object
    report: Report
    folder: Path
    files: tuple[str, ...]


class Reports:
    """Writes reports and keeps the newest until ratings or items have come."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._made: list[WrittenReport] = []
        self._lock = threading.Lock()
        self._place: Path | None = None

    def get(self, wish: ReportOptions, since: Study | None) -> WrittenReport:
        """The report as of now; two who ask at once wait for one."""
        with self._lock:
            states = [state_of(study) for study in (self._study, since) if study is not None]
            key = (wish, language(), states)
            made = next((one for one in self._made if one.key == key), None)
            if made is None:
                made = self._write(key, wish, since)
                self._made.append(made)
                for old in self._made[:-_KEPT]:
                    shutil.rmtree(old.folder.parent, ignore_errors=True)
                del self._made[:-_KEPT]
            return made

    def _write(self, key: object, wish: ReportOptions, since: Study | None) -> WrittenReport:
        if self._place is None:
            self._place = Path(tempfile.mkdtemp(prefix="haechi-reports-"))
            weakref.finalize(self, shutil.rmtree, self._place, ignore_errors=True)
        out = Path(tempfile.mkdtemp(dir=self._place)) / "report"
        if since is None:
            figures = Analysis(self._study, wish.by, anonymous=wish.anonymous)
            files, report = folder.files_of(figures), folder.write_report(figures, out)
        else:
            files = change.FILES
            before, after = (
                Analysis(one, anonymous=wish.anonymous, beside=[other.folder])
                for one, other in ((since, self._study), (self._study, since))
            )
            report = change.write_change(before, after, out)
        shutil.make_archive(str(out.parent / "all"), "zip", out)
        return WrittenReport(key, report, out, files)


class ReportPages:
    """The report on a page, as it is and as files, with what it can be grouped by or compared with."""

    def __init__(self, site: Site) -> None:
        self._site, self._study, self._reports = site, site.study, Reports(site.study)

    def front(self, request: Request) -> Response:
        """The report among the owner's pages."""
        csrf = self._site.access.owner(request).csrf
        study, made, problems = self._study, None, tuple[Problem, ...]()
        wish, since = self._wished(request)
        try:
            made = self._reports.get(wish, since)
        except HaechiError as error:
            problems = error.problems
        return self._site.page(
            request,
            "report.html",
            csrf=csrf,
            made=made,
            problems=problems,
            wish=wish,
            fields=study.meta_fields(),
            others=_others(self._site, request),
            query=_query(request),
            has_items=study.count_items() > 0,
            waiting=made is None and _is_unrated(study),
            command=_command(study, wish, since),
            zip=_ZIP,
        )

    def read(self, request: Request) -> Response:
        """The report as it is, with a way back."""
        self._site.access.owner(request)
        page = (self._reports.get(*self._wished(request)).folder / "report.html").read_text("utf-8")
        back = Text("해치로 돌아가기", "Back to Haechi").say()
        there = f"{self._site.options.base}/owner/report{_attribute(_query(request))}"
        shown = page.replace("<body>", f'<body><nav class="note"><a href="{there}">← {back}</a></nav>', 1)
        response = Response(shown, media_type="text/html; charset=utf-8")
        response.headers["Content-Security-Policy"] = f"{policy()}; frame-ancestors 'none'"
        return response

    def download(self, request: Request) -> Response:
        """One file of the report, or all of them."""
        self._site.access.owner(request)
        made, name = self._reports.get(*self._wished(request)), request.path_params["file"]
        if name != _ZIP and name not in made.files:
            raise HTTPException(404)
        path = made.folder.parent / "all.zip" if name == _ZIP else made.folder / name
        return FileResponse(path, filename=f"{self._study.name} {name}")

    def _wished(self, request: Request) -> tuple[ReportOptions, Study | None]:
        asked = request.query_params
        by = tuple(name for name in (one.strip() for one in asked.getlist("by")) if name)
        shelf = _shelf(self._site, request)
        since = shelf.study(asked["since"]) if shelf and asked.get("since") else None
        if asked.get("since") and since is None:
            raise HTTPException(404)
        return ReportOptions(by, bool(asked.get("anonymous")), asked.get("since") or None), since


def routes(site: Site) -> list[Route]:
    """The routes of the report."""
    pages = ReportPages(site)
    return [
        Route("/owner/report", pages.front),
        Route("/owner/report/read", pages.read),
        Route("/owner/report/files/{file}", pages.download),
    ]


def _query(request: Request) -> str:
    return f"?{request.url.query}" if request.url.query else ""


def _is_unrated(study: Study) -> bool:
    """Whether nobody has rated anything, which is no fault."""
    with study.database.read() as connection:
        return connection.value("SELECT number FROM ratings_in_force LIMIT 1") is None


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "%22").replace("<", "%3C").replace(">", "%3E")


def _shelf(site: Site, request: Request) -> Shelf | None:
    """The studies beside this one, for whoever owns them, too."""
    return site.shelf if site.access.owns_all(request) else None


def _others(site: Site, request: Request) -> list[str]:
    """The other studies with the same instrument."""
    names, shelf = [], _shelf(site, request)
    for name in shelf.names() if shelf else ():
        try:
            other = shelf.study(name) if shelf else None
        except HaechiError:  # it says why where all studies are listed
            continue
        if other is not None and other is not site.study and other.rubric.id == site.study.rubric.id:
            names.append(name)
    return names


def _command(study: Study, wish: ReportOptions, since: Study | None) -> str:
    if since is not None:
        return command("report", since.folder, study.folder, options=[("output", "changes")])
    by = ",".join(wish.by) or None
    options = [("output", "report"), ("by", by), ("anonymous", wish.anonymous)]
    return command("report", study.folder, options=options)
