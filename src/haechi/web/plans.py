"""The owner's plan: how many items and raters a goal takes, from this study or from assumptions."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from haechi.errors import HaechiError
from haechi.report.charts.canvas import STYLE
from haechi.report.charts.curves import plan_picture
from haechi.report.html_parts import html_table
from haechi.report.plan_result import PlanResult
from haechi.report.plans import plan
from haechi.report.table import Table
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.bodies import SubmittedForm
from haechi.web.commands import command
from haechi.web.form_numbers import amount_in, count_in
from haechi.web.site import Site, own_file

GOALS = {
    "width": Text("평균의 95 % 구간을 이만큼 좁게", "The 95 % interval of the mean no wider than"),
    "difference": Text("이만큼의 차이를 찾기", "A difference of means to be found"),
    "gate": Text("통과 기준: 평균이 이 값 이상", "A gate: the mean is at least"),
}
_USUAL = {"goal": ["width"], "value": ["0.5"], "sd": ["1"], "icc": ["0.6"], "raters": ["3"]}


def routes(site: Site) -> list[Route]:
    """The route of the plan."""
    study = site.study

    def front(request: Request) -> Response:
        visitor = site.access.owner(request)
        asked = request.query_params
        with study.database.read() as connection:
            pilot = connection.value("SELECT number FROM ratings_in_force LIMIT 1") is not None
        low, high = study.rubric.range(study.rubric.main_score())
        usual = _USUAL | ({"from": ["study"], "value": [f"{(high - low) / 10:g}"]} if pilot else {})
        wished, shown = None, dict[str, Any](found=None, problems=(), tables=[], picture=None)
        # Nobody asked for what is usual: where the study's own ratings do not allow it, assumptions do.
        tried = [{key: asked.getlist(key) for key in asked}] if "goal" in asked else [usual, _USUAL]
        for given in map(SubmittedForm, tried):
            try:
                wished = wishes_of(given)
                shown |= _found(study, given, wished) | {"problems": ()}
                break
            except HaechiError as error:
                shown["problems"] = error.problems
        return site.page(
            request,
            "plan.html",
            csrf=visitor.csrf,
            given=given,
            goals=GOALS,
            pilot=pilot,
            scores=[(name, study.rubric.name(name)) for name in study.rubric.score_names],
            command=_command(study, given, wished or {}),
            **shown,
        )

    return [Route("/owner/plan", front), Route("/static/chart.css", lambda _: own_file(STYLE))]


def wishes_of(given: SubmittedForm) -> dict[str, Any]:
    """The goal and the assumptions, by the names of `haechi plan`.

    >>> wishes_of(SubmittedForm(goal=["width"], value=["0.5"], sd=["1.2"], icc=["0.6"], raters=["3"]))
    {'width': 0.5, 'raters': 3, 'sd': 1.2, 'icc': 0.6}
    """
    goal = given.one("goal") if given.one("goal") in GOALS else "width"
    value = amount_in(given, "value", GOALS[goal], above=-1e9 if goal == "gate" else 0.0)
    if value is None:
        found, expected = Text("값 없음", "no value"), Text("수", "a number")
        raise HaechiError.of(GOALS[goal].say(), found, expected, Text("값을 적으세요", "write a number"))
    name = given.one("score")
    wished: dict[str, Any] = {goal: {name: value} if name else value}
    wished["raters"] = count_in(given, "raters", Text("평가자 수", "raters"))
    if given.one("from") != "study":
        wished["sd"] = amount_in(given, "sd", Text("표준편차", "standard deviation"))
        wished["icc"] = amount_in(given, "icc", Text("신뢰도(ICC)", "reliability (ICC)"), above=-1e-9)
    if goal == "gate":
        wished["mean"] = amount_in(given, "mean", Text("기대하는 평균", "expected mean"), above=-1e9)
    return {name: value for name, value in wished.items() if value is not None}


def _found(study: Study, given: SubmittedForm, wished: dict[str, Any]) -> dict[str, Any]:
    icc = wished.get("icc")
    if icc is not None and icc > 1:
        expected, todo = Text("0과 1 사이의 수", "a number from 0 to 1"), Text("값을 고치세요", "correct it")
        raise HaechiError.of("ICC", f"{icc:g}", expected, todo)
    found: PlanResult = plan(study.folder if given.one("from") == "study" else None, **wished)
    tables = [Markup(html_table(one, frozenset())) for one in found.tables() if isinstance(one, Table)]  # noqa: S704 - escaped by its own renderer
    picture = plan_picture(found)
    return {"found": found, "tables": tables, "picture": Markup(picture) if picture else None}  # noqa: S704 - the same


def _command(study: Study, given: SubmittedForm, wished: dict[str, Any]) -> str:
    def said(value: Any) -> object:
        if isinstance(value, dict):
            return ",".join(f"{name}={amount:g}" for name, amount in value.items())
        return f"{value:g}" if isinstance(value, float) else value

    words = [study.folder] if given.one("from") == "study" else []
    return command("plan", *words, options=[(name, said(value)) for name, value in wished.items()])
