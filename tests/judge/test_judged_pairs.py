"""A judge sees both orders of a pair, and what it says of the first and the second is kept of the pair's own a and b."""

from __future__ import annotations

import json

import pytest

import haechi as package
from haechi.analysis.judge_changes import changes
from haechi.data.pair_order import shown_order
from haechi.judge.asks import Judge
from haechi.judge.judges import judge_live, judges_of
from haechi.judge.providers.models import parse_model
from haechi.prompt import ratings
from haechi.store.display_order import read_shown
from haechi.store.judging_protocols import asked_ways
from haechi.study.study import Study


@pytest.fixture
def study(tmp_path):
    made = Study.new(tmp_path / "duels", "diary-duel")
    systems = [("xy", "yz", "zx")[n % 3] for n in range(12)]
    made.add(
        {
            "id": [f"p{n}" for n in range(12)],
            "context": [f"항목<p{n}> 비가 왔다." for n in range(12)],
            "response_a": [f"{a}의 답" for a, _ in systems],
            "response_b": [f"{b}의 답" for _, b in systems],
            "system_a": [a for a, _ in systems],
            "system_b": [b for _, b in systems],
        }
    )
    return made


def test_a_judge_is_asked_in_both_orders_and_its_words_are_turned(server, study):
    (judge,) = judges_of(study, ["openai:gpt-5-mini"])
    done = judge_live(study, judge, limit=None)
    assert (done.done.answered, done.done.failed) == (24, 0)  # 12 pairs, two orders
    given = study.ratings()
    assert sorted(set(given["replicate"])) == [1, 2]
    with study.database.read() as connection:
        shown = {(item, rater, replicate): first for item, rater, replicate, first in read_shown(connection)}
    assert len(shown) == 24
    for item in {row[0] for row in shown}:
        assert {shown[item, judge.rater, 1], shown[item, judge.rater, 2]} == {"ab", "ba"}
    # What was sent is what the order says, and what came back is kept of the pair's own a and b.
    found = package.rank(study.folder)
    assert found.knows_order
    assert found.position.swapped_pairs == 12


def test_a_judge_that_always_takes_the_first_has_a_position_and_no_strengths(server, study, monkeypatch):
    real = ratings.parse

    def first(text, *rest, **more):
        return real(
            json.dumps({key: {"evidence": "앞", "value": "a"} for key in ("overall", "warmth")}),
            *rest,
            **more,
        )

    monkeypatch.setattr(ratings, "parse", first)
    (judge,) = judges_of(study, ["openai:gpt-5-mini"])
    judge_live(study, judge)
    found = package.rank(study.folder)
    assert found.position.first_wins.value == 1
    assert found.position.same_verdict.value == 0
    assert len(found.contradicting) == 12
    assert {one.win_rate for one in found.strengths.systems} == {0.5}


def test_one_order_asks_once(server, study):
    (judge,) = judges_of(study, ["openai:gpt-5-mini"], both_orders=False)
    assert [question.replicate for question in judge.questions(1)] == [1]
    (both,) = judges_of(study, ["openai:gpt-5-mini"])
    assert [question.replicate for question in both.questions(2)] == [1, 2, 3, 4]
    assert (judge.asking.orders, both.asking.orders) == ("one", "both")
    judge_live(study, judge, limit=1)
    with study.database.read() as connection:
        (change,) = changes(asked_ways(connection), {both.rater: both.asking})
    assert change.words.en == "gpt-5-mini: orders of the two answers changed, one (1 call) → both (now)"


def test_the_prompt_shows_the_answers_in_the_order_that_was_drawn(study):
    judge, item = Judge(parse_model("openai:gpt-5-mini"), study.rubric), next(study.items())
    for replicate in (1, 2):
        request, _ = judge.request("id", item, None, replicate)
        straight = request.user.index(item.content["response_a"]) < request.user.index(
            item.content["response_b"]
        )
        assert straight == (shown_order(item.id, judge.rater, replicate) == "ab")
    assert "system_a" not in request.user
