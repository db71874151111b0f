"""What criteria that items bring come to: earned of possible, by tag, with gaps, and what cannot be scored."""

from __future__ import annotations

import numpy as np
import pytest

from haechi.errors import HaechiError
from own_criteria import MOVING, REFUND, own_study, prompt


def rated(study, *rows):
    columns = ("item", "criterion", "rater", "value")
    study.import_ratings(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    return study


def scores(study, **more):
    return {(row["item"], row["rater"]): row for row in study.scores(**more).frame.to_dicts()}


@pytest.fixture
def study(tmp_path):
    rows = [("p1", n, "kim", value) for n, value in (("1", 1), ("2", 1), ("3", 1))]
    rows += [("p2", "1", "kim", 0), ("p2", "2", "kim", 1), ("p1", "1", "lee", 1), ("p1", "2", "lee", 0)]
    return rated(own_study(tmp_path), *rows)


def test_earned_of_possible_kept_within_0_and_1(study):
    found = scores(study)
    assert found["p1", "kim"]["own"] == (5 + 2 - 4) / 7
    assert found["p1", "kim"]["accuracy"] == (5 - 4) / 5
    assert found["p2", "kim"]["own"] == 0.0, "0 of 3 earned, 5 taken off"
    assert found["p2", "kim"]["accuracy"] is None, "no criterion of p2 has the tag"


def test_a_criterion_without_an_answer_makes_the_score_missing_and_says_which(study):
    table = study.scores()
    entry = next(row for row in table.items() if row["rater"] == "lee")
    assert entry["scores"]["own"] is None
    assert "없는 규정을 지어낸다" in entry["missing"]["own"]
    assert scores(study, missing="unmet")["p1", "lee"]["own"] == 5 / 7
    assert scores(study, missing="renormalise")["p1", "lee"]["own"] == 5 / 7
    assert scores(study, missing="renormalise")["p1", "lee"]["accuracy"] == 1.0


def test_healthbench_cuts_the_mean_and_not_the_items(study):
    (own,) = study.scores().own
    raw = [3 / 7, -5 / 3]  # p1 of kim, p2 of kim; lee's p1 is missing
    assert own.mean_then_cut == float(np.clip(np.mean(raw), 0, 1)) == 0.0
    assert own.cut == 1
    assert study.scores().summary[0].scores["own"].mean == pytest.approx((3 / 7 + 0) / 2)


def test_as_published_where_nothing_is_below_0(tmp_path):
    items = [prompt(f"p{n}", REFUND) for n in range(6)]
    verdicts = np.random.default_rng(1).integers(0, 2, (6, 3))
    verdicts[:, 0] |= verdicts[:, 2]  # never more taken off than earned
    rows = [(f"p{n}", str(k + 1), "grader", int(verdicts[n, k])) for n in range(6) for k in range(3)]
    (own,) = rated(own_study(tmp_path, *items), *rows).scores().own
    published = np.mean([(verdicts[n] @ [5, 2, -4]) / 7 for n in range(6)])
    axis = np.mean([(verdicts[n] @ [5, 0, -4]) / 5 for n in range(6)])
    assert own.mean_then_cut == pytest.approx(published)
    assert {one.tag: one.mean for one in own.tags}["axis:accuracy"] == pytest.approx(axis)


EMPTY = {"id": "e1", "messages": [{"role": "assistant", "content": "네"}], "criteria": []}
NEGATIVE = {**EMPTY, "id": "n1", "criteria": [{"text": "틀린 금액을 말한다", "points": -3}]}
ZERO = {
    **EMPTY,
    "id": "z1",
    "criteria": [{"text": "인사한다", "points": 0}, {"text": "반말한다", "points": -1}],
}


def test_lists_that_cannot_come_to_a_score_say_so_and_their_answers_count_all_the_same(tmp_path):
    study = own_study(tmp_path, NEGATIVE, ZERO)
    rated(study, ("n1", "1", "kim", 1), ("z1", "1", "kim", 1), ("z1", "2", "kim", 0))
    entries = {row["item"]: row for row in study.scores().items()}
    for item in ("n1", "z1"):
        assert entries[item]["scores"]["own"] is None
        assert "no positive points" in entries[item]["missing"]["own"]
    (own,) = study.scores().own
    assert [one.text for one in own.wrong] == ["틀린 금액을 말한다"]


def test_a_table_of_ratings_alone_cannot_be_scored(tmp_path):
    import haechi
    from own_criteria import rubric_file

    frame = {"item": ["p1"], "criterion": ["1"], "rater": ["kim"], "value": [1]}
    with pytest.raises(HaechiError) as refused:
        haechi.score(frame, rubric=rubric_file(tmp_path))
    assert "haechi new" in refused.value.problems[0].todo.ko


def test_a_score_that_was_given_as_a_whole_is_used(tmp_path):
    study = rated(own_study(tmp_path), ("p1", "own", "kim", 0.8))
    assert scores(study)["p1", "kim"]["own"] == 0.8


def test_what_was_said_about_a_criterion_that_changed_counts_for_nothing(study, tmp_path):
    from own_criteria import write

    changed = [{**REFUND[0], "criterion": "환불 기한 7일을 알려 준다"}, *REFUND[1:]]
    study.add([write(tmp_path / "again.jsonl", prompt("p1", changed), prompt("p2", MOVING))], replace=True)
    entry = next(row for row in study.scores().items() if (row["item"], row["rater"]) == ("p1", "kim"))
    assert entry["scores"]["own"] is None
    assert "7일" in entry["missing"]["own"]


def test_agreement_is_over_items_times_criteria_and_its_interval_over_items(tmp_path):
    random, items = np.random.default_rng(2), [prompt(f"p{n}", REFUND) for n in range(12)]
    rows = []
    for n in range(12):
        for k in range(3):
            truth = int(random.random() < 0.6)
            for rater in ("kim", "lee"):
                rows.append((f"p{n}", str(k + 1), rater, truth if random.random() < 0.85 else 1 - truth))
    (own,) = rated(own_study(tmp_path, *items), *rows).scores().own
    found = own.agreement["all"]
    assert (found.whole.n_items, found.n_clusters) == (36, 12)
    pairs = np.array([[row[3] for row in rows if row[2] == rater] for rater in ("kim", "lee")])
    assert found.coefficients["percent_agreement"].value == pytest.approx((pairs[0] == pairs[1]).mean())
    assert (
        found.coefficients["krippendorff_alpha"].ci95 != found.whole.coefficients["krippendorff_alpha"].ci95
    )


def test_judges_who_count_as_one_say_what_most_of_them_said(tmp_path):
    rows = {"item": [], "criterion": [], "rater": [], "kind": [], "value": []}
    for rater, said in {"a": (1, 1, 0), "b": (1, 0, 0), "c": (0, 1, 0)}.items():
        for number, value in enumerate(said, 1):
            for name, cell in zip(rows, ("p1", str(number), rater, "ai", value), strict=True):
                rows[name].append(cell)
    study = own_study(tmp_path)
    study.import_ratings(rows)
    scored = study.paneled("majority").scores()
    assert scored.frame["own"].to_list() == [1.0], "7 of 7 points: two of three say so of both"
    assert study.scores().frame["own"].to_list() == [1.0, 5 / 7, 2 / 7]


def judged(study, said):
    """The study with what judges say of the first criteria of p1."""
    rows = [(str(n), rater, value) for rater, values in said.items() for n, value in enumerate(values, 1)]
    numbers, raters, values = map(list, zip(*rows, strict=True))
    given = {"item": ["p1"] * len(rows), "criterion": numbers, "rater": raters, "kind": ["ai"] * len(rows)}
    study.import_ratings({**given, "value": values})
    return study


@pytest.mark.parametrize("way", ["majority", "median"])
def test_every_criterion_of_an_item_has_its_votes_and_its_dissent(tmp_path, way):
    study = judged(own_study(tmp_path), {"x": (1, 1), "y": (1, 1), "z": (0, 0)})
    told = study.paneled(way).scores().judges.as_json()
    assert (told["judgements"], told["dissenting"]) == (6, 2)
    one, names = {"item": "p1", "panel": 1.0, "rater": "z", "points": 0.0}, study.ratings()["criterion"]
    assert told["dissent"] == [{**one, "criterion": name} for name in names.unique(maintain_order=True)]


def test_a_criterion_without_a_majority_says_so_in_the_score_that_is_missing(tmp_path):
    study = judged(own_study(tmp_path), {"x": (1, 1, 0), "y": (1, 0, 0)})
    scored = study.paneled("majority").scores()
    assert scored.judges.as_json()["dissenting"] == 2, "nobody agrees with a panel that says nothing"
    (entry,) = scored.items()
    assert entry["scores"]["own"] is None
    assert "no value has the majority of the AI judges" in entry["missing"]["own"]
    assert study.paneled("median").scores().frame["own"].to_list() == [(5 + 2 / 2) / 7]


def test_a_tag_beside_one_that_is_a_score_is_shown_all_the_same(tmp_path):
    criteria = [{"criterion": "기한", "points": 2, "tags": ["axis:accuracy", "level:example"]}]
    study = rated(own_study(tmp_path, prompt("p1", criteria)), ("p1", "1", "kim", 1))
    (own,) = study.scores().own
    assert [one.tag for one in own.undeclared] == ["level:example"]
