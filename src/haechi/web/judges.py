"""The owner's AI judges: what they would cost, started within a limit, followed, stopped, and gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from markupsafe import Markup as SafeMarkup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from haechi.analysis.audit_variants import audited_of, audited_variants
from haechi.analysis.trial import FOLDER, trial_of, trial_study
from haechi.data.judging_protocol import EFFORTS
from haechi.errors import HaechiError, Problem
from haechi.judge.estimates import CostEstimate, estimate
from haechi.judge.judges import check_batches
from haechi.judge.providers import PROVIDERS
from haechi.judge.providers.prices import Prices
from haechi.report.html_parts import html_parts
from haechi.report.table import Table
from haechi.report.tables.audit import variants_tables
from haechi.report.tables.trial import recommendation, trial_table
from haechi.store.folder import AUDIT
from haechi.store.items import without_content
from haechi.store.journal import spent_by_rater
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.bodies import SubmittedForm, asked_of, read_form
from haechi.web.commands import command
from haechi.web.field_names import JUDGES, by_fields, problems_by_fields
from haechi.web.judge_process import JudgeProcess, JudgingStatus, judge_command, least_cost, whole_cents
from haechi.web.judging_options import FOLDED, JudgingOptions, judges_for, second_judges, wanted_of
from haechi.web.site import Site

_SHOWN = 5
_NOTHING: dict[str, Any] = {
    "estimates": [],
    "problems": (),
    "proposed": None,
    "command": "",
    "wanted": None,
    "trying": "",
}
_USUAL_LIMIT = 1.0  # dollars proposed at least, where the worst case is more


class Judges:
    """The pages of one study's AI judges."""

    def __init__(self, site: Site) -> None:
        self._site, self._study, self._judging = site, site.study, JudgeProcess(site.study)

    def front(self, request: Request) -> Response:
        """How the judges stand, and what others would cost."""
        csrf = self._site.access.owner(request).csrf
        return self._page(request, asked_of(request), csrf)

    def _page(
        self, request: Request, given: SubmittedForm, csrf: str, refused: tuple[Problem, ...] = ()
    ) -> Response:
        study, judging = self._study, self._judging
        with study.database.read() as connection:
            empty, first = without_content(connection, _SHOWN)
            paid = [row.as_dict() for row in spent_by_rater(connection)]
        run = judging.standing()
        return self._site.page(
            request,
            "judges.html",
            422 if refused else 200,
            csrf=csrf,
            given=given,
            refused=refused,
            on_page=partial(by_fields, fields=JUDGES),
            limit_field=JUDGES["--max-cost"],
            run=run,
            tried=_tried(study, run),
            efforts=EFFORTS,
            more=any(map(given.one, FOLDED)),
            pairs=study.rubric.item == "pair",
            batches=judging.batches(),
            collecting=judging.collecting,
            keys=_keys(),
            models=Prices.read(study.folder).names(),
            empty=empty,
            empty_first=first,
            items=study.count_items(),
            paid=paid,
            fetching=command("collect", study.folder),
            **_estimated(study, given),
        )

    async def begin(self, request: Request) -> Response:
        """Judges are started."""
        return await self._site.in_thread(self._begin, request, await read_form(request))

    def _begin(self, request: Request, given: SubmittedForm) -> Response:
        return self._done(request, given, lambda: self._judging.start(wanted_of(given)))

    def go_on(self, request: Request) -> Response:
        """A run that broke off goes on."""
        return self._done(request, SubmittedForm(), self._judging.go_on)

    def stop(self, request: Request) -> Response:
        """A run is ended."""
        return self._done(request, SubmittedForm(), self._judging.stop)

    async def collect(self, request: Request) -> Response:
        """What has finished of the batches is fetched; or they are stopped."""
        return await self._site.in_thread(self._collect, request, await read_form(request))

    def _collect(self, request: Request, given: SubmittedForm) -> Response:
        return self._done(
            request, SubmittedForm(), lambda: self._judging.collect(cancel=bool(given.one("cancel")))
        )

    def _done(self, request: Request, given: SubmittedForm, work: Callable[[], None]) -> Response:
        csrf = self._site.access.owner(request).csrf
        try:
            work()
        except (HaechiError, OSError) as error:
            return self._page(request, given, csrf, _problems(self._study, error))
        return RedirectResponse(f"{self._site.options.base}/owner/judges", status_code=303)


def routes(site: Site) -> list[Route]:
    """The routes of the judges."""
    judges = Judges(site)
    return [
        Route("/owner/judges", judges.front),
        Route("/owner/judges", judges.begin, methods=["POST"]),
        Route("/owner/judges/stop", judges.stop, methods=["POST"]),
        Route("/owner/judges/go-on", judges.go_on, methods=["POST"]),
        Route("/owner/judges/collect", judges.collect, methods=["POST"]),
    ]


def _estimated(study: Study, given: SubmittedForm) -> dict[str, Any]:
    """What the judges would take, or why they cannot be asked."""
    example = {**_NOTHING, "trying": _trying(study, JudgingOptions(("openai:gpt-5-mini",)))}
    if not given.one("model"):
        return example
    try:
        wanted = wanted_of(given)
        place, first = judges_for(study, wanted)
        judges = [*first, *second_judges(study, wanted)]
        if wanted.batch:
            for judge in judges:
                check_batches(judge)
        found = [estimate(place, judge, wanted.repeat, wanted.limit) for judge in judges]
    except HaechiError as error:
        return {**example, "problems": problems_by_fields(error.problems, JUDGES)}
    proposed = _proposed(found, wanted.batch, least_cost(place, first, wanted))
    limit = wanted.max_cost or (float(proposed) if proposed else None)
    return {
        **_NOTHING,
        "wanted": wanted,
        "estimates": found,
        "proposed": given.one("max_cost") or proposed,
        "command": judge_command(study, replace(wanted, max_cost=limit)),
        "trying": _trying(study, wanted),
    }


def _trying(study: Study, wanted: JudgingOptions) -> str:
    """The command that tells the cost and asks nothing."""
    return command("judge", study.folder, options=[*wanted.options(), ("dry-run", True)])


def _tried(study: Study, run: JudgingStatus | None) -> tuple[SafeMarkup, str] | None:
    """What ways of judging came to side by side, or what moves a judge, and the folder that has it; None where nothing was tried."""
    result = run.result if run is not None else {}
    shown: Iterable[Table | str] = ()
    if result.get("trial"):
        found = trial_of(trial_study(study), [one["rater"] for one in result["trial"]["variants"]])
        shown = [trial_table(study.rubric, found), *recommendation(found)]
    elif result.get("audit") and (audited := audited_of(study)) is not None:
        shown = variants_tables(audited_variants(audited), study.rubric)
    if not shown:
        return None
    folder = FOLDER if result.get("trial") else AUDIT
    return SafeMarkup(html_parts(shown)), folder  # noqa: S704 - made of our own elements, texts escaped


def _proposed(found: list[CostEstimate], batch: bool, least: float) -> str:
    """A limit to begin with: the worst case, or a dollar or twice the likely cost where that is more; one request fits."""
    if any(one.cost is None or one.at_most is None for one in found):
        return ""
    likely = sum((one.batch_cost if batch else one.cost) or 0 for one in found)
    worst = sum(one.at_most or 0 for one in found)
    return whole_cents(max(least, min(worst, max(_USUAL_LIMIT, 2 * likely))))


def _keys() -> list[tuple[str, str, bool]]:
    """The providers, the variable that holds the key of each, and whether it is set; never the key."""
    return [
        (name, one.keys[0], any(os.environ.get(key) for key in one.keys))
        for name, one in PROVIDERS.all().items()
        if one.keys
    ]


def _problems(study: Study, error: HaechiError | OSError) -> tuple[Problem, ...]:
    if isinstance(error, HaechiError):
        return problems_by_fields(error.problems, JUDGES)
    expected = Text("쓰기가 허용된 폴더", "a folder that may be written to")
    todo = Text("폴더의 쓰기 권한과 빈 공간을 확인하세요", "check its permissions and the free space")
    return (Problem(str(study.folder), error.strerror or type(error).__name__, expected, todo),)
