"""What one works with in a notebook: the names, the study's methods, results that show themselves."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import haechi as package
from haechi.errors import HaechiError
from haechi.report.agreement_result import AgreementResult
from haechi.report.comparison_result import ComparisonResult
from haechi.report.gates import GateResults
from haechi.rubrics import Rubric
from haechi.scoring.score_table import ScoreTable
from haechi.stats.figure import Figure, Why, undefined

HOSTILE = "<script>alert(1)</script>"
NO_VALUE = undefined(Why("평가자가 한 명뿐입니다", "there is only one rater"), 3)


@pytest.fixture
def tutoring(demo: Path) -> package.Study:
    return package.Study(demo / "maice-qac")


def test_dir_lists_the_public_names_and_nothing_else():
    code = "import haechi; print(dir(haechi)); haechi.Study, haechi.agree; print(dir(haechi))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = ["Study", "agree", "compare", "plan", "rank", "rubric", "score", "stats"]
    assert shown.stdout.splitlines() == [str(names)] * 2
    assert all(getattr(package, name).__doc__ for name in names)
    with pytest.raises(AttributeError, match="no attribute 'elect'"):
        package.elect  # noqa: B018


def public(thing: object, name: str) -> dict[str, object]:
    """The functions of a module, the methods of a class, or the function itself."""
    if inspect.ismodule(thing):
        inside = [public(getattr(thing, one), one) for one in thing.__all__]
        return {key: value for one in inside for key, value in one.items()}
    if not inspect.isclass(thing):
        return {name: thing} if callable(thing) else {}
    found = {}
    for key in dir(thing):
        member = inspect.getattr_static(thing, key)
        member = getattr(member, "fget", None) or getattr(member, "func", None) or member
        member = getattr(member, "__func__", member)
        if inspect.isfunction(member) and not key.startswith("_"):
            found[f"{name}.{key}"] = member
    return found


def test_no_public_signature_says_any():
    things = {name: getattr(package, name) for name in package.__all__}
    things |= {
        one.__name__: one for one in (AgreementResult, ComparisonResult, GateResults, ScoreTable, Rubric)
    }
    vague, seen = [], 0
    for name, function in (pair for key, thing in things.items() for pair in public(thing, key).items()):
        # What JSON can hold is not known before one looks.
        if name.endswith((".as_json", "ScoreTable.items", "ScoreTable.panel")):
            continue
        signature = inspect.signature(function)
        said = [str(one.annotation) for one in signature.parameters.values()] + [
            str(signature.return_annotation)
        ]
        seen += 1
        vague += [name for one in said if re.search(r"\bAny\b|_empty", one.replace("inspect._empty", ""))]
    assert seen > 90
    assert vague == []


def test_a_figure_is_a_number():
    figure = Figure(0.7414, 12, (0.4667, 0.9213))
    assert repr(figure) == f"{figure}" == "0.74 [0.47, 0.92]"
    assert float(figure) == 0.7414
    assert f"{figure:.3f}" == "0.741"
    assert 0.7 < figure <= Figure(0.8, 3) > 0.79 >= figure
    assert not figure >= 0.75
    assert sorted([figure, Figure(0.1, 3)])[0].value == 0.1
    assert figure == Figure(0.7414, 12, (0.4667, 0.9213)) != Figure(0.7414, 12)
    assert (repr(Figure(0.0, 3)), repr(Figure(-0.00042, 3)), repr(Figure(1234.5, 3))) == (
        "0.00",
        "-0.00042",
        "1234.50",
    )
    assert "0.74 [0.47, 0.92]" in figure._repr_html_()


def test_a_figure_without_a_value_is_no_number():
    assert repr(NO_VALUE) == "– (there is only one rater)"
    assert (f"{NO_VALUE:.3f}", f"{NO_VALUE:>8.2f}", f"{NO_VALUE:+,.1%}") == ("–", "       –", "–")
    for use in (float, lambda one: one > 0.5, lambda one: one <= Figure(1.0, 2)):
        with pytest.raises(ValueError, match="평가자가 한 명뿐입니다 · there is only one rater"):
            use(NO_VALUE)
    assert "평가자가 한 명뿐입니다" in NO_VALUE._repr_html_()


def test_methods_say_what_the_commands_say(haechi, tutoring):
    folder = tutoring.folder
    assert tutoring.scores().as_json() == haechi("score", folder, "--json").json
    assert same(tutoring.agree().as_json(), haechi("agree", folder, "--json").json)
    assert same(
        tutoring.compare(by="mode").as_json(), haechi("compare", folder, "--by", "mode", "--json").json
    )
    checks = tutoring.check(min={"total": 20}, min_lower={"agree.total.icc2_1": 0.6})
    limits = ("--min", "total=20", "--min-lower", "agree.total.icc2_1=0.6")
    assert same(checks.as_json(), haechi("check", folder, *limits, "--json").json)
    assert (checks.passed, bool(checks), [one.passed for one in checks.gates]) == (
        False,
        False,
        [True, False],
    )
    assert tutoring.check(max={"total": 40}, no_regression=folder)


def same(ours: object, theirs: object) -> bool:
    return json.loads(json.dumps(ours)) == theirs


def test_a_report_is_written_and_shows_what_it_found(tutoring, tmp_path):
    report = tutoring.report(tmp_path / "out", by="mode", anonymous=True)
    assert {"report.html", "scores.xlsx"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert repr(report).startswith("<Report Rubric of mathematics learning sessions (QAC checklist): ")
    assert report._repr_html_().count("<li>") == sum(one.first for one in report.findings) == 5


def test_a_check_without_gates_or_with_odd_limits_is_refused(tutoring):
    for limits in ({}, {"min": {"total": float("nan")}}, {"max": {"total": float("inf")}}):
        with pytest.raises(HaechiError, match=r"min=\{'total': 25\}"):
            tutoring.check(**limits)
    checks = tutoring.check(min={"totl": 1, "total": 1})
    assert [(one.name, one.passed) for one in checks.gates] == [("min totl", False), ("min total", True)]


RATINGS = {
    "item": ["a", "a", "b", "b", "c", "c", "d", "d"],
    "rater": ["kim", "lee"] * 4,
    "system": ["x"] * 4 + ["y"] * 4,
    "sensibleness": [1, 1, 0, 0, 1, 0, 1, 1],
    "sympathy": [1, 1, 1, 0, 0, 0, 1, 1],
}


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, dict, "file"])
def test_frames_and_files_come_to_the_same(tmp_path, kind):
    file = tmp_path / "ratings.csv"
    pl.DataFrame(RATINGS).write_csv(file)
    source = file if kind == "file" else kind(RATINGS)
    found = package.agree(source, "diary-comment")
    assert float(found.criteria["sympathy"].percent_agreement) == 0.75
    compared = package.compare(source, by="system", rubric=package.rubric("diary-comment"))
    assert [float(one.described.mean) for one in compared.groups["sympathy"]] == [0.75, 0.5]
    scored = package.score(source, rubric="diary-comment", by="system")
    assert [row.scores["sympathy"].mean for row in scored.summary] == [0.625, 0.75, 0.5]
    study = package.Study.new(tmp_path / "study", "diary-comment")
    assert study.import_ratings(source).new == 16
    assert study.scores().frame.equals(scored.frame)


def test_a_wide_frame_and_its_scale():
    coders = pl.DataFrame({"item": ["a", "b", "c"], "ann": [1, 2, 3], "bo": [1, 3, 3]})
    found = package.agree(coders, wide=True, level="ordinal", scale=[5, 1, 2, 3, 4])
    assert found.criteria["overall"].level == "ordinal"
    with pytest.raises(HaechiError, match="3"):
        package.agree(coders, wide=True, scale=[1, 2])


def test_frames_of_agent_runs_are_compared(demo):
    runs = pl.read_csv(
        Path(package.__file__).parent / "demo" / "data" / "hiring-agent" / "runs.csv", infer_schema=False
    )
    ours = package.compare(runs, by="round", rubric="hiring-agent")
    theirs = package.Study(demo / "hiring-agent").compare(by="round")
    assert float(ours.groups["overall"][0].described.mean) == float(
        theirs.groups["overall"][0].described.mean
    )
    assert ours.as_json()["criteria"]["stability"] == theirs.as_json()["criteria"]["stability"]


@pytest.mark.parametrize("source", [3, None, pd.DataFrame({"item": ["a", 1], "value": [1, "x"]})])
def test_what_is_no_table_is_refused(source):
    for function in (
        package.agree,
        lambda one: package.score(one, "ubica"),
        lambda one: package.compare(one, "x", "ubica"),
    ):
        with pytest.raises(HaechiError, match="a data frame"):
            function(source)


def test_one_path_is_a_file_and_no_row_of_letters(tmp_path, write):
    study = package.Study.new(tmp_path / "study", "diary-comment")
    file = write("items.jsonl", '{"id": "d1", "context": "비", "response": "우산"}\n')
    assert study.add(str(file)).new == 1
    assert study.add(file).unchanged == 1
    assert study.import_ratings(str(write("r.csv", "item,rater,sympathy\nd1,kim,1\n"))).new == 1
    assert isinstance(study, package.Study)


def test_numbers_are_numbers(tutoring, demo):
    ratings = tutoring.ratings()
    assert (ratings.schema["value"], ratings.schema["number"]) == (pl.String, pl.Float64)
    assert ratings["number"].drop_nulls().unique().sort().to_list() == [0.0, 1.0]
    assert ratings["number"].null_count() == ratings["value"].null_count()
    comments = package.Study(demo / "ubica").ratings().filter(pl.col("criterion") == "comment")
    assert comments["number"].null_count() == comments.height > 0
    frame = tutoring.scores().frame
    assert frame.schema["total"] == pl.Float64
    assert frame.to_pandas()["total"].mean() == pytest.approx(frame["total"].mean())


class Page(HTMLParser):
    """Which elements a piece of HTML has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_everything_shows_itself_and_nothing_that_names_hold_is_run(tmp_path):
    study = package.Study.new(tmp_path / "study", "diary-comment")
    rows = {name: values * 3 for name, values in RATINGS.items()}
    rows["item"] = [f"{item}{number // 8}" for number, item in enumerate(rows["item"])]
    rows["rater"] = [HOSTILE if rater == "kim" else rater for rater in rows["rater"]]
    rows["system"] = [HOSTILE if system == "x" else system for system in rows["system"]]
    frame = pl.DataFrame(rows)
    study.import_ratings(frame)
    shown = {
        "<Study study: diary-comment, 12 items>": study,
        "<Rubric diary-comment": study.rubric,
        "<ScoreTable diary-comment: 24 rows, 2 raters": study.scores(),
        "<Agreement on mean3: ": study.agree(),
        "<Comparison by system: ": package.compare(frame, by="system", rubric="diary-comment"),
        "<Gates of study: 1 of 1 gates failed; sympathy ≥ 2: ": study.check(min={"sympathy": 2}),
        "<Comparison by rater: ": study.compare(by="rater"),
    }
    for begins, thing in shown.items():
        assert repr(thing).startswith(begins)
        assert len(repr(thing)) < 400
        tags = Page(thing._repr_html_()).seen
        assert "table" in tags
        assert "script" not in tags


def test_a_repr_is_in_one_language(tutoring, monkeypatch):
    monkeypatch.setenv("HAECHI_LANG", "ko")
    gates = tutoring.check(min={"total": 20})
    assert repr(gates) == f"<Gates of {tutoring.name}: 1 of 1 gates passed>"
    assert gates.verdict == "통과 기준 1개 통과"


def test_names_complete(tutoring):
    assert "krippendorff_alpha" in dir(tutoring.agree().criteria["total"])
    assert tutoring.agree().criteria._ipython_key_completions_()[-1] == "total"


WRONG = {
    "missing": lambda study: study.scores(missing="zero"),
    "where": lambda study: study.scores(where="mode=agent"),
    "level": lambda study: study.agree(level="numbers"),
    "epsilon": lambda study: study.agree(epsilon=-1),
    "correct": lambda study: study.compare(by="mode", correct="tukey"),
    "format": lambda study: study.export("nowhere", "csv"),
    "what": lambda study: study.propose("ratings.csv", "opinions"),
    "repeat": lambda study: study.judge("openai:x@http://127.0.0.1:9/v1", repeat=0),
    "limit": lambda study: study.judge("openai:x@http://127.0.0.1:9/v1", limit=-1),
    "per": lambda study: study.judge("openai:x@http://127.0.0.1:9/v1", per="item"),
    "prompt_lang": lambda study: study.judge("openai:x@http://127.0.0.1:9/v1", prompt_lang="fr"),
    "--items": lambda study: study.draw(-1),
    "list": lambda study: study.add([{"id": "a"}]),
    "icc": lambda _: package.plan(width=0.5, sd=1, icc=2, raters=3),
    "Study.check": lambda study: study.check(min={"total": "a lot"}),
    __file__: lambda _: package.Study(__file__),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_command_would_refuse_is_refused_with_the_next_step(tutoring, name):
    """An unknown word was taken silently, or ended in a KeyError."""
    with pytest.raises(HaechiError) as refused:
        WRONG[name](tutoring)
    (problem,) = refused.value.problems
    assert problem.at == name
    assert problem.todo.say("en") != problem.todo.say("ko")


def test_no_files_are_no_source():
    with pytest.raises(HaechiError, match="a file, or a data frame"):
        package.score([], rubric="ubica")


def test_a_number_selects_what_the_text_of_it_does(demo):
    runs = package.Study(demo / "hiring-agent")
    assert runs.scores(where={"round": 1}).frame.equals(runs.scores(where={"round": "1"}).frame)
    assert len(runs.scores(where={"round": [1, 2]})) == len(runs.scores())


def test_a_part_of_a_study_keeps_to_its_part_whatever_is_asked(tutoring):
    """`agree` and `compare` opened the folder anew: all items, and the mean of the judges in place of their median."""
    part = tutoring.selecting({"mode": "agent"})
    agreed, compared = part.agree(), part.compare(by="level")
    assert agreed.as_json() == tutoring.agree(where={"mode": "agent"}).as_json()
    assert agreed.criteria["total"].n_items == part.count_items() < tutoring.count_items()
    assert compared.as_json() == tutoring.compare(by="level", where={"mode": "agent"}).as_json()
    judged = tutoring.paneled("median")
    assert judged.agree().as_json() == package.agree(tutoring.folder, panel="median").as_json()
    of_folder = package.compare(tutoring.folder, by="mode", panel="median")
    assert judged.compare(by="mode").as_json() == of_folder.as_json() != tutoring.compare(by="mode").as_json()


@pytest.mark.parametrize("study", ["maice-qac", "hiring-agent"])
def test_a_part_of_a_part_is_less(demo, study):
    """The second selection took the place of the first: `where` of an open part gave items from outside of it."""
    first, second = {
        "maice-qac": ({"mode": "agent"}, {"level": ["Q1", "Q2"]}),
        "hiring-agent": ({"round": 1}, {"category": ["되묻기", "Edge case"]}),
    }[study]
    whole = package.Study(demo / study)
    both = whole.scores(where={**first, **second}).frame
    assert whole.selecting(first).scores(where=second).frame.equals(both)
    assert 0 < both.height < whole.scores(where=second).frame.height
    ((name, value),) = first.items()
    narrow = whole.selecting(first).selecting({name: [value]})
    assert narrow.scores().frame.equals(whole.scores(where=first).frame)
    other = "freepass" if name == "mode" else 2
    with pytest.raises(HaechiError, match="--where"):
        whole.selecting(first).selecting({name: other})


def test_scores_over_clusters_are_those_of_the_command(tutoring, haechi, demo):
    told = haechi("score", demo / "maice-qac", "--cluster-by", "unit", "--json").json["summary"][0]
    ends = tutoring.scores(cluster_by="unit").summary[0].scores["total"].over_items.ci95
    assert list(ends) == told["scores"]["total"]["ci95"]
    with pytest.raises(HaechiError, match="--cluster-by"):
        tutoring.scores(cluster_by="nobody")


def test_what_people_would_have_given_for_runs_is_no_number(demo):
    found = package.Study(demo / "hiring-agent").human_scale()
    with pytest.raises(ValueError, match="people did not rate this"):
        float(found.mean)
