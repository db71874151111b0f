"""Practice before rating, for every instrument: it is passed by answering, and by nothing else."""

from __future__ import annotations

import pytest
from browser import chromium, in_a_browser, press, serious, served, visit, wait_saved
from desks import desk, open_desk
from visitors import FILES

import haechi
from haechi.rubrics.practice import gold_items, practice_items
from haechi.store.desk import read_assignments

pytestmark = in_a_browser
INSTRUMENTS = sorted(FILES)


def keys_of(rubric):
    return [known for one in practice_items(haechi.rubric(rubric)) for known in one.answers]


@pytest.mark.parametrize("rubric", INSTRUMENTS)
def test_every_known_answer_is_a_choice_of_the_rubric_with_a_reason(rubric):
    scales = haechi.rubric(rubric).rateables
    for one in (*practice_items(haechi.rubric(rubric)), *gold_items(haechi.rubric(rubric))):
        for known in one.answers:
            choices = {choice.value for choice in scales[known.name].scale.choices(lambda text: text.ko)}
            assert set(known.right) < choices, known
            assert (
                known.why.ko or rubric == "diary-comment"
            )  # the instrument's own examples give reasons for "unmet" only


@pytest.mark.parametrize("rubric", INSTRUMENTS)
def test_practice_is_there_for_every_instrument_and_goes_on_after_a_reload(open_desk, visit, rubric):
    desk = open_desk(rubric, training=True)
    rater, keys = desk.rater(), keys_of(rubric)
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", wait=".training .item")
        assert serious(page) == []
        assert "null" not in page.inner_text(".training")
        assert page.locator(".training .primary").count() == 0  # nothing to click on before an answer
        page.keyboard.press("Escape")
        for step, known in enumerate(keys):
            assert page.inner_text("#training-title") == f"Practice {step + 1} of {len(keys)}"
            page.click(f".training [data-value='{known.right[0]}']")
            page.wait_for_selector(".feedback.right")
            if step == 1:
                page.reload()
                page.wait_for_selector(".training .item")
            else:
                page.click(".training .primary")
        page.click("text=Begin rating")
        page.wait_for_function(
            "() => !document.querySelector('.training') && document.querySelector('.item')"
        )
        page.reload()
        page.wait_for_selector(".panes .item")
        assert page.locator(".training").count() == 0
    assert desk.ratings() == []


def test_whoever_does_not_reach_the_pass_mark_practises_again(open_desk, visit):
    desk = open_desk("hiring-agent", training=True, pass_mark=0.5)
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", wait=".training .item")
        for wrong in ("FAILED", "FAILED", "FAILED", "PERFECT"):
            page.click(f".training [data-value='{wrong}']")
            page.wait_for_selector(".feedback.wrong")
            page.click(".training .primary")
        assert "0 of 4 answers fit; 2 are needed" in page.inner_text(".training")
        page.click("text=Practise again")
        for known in keys_of("hiring-agent"):
            page.click(f".training [data-value='{known.right[0]}']")
            page.wait_for_selector(".feedback.right")
            page.click(".training .primary")
        page.click("text=Begin rating")
        page.wait_for_selector(".panes .item")


def test_the_key_is_not_sent_and_a_step_cannot_be_answered_twice_or_left_out(open_desk):
    desk = open_desk("maice-qac", training=True)
    rater, keys = desk.rater(), keys_of("maice-qac")
    assert "right" not in rater.state["practice"]["steps"][0]
    assert not any(known.why.en in str(rater.state["practice"]) for known in keys)
    assert rater.post("/desk/practice", {"step": 0, "value": keys[0].right[0]}).json()["fits"]
    for step, known in enumerate(keys[1:-1], 1):
        said = rater.post("/desk/practice", {"step": step, "value": known.right[0]}).json()
        assert (said["done"], said["passed"]) == (False, False)
    wrong = {"step": 0, "value": "1" if keys[0].right == ("0",) else "0"}
    assert rater.post("/desk/practice", wrong).json()["right"] == len(keys) - 1  # the first answer stays
    for bad in (
        {"step": 99, "value": "1"},
        {"step": 0, "value": "7"},
        {"step": 2**63, "value": "1"},
        {"value": "1"},
    ):
        assert rater.post("/desk/practice", bad).status_code == 422
    assert rater.get("/desk/state")["practice"]["answered"] == list(range(len(keys) - 1))
    last = rater.post("/desk/practice", {"step": len(keys) - 1, "value": keys[-1].right[0]}).json()
    assert last["passed"]
    assert rater.get("/desk/state")["practice"] is None


@pytest.mark.parametrize("rubric", INSTRUMENTS)
def test_gold_items_are_asked_and_measure_nothing(open_desk, rubric):
    desk = open_desk(rubric, gold=True)
    before = {row["item"] for row in desk.study.scores().frame.iter_rows(named=True)}
    assert not [item for item in before if "gold" in item]
    rater = desk.rater()
    assert rater.state["work"]["items"]
    with desk.study.database.read() as connection:
        gold = [a for a in read_assignments(connection) if a.kind == "attention"]
    assert len(gold) == 1  # the seventh of the first eight
    known = desk.study.items({gold[0].item})
    (answers,) = [item.meta["attention"] for item in known]
    for field, right in answers.items():
        assert rater.answer(field, right[0], position=gold[0].position).status_code == 200
    assert f"{len(answers)} / {len(answers)}" in desk.owner().entered.text
