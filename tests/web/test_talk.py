"""A participant talks with the AI under test in a real browser, and rates that conversation."""

from __future__ import annotations

import json

import pytest
from browser import chromium, in_a_browser, press, serious, served, visit
from chats import chatting
from desks import open_desk
from visitors import Desk

from haechi.judge.providers.keys import variable_of
from haechi.store.talks import read_talk
from haechi.study.study import Study
from haechi.web.options import Options
from haechi.web.talk import Talks
from processes import start_haechi

pytestmark = in_a_browser
PHONE = {"width": 390, "height": 780}
PRICES = "as_of: 2026-11-01\nmodels:\n  {spec}: {{input: 100, output: 100}}\n"


@pytest.fixture(scope="module")
def chat():
    with chatting() as running:
        yield running


@pytest.fixture
def talking(tmp_path, chat):
    """Open a desk where participants talk with the AI."""
    chat.replies.clear()
    chat.faults.clear()
    chat.asked.clear()
    chat.held.set()

    def opened(rubric="ubica", **more):
        study = Study.new(tmp_path / rubric, rubric, "루나", "시청자")
        spec = f"openai:luna@{chat.url}"
        (study.folder / "prices.yaml").write_text(PRICES.format(spec=spec), "utf-8")
        given = {"public_survey": True, "talk": spec, "talk_prompt": "너는 루나다.", **more}
        return Desk(study, Options(given=given, lang="en"))

    return opened


def agree(page):
    page.click(".consent .primary")
    page.wait_for_selector(".talk-log")


def say(page, text):
    page.fill("#talk-box", text)
    page.keyboard.press("Enter")


def replies(page, count):
    """Wait for so many replies; the page takes the next message when it can end, too."""
    page.wait_for_function(
        """count => document.querySelectorAll('.bubble.assistant .typeset').length === count
            && !document.querySelector('.talk-log .bubble .state:not(:empty)')
            && !document.querySelector('.talk-more button').disabled""",
        arg=count,
    )


def rate_and_submit(page):
    page.click(".talk-more button")
    page.click("dialog .primary")
    page.wait_for_selector(".item")
    press(page, "543215432")
    page.keyboard.press("Enter")
    page.click(".finished .primary")
    page.wait_for_selector(".message h1")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"locale": "ko-KR", "viewport": PHONE, "has_touch": True}, ("루나와 대화하기", "고맙습니다")),
        ({"locale": "en-US"}, ("Talk with 루나", "Thank you")),
    ],
)
def test_from_consent_to_a_submitted_rating(talking, visit, chat, settings, words):
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", **settings)
        agree(page)
        assert words[0] in page.inner_text("h1")
        assert serious(page) == []
        for number, text in enumerate(("안녕 루나", "오늘 뭐 했어?"), 1):
            say(page, text)
            replies(page, number)
        assert serious(page) == []
        rate_and_submit(page)
        assert words[1] in page.inner_text(".message")
    (item,) = desk.study.items()
    assert [(one["role"], one["content"]) for one in item.content["messages"]] == [
        ("user", "안녕 루나"),
        ("assistant", "들었어요: 안녕 루나"),
        ("user", "오늘 뭐 했어?"),
        ("assistant", "들었어요: 오늘 뭐 했어?"),
    ]
    assert all(one["time"] for one in item.content["messages"])
    rows = desk.ratings()
    assert {row["item"] for row in rows} == {item.id}
    assert {row["stance"] for row in rows} == {"participant"}
    assert item.meta == {"participant": rows[0]["rater"], "model": "openai:luna"}
    assert [one["role"] for one in chat.asked[-1]["messages"]] == ["system", "user", "assistant", "user"]
    assert chat.asked[-1]["messages"][0]["content"] == "너는 루나다."


def test_what_a_hostile_ai_says_is_text(talking, visit, chat):
    chat.replies.append("<script>document.title='owned'</script><img src=x onerror=alert(1)> **굵게** $x^2$")
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        agree(page)
        say(page, "안녕")
        replies(page, 1)
        assert "<script>" in page.inner_text(".bubble.assistant")
        assert page.locator(".bubble img, .bubble script").count() == 0
        assert page.locator(".bubble.assistant strong").inner_text() == "굵게"
        assert "owned" not in page.title()


def test_a_reply_that_fails_is_said_kindly_and_can_be_asked_for_again(talking, visit, chat):
    chat.faults += [500, 401, 0]
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "안녕")
        page.wait_for_selector(".fault")
        assert "What you wrote is kept" in page.inner_text(".fault")
        page.click(".fault button")
        page.wait_for_selector("text=tell the study's owner")
        assert "secret" not in page.inner_text("body")
        page.click(".fault button")
        replies(page, 1)
        assert page.locator(".bubble.user").count() == 1


def test_half_a_reply_is_none(talking, visit, chat):
    """What a server said before it died is not what the AI said."""
    chat.broken = 1
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "안녕")
        page.wait_for_selector(".fault")
        assert page.locator(".bubble.assistant").count() == 0
        page.click(".fault button")
        replies(page, 1)
        assert page.inner_text(".bubble.assistant .prose") == "들었어요: 안녕"


def test_whoever_goes_back_after_submitting_is_thanked(talking, visit):
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "안녕")
        replies(page, 1)
        rate_and_submit(page)
        page.go_back()
        page.wait_for_selector("text=Thank you")
        page.goto(f"{address}/survey/talk")
        page.wait_for_selector("text=Thank you")


def test_after_a_message_that_the_ai_refuses_something_else_can_be_said(talking, visit, chat):
    chat.faults += [400]
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "하나")
        page.wait_for_selector("text=Try to say something else")
        say(page, "둘")
        replies(page, 1)
        assert page.locator(".bubble.user").all_inner_texts() == ["시청자\n하나", "시청자\n둘"]
    assert [one["content"] for one in chat.asked[-1]["messages"][1:]] == ["하나", "둘"]


def test_a_reply_without_end_is_stopped(talking, visit, chat):
    chat.replies.append("가" * 60_000)
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "안녕")
        page.wait_for_selector(".fault")
        assert page.locator(".bubble.assistant").count() == 0


def test_a_reload_in_the_middle_of_a_reply_keeps_everything_and_asks_once(talking, visit, chat):
    chat.held.clear()
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        agree(page)
        say(page, "안녕 루나")
        page.wait_for_selector(".bubble.assistant .plain:not(:empty)")
        page.reload()
        page.wait_for_selector(".bubble.assistant .plain:not(:empty)")
        chat.held.set()
        replies(page, 1)
        assert page.locator(".bubble").count() == 2
    assert len(chat.asked) == 1


def test_a_message_whose_answer_was_lost_is_sent_once(talking, visit, chat):
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        agree(page)
        # The server gets the message, the page never hears of it.
        page.route("**/talk/messages", lambda route: (route.fetch(), route.abort()))
        say(page, "안녕 루나")
        replies(page, 1)
        assert page.input_value("#talk-box") == ""
        page.unroute("**/talk/messages")
        page.context.set_offline(True)
        say(page, "들려?")
        page.wait_for_selector(".fault")
        assert page.input_value("#talk-box") == "들려?"
        page.context.set_offline(False)
        page.click(".talk-write button")
        replies(page, 2)
    assert len(chat.asked) == 2


def test_turns_and_costs_have_limits(talking, visit, chat):
    desk = talking(talk_turns=2)
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        assert page.is_disabled(".talk-more button")
        for number in (1, 2):
            say(page, f"말 {number}")
            replies(page, number)
        assert page.is_disabled("#talk-box")
        assert "Please rate it now" in page.inner_text(".talk-more")
        refused = page.evaluate(
            """async () => {
              const { csrf } = await (await fetch("/survey/talk/state")).json();
              const sent = await fetch("/survey/talk/messages", { method: "POST", headers: { "X-Haechi-Form": csrf }, body: JSON.stringify({ id: "onemore123", text: "x" }) });
              return sent.status;
            }"""
        )
        assert refused == 409
    assert len(chat.asked) == 2


def test_a_conversation_ends_before_it_costs_too_much(talking, visit, chat):
    desk = talking(
        talk_max_cost=0.31
    )  # a reply of 1,000 tokens costs 0.10 dollars, and what it was told 0.10 more
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "안녕")
        replies(page, 1)
        say(page, "또 안녕")
        replies(page, 2)
        page.wait_for_selector("text=Please rate it now")
        assert page.is_disabled("#talk-box")
        page.reload()
        page.wait_for_selector("text=Please rate it now")
    with desk.study.database.read() as connection:
        assert connection.value("SELECT sum(cost) FROM talk_asks") <= 0.41


def test_somebody_else_gets_a_conversation_of_their_own(talking, visit, chat):
    desk = talking()
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form", locale="en-US")
        agree(page)
        say(page, "비밀 이야기")
        replies(page, 1)
        page.fill("#talk-box", "쓰다 만 글")
        page.click(".talk-top button")
        page.click("dialog .quiet")
        agree(page)
        assert page.locator(".bubble").count() == 0
        assert page.input_value("#talk-box") == ""
    with desk.study.database.read() as connection:
        (first,) = connection.values("SELECT DISTINCT rater FROM talks")
        assert len(read_talk(connection, first)) == 2


def _served_by_process(folder, chat, *more):
    """`haechi serve` in a process of its own; gives the process and the survey's address."""
    process = start_haechi(
        *("serve", folder, "--port", "0", "--public-survey", "--talk", f"openai:luna@{chat.url}", "--json"),
        *more,
        environment={variable_of(chat.url): "talk-key-12345678"},
    )
    said = ""
    while not said.rstrip().endswith("}"):  # the JSON may take several lines
        said += process.stdout.readline()
    return process, json.loads(said)["survey"]


def test_a_conversation_that_ends_in_another_tab_takes_no_more_messages(talking, chat, monkeypatch):
    desk = talking()
    guest = desk.guest()
    proof = {"X-Haechi-Form": guest.get("/survey/talk/state")["csrf"]}

    def send(identifier):
        body = {"id": identifier, "text": "안녕"}
        return guest.client.post("/survey/talk/messages", json=body, headers=proof)

    let_in = Talks._who

    def end_meanwhile(self, request):
        found = let_in(self, request)
        monkeypatch.setattr(Talks, "_who", let_in)
        assert guest.client.post("/survey/talk/end", headers=proof).status_code == 200
        return found

    with guest.client:
        assert send("message-1").status_code == 200
        monkeypatch.setattr(Talks, "_who", end_meanwhile)
        assert send("message-2").status_code == 409
    (item,) = desk.study.items()
    with desk.study.database.read() as connection:
        talk = read_talk(connection, item.meta["participant"])
    assert [one.content for one in talk] == [one["content"] for one in item.content["messages"]]
    assert len(chat.asked) == 1


@pytest.mark.slow
def test_a_killed_server_has_lost_nothing_that_was_shown_as_sent(tmp_path, visit, chat):
    chat.replies.clear()
    chat.held.clear()
    study = Study.new(tmp_path / "luna", "ubica", "루나", "시청자")
    process, address = _served_by_process(study.folder, chat)
    page = visit(address, wait="form")
    agree(page)
    say(page, "안녕 루나")
    page.wait_for_selector(".bubble.assistant .plain:not(:empty)")
    process.kill()
    process.communicate()
    page.wait_for_selector(".fault")
    chat.held.set()
    port = address.rpartition(":")[2].partition("/")[0]
    process, _ = _served_by_process(study.folder, chat, "--port", port)
    try:
        page.reload()
        page.wait_for_selector(".fault button")
        assert page.inner_text(".bubble.user .prose") == "안녕 루나"
        page.click(".fault button")
        replies(page, 1)
        assert page.locator(".bubble").count() == 2
    finally:
        process.kill()
        process.communicate()
    assert set(chat.keys[-2:]) == {"Bearer talk-key-12345678"}
    kept = b"".join(path.read_bytes() for path in study.folder.iterdir() if path.is_file())
    assert b"talk-key-12345678" not in kept


def test_wrong_settings_are_said_before_anybody_is_let_in(tmp_path, haechi, chat):
    haechi("new", tmp_path / "luna", "--rubric", "ubica")
    haechi("new", tmp_path / "diaries", "--rubric", "diary-comment")
    url = f"openai:luna@{chat.url}"
    for folder, options, words in (
        ("luna", ("--talk", "anthropic:claude"), "openai:MODEL"),
        ("luna", ("--talk", url, "--talk-max-cost", "1"), "prices.yaml"),
        ("diaries", ("--talk", url), "ubica"),
        (".", ("--talk", url), "study"),
    ):
        done = haechi("serve", tmp_path / folder, "--port", "0", *options)
        assert done.code == 1, options
        assert words in done.err, (options, done.err)


def test_the_usual_consent_says_that_the_conversation_is_kept(talking, open_desk, visit):
    with served(talking()) as address:
        page = visit(f"{address}/survey", wait=".consent", locale="en-US")
        assert "the conversation, your answers and the time they took are kept" in page.inner_text(".consent")
    with served(open_desk("diary-comment", public_survey=True)) as address:
        page = visit(f"{address}/survey", wait=".consent", locale="en-US")
        assert "only your answers and the time they took are kept" in page.inner_text(".consent")
