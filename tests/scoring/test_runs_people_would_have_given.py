"""Agent runs: what people would have given beside what AI judges and code did, on every surface; planted, so that it is known."""

import json

import numpy as np
import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.analysis.named_figures import NamedFigures
from haechi.cli.start import main
from haechi.errors import HaechiError
from haechi.report.build import build_report
from haechi.report.comparison_result import compare
from haechi.study.study import Study
from haechi.web.adaptive_desk import check_goal
from haechi.web.figures import figures_of
from haechi.web.first_words import human_words
from human_scale_runs import PEOPLE, VERDICTS, given, judged_runs, rate_runs


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    study = judged_runs(tmp_path_factory.mktemp("runs") / "study")
    rate_runs(study, study.draw(60, seed=2).item_ids)
    return study


def truth(points):
    """The mean over all runs, those that failed being 0 by rule."""
    return float(np.where(given().failed, 0, points).mean())


def test_people_are_found_where_the_judge_and_code_are_too_kind(drawn):
    known, human = given(), drawn.scores().human
    for name, people, judge in (
        ("intent", known.people.mean(axis=1), known.judge),
        ("accuracy", known.accuracy.mean(axis=1), None),
    ):
        found = human[name]
        low, high = found.these_items.ci95
        assert low < truth(people) < high < found.judge_only.value, name
        if judge is not None:
            assert found.judge_only.value == pytest.approx(truth(judge))
        assert found.n_items == 160
        assert found.n_human == sum(not known.failed[int(item[1:])] for item in drawn.drawn().item_ids)


def test_every_surface_says_the_same(drawn, tmp_path, capsys):
    analysis = Analysis(drawn.folder, by=["round"])
    named, figure = NamedFigures(analysis), drawn.scores().human["overall"].mean
    assert main(["score", str(drawn.folder), "--by", "round", "--json"]) == 0
    whole, one, *_ = json.loads(capsys.readouterr().out)["summary"]
    assert whole["human_part"]["how"] == "drawn"
    assert whole["scores"]["overall"]["human_scale"]["ci95"] == list(figure.ci95)
    assert named["human.overall"] == figure
    grouped = compare(drawn.folder, "round").as_json("en")["criteria"]["intent"]["human_scale"]["groups"]
    assert grouped["1"]["value"] == one["scores"]["intent"]["human_scale"]["value"]
    assert grouped["1"]["value"] == named["human.intent@round=1"].value
    finding = next(one for one in build_report(analysis).findings if one.rule == "human")
    assert finding.numbers["human.overall"] == figure.value
    words = f"{figure.value:.2f} [{figure.ci95[0]:.2f}, {figure.ci95[1]:.2f}]"
    for lang in ("ko", "en"):
        assert main(["score", str(drawn.folder), "--lang", lang]) == 0
        assert words in capsys.readouterr().out
    assert main(["report", str(drawn.folder), "-o", str(tmp_path / "report")]) == 0
    rows = pl.read_csv(tmp_path / "report" / "summary.csv", infer_schema_length=None)
    assert rows.filter(pl.col("score") == "human.overall")["mean"].to_list() == pytest.approx([figure.value])
    assert main(["check", str(drawn.folder), "--min", "human.intent=2", "--max", "human.accuracy=3"]) == 0


def test_the_dashboard_says_it_too(drawn):
    figure = drawn.scores().human["overall"].mean
    (words,) = human_words(drawn.rubric, figures_of(Analysis(drawn.folder)), None)
    assert f"{figure.value:.2f} [{figure.ci95[0]:.2f}, {figure.ci95[1]:.2f}]" in words


def test_what_nobody_rated_is_refused_with_the_reason(drawn):
    found = drawn.scores().human["stability"].mean
    assert found.value is None
    assert found.why.en == "people did not rate this"


def test_people_have_of_the_failed_runs_those_that_were_drawn(drawn):
    """Not all of them: 20 failed runs beside 40 rated ones would make people look severe."""
    known, items = given(), drawn.drawn().item_ids
    group = Analysis(drawn.folder).of_kind["human"]
    assert group.n == len(items) == 60
    assert any(known.failed[int(item[1:])] for item in items)


def test_a_part_that_was_picked_is_refused(tmp_path):
    study = judged_runs(tmp_path / "study")
    rate_runs(study, [f"r{at:03}" for at in range(40)])
    assert "haechi draw" in study.scores().human["intent"].mean.why.en
    study.declare_drawn("runs came in random order")
    assert study.scores().human["intent"].mean.value is not None


def test_too_few_are_refused(tmp_path):
    study = judged_runs(tmp_path / "study")
    rate_runs(study, study.draw(9).item_ids)
    assert "at least 10" in study.scores().human["intent"].mean.why.en


def test_people_alone_are_not_estimated_from(tmp_path):
    """Without an AI judge and without points for what code measures there is nothing to correct."""
    study = judged_runs(tmp_path / "study")
    study.undo()
    rate_runs(study, study.draw(30).item_ids, accuracy=False)
    assert not study.scores().human.is_there


def test_the_desk_that_asks_until_enough_is_known_is_not_for_runs(drawn):
    with pytest.raises(HaechiError, match="haechi draw"):
        check_goal(drawn, "intent=±0.3")


def test_versions_are_compared_with_the_runs_that_failed(tmp_path):
    """Of two versions on the same queries one fails on half of them: that is what people would have counted, too."""
    random, queries = np.random.default_rng(8), 80
    quality = random.normal(3, 0.8, queries)
    payload = json.dumps({"assistantMessage": "추가했습니다"}, ensure_ascii=False)
    study = Study.new(tmp_path / "versions", "hiring-agent")
    failed = {"v1": np.zeros(queries, bool), "v2": np.arange(queries) % 2 == 0}
    failed["v1"][:10] = failed["v2"][:10] = True
    rated = random.permutation(queries) < 40
    rows, given, truth = [], [], {}
    for version, bad in failed.items():
        people = np.clip(np.rint(quality[:, None] + random.normal(0, 0.5, (queries, 2))), 0, 5).astype(int)
        judge = np.clip(np.rint(quality + 1 + random.normal(0, 0.5, queries)), 0, 5).astype(int)
        truth[version] = np.where(bad, 0, people.mean(axis=1)).mean()
        for at in range(queries):
            run = f"{version}-{at}"
            rows.append(
                {
                    "Item ID": run,
                    "Query ID": f"q{at}",
                    "version": version,
                    "오류": "Timeout" if bad[at] else "",
                    "Raw JSON": payload,
                    "latency_ms": 3000,
                }
            )
            asked = [("gpt", "ai", judge[at])] + (
                [(who, "human", people[at, n]) for n, who in enumerate(PEOPLE)] if rated[at] else []
            )
            given += [
                {"item": run, "criterion": "intent", "rater": who, "kind": kind, "value": VERDICTS[points]}
                for who, kind, points in asked
                if not bad[at]
            ]
    study.add(pl.DataFrame(rows))
    study.import_ratings(pl.DataFrame(given))
    study.declare_drawn("forty queries of a shuffled list")
    found = compare(study.folder, "version", pair="query").human("intent")
    (difference,) = found.differences.values()
    expected = truth["v1"] - truth["v2"]
    assert expected > 1
    assert difference.ci95[0] < expected < difference.ci95[1]


@pytest.mark.parametrize("judged_first", [True, False])
def test_runs_that_a_large_study_keeps_in_files_are_drawn_alike(drawn, tmp_path, monkeypatch, judged_first):
    from haechi.store import large

    monkeypatch.setattr(large, "LARGE", 10)
    study = judged_runs(tmp_path / "files")
    assert study.run_files()
    if not judged_first:
        study.undo()
    items = study.draw(60, seed=2).item_ids
    assert items == drawn.drawn().item_ids
    if not judged_first:
        study.undo(3)
    rate_runs(study, items)
    assert study.scores().human["intent"].mean == drawn.scores().human["intent"].mean
