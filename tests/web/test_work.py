"""Items are given out fairly, answers are kept once, and nothing is lost."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from desks import desk, open_desk
from visitors import Browser

from haechi.store.database import now
from haechi.store.desk import read_assignments
from haechi.store.invitations import revoke
from haechi.store.raters import invite_rater
from haechi.store.supply import Supply
from haechi.web.app import create_app

FIELDS = ("sensibleness", "specificity", "sympathy")


def rate(rater: Browser, position: int, values: str = "101") -> None:
    for field, value in zip(FIELDS, values, strict=True):
        assert rater.answer(field, value, position=position).status_code == 200


def rate_all(rater: Browser) -> int:
    """Rate until nothing is left; how many items that were."""
    done = 0
    while waiting := [item for item in rater.get("/desk/work")["items"] if not item["finished"]]:
        for item in waiting:
            rate(rater, item["position"])
            done += 1
    return done


def test_an_item_rated_from_link_to_ratings(desk):
    rater = desk.rater()
    rate(rater, 1)
    ratings = desk.ratings()
    assert [(row["criterion"], row["value"], row["rater"], row["kind"]) for row in ratings] == [
        ("sensibleness", "1", "teacher-1", "human"),
        ("specificity", "0", "teacher-1", "human"),
        ("sympathy", "1", "teacher-1", "human"),
    ]
    assert rater.get("/desk/work")["items"][0]["finished"] is True
    # SSA is the mean of the first two: (1 + 0) / 2
    assert desk.study.scores().frame["ssa"].to_list() == [0.5]


def test_an_answer_sent_twice_is_kept_once(desk):
    rater = desk.rater()
    body = {"id": "same-answer", **rater.marks(), "field": "sympathy", "value": "1"}
    for _ in range(3):
        assert rater.post("/desk/answers", body).status_code == 200
    assert len(desk.ratings()) == 1


def test_an_old_answer_that_arrives_late_does_not_undo_a_newer_one(desk):
    rater = desk.rater()
    old = {"id": "answer-old1", **rater.marks(), "field": "sympathy", "value": "0"}
    new = {"id": "answer-new1", **rater.marks(), "field": "sympathy", "value": "1"}
    for body in (old, new, old):
        rater.post("/desk/answers", body)
    assert [row["value"] for row in desk.ratings()] == ["1"]


def ago(minutes):
    """So many minutes ago, as a page tells it."""
    return round((datetime.now(UTC) - timedelta(minutes=minutes)).timestamp() * 1000)


def chain(desk):
    """All that was ever said to a question, with what it replaces."""
    with desk.study.database.read() as connection:
        return connection.rows(
            "SELECT number, value, status, at, replaces, arrival FROM ratings ORDER BY number"
        )


def test_what_was_given_later_holds_in_whatever_order_two_devices_send_it(desk):
    rater = desk.rater()
    phone = rater.answer("sympathy", "1", given=ago(5), evidence="새 근거")
    tablet = rater.answer("sympathy", "0", given=ago(60))
    assert "newer" not in phone.json()
    newer = tablet.json()["newer"]
    assert (newer["value"], newer["status"], newer["evidence"]) == ("1", "ok", "새 근거")
    assert [row["value"] for row in desk.ratings()] == ["1"]
    assert desk.ratings()[0]["evidence"] == "새 근거"
    first, late, again = chain(desk)
    # nothing is lost: the late one stands in the history, between the newer one and its return
    assert [first.value, late.value, again.value] == ["1", "0", "1"]
    assert (late.replaces, again.replaces) == (first.number, late.number)
    assert late.at < first.at == again.at
    assert rater.answer("sympathy", "0", given=ago(4)).json() == {
        "id": "answer-00003",
        "finished": False,
    }
    assert [row["value"] for row in desk.ratings()] == ["0"]


def test_an_answer_taken_back_later_stays_taken_back(desk):
    rater = desk.rater()
    rater.answer("sympathy", "1", given=ago(9))
    rater.answer("sympathy", None, status="cleared", given=ago(3))
    newer = rater.answer("sympathy", "0", given=ago(6)).json()["newer"]
    assert newer["status"] == "cleared"
    assert [row["status"] for row in desk.ratings()] == ["missing"]


def test_a_clock_that_is_ahead_does_not_outlast_what_is_answered_after_it(desk):
    rater = desk.rater()
    rater.answer("sympathy", "1", given=ago(-600))
    assert "newer" not in rater.answer("sympathy", "0", given=ago(-599)).json()
    assert "newer" not in rater.answer("sympathy", "1").json()  # a page from before answers said when
    assert [row["value"] for row in desk.ratings()] == ["1"]
    assert desk.ratings()[0]["at"] <= now()


def test_a_double_click_from_two_tabs_at_once_is_one_rating(desk):
    rater = desk.rater()
    marks = rater.marks()
    bodies = [{"id": f"click-{n:04d}", **marks, "field": "sympathy", "value": "1"} for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: rater.post("/desk/answers", body).status_code, bodies))
    assert set(answers) == {200}
    assert len(desk.ratings()) == 1


def test_a_changed_answer_keeps_the_old_one_behind_it(desk):
    rater = desk.rater()
    rater.answer("sympathy", "1")
    rater.answer("sympathy", "0", evidence="메시지[0]에서 '…'")
    assert [(row["value"], row["evidence"]) for row in desk.ratings()] == [("0", "메시지[0]에서 '…'")]
    with desk.study.database.read() as connection:
        count = connection.value("SELECT count(*) FROM ratings")
    assert count == 2


def test_an_answer_taken_back_is_no_answer(desk):
    rater = desk.rater()
    rate(rater, 1)
    rater.answer("sympathy", status="cleared")
    assert rater.get("/desk/items/1")["answers"].keys() == {"sensibleness", "specificity"}
    assert rater.get("/desk/work")["items"][0]["finished"] is False
    assert [row["status"] for row in desk.ratings() if row["criterion"] == "sympathy"] == ["missing"]


def test_cannot_judge_is_an_answer_with_its_reason(desk):
    rater = desk.rater()
    rate(rater, 1)
    rater.answer("sympathy", status="missing", reason="not enough information")
    row = next(row for row in desk.ratings() if row["criterion"] == "sympathy")
    assert (row["value"], row["status"], row["reason"]) == (None, "missing", "not enough information")
    assert rater.get("/desk/work")["items"][0]["finished"] is True


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sympathy", "2"),
        ("sympathy", ""),
        ("sympathy", None),
        ("nonsense", "1"),
        ("ssa", "1"),
        ("mean3", "1"),
    ],
)
def test_what_the_form_does_not_ask_is_refused(desk, field, value):
    rater = desk.rater()
    assert rater.answer(field, value).status_code == 422
    assert desk.ratings() == []


@pytest.mark.parametrize(
    ("given", "korean", "english"),
    [
        ({"value": "abc"}, "0(미충족) 또는 1(충족)을 입력하세요", "Please enter 0 (unmet) or 1 (met)"),
        (
            {"study": "0" * 32},
            "다른 스터디의 답입니다. 그 스터디의 링크를 다시 여세요",
            "This is an answer for another study: open the link of that study again",
        ),
        (
            {"field": "nonsense"},
            "서식에 없는 문항의 답입니다. 새로고침하세요",
            "This is an answer to a question that the form has not: reload the page",
        ),
        (
            {"evidence": "가" * 20_001},
            "글이 너무 깁니다. 20,000자까지 쓸 수 있습니다",
            "This is too long: 20,000 characters can be kept",
        ),
        (
            {"evidence": "가" * 200_001},
            "글이 너무 깁니다. 20,000자까지 쓸 수 있습니다",
            "This is too long: 20,000 characters can be kept",
        ),
        (
            {"seconds": -1},
            "답을 읽을 수 없습니다. 새로고침한 뒤 다시 답하세요",
            "The answer cannot be read: reload the page and answer again",
        ),
    ],
)
def test_why_an_answer_is_refused_is_said_to_the_rater(desk, given, korean, english):
    rater = desk.rater()
    answer = {"field": "sympathy", "value": "1", **given}
    assert rater.answer(**answer).json()["error"] == english
    rater.client.get("/language/ko")
    assert rater.answer(**answer).json()["error"] == korean
    assert desk.ratings() == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'"x"',
        b'{"id": 1}',
        b'{"id": "answer-0001", "position": 0}',
        b'{"id": "answer-0001", "position": 1, "seconds": 1e999}',
        b'{"id": "answer-0001", "position": 1, "more": 1}',
        b'{"id": "answer-0001", "position": 1, "field": "sympathy", "value": "1", "evidence": "\\ud800"}',
    ],
)
def test_damaged_requests_are_refused_without_a_trace(desk, body):
    rater = desk.rater()
    headers = {"X-Haechi-Form": rater.state["csrf"]}
    assert rater.client.post("/desk/answers", content=body, headers=headers).status_code == 422
    assert desk.ratings() == []


def test_an_endless_request_is_refused(desk):
    rater = desk.rater()
    headers = {"X-Haechi-Form": rater.state["csrf"]}
    response = rater.client.post("/desk/answers", content=b" " * 1_000_000, headers=headers)
    assert response.status_code == 413


def test_the_order_is_each_raters_own_and_always_the_same(open_desk, tmp_path):
    desk = open_desk(seed=7)
    orders = {}
    for name in ("teacher-1", "teacher-2"):
        rate_all(desk.rater(name))
        with desk.study.database.read() as connection:
            orders[name] = [assignment.item for assignment in read_assignments(connection, name)]
    stored = [item.id for item in desk.study.items()]
    assert sorted(orders["teacher-1"]) == sorted(orders["teacher-2"]) == sorted(stored)
    assert orders["teacher-1"] != orders["teacher-2"]
    assert orders["teacher-1"] != stored


def test_overlap_holds_when_many_raters_ask_at_once(open_desk):
    desk = open_desk(overlap=2)
    raters = [desk.rater(f"teacher-{n}") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(rate_all, raters))
    # 24 comments × 2 raters
    assert sum(done) == 48
    per_item = Counter(row["item"] for row in desk.ratings() if row["criterion"] == "sympathy")
    assert set(per_item.values()) == {2}
    assert len(per_item) == 24


def test_begun_items_are_completed_first(open_desk):
    desk = open_desk(overlap=2)
    first, second = desk.rater("teacher-1"), desk.rater("teacher-2")
    assert first.state["work"]["items"]
    assert second.state["work"]["items"]
    with desk.study.database.read() as connection:
        ours = [{a.item for a in read_assignments(connection, name)} for name in ("teacher-1", "teacher-2")]
    assert ours[0] == ours[1]


def test_a_quota_ends_the_work(desk):
    rater = desk.rater(quota=3)
    assert rate_all(rater) == 3
    assert rater.get("/desk/work")["left"] == 0


def test_a_revoked_rater_gives_back_what_was_not_begun(open_desk):
    desk = open_desk(overlap=1)
    rate(desk.rater("teacher-1"), 1)
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")
    assert rate_all(desk.rater("teacher-2")) == 23


def test_repeated_items_come_again_as_a_second_replicate(open_desk):
    desk = open_desk(repeat_every=10)
    rate_all(desk.rater())
    second = {row["item"] for row in desk.ratings() if row["replicate"] == 2}
    assert len(second) == 2  # 24 comments and the repeats at positions 10 and 20
    assert second < {row["item"] for row in desk.ratings() if row["replicate"] == 1}


def test_the_total_does_not_tell_which_items_are_repeated_or_known(open_desk, write):
    lines = [{"id": f"d{n}", "context": "비", "response": f"네 {n}"} for n in range(30)]
    lines.append({"id": "known", "context": "비", "response": "x", "meta": {"attention": {"sympathy": "0"}}})
    desk = open_desk(items=write("items.jsonl", "\n".join(map(json.dumps, lines))), repeat_every=4)
    rater, totals = desk.rater(), []
    while True:
        work = rater.get("/desk/work")
        totals.append(len(work["items"]) + work["left"])
        waiting = [item["position"] for item in work["items"] if not item["finished"]]
        if not waiting:
            break
        rate(rater, waiting[0])
    assert len(totals) > 30
    assert len(set(totals)) == 1
    with desk.study.database.read() as connection:
        kinds = Counter(assignment.kind for assignment in read_assignments(connection))
    assert kinds["repeat"] > 5
    assert sum(kinds.values()) == totals[0]


@pytest.mark.parametrize("number", [2**63, 10**30])
def test_numbers_beyond_what_a_database_keeps_are_refused(desk, number):
    rater, owner = desk.rater(), desk.owner()
    assert rater.answer("sympathy", "1").status_code == 200
    assert rater.client.get(f"/desk/items/{number}").status_code == 404
    assert rater.post("/desk/answers", {"id": "answer-big", "position": number}).status_code == 422
    assert owner.client.get(f"/owner/items/{number}").status_code == 404


def test_an_attention_item_goes_to_every_rater_and_takes_no_place(open_desk, write):
    lines = [{"id": f"d{n}", "context": "비", "response": "네"} for n in range(10)]
    lines.append({"id": "known", "context": "비", "response": "x", "meta": {"attention": {"sympathy": "0"}}})
    path = write("items.jsonl", "\n".join(json.dumps(line) for line in lines))
    desk = open_desk(items=path, overlap=1)
    first = rate_all(desk.rater("teacher-1", quota=8))
    with desk.study.database.read() as connection:
        kinds = Counter(assignment.kind for assignment in read_assignments(connection))
    assert first == 9
    assert kinds == {"item": 8, "attention": 1}


def test_work_goes_on_where_it_stopped_after_a_restart(desk):
    rater = desk.rater()
    rate(rater, 1)
    rater.answer("sensibleness", "1", position=2, seconds=12.5)
    again = Browser(create_app(desk.study, desk.options), rater.token)
    work = again.state["work"]["items"]
    assert [item["finished"] for item in work[:2]] == [True, False]
    second = again.get("/desk/items/2")
    assert second["answers"]["sensibleness"]["value"] == "1"
    assert second["seconds"] == 12.5


def test_time_on_an_item_only_grows(desk):
    rater = desk.rater()
    rater.answer("sympathy", "1", seconds=30)
    rater.answer(None, seconds=10)
    assert rater.get("/desk/items/1")["seconds"] == 30


def find(desk, rater: Browser, item: str) -> int:
    """The position of an item on a rater's list; everything before it is answered on the way."""
    while True:
        with desk.study.database.read() as connection:
            for assignment in read_assignments(connection, rater.state["me"]):
                if assignment.item == item:
                    return assignment.position
        for waiting in rater.get("/desk/work")["items"]:
            for group in rater.state["form"]["groups"]:
                for field in group["fields"]:
                    if field["choices"]:
                        value = field["choices"][0]["value"]
                        rater.answer(field["name"], value, position=waiting["position"])


def test_a_stated_floor_answers_what_follows_from_it(open_desk):
    desk = open_desk("maice-qac")
    rater = desk.rater()
    form = rater.state["form"]
    floor = form["floors"][0]
    assert len(floor["fields"]) == 12  # B1, B2, B3 with four elements each
    position = find(desk, rater, "s01")
    for group in form["groups"]:
        for field in group["fields"]:
            if field["name"] not in floor["fields"]:
                rater.answer(field["name"], "1", position=position)
    before = next(item for item in rater.get("/desk/work")["items"] if item["position"] == position)
    rater.answer(floor["name"], "1", position=position)
    after = next(item for item in rater.get("/desk/work")["items"] if item["position"] == position)
    assert (before["finished"], after["finished"]) == (False, True)
    scores = desk.study.scores().frame.filter(item="s01").to_dicts()[0]
    # every element of A and C is met: A = 3 × 5, C = 2 × 5; the floor leaves B = 3 × 1
    assert (scores["A"], scores["B"], scores["C"], scores["total"]) == (15, 3, 10, 28)


def test_rules_that_hold_for_everybody_are_told_to_the_page(open_desk):
    desk = open_desk("maice-qac")
    rater = desk.rater()
    item = rater.get(f"/desk/items/{find(desk, rater, 's11')}")
    assert item["floors"] == ["no_mathematical_content"]


def answer_all(rater: Browser, value: str) -> int:
    """Answer the verdict and an item's own questions of everything that is asked; how many items that were."""
    done = 0
    while waiting := [item for item in rater.get("/desk/work")["items"] if not item["finished"]]:
        for item in waiting:
            groups = rater.get(f"/desk/items/{item['position']}")["groups"]
            own = {field["name"]: "1" for group in groups for field in group["fields"]}
            for field, said in {"intent": value, **own}.items():
                assert rater.answer(field, said, position=item["position"]).status_code == 200
            done += 1
        assert done <= 40
    return done


def test_a_run_of_which_a_rule_says_everything_is_not_asked(open_desk):
    desk = open_desk("hiring-agent")
    rater = desk.rater()
    # 40 runs, of which five failed: three with an error, two without a payload
    assert answer_all(rater, "PERFECT") == 35
    work = rater.get("/desk/work")
    assert ([item["finished"] for item in work["items"]], work["left"]) == ([True] * 35, 0)
    failed = {item.id for item in desk.study.items() if item.content.get("error")}
    assert failed
    assert failed.isdisjoint(row["item"] for row in desk.ratings())
    page = desk.owner().entered.text
    assert "35 / 35" in page
    assert "5 items are decided by rule" in page


def test_a_run_that_was_given_out_before_it_was_decided_by_rule_is_asked_no_more(open_desk):
    desk = open_desk("hiring-agent")
    rater = desk.rater(quota=2)
    failed = next(item.id for item in desk.study.items() if item.content.get("error"))
    with desk.study.database.write() as connection:
        connection.execute(
            """INSERT INTO assignments (item, rater, replicate, position, kind, slot, seconds, at)
            VALUES (:item, 'teacher-1', 1, 1, 'item', 1, 0, '2026-01-01T00:00:00+00:00')""",
            item=failed,
        )
    assert answer_all(rater, "PERFECT") == 2


def test_items_that_arrive_while_serving_are_looked_at_too(open_desk, write):
    head = "Query ID,질의,오류,Raw JSON\n"
    desk = open_desk("hiring-agent", items=write("a.csv", head + "q1,하나,Timeout,\n"))
    rater = desk.rater()
    assert rater.state["work"]["items"] == []
    desk.study.add([write("b.csv", head + 'q2,둘,,"{""assistantMessage"": ""네""}"\nq3,셋,Timeout,\n')])
    assert answer_all(rater, "PERFECT") == 1
    assert [row["item"] for row in desk.ratings()] == ["q2#1/1"]


def test_all_items_are_read_again_only_when_they_have_changed(desk, write):
    supply = Supply()

    def stock():
        with desk.study.database.read() as connection:
            return supply.now(connection)

    first = stock()
    rate(desk.rater(), 1)
    assert stock() is first
    desk.study.add([write("more.jsonl", json.dumps({"id": "new", "context": "비", "response": "네"}))])
    assert set(stock().order(0, "kim")) - set(first.order(0, "kim")) == {"new"}
    desk.study.undo()
    assert stock().order(0, "kim") == first.order(0, "kim")


def test_the_stance_of_a_reader_is_kept_with_every_rating(open_desk):
    desk = open_desk("ubica")
    desk.rater().answer("immersion", "4")
    assert desk.ratings()[0]["stance"] == "third_party"


def test_a_name_of_a_judge_cannot_be_a_rater(desk, haechi):
    invite_rater(desk.study.database, desk.study.rubric, "someone")
    refused = haechi("raters", "add", desk.study.folder, "adjudicator")
    assert refused.code == 1
    assert "adjudicator" in refused.err
