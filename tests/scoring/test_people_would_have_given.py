"""What people would have given: one value on every surface, with how the part was drawn; or why it cannot be said."""

import json

import numpy as np
import polars as pl
import pytest

from haechi import stats
from haechi.analysis.analysis import Analysis
from haechi.analysis.gates import over_looks
from haechi.analysis.named_figures import NamedFigures
from haechi.cli.start import main
from haechi.errors import HaechiError
from haechi.report.build import build_report
from haechi.report.comparison_result import compare
from haechi.stats.distributions import t_quantile
from haechi.study.study import Study
from human_scale_study import JUDGES, ids_of, judged_study, rate, sessions, totals


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    study = judged_study(tmp_path_factory.mktemp("human") / "study")
    rate(study, study.draw(40, seed=3).item_ids)
    return study


def shown(capsys, *arguments, lang="ko"):
    code = main([*map(str, arguments), "--lang", lang])
    return code, capsys.readouterr().out


def test_the_estimate_is_that_of_the_library(drawn):
    people, judges = sessions()
    asked = set(drawn.drawn().item_ids)
    people[[item not in asked for item in ids_of(120)]] = np.nan
    expected = stats.human_scale_mean(people, judges, np.full(120, 40 / 120), (8, 40))
    found = drawn.scores().human["total"]
    assert found.mean.value == pytest.approx(expected.mean.value)
    assert found.mean.ci95 == pytest.approx(expected.mean.ci95)
    assert found.mean.ci95[0] < sessions()[0].mean() < found.mean.ci95[1] < found.judge_only.value


def test_every_surface_says_the_same(drawn, capsys):
    figure = drawn.scores().human["total"].mean
    said = json.loads(shown(capsys, "score", drawn.folder, "--json")[1])["summary"][0]
    assert said["scores"]["total"]["human_scale"]["value"] == figure.value
    assert said["scores"]["total"]["human_scale"]["ci95"] == list(figure.ci95)
    assert said["human_part"]["how"] == "drawn"
    analysis = Analysis(drawn.folder)
    assert NamedFigures(analysis)["human.total"] == figure
    finding = next(one for one in build_report(analysis).findings if one.rule == "human")
    assert finding.numbers["human.total"] == figure.value
    words = f"{figure.value:.2f} [{figure.ci95[0]:.2f}, {figure.ci95[1]:.2f}]"
    assert words in finding.words
    assert words in shown(capsys, "score", drawn.folder)[1]
    assert words in shown(capsys, "score", drawn.folder, lang="en")[1]
    agreed = json.loads(shown(capsys, "agree", drawn.folder, "--json")[1])["prediction_powered"]["criteria"]
    assert (agreed["total"]["mean"]["value"], agreed["total"]["mean"]["ci95"]) == (
        figure.value,
        list(figure.ci95),
    )
    assert words in shown(capsys, "agree", drawn.folder)[1]


def test_the_report_keeps_it_beside_the_sentences(drawn, tmp_path, capsys):
    figure = drawn.scores().human["total"].mean
    assert shown(capsys, "report", drawn.folder, "-o", tmp_path / "report")[0] == 0
    rows = pl.read_csv(tmp_path / "report" / "summary.csv", infer_schema_length=None)
    (row,) = rows.filter(pl.col("score") == "human.total").iter_rows(named=True)
    assert (row["mean"], row["ci95_low"], row["ci95_high"]) == pytest.approx((figure.value, *figure.ci95))
    assert "사람이 평가했다면" in (tmp_path / "report" / "report.html").read_text("utf-8")


def test_a_gate_looks_at_what_people_would_have_given(drawn, capsys):
    code, told = shown(
        capsys,
        "check",
        drawn.folder,
        "--max",
        "human.total=26",
        "--min",
        "human.total@mode=agent=20",
        "--json",
    )
    assert code == 0
    code, told = shown(capsys, "check", drawn.folder, "--min", "human.total=28", "--json")
    assert code == 1
    assert json.loads(told)["gates"][0]["value"] == drawn.scores().human["total"].mean.value


def test_groups_are_compared_on_the_human_scale(drawn):
    found = compare(drawn.folder, "mode").as_json("en")["criteria"]["total"]["human_scale"]
    groups = {label: one["value"] for label, one in found["groups"].items()}
    assert set(groups) == {"agent", "freepass"}
    (difference,) = found["differences"]
    assert difference["value"] == pytest.approx(groups["agent"] - groups["freepass"])
    analysis = Analysis(drawn.folder)
    assert NamedFigures(analysis)["human.total@mode=agent"].value == groups["agent"]


def test_pairs_are_compared_as_pairs(tmp_path):
    study = Study.new(tmp_path / "pairs", "maice-qac")
    ids = ids_of(80)
    rows = {"id": ids, "context": ids, "response": ids, "question": [f"q{at // 2}" for at in range(80)]}
    study.add({**rows, "system": [*"AB"] * 40})
    people, judges = sessions(80)
    question = np.repeat(np.random.default_rng(1).normal(0, 6, 40), 2)[:, None]
    people, judges = np.clip(people + question, 8, 40), np.clip(judges + question, 8, 40)
    study.import_ratings(totals(ids, judges, JUDGES, "ai"))
    study.import_ratings(totals(ids[:40], people[:40], ("t1", "t2"), "human"))
    study.declare_drawn("the first twenty questions of a shuffled list")
    found = compare(study.folder, "system", pair="question").human("total")
    one, other = found.groups["A"], found.groups["B"]
    apart = stats.human_scale_difference(one, other)
    (paired,) = found.differences.values()
    assert paired.ci95[1] - paired.ci95[0] < apart.ci95[1] - apart.ci95[0]


def test_a_part_of_which_nobody_knows_how_it_was_chosen_says_nothing(tmp_path, capsys):
    study = judged_study(tmp_path / "study")
    rate(study, ids_of(120)[:30])
    found = study.scores().human["total"]
    assert found.mean.value is None
    assert "haechi draw" in found.mean.why.ko
    assert "말할 수 없습니다" in shown(capsys, "score", study.folder)[1]
    assert shown(capsys, "check", study.folder, "--min", "human.total=1")[0] == 1
    assert not any(one.rule == "human" for one in build_report(Analysis(study.folder)).findings)
    shown(capsys, "draw", study.folder, "--declare", "추첨 번호 순서")
    assert study.scores().human["total"].mean.value is not None
    assert "추첨 번호 순서" in study.scores().human.part.said.ko


def test_too_few_ratings_say_nothing(tmp_path):
    study = judged_study(tmp_path / "study")
    rate(study, study.draw(9).item_ids)
    assert "10" in study.scores().human["total"].mean.why.en


def test_items_that_came_after_the_draw_are_not_spoken_for(tmp_path):
    study = judged_study(tmp_path / "study", 60)
    rate(study, study.draw(20).item_ids)
    assert study.scores().human["total"].mean.value is not None
    study.add({"id": ["late"], "messages": [[{"role": "user", "content": "질문"}]]})
    assert "1 items were added" in study.scores().human["total"].mean.why.en
    again = study.draw(20, seed=2)
    assert again.items == 61
    assert "late" in study.drawn().item_ids or len(again.drawn) == 20


def test_drawing_again_draws_more_of_those_left(tmp_path):
    study = judged_study(tmp_path / "study", 60)
    first = study.draw(10, seed=1).item_ids
    both = study.draw(10, seed=1)
    assert both.item_ids[:10] == first
    assert len(set(both.item_ids)) == 20
    part = study.random_part()
    assert set(part.chances.values()) == {20 / 60}
    with pytest.raises(HaechiError, match="40"):
        study.draw(41)


def test_ratings_of_other_items_do_not_count(tmp_path):
    study = judged_study(tmp_path / "study")
    items = study.draw(30, seed=5).item_ids
    rate(study, items)
    before = study.scores().human["total"].mean
    high = [item for item in ids_of(120) if item not in items][:20]
    study.import_ratings(totals(high, np.full((20, 2), 40.0), ("teacher-1", "teacher-2"), "human"))
    assert study.scores().human["total"].mean == before


def test_what_people_rated_altogether_is_not_estimated(tmp_path):
    study = judged_study(tmp_path / "study", 24)
    rate(study, ids_of(24))
    found = study.scores()
    assert found.human.part.how == "all"
    assert found.human["total"].mean.value == found.populations["total"].by_kind["human"].mean
    assert found.human["total"].mean.ci95 == found.populations["total"].by_kind["human"].ci95


def test_a_selection_has_its_own_estimate(drawn):
    agent = drawn.scores(where={"mode": "agent"}).human["total"]
    assert agent.n_items == 60
    assert agent.mean == Analysis(drawn.folder).human.of("total", frozenset(ids_of(120)[1::2])).mean


def test_only_judges_or_only_people_have_nothing_to_estimate(tmp_path):
    study = judged_study(tmp_path / "study", 20)
    assert not study.scores().human.is_there
    assert "human_scale" not in study.scores().as_json()["summary"][0]["scores"]["total"]


def test_a_file_without_a_study_says_why_not(tmp_path):
    import haechi

    people, judges = sessions(60)
    rows = pl.concat(
        [totals(ids_of(60), judges, JUDGES, "ai"), totals(ids_of(20), people[:20], ("t1", "t2"), "human")]
    )
    found = haechi.score(rows, rubric="maice-qac").human["total"]
    assert found.mean.value is None
    assert found.judge_only.value == pytest.approx(judges.mean())


def test_draw_shows_what_is_drawn_and_writes_it(tmp_path, capsys):
    study = judged_study(tmp_path / "study", 30)
    assert "아직" in shown(capsys, "draw", study.folder)[1]
    nothing = json.loads(shown(capsys, "draw", study.folder, "--json")[1])
    assert (nothing["how"], nothing["items"], nothing["drawn"]) == (None, 30, [])
    out = tmp_path / "list.csv"
    said = json.loads(shown(capsys, "draw", study.folder, "--items", 12, "--seed", 7, "-o", out, "--json")[1])
    assert [one["item"] for one in said["drawn"]] == pl.read_csv(out)["item"].to_list()
    assert said["drawn"][0]["chance"] == 1 / 30
    assert shown(capsys, "draw", study.folder, "--items", 40)[0] == 1
    assert shown(capsys, "draw", study.folder, "--declare", "  ")[0] == 1
    rate(study, study.drawn().item_ids)
    assert "기다리는" not in shown(capsys, "draw", study.folder)[1]


def test_a_gate_that_is_asked_often_is_as_wide_as_the_few_human_ratings_make_it(drawn):
    figure = drawn.scores().human["total"].mean
    df = figure.details["df"]
    assert df == 38  # of 40 rated items, not of 120 judged ones
    wider = t_quantile(1 - 0.025 / 100, df) / t_quantile(0.975, df)
    low, _ = over_looks(figure, 100)
    assert figure.value - low == pytest.approx(wider * (figure.value - figure.ci95[0]))


def test_the_share_that_people_would_let_pass_is_one_on_every_surface(tmp_path, capsys):
    study = judged_study(tmp_path / "study", 120)
    rate(study, study.draw(50, seed=3).item_ids)
    with (study.folder / "study.yaml").open("a") as settings:
        settings.write("pass: {total: 24}\n")
    people, judges = sessions()
    truth, naive = (people.mean(axis=1) >= 24).mean(), (judges.mean(axis=1) >= 24).mean()
    found = Study(study.folder).scores().human.pass_rate("total", 24)
    low, high = found.these_items.ci95
    assert low < truth < high < found.judge_only.value == pytest.approx(naive)
    said = json.loads(shown(capsys, "score", study.folder, "--by", "mode", "--json")[1])["summary"]
    whole, *groups = [row["scores"]["total"]["human_scale"]["pass_rate"] for row in said[:3]]
    assert (whole["at_least"], whole["value"]) == (24, found.mean.value)
    named = NamedFigures(Analysis(study.folder, by=["mode"]))
    assert named["human.total.pass24"] == found.mean
    assert named["human.total.pass24@mode=agent"].value == groups[0]["value"]
    assert "human.total.pass24" in set(named)
    assert named["human.total.pass30.5"].value < found.mean.value
    for unknown in ("human.nothing.pass24", "human.total.pass24@mode=other", "human.total.pass24@unit=a"):
        with pytest.raises(KeyError):
            named[unknown]
    words = f"{found.mean.value:.2f} [{found.mean.ci95[0]:.2f}, {found.mean.ci95[1]:.2f}]"
    assert words in shown(capsys, "score", study.folder)[1]
    assert shown(capsys, "report", study.folder, "-o", tmp_path / "report")[0] == 0
    assert "human.total.pass24" in (tmp_path / "report" / "summary.csv").read_text("utf-8")


@pytest.mark.parametrize(
    "wrong",
    [
        *("pass: 24", "pass: {total: high}", "pass: {totl: 24}", "pass: {total: .nan}", "pass: {total: yes}"),
        *("pass: {total: 41}", "pass: {total: 0.6}", "pass: {total: 8}"),
    ],
)
def test_a_limit_that_nobody_can_read_is_refused(tmp_path, wrong, capsys):
    study = judged_study(tmp_path / "study", 12)
    with (study.folder / "study.yaml").open("a") as settings:
        settings.write(wrong + "\n")
    assert main(["score", str(study.folder), "--lang", "en"]) == 1
    assert "pass" in capsys.readouterr().err


def test_every_group_of_score_stands_on_the_human_scale(drawn, capsys):
    _, *groups = json.loads(shown(capsys, "score", drawn.folder, "--by", "mode", "--json")[1])["summary"]
    named = NamedFigures(Analysis(drawn.folder, by=["mode"]))
    for row in groups:
        found = row["scores"]["total"]["human_scale"]
        assert found["value"] == named[f"human.total@mode={row['by']['mode']}"].value
    assert shown(capsys, "score", drawn.folder, "--by", "mode", lang="en")[1].count("had people rated") >= 2
