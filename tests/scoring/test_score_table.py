"""One table of scores from every source: the same rows and figures, whoever asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import haechi
from haechi.errors import HaechiError
from haechi.scoring import ratings as ratings_module
from haechi.scoring import summary
from haechi.scoring.summary import Summary

DIARY = haechi.rubric("diary-comment")
RATINGS = "item,criterion,rater,value,system\n" + "".join(
    f"d{item},{criterion},{rater},{(item + len(rater)) % 2},{'AB'[item % 2]}\n"
    for item in range(6)
    for criterion in ("sensibleness", "specificity", "sympathy")
    for rater in ("kim", "lee3")
    if (item, rater) != (5, "kim")
)
RUNS = [
    {
        "item_id": f"q{n // 2}-{n % 2}",
        "query_id": f"q{n // 2}",
        "round": n % 2 + 1,
        "team": "가나"[n % 2],
        "raw_json": json.dumps({"assistantMessage": "추가했습니다", "responseTimeSec": n}),
    }
    for n in range(8)
]


@pytest.fixture
def ratings(write: Any) -> Path:
    path: Path = write("ratings.csv", RATINGS)
    return path


def test_a_file_a_frame_and_the_command_say_the_same(haechi, ratings, tmp_path):
    import haechi as package

    told = haechi("score", ratings, "--rubric", "diary-comment", "--by", "system", "--json").json
    frame = pl.read_csv(ratings)
    for source in (ratings, str(ratings), [ratings], frame, frame.to_dict(as_series=False)):
        table = package.score(source, "diary-comment", by="system")
        assert json.loads(json.dumps(table.as_json())) == told
    assert told["summary"][1]["by"] == {"system": "A"}
    assert told["items"][0]["meta"] == {"system": "A"}


def test_runs_from_a_frame_are_those_of_a_file_and_of_a_study(tmp_path):
    frame, file = pl.DataFrame(RUNS), tmp_path / "runs.parquet"
    frame.write_parquet(file)
    study = haechi.Study.new(tmp_path / "study", "hiring-agent")
    study.add([file])
    tables = [
        haechi.score(frame, "hiring-agent", by=["round", "team"]),
        haechi.score(file, haechi.rubric("hiring-agent"), by=["round", "team"]),
        haechi.score(study.folder, by=["round", "team"]),
    ]
    for table in tables:
        assert len(table) == table.frame.height == 8
        assert table.frame.equals(tables[0].frame)
        assert table.reasons.equals(tables[0].reasons)
        assert [row.as_json() for row in table.summary] == [row.as_json() for row in tables[0].summary]
        assert table.frame.schema["overall"] == pl.Float64


def test_why_scores_are_missing_is_looked_for_when_somebody_asks(ratings, monkeypatch):
    asked = []
    real = ratings_module._reasons
    monkeypatch.setattr(ratings_module, "_reasons", lambda *given: asked.append(given) or real(*given))
    table = haechi.score(ratings, "diary-comment", by="system")
    assert (table.frame.height, len(table.summary), table.elements.width) == (11, 3, 7)
    assert not asked
    assert table.reasons["ssa"].null_count() == 11
    assert [entry["meta"] for entry in table.items()] == [
        {"system": "AB"[n]} for n in (0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1)
    ]
    assert len(asked) == 1


def test_a_table_shows_itself(ratings):
    table = haechi.score(ratings, "diary-comment")
    assert repr(table) == "<ScoreTable diary-comment: 11 rows, 2 raters; " + ", ".join(table.names) + ">"
    shown = table._repr_html_()
    assert shown.count("<tr>") == 1 + len(table.names)
    items = table.summary[0].scores["ssa"].over_items
    assert f"<td>{items.mean:.2f}</td>" in shown


def test_what_is_no_study_needs_a_rubric(ratings):
    for source in (ratings, pl.read_csv(ratings)):
        with pytest.raises(HaechiError, match="rubric"):
            haechi.score(source)


def test_an_item_with_two_systems_is_in_no_group(write):
    path = write("r.csv", RATINGS.replace("d0,sympathy,kim,1,A", "d0,sympathy,kim,1,B"))
    assert path.read_text("utf-8") != RATINGS
    with pytest.raises(HaechiError, match="d0"):
        haechi.score(path, "diary-comment", by="system")


def rows(*given: tuple[str, str, float | None]) -> pl.DataFrame:
    frame = pl.DataFrame(
        given, schema={"item": pl.String, "rater": pl.String, "ssa": pl.Float64}, orient="row"
    )
    return frame.with_columns(kind=pl.lit("human"))


# Items a 0.5, b 1, c (0.4 of x, who rated twice, and 1 of y: 0.7), d without a score.
PIECES = [
    rows(("a", "x", 0.5), ("b", "x", 1.0)),
    rows(("c", "x", 0.2), ("c", "x", 0.6), ("c", "y", 1.0)),
    rows(("d", "y", None)),
]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
def test_items_are_counted_whichever_piece_has_several_raters(order):
    alone = Summary(DIARY, [("rater",)], ["ssa"])
    for number in order:
        alone.add(PIECES[number])
    merged = Summary(DIARY, [("rater",)], ["ssa"])
    for number in order:
        one = Summary(DIARY, [("rater",)], ["ssa"])
        one.add(PIECES[number])
        merged.merge(one)
    for counted in (alone, merged):
        whole, x, y = counted.rows()
        of = whole.scores["ssa"]
        assert (whole.n, whole.n_items, of.n, of.missing) == (6, 4, 5, 1)
        assert (of.mean, of.over_items.median) == (pytest.approx(3.3 / 5), pytest.approx(0.7))
        assert (of.over_items.n, of.over_items.mean) == (3, pytest.approx(2.2 / 3))
        assert (x.n, x.n_items, x.scores["ssa"].over_items.mean) == (4, 3, pytest.approx(1.9 / 3))
        assert (y.n, y.n_items, y.scores["ssa"].over_items) == (2, 2, (1, 1.0, None, None, 1.0))


def test_very_many_groups_have_no_intervals(monkeypatch):
    counted = Summary(DIARY, [("rater",)], ["ssa"])
    counted.add(rows(*((f"i{n}", f"r{n % 3}", n % 2) for n in range(12))))
    assert all(row.scores["ssa"].over_items.ci95 for row in counted.rows())
    monkeypatch.setattr(summary, "MOST_INTERVALS", 2)
    whole, *groups = counted.rows()
    assert whole.scores["ssa"].over_items.ci95 is not None
    assert [row.scores["ssa"].over_items.ci95 for row in groups] == [None] * 3
    assert all(row.scores["ssa"].over_items.sd == pytest.approx(3**-0.5) for row in groups)  # √(4 · 0.25 / 3)


def test_scores_that_most_items_lack_are_counted_by_items(haechi, write):
    # Of three items two have no verdict on sympathy; the third has three: by ratings 3 of 5, by items 1 of 3.
    table = "item,criterion,rater,value\n" + "".join(f"{i},sensibleness,x,1\n" for i in "abc")
    table += "".join(f"a,{criterion},{rater},1\n" for criterion in ("sympathy",) for rater in "xyz")
    ran = haechi("score", write("r.csv", table), "--rubric", "diary-comment", "--lang", "en")
    assert "sympathy" in next(line for line in ran.err.splitlines() if "more than half" in line)


def test_a_rater_who_repeats_has_one_vote():
    # kim 1, lee 0, gpt three times 1 (its mean is 1): two of three, not four of five.
    # b: kim 1, lee 1, park 0, gpt 0 0 1 (1/3): 2 1/3 of four, more than half, as its mean .583 says too
    votes = {
        "a": {"kim": [1], "lee": [0], "gpt": [1, 1, 1]},
        "b": {"kim": [1], "lee": [1], "park": [0], "gpt": [0, 0, 1]},
        "c": {"kim": [1, 1, 1], "lee": [0]},
    }
    rows = [
        {"item": item, "rater": rater, "criterion": "sympathy", "value": value, "replicate": number}
        for item, raters in votes.items()
        for rater, values in raters.items()
        for number, value in enumerate(values, 1)
    ]
    panel = haechi.score(pl.DataFrame(rows), rubric="diary-comment").panel
    said = {one["item"]: one["majority"]["sympathy"] for one in panel}
    assert said["a"] == {"value": 1, "met": 2, "raters": 3}
    assert said["b"] == {"value": 1, "met": pytest.approx(7 / 3), "raters": 4}
    assert "c" not in said, "two raters are no three, however often one rates"


def test_the_median_is_of_the_items_as_mean_and_deviation_are():
    rows = [("a", "kim", 1), ("a", "lee", 1), ("a", "park", 0), ("b", "kim", 0)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "sympathy"], orient="row")
    of = haechi.score(frame, rubric="diary-comment").as_json()["summary"][0]["scores"]["sympathy"]
    # of the four ratings 0 0 1 1 the median is .5; of the items, 2/3 and 0, it is 1/3
    assert (of["mean_over_items"], of["median"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_advice_about_missing_dialogues_fits_a_study(haechi, tmp_path):
    file = tmp_path / "r.csv"
    file.write_text("item,criterion,rater,value\nd1,A1,kim,3\n", "utf-8")
    assert haechi("new", tmp_path / "s", "--rubric", "maice-qac").code == 0
    assert haechi("import", tmp_path / "s", file).code == 0
    of_study = haechi("score", tmp_path / "s", "--json").err
    assert "add them to the study (haechi add)" in of_study
    assert "import these ratings" not in of_study
    assert "import these ratings" in haechi("score", file, "--rubric", "maice-qac", "--json").err
