"""Raters see neither each other's ratings, nor the AI's, nor which system an item comes from."""

from __future__ import annotations

import pytest
from desks import desk, open_desk
from visitors import DATA, FILES, secret_words

from haechi.data.rating import Rating
from haechi.store.ratings import append_ratings


def everything_a_rater_gets(rater) -> str:
    texts = [rater.client.get(path).text for path in ("/desk", "/desk/state", "/desk/work")]
    for item in rater.state["work"]["items"]:
        texts.append(rater.client.get(f"/desk/items/{item['position']}").text)
    return "\n".join(texts)


@pytest.mark.parametrize("rubric", sorted(FILES))
def test_ids_and_meta_never_reach_a_rater(open_desk, rubric):
    desk = open_desk(rubric)
    seen = everything_a_rater_gets(desk.rater())
    allowed = {"루나", "시청자"}  # the names that the study itself puts into its questions
    texts = (DATA / FILES[rubric]).read_text("utf-8-sig")
    hidden = [word for word in secret_words(desk.study) if word not in allowed and f'"{word}"' in texts]
    hidden = [word for word in hidden if not any(word in str(item.content) for item in desk.study.items())]
    assert hidden or rubric == "hiring-agent"
    assert [word for word in hidden if word in seen] == []


def test_nothing_of_other_raters_is_sent(desk):
    others = [("teacher-9", "human"), ("judge-model", "ai")]
    items = [item.id for item in desk.study.items()]
    rows = [
        ("test", Rating(item, "sympathy", name, kind, "1", evidence=f"secret evidence of {name}"))
        for name, kind in others
        for item in items
    ]
    with desk.study.database.write() as connection:
        append_ratings(connection, rows, desk.study.rubric.version, "test")
    rater = desk.rater()
    seen = everything_a_rater_gets(rater)
    assert "secret evidence" not in seen
    assert "teacher-9" not in seen
    assert "judge-model" not in seen
    first = rater.get("/desk/items/1")
    assert first["answers"] == {}


def test_repeated_and_attention_items_look_like_all_others(open_desk):
    rater = open_desk(repeat_every=2).rater()
    keys = {frozenset(item) for item in rater.state["work"]["items"]}
    assert keys == {frozenset({"position", "finished", "skipped", "reply"})}


def test_the_id_of_a_query_is_sent_only_where_there_is_no_text(open_desk, write):
    """An id may name a system; whoever can read the question has no need of it."""
    table = 'Query ID,Query,Raw JSON\ngpt-9-q1,오늘 일정은?,"{""assistantMessage"": ""없습니다""}"\n'
    seen = everything_a_rater_gets(open_desk("hiring-agent", items=write("runs.csv", table)).rater())
    assert "오늘 일정은?" in seen
    assert "gpt-9" not in seen
