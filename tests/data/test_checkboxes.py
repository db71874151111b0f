"""Checkbox questions, and names that merged cells leave out: read where only one reading is possible, and said."""

from __future__ import annotations

import pytest

import haechi as product
from haechi.data.rating import Rating
from haechi.data.rating_columns import read_ratings
from haechi.data.rating_reader import RatingReader
from haechi.data.tables import TableReading
from haechi.errors import HaechiError, collect_told


def read(path, rubric, **how):
    reader = RatingReader(product.rubric(rubric), reading=TableReading(**how))
    placed = [found for _, found in reader.of_file(path)]
    good = [(one.item, one.criterion, one.rater, one.value) for one in placed if isinstance(one, Rating)]
    bad = [problem.say("en") for one in placed if isinstance(one, HaechiError) for problem in one.problems]
    return good, bad, [text.en for text in reader.said]


A1 = product.rubric("maice-qac").criteria[0]
LABELS = [part.name.ko for part in A1.scale.parts]


@pytest.mark.parametrize(
    "head", ["A1. 수학적 전문성 (해당하는 것을 모두 고르세요)", "A1 수학적 전문성", "A1"]
)
def test_the_elements_of_a_criterion_are_ticked(write, head):
    file = write(
        "f.csv",
        f'세션,교사,"{head}"\ns1,김,"{LABELS[0]}, {LABELS[2]}"\ns2,김,{LABELS[1]}\ns3,김,\ns4,김,해당 없음\n',
    )
    good, bad, said = read(file, "maice-qac")
    assert not bad
    values = {}
    for item, _, _, value in good:
        values.setdefault(item, []).append(value)
    assert values == {"s1": [*"1010"], "s2": [*"0100"], "s4": [*"0000"]}
    assert any("read as checkboxes" in one for one in said)
    with collect_told() as told:
        frame = read_ratings(file, product.rubric("maice-qac"))
    assert "read as checkboxes" in told[0].en
    assert sorted(frame.select("item", "criterion", "rater", "value").rows()) == sorted(good)


def test_the_criteria_of_a_rubric_are_ticked_in_both_languages(write):
    for text in ('"합리성, 공감성"', '"Sensibleness;Sympathy"', '"sensibleness, sympathy"'):
        good, _, _ = read(write("f.csv", f"번호,평가자,좋았던 점\nd1,kim,{text}\n"), "diary-comment")
        assert [value for *_, value in good] == ["1", "0", "1"]


def test_an_option_that_is_not_known_is_refused_where_it_stands(write):
    rows = "".join(f'd{n},kim,"합리성, 공감성"\n' for n in range(9))
    good, bad, _ = read(
        write("f.csv", f'번호,평가자,좋았던 점\n{rows}d9,kim,"합리성, 재미"\n'), "diary-comment"
    )
    assert len(good) == 27
    assert all("f.csv:11" in one and "재미" in one for one in bad)
    assert len(bad) == 3


def test_a_column_of_criteria_is_none_of_checkboxes(write):
    good, bad, _ = read(
        write("f.csv", "번호,평가자,기준,값\nd1,kim,합리성,1\nd1,kim,공감성,0\n"), "diary-comment"
    )
    assert (len(good), bad) == (2, [])


MERGED = "번호,평가자,합리성\nd1,kim,1\n,lee,0\nd2,kim,0\n,lee,1\nd3,kim,1\n,lee,1\n"


def test_ids_that_merged_cells_left_out_are_those_above(write):
    good, bad, said = read(write("f.csv", MERGED), "diary-comment")
    assert [item for item, *_ in good] == ["d1", "d1", "d2", "d2", "d3", "d3"]
    assert (bad, any("taken for merged" in one for one in said)) == ([], True)
    with collect_told() as told:
        assert read_ratings(write("f.csv", MERGED), product.rubric("diary-comment")).height == 6
    assert "taken for merged" in told[0].en


def test_raters_and_criteria_that_merged_cells_left_out(write):
    good, bad, _ = read(
        write("f.csv", "평가자,번호,합리성\nkim,d1,1\n,d2,0\n,d3,0\nlee,d1,1\n,d2,1\n,d3,1\n"),
        "diary-comment",
    )
    assert ([rater for *_, rater, _ in good], bad) == (["kim"] * 3 + ["lee"] * 3, [])
    long = "번호,기준,평가자,값\n" + "".join(
        f"{'' if n % 4 else f'd{n}'},{'' if n % 2 else ['합리성', '공감성'][n // 2 % 2]},{'kim' if n % 2 else 'lee'},1\n"
        for n in range(8)
    )
    good, bad, _ = read(write("g.csv", long), "diary-comment")
    assert (len({(i, c, r) for i, c, r, _ in good}), bad) == (8, [])


@pytest.mark.parametrize(
    "text",
    [
        "번호,평가자,합리성\nd1,kim,1\nd1,lee,0\n,kim,0\nd2,lee,1\n",  # ids stand in every row, and one was forgotten
        "번호,평가자,합리성\nd1,kim,1\n,kim,0\nd2,kim,1\n,kim,1\n",  # one person would judge an item twice
        "번호,평가자,합리성\n,kim,1\nd1,lee,0\n,kim,0\nd2,lee,1\n",  # nothing above the first
    ],
)
def test_a_forgotten_id_is_refused(write, text):
    _, bad, _ = read(write("f.csv", text), "diary-comment")
    assert bad
