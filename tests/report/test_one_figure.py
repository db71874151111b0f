"""One figure has one value: every surface of every example study prints what `haechi check --list` names."""

from __future__ import annotations

import html
import math
import re
import shutil
from collections.abc import Iterator
from typing import Any

import openpyxl
import polars as pl
import pytest
from starlette.testclient import TestClient

import haechi as package
from haechi.report.answer import how_good, how_sure
from haechi.report.numbers import number
from haechi.store.raters import invite_owner
from haechi.study.study import Study
from haechi.testing import assert_score
from haechi.web.app import create_app
from haechi.web.dashboard import Watch
from haechi.web.figures import Figures
from haechi.web.options import Options
from haechi.web.rules import RubricRules

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")
COEFFICIENTS = ("cronbach_alpha", "krippendorff_alpha", "fleiss_kappa", "gwet_ac", "percent_agreement")
BY = {"ubica": "system", "hiring-agent": "round", "maice-qac": "mode", "diary-comment": "system"}

Said = tuple[str, float | None, tuple[float, float] | None]
"""A figure's name, its value and its interval, as a surface gives them."""


@pytest.fixture(scope="module", params=STUDIES)
def name(request) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def figures() -> dict[str, dict[str, Any]]:
    """The figures of each study, asked for once."""
    return {}


@pytest.fixture
def named(haechi, demo, name, figures) -> dict[str, Any]:
    """The figures by name, the groups that are compared here among them."""
    if name not in figures:
        figures[name] = haechi("check", demo / name, "--list", "--by", BY[name], "--json").json
    return figures[name]


def same(named: dict[str, Any], said: Iterator[Said]) -> int:
    """Hold what a surface says against the figures by name; how many it says."""
    count = 0
    for what, value, ends in said:
        assert what in named, what
        known = named[what]
        assert value == close(known["value"]), what
        if ends is not None:
            assert list(ends) == close(known["ci95"]), what
        count += 1
    return count


def close(known: Any) -> Any:
    """A value that went through a file or another sum may differ in the last bits."""
    return None if known is None else pytest.approx(known, rel=1e-12)


def ends_of(figure: dict[str, Any]) -> tuple[float, float] | None:
    return tuple(figure["ci95"]) if figure.get("ci95") else None


def agreed(prefix: str, criteria: dict[str, Any]) -> Iterator[Said]:
    for score, found in criteria.items():
        figures = {f"icc{form[4]}_{form[6]}": one for form, one in found["icc"].items()}
        figures |= {key: found[key] for key in COEFFICIENTS}
        for key, one in figures.items():
            yield f"{prefix}.{score}.{key}", one["value"], ends_of(one)


def has_both(named: dict[str, Any]) -> bool:
    return any(what.startswith("human_ai.") for what in named)


def test_agree_in_json(haechi, demo, named, name):
    if not any(what.startswith("agree.") for what in named):
        assert haechi("agree", demo / name, "--json").code == 1  # code alone has no agreement
        return
    told = haechi("agree", demo / name, "--json").json
    assert same(named, agreed("agree", told["criteria"])) >= 11
    if has_both(named):
        assert same(named, agreed("human_human", told["human_human"]["criteria"]))
        assert same(named, agreed("ai_ai", told["ai_ai"]["criteria"]))
        for score, found in told["human_ai"]["criteria"].items():
            for key in ("pearson", "spearman", "kendall", "mean_difference"):
                what = f"human_ai.{score}.{key}"
                assert same(named, iter([(what, found[key]["value"], ends_of(found[key]))]))


def short(value: float) -> str:
    """A coefficient as the table of `haechi agree` writes it."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:z.2f}")


def test_the_table_of_agree(haechi, demo, named, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    table = haechi("agree", demo / name, "--lang", "en").out
    for what, figure in named.items():
        block, _, rest = what.partition(".")
        score, _, key = rest.rpartition(".")
        if block == "agree" and key == "krippendorff_alpha" and figure.get("ci95"):
            low, high = figure["ci95"]
            row = re.search(rf"(?m)^ {re.escape(score)} .*$", table)
            assert row, score
            assert f"{short(figure['value'])} [{short(low)}, {short(high)}]".replace("-", "−") in row[0]


def test_compare_in_json(haechi, demo, named, name):
    told = haechi("compare", demo / name, "--by", BY[name], "--json").json

    def groups() -> Iterator[Said]:
        for score, found in told["criteria"].items():
            for group in found["groups"]:
                place = ",".join(f"{field}={value}" for field, value in group["by"].items())
                yield f"{score}@{place}", group["mean"]["value"], ends_of(group["mean"])

    assert same(named, groups()) == len(told["criteria"]) * len(told["groups"])


def test_score_in_json(haechi, demo, named, name):
    whole, *groups = haechi("score", demo / name, "--by", BY[name], "--json").json["summary"]

    def means() -> Iterator[Said]:
        for score, of in whole["scores"].items():
            assert of["ci95"] == close(named[score]["ci95"]), score
            yield score, of["mean_over_items"], None
            yield f"{score}.sd", of["sd"], None
            yield f"{score}.median", of["median"], None
        for group in groups:
            place = ",".join(f"{field}={value}" for field, value in group["by"].items())
            for score, of in group["scores"].items():
                yield f"{score}@{place}", of["mean_over_items"], ends_of(of)

    assert same(named, means()) == len(whole["scores"]) * (3 + len(groups))


def test_the_table_of_score(haechi, demo, named, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    table = haechi("score", demo / name, "--lang", "en").out
    for score in haechi("score", demo / name, "--json").json["summary"][0]["scores"]:
        row = re.search(rf"(?m)^ {re.escape(score)} .*$", table)
        assert row, score
        if named[score].get("ci95"):
            low, high = (number(end, "score") for end in named[score]["ci95"])
            assert f"{number(named[score]['value'], 'score')} [{low}, {high}]" in row[0]


def test_python(haechi, demo, named, name):
    study = package.Study(demo / name)
    frame, told = study.scores().frame, haechi("score", demo / name, "--json").json
    assert frame.height == len(told["items"])
    for score in told["items"][0]["scores"]:
        values = [one["scores"][score] for one in told["items"]]
        assert frame[score].to_list() == pytest.approx(values, nan_ok=True), score

    def compared() -> Iterator[Said]:
        for score, groups in study.compare(by=BY[name]).groups.items():
            for group in groups:
                place = ",".join(f"{field}={value}" for field, value in group.by.items())
                yield f"{score}@{place}", group.described.mean.value, group.described.mean.ci95

    assert same(named, compared())
    if any(what.startswith("agree.") for what in named):
        found = study.agree()
        alphas = (
            (f"agree.{score}.krippendorff_alpha", one.krippendorff_alpha)
            for score, one in found.criteria.items()
        )
        assert same(named, ((what, one.value, one.ci95) for what, one in alphas))
    gates = study.check(min=dict.fromkeys(told["items"][0]["scores"], 0)).as_json()["gates"]
    assert same(named, ((one["score"], one["value"], ends_of(one)) for one in gates)) == len(gates) > 0


def test_the_report_and_its_files(haechi, demo, named, name, tmp_path):
    out = tmp_path / "report"
    told = haechi("report", demo / name, "--by", BY[name], "-o", out, "--json", "--lang", "en").json
    # Words are those of the language; the figures are the same.
    assert {what: one["value"] for what, one in told["figures"].items()} == {
        what: one["value"] for what, one in named.items()
    }
    summary = pl.read_csv(out / "summary.csv", infer_schema_length=None)
    assert same(named, in_summary(summary.iter_rows(named=True))) >= summary.height
    seen = html.unescape(re.sub(r"<[^>]+>", "", (out / "report.html").read_text("utf-8")))
    text = (out / "report.md").read_text("utf-8")
    for row in summary.iter_rows(named=True):
        if row["mean"] is not None and row["ci95_low"] is not None:
            shown = f"{row['mean']:z.2f} [{row['ci95_low']:z.2f}, {row['ci95_high']:z.2f}]"
            assert shown in seen, row
            assert shown in text, row
    book = openpyxl.load_workbook(out / "scores.xlsx")
    head, *rows = book["summary"].values
    assert same(named, in_summary(dict(zip(head, row, strict=True)) for row in rows)) >= summary.height
    for what, figure in named.items():  # what the pages say of agreement
        block, _, rest = what.partition(".")
        if block in ("human_human", "ai_ai") and rest.endswith("krippendorff_alpha") and figure.get("ci95"):
            value, low, high = (number(one, "coefficient") for one in (figure["value"], *figure["ci95"]))
            assert f"{value} [{low}, {high}]" in seen, what
            assert f"{value} [{low}, {high}]" in text, what
    head, *rows = book["agreement"].values or [()]
    sheet = [dict(zip(head, row, strict=True)) for row in rows]
    assert same(named, in_sheet(sheet)) == sum(
        what.startswith(("agree.", "human_", "ai_ai.")) for what in named
    )


def in_summary(rows: Iterator[dict[str, Any]]) -> Iterator[Said]:
    for row in rows:
        what = f"{row['score']}@{row['by']}={row['group']}" if row["by"] else row["score"]
        ends = None if row["ci95_low"] is None else (row["ci95_low"], row["ci95_high"])
        yield what, row["mean"], ends
        if not row["by"] and not what.endswith("seconds"):
            yield f"{what}.sd", row["sd"], None
            yield f"{what}.median", row["median"], None


def in_sheet(rows: list[dict[str, Any]]) -> Iterator[Said]:
    for row in rows:
        panel, key = {"all": "agree"}.get(row["panel"], row["panel"]), row["coefficient"]
        key = f"icc{key[4]}_{key[6]}" if key.startswith("ICC") else key
        ends = None if row["ci95_low"] is None else (row["ci95_low"], row["ci95_high"])
        yield f"{panel}.{row['score']}.{key}", row["value"], ends


@pytest.fixture
def dashboard(demo, name) -> Figures:
    study = Study(demo / name)
    return Watch(study, RubricRules(study.rubric)).look().figures


def test_the_dashboard(dashboard, haechi, demo, named, name):
    both = has_both(named)
    blocks = {
        "human_human" if both else "agree": dashboard.agreement,
        "ai_ai" if both else "agree ": dashboard.judges_agreement,
    }

    def shown() -> Iterator[Said]:
        for block, rows in blocks.items():
            for one in rows:
                prefix = f"{block.strip()}.{one.score}"
                yield f"{prefix}.krippendorff_alpha", one.alpha.value, one.alpha.ci95
                yield f"{prefix}.icc2_1", one.icc.value, one.icc.ci95
                if one.percent.value is not None:
                    yield f"{prefix}.percent_agreement", one.percent.value, one.percent.ci95
                assert one.growth[-1] == one.alpha
        if not both and dashboard.scored is not None:
            (mean,) = (group.mean for group in dashboard.scored.panels.values())
            yield dashboard.scored.main, mean.value, mean.ci95
        for judge in dashboard.judges:
            if judge.mean is not None and f"{dashboard.headline}@rater={judge.rater}" in named:
                yield f"{dashboard.headline}@rater={judge.rater}", judge.mean, None

    assert same(named, shown())
    if both:
        kinds = haechi("score", demo / name, "--json").json["summary"][0]["scores"][dashboard.scored.main][
            "by_kind"
        ]
        for kind, group in dashboard.scored.panels.items():
            assert (group.mean.value, list(group.mean.ci95)) == (
                close(kinds[kind]["mean_over_items"]),
                close(kinds[kind]["ci95"]),
            )
    if any(what.startswith("agree.") for what in named):
        told = haechi("agree", demo / name, "--json").json
        listed = list(dict.fromkeys(one["item"] for one in told["reading_list"]))
        assert [one.item for one in dashboard.disputed][: len(listed)] == listed
        severity = {
            one["rater"]: one["criteria"][dashboard.headline]["severity"]["value"]
            for one in told["raters"]
            if dashboard.headline in one["criteria"]
        }
        assert {one.rater: one.severity.value for one in dashboard.severity} == severity


def test_the_page_of_the_dashboard(dashboard, demo, name, tmp_path):
    study = Study(shutil.copytree(demo / name, tmp_path / name))
    visitor = TestClient(create_app(study, Options(lang="en")), base_url="http://127.0.0.1:8000")
    page = visitor.get(f"/enter/{invite_owner(study.database)}").text
    rows = re.findall(r"<tr[^>]*><th scope=\"row\">(.*?)</th>(.*?)</tr>", page, re.DOTALL)
    for one in (*dashboard.agreement, *dashboard.judges_agreement):
        label = study.rubric.name(one.score).say("en")
        cells = [row for head, row in rows if html.unescape(head) == label]
        assert cells, label
        if one.alpha.ci95:
            low, high = one.alpha.ci95
            value, low, high = (number(one, "coefficient") for one in (one.alpha.value, low, high))
            alpha, ends = f'<td class="n strong">{value}</td>', f'<span class="ends">[{low}, {high}]</span>'
            assert any(alpha in row and ends in row for row in cells), label
    places = [page.find(f">{one.item}</a>") for one in dashboard.disputed[:50]]
    assert places == sorted(places)
    assert -1 not in places
    first = re.search(r'<h1 id="answer">(.*?)</h1>\s*<p class="sure">(.*?)</p>', page)
    said = (how_good(dashboard.scored), how_sure(dashboard.scored))
    assert tuple(map(html.unescape, first.groups())) == said, "the first sentences of the report"


def test_assert_score(demo, named, name, tmp_path):
    folder = shutil.copytree(demo / name, tmp_path / name)
    for what, figure in named.items():
        if "@" in what and "@rater=" not in what:
            continue  # groups that this test asked for with --by
        value = figure["value"]
        if value is None:
            with pytest.raises(AssertionError):
                assert_score(folder, what, min=0)
            continue
        assert_score(folder, what, min=value, max=value)
        if figure.get("ci95"):
            low, high = figure["ci95"]
            assert_score(folder, what, min_lower=low, max_upper=high)
            if math.isfinite(low):
                with pytest.raises(AssertionError):
                    assert_score(folder, what, min_lower=math.nextafter(low, math.inf))
