"""AI judges as one rater: medians and majorities against Python's own, dissent, and every surface that says so."""

from __future__ import annotations

import json
import random
import statistics
from collections import Counter
from typing import Any

import polars as pl
import pytest

import haechi as library
from haechi.analysis.analysis import Analysis
from haechi.report.agreement_result import agree
from haechi.report.comparison_result import compare
from haechi.scoring.ratings import score_ratings
from haechi.study.scores import StoredStudy
from haechi.study.study import Study

UBICA, DIARY = library.rubric("ubica"), library.rubric("diary-comment")


def ratings(rubric: Any, judges: int, items: int, seed: int, repeat: int = 1) -> pl.DataFrame:
    chance = random.Random(seed)
    rows = []
    for item in range(items):
        people = [("kim", "human", 1)]
        ai = [(f"j{j}", "ai", k) for j in range(judges) for k in range(1, repeat + 1)]
        for rater, kind, replicate in people + ai:
            for criterion in rubric.criteria:
                if not criterion.scale.counted or chance.random() < 0.1:
                    continue
                top = rubric.range(criterion.score)[1]
                value = chance.randint(0 if top == 1 else 1, int(top))
                rows.append((f"i{item}", criterion.key, rater, kind, replicate, str(value)))
    names = ["item", "criterion", "rater", "kind", "replicate", "value"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("replicate").cast(pl.Int64))


def by_hand(given: pl.DataFrame, way: str) -> dict[tuple[str, str], float | None]:
    votes: dict[tuple[str, str, str], list[float]] = {}
    for row in given.filter(kind="ai").iter_rows(named=True):
        votes.setdefault((row["item"], row["criterion"], row["rater"]), []).append(float(row["value"]))

    def settled(values: list[float]) -> float | None:
        if way == "median":
            return statistics.median(values)
        ((value, n),) = Counter(values).most_common(1)
        return value if 2 * n > len(values) else None

    panel: dict[tuple[str, str], list[float]] = {}
    for (item, criterion, _), values in votes.items():
        if (vote := settled(values)) is not None:
            panel.setdefault((item, criterion), []).append(vote)
    return {key: settled(values) for key, values in panel.items()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("repeat", [1, 3])
@pytest.mark.parametrize("way", ["median", "majority"])
@pytest.mark.parametrize("rubric", [UBICA, DIARY], ids=["ubica", "diary"])
def test_the_panel_is_what_python_says(rubric, way, repeat, seed):
    given = ratings(rubric, 4, 12, seed, repeat)
    scores = score_ratings(given, rubric, panel=way)
    rows = scores.frame.filter(kind="ai")
    assert rows["rater"].unique().to_list() == [f"ai-panel/{way}"]
    assert rows.height == rows["item"].n_unique()
    expected = by_hand(given, way)
    for row in rows.iter_rows(named=True):
        for criterion in rubric.criteria:
            if criterion.scale.counted:
                assert row[criterion.score] == expected.get((row["item"], criterion.key))
    people = scores.frame.filter(kind="human")
    assert people.equals(score_ratings(given.filter(kind="human"), rubric).frame.select(people.columns))


def test_totals_are_made_of_what_the_panel_said():
    # three judges: 1 1 0 · 0 1 1 · 1 1 1 → majority 1 1 1; no single judge said that of the first and second
    values = {"sensibleness": "101", "specificity": "111", "sympathy": "011"}
    rows = [("d1", name, f"j{j}", "ai", 1, v[j]) for name, v in values.items() for j in range(3)]
    names = ["item", "criterion", "rater", "kind", "replicate", "value"]
    scores = score_ratings(pl.DataFrame(rows, schema=names, orient="row"), DIARY, panel="majority")
    assert scores.frame.select("ssa", "mean3").rows() == [(1.0, 1.0)]
    assert sorted(scores.judges.dissent.select("name", "rater").rows()) == [
        ("sensibleness", "j1"),
        ("sympathy", "j0"),
    ]
    assert scores.judges.votes == 9


def test_without_a_majority_the_value_is_missing_with_the_reason():
    rows = [("d1", "sympathy", f"j{j}", "ai", 1, str(j % 2)) for j in range(2)]
    names = ["item", "criterion", "rater", "kind", "replicate", "value"]
    given = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        status=pl.lit("ok"), reason=pl.lit(None, pl.String)
    )
    scores = score_ratings(given, DIARY, panel="majority")
    assert scores.frame["sympathy"].to_list() == [None]
    assert "no value has the majority" in scores.reasons["sympathy"][0]
    assert scores.judges.dissent["rater"].to_list() == ["j0", "j1"]


@pytest.mark.parametrize("way", ["median", "majority"])
def test_one_judge_stays_who_it_is(way):
    given = ratings(DIARY, 1, 5, 1)
    scores = score_ratings(given, DIARY, panel=way)
    assert scores.judges is None
    assert scores.frame.equals(score_ratings(given, DIARY).frame)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = Study.new(tmp_path_factory.mktemp("panel") / "s", "ubica")
    given = ratings(UBICA, 3, 12, 5)
    study.add(
        {
            "id": [f"i{n}" for n in range(12)],
            "context": ["a"] * 12,
            "response": ["b"] * 12,
            "system": [*"AB"] * 6,
        }
        if UBICA.item == "reply"
        else _dialogues(12)
    )
    study.import_ratings(given)
    return study


def _dialogues(n: int) -> pl.DataFrame:
    talk = json.dumps([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    return pl.DataFrame(
        {"id": [f"i{k}" for k in range(n)], "messages": [talk] * n, "system": [*"AB"] * (n // 2)}
    )


def test_one_value_on_every_surface(judged, haechi, tmp_path):
    folder = judged.folder
    told = haechi("score", folder, "--panel", "median", "--json").json
    assert {one["rater"] for one in told["items"]} == {"kim", "ai-panel/median"}
    assert told["ai_panel"]["way"] == "median"
    assert told["ai_panel"]["dissenting"] == len(told["ai_panel"]["dissent"]) > 0
    mean = told["summary"][0]["scores"]["overall"]["mean"]
    figures = Analysis(folder, panel="median")
    assert figures.scored.summary[0].scores["overall"].mean == mean
    assert library.score(folder, panel="median").summary[0].scores["overall"].mean == mean
    plain = haechi("score", folder, "--json").json
    assert "ai_panel" not in plain
    assert {one["rater"] for one in plain["items"]} == {"kim", "j0", "j1", "j2"}
    haechi("report", folder, "--panel", "median", "-o", tmp_path / "r")
    report = (tmp_path / "r" / "report.md").read_text()
    assert "count as one rater (ai-panel/median) by the median" in report
    for command in (("score",), ("agree",), ("compare", "--by", "system"), ("check", "--min", "overall=1")):
        said = haechi(command[0], folder, *command[1:], "--panel", "median")
        assert "count as one rater" in said.out + said.err, command
        korean = haechi("--lang", "ko", command[0], folder, *command[1:], "--panel", "median")
        assert "중앙값으로 합쳐 평가자 하나" in korean.out + korean.err, command
        assert "count as one rater" not in haechi(command[0], folder, *command[1:]).out


def test_agreement_is_of_people_with_the_panel(judged):
    found = agree(judged.folder, panel="median")
    assert set(found.criteria["overall"].raters) == {"kim", "ai-panel/median"}


def test_the_study_itself_may_say_it(judged, tmp_path, haechi):
    import shutil

    folder = tmp_path / "copy"
    shutil.copytree(judged.folder, folder)
    with (folder / "study.yaml").open("a") as file:
        file.write("panel: median\n")
    assert StoredStudy(folder).panel == "median"
    assert any(note.en.startswith("3 AI judges") for note in compare(folder, by="system").notes)
    assert haechi("score", folder, "--json").json["ai_panel"]["way"] == "median"
    assert "ai_panel" not in haechi("score", folder, "--panel", "mean", "--json").json
    (folder / "study.yaml").write_text((folder / "study.yaml").read_text().replace("median", "loudest"))
    done = haechi("score", folder)
    assert (done.code, "mean, median or majority" in done.err) == (1, True)


def test_where_there_is_no_panel_to_make_it_is_refused(demo, haechi, write):
    done = haechi("score", demo / "hiring-agent", "--panel", "median")
    assert (done.code, "runs have no other" in done.err) == (1, True)
    file = write("r.csv", "item,rater,value\na,x,1\na,y,2\nb,x,1\nb,y,1\n")
    assert "leave out --panel" in haechi("agree", file, "--panel", "median").err
    assert haechi("score", file, "--panel", "loudest").code == 2


def test_a_file_of_ratings_has_a_panel_too(haechi, write):
    rows = "".join(
        f"d1,{name},{rater},ai,{value}\n"
        for name in ("sensibleness", "specificity", "sympathy")
        for rater, value in (("x", 1), ("y", 1), ("z", 0))
    )
    file = write("r.csv", f"item,criterion,rater,kind,value\n{rows}")
    told = haechi("score", file, "--rubric", "diary-comment", "--panel", "majority", "--json").json
    assert [one["scores"]["ssa"] for one in told["items"]] == [1.0]
