"""Every page in both languages, light and dark, on a phone and on a desk: axe finds nothing, and nothing is cut off.

The quick suite looks at each kind of page in one way, by turns; the slow one in all of them. With HAECHI_PICTURES=DIR the slow one
leaves a picture of each, to be looked at.
"""

from __future__ import annotations

import json
import shutil
from functools import partial

import pytest
from agent_walks import run_pages
from benches import DIARIES, Bench
from browser import (
    arrive,
    chromium,
    in_a_browser,
    press,
    served,
    step_by_key,
    visit,
    wait_fetched,
    wait_saved,
)
from chats import chatting
from looks import Looks
from visitors import DATA, FILES, Desk

from haechi.demo import make_duels, make_own_criteria
from haechi.store.invitations import revoke
from haechi.store.raters import invite_rater, invite_survey
from haechi.store.survey_links import close_survey_link
from haechi.study.study import Study
from haechi.web.options import Options

pytestmark = in_a_browser
SECTIONS = (
    "",
    "/browse",
    "/browse?item=2",
    "/browse?q=nothing-has-this",
    "/items/1",
    "/plan",
    "/report",
    "/report/read",
)
"""Pages that depend on the instrument."""
OTHERS = ("/files", "/raters", "/surveys", "/run", "/judges", "/judges?model=openai:gpt-5-mini", "/settings")
CONSENT = """
participants:
  consent: {ko: 참여는 자유입니다. 언제든 그만둘 수 있습니다., en: You may stop whenever you like.}
  questions:
    - key: age_band
      question: {ko: 나이대, en: Age band}
      choices: [{value: 20s, name: {ko: 20대, en: twenties}}, {value: 30s, name: {ko: 30대, en: thirties}}]
      required: true
    - {key: years, question: {ko: 사용 경력, en: Years of use}, type: number, low: 0, high: 60}
"""


class Walk:
    """A way through some pages, in one language."""

    def __init__(self, looks, visit, folder, demo):
        self.look, self.folder, self.demo, self.lang = looks, folder, demo, looks.lang
        self._visit = visit

    def open(self, address, wait="main"):
        return self._visit(address, wait=wait, **self.look.settings())

    def desk(self, rubric="diary-comment", **given):
        """The desk of a demo's study, without its ratings."""
        names = ("루나", "시청자") if rubric == "ubica" else (None, None)
        study = Study.new(self.folder / rubric, rubric, *names)
        study.add([DATA / FILES.get(rubric, f"{rubric}/pairs.jsonl")])
        return Desk(study, Options(given=given, lang=self.lang))


def desk_pages(rubric, walk):
    """An item, its questions half answered, and everything that opens above them; the last page."""
    desk = walk.desk(rubric)
    with served(desk) as address:
        page = walk.open(f"{address}/enter/{desk.rater(quota=2).token}", ".item")
        walk.look(page, f"desk {rubric}")
        press(page, ["x"])
        page.keyboard.type("…")
        page.keyboard.press("Escape")
        press(page, ["j", "e"])
        page.keyboard.type("'…'")
        page.keyboard.press("Escape")
        wait_saved(page)
        page.evaluate("document.querySelector('[data-tab=form]').click()")  # on a phone one side is seen
        walk.look(page, f"desk {rubric} half answered")
        for place in range(2 if rubric == "ubica" else 0):
            page.locator(".top nav button").nth(place).click()
            walk.look(page, f"desk {rubric} dialog {place}")
            page.keyboard.press("Escape")
        finish(page)
        walk.look(page, f"desk {rubric} finished")


def finish(page):
    """Answer everything by the first choice of each question."""
    for _ in range(2):
        while (left := page.locator(".field:not(.answered):not(.fixed):has(input[type=radio])")).count():
            left.first.locator(".choice").first.click()
        wait_saved(page)
        step_by_key(page, ["n"])
    page.wait_for_selector(".finished h2")


def trouble(walk):
    """Notes, shortcuts, answers that were refused or kept, a closed link, a server that does not answer."""
    desk = walk.desk()
    rater = desk.rater()
    with served(desk) as address:
        page = walk.open(f"{address}/enter/{rater.token}", ".item")
        wait_fetched(page, 7)
        press(page, ["?"])
        walk.look(page, "shortcuts")
        page.keyboard.press("Escape")
        page.locator(".bottom button").nth(2).click()
        page.fill("dialog textarea", "코멘트가 끊겼어요")
        walk.look(page, "notes")
        page.keyboard.press("Escape")
        wrong = {"id": "b" * 24, **rater.marks(), "field": "sympathy", "status": "ok", "value": "1"}
        key = f"haechi waiting {wrong['study']} {wrong['link']} " + "0" * 24
        kept = json.dumps([{"at": 1, "answer": {**wrong, "rubric": "older"}}])
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, kept])
        page.reload()
        page.wait_for_selector(".save.refused")
        page.wait_for_selector("[data-field=sympathy] .refusal:visible")
        walk.look(page, "refused")
        page.click(".kept")
        walk.look(page, "kept")
        page.keyboard.press("Escape")
        with desk.study.database.write() as connection:
            revoke(connection, "teacher-1")
        press(page, ["1"])
        page.wait_for_selector(".closed")
        walk.look(page, "closed")
        page.goto(f"{address}/enter/{desk.rater('other').token}")
        page.wait_for_selector(".item")
        page.route("**/desk/state", lambda route: route.fulfill(status=500, body="{}"))
        page.reload()
        page.wait_for_selector("#desk button:visible")
        walk.look(page, "not loaded")


def practice(rubric, walk):
    """Practice: the question, an answer that fits and one that does not, the end."""
    desk = walk.desk(rubric, training=True, pass_mark=0.01)
    with served(desk) as address:
        page = walk.open(f"{address}/enter/{desk.rater().token}", ".training .item")
        walk.look(page, f"practice {rubric}")
        seen = set()
        while page.locator(".training [data-value]").count():
            page.locator(".training [data-value]").first.click()
            said = page.wait_for_selector(".feedback.right, .feedback.wrong").get_attribute("class")
            if said not in seen:
                walk.look(page, f"practice {rubric} {said.split()[1]}")
            seen.add(said)
            page.click(".training .primary")
        walk.look(page, f"practice {rubric} done")


def survey(walk):
    """From consent to thanks, with what is asked back, a kiosk, and surveys that are full or over."""
    Study.new(walk.folder / "luna", "ubica", "루나", "시청자").add([DATA / FILES["ubica"]])
    with (walk.folder / "luna" / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(CONSENT)
    desk = Desk(
        Study(walk.folder / "luna"), Options(given={"public_survey": True, "kiosk": True}, lang=walk.lang)
    )
    full = invite_survey(desk.study.database, "full", 1, 7)
    over = invite_survey(desk.study.database, "over", None, 7)
    with desk.study.database.write() as connection:
        close_survey_link(connection, "over")
    with served(desk) as address:
        page = walk.open(f"{address}/survey", ".consent")
        walk.look(page, "consent")
        page.click(".consent form .quiet")
        arrive(page, "form[data-kiosk]")
        walk.look(page, "declined")
        page.goto(f"{address}/join/{full}")
        page.check("input[value='20s']")
        page.fill("input[name=years]", "많이")
        page.click(".consent .primary")
        page.wait_for_selector(".wrong")
        walk.look(page, "consent with a wrong answer")
        page.fill("input[name=years]", "3")
        page.click(".consent .primary")
        page.wait_for_selector(".item")
        walk.look(page, "survey")
        page.locator(".top nav > button").last.click()
        walk.look(page, "leaving")
        page.keyboard.press("Escape")
        press(page, "543215432")
        page.keyboard.press("Enter")
        page.wait_for_selector(".finished .primary")
        walk.look(page, "submission")
        page.click(".finished .primary")
        arrive(page, "form[data-kiosk]")
        walk.look(page, "thanks")
        for name, token in (("full", full), ("over", over)):
            other = walk.open(f"{address}/join/{token}")
            walk.look(other, f"survey {name}")


def talk(walk):
    """A conversation with the AI under test: before, in the middle, without a reply, at its end."""
    with chatting() as chat:
        study = Study.new(walk.folder / "talk", "ubica", "루나", "시청자")
        given = {"public_survey": True, "talk": f"openai:luna@{chat.url}", "talk_turns": 3}
        desk = Desk(study, Options(given=given, lang=walk.lang))
        chat.replies += ["**안녕!** 나는 루나야. $x^2$도 알아.\n\n- 하나\n- 둘", "응"]
        chat.faults += [0, 500, 0]
        with served(desk) as address:
            page = walk.open(f"{address}/survey", ".consent")
            page.click(".consent .primary")
            page.wait_for_selector(".talk-log")
            walk.look(page, "talk")
            for text, reply in (("안녕 루나", ".bubble.assistant .typeset"), ("뭐 해?", ".fault")):
                page.fill("#talk-box", text)
                page.keyboard.press("Enter")
                page.wait_for_selector(reply)
                page.wait_for_selector(".talk-more button:not([disabled])")
            walk.look(page, "talk without a reply")
            page.click(".fault button")
            page.wait_for_selector(".bubble.assistant .typeset >> nth=1")
            page.click(".talk-more button:not([disabled])")
            walk.look(page, "talk ends")


def errors(walk):
    """What somebody sees who is in the wrong place."""
    desk = walk.desk()
    gone = desk.rater("gone")
    with desk.study.database.write() as connection:
        revoke(connection, "gone")
    with served(desk) as address:
        page = walk.open(address)
        walk.look(page, "front")
        for path in (
            "nothing",
            "owner",
            "desk",
            f"enter/{gone.token}",
            "enter/wrong",
            "survey",
            "owner/items/99",
        ):
            page.goto(f"{address}/{path}")
            walk.look(page, f"error {path.replace(gone.token, 'revoked')}")
        for _ in range(40):
            page.goto(f"{address}/enter/wrong")
        walk.look(page, "error guesses")


def workbench(walk):
    """The workbench: no study yet, a new one, files, links; what is refused."""
    folder = walk.folder / "studies"
    folder.mkdir()
    bench = Bench(folder, lang=walk.lang).enter()
    with served(bench) as address:
        page = walk.open(f"{address}/enter/{bench.home.token}", "main h1")
        walk.look(page, "no studies")
        page.goto(f"{address}/new")
        walk.look(page, "new")
        page.goto(f"{address}/new?rubric=own")
        page.fill("textarea[name=text]", "id: mine\ntitle: x\nitem: song\n")
        page.wait_for_selector("[data-line='3']")
        walk.look(page, "new rubric with mistakes")
        page.fill("input[name=name]", "../x")
        page.check("input[value=ubica]")
        page.click("form button.primary")
        page.wait_for_selector("[role=alert]")
        walk.look(page, "new refused")
        bench.make()
        owner = f"{address}/s/diaries/owner"
        for path in ("", *SECTIONS[1:4], "/report", "/raters", "/files"):
            page.goto(owner + path)
            walk.look(page, f"empty study {path}")
        page.goto(address + bench.tray(DIARIES, "diaries.csv"))
        walk.look(page, "tray of items")
        page.click("button.primary")
        arrive(page, ".done")
        walk.look(page, "files that came")
        page.goto(address + bench.tray("who,which,합리성\nkim,d1,7\nlee,d9,1\n", "r.csv", "ratings"))
        walk.look(page, "tray of ratings")
        for path, field, names in (
            ("raters", "textarea[name=names]", "김하나\n이두리"),
            ("surveys", "input[name=name]", "3반"),
        ):
            page.goto(f"{owner}/{path}")
            page.fill(field, names)
            page.click("form.fields button.primary")
            page.wait_for_selector(".links")
            walk.look(page, f"{path} with links")
        page.goto(f"{owner}/settings")
        page.fill("input[name=until]", "nonsense")
        page.click("form.fields button.primary")
        page.wait_for_selector("[role=alert]")
        walk.look(page, "settings refused")
        page.goto(f"{owner}/plan?goal=width&value=wide")
        walk.look(page, "plan refused")
        page.goto(f"{address}/")
        walk.look(page, "studies")


def owner_pages(name, walk):
    """The owner's pages of a demo's study."""
    folder = walk.folder / "demo"
    folder.mkdir()
    if name in ("diary-duel", "own-criteria"):
        {"diary-duel": make_duels, "own-criteria": make_own_criteria}[name](folder)
    else:
        shutil.copytree(walk.demo / name, folder / name)
    bench = Bench(folder, lang=walk.lang).enter()
    study = bench.study(name)
    invite_rater(study.database, study.rubric, "김하나")
    with served(bench) as address:
        page = walk.open(f"{address}/enter/{bench.home.token}", "main h1")
        # The largest report takes axe as long as all the rest: here it is looked at in the slow suite, folded in test_report_page.py.
        sections = SECTIONS if walk.look.whole or name != "maice-qac" else SECTIONS[:-1]
        for path in (*sections, *(OTHERS if name == "maice-qac" else ())):
            page.goto(f"{address}/s/{name}/owner{path}")
            walk.look(page, f"{name} owner{path}")


RUBRICS = ("ubica", "diary-comment", "maice-qac", "hiring-agent", "diary-duel")
WALKS = {
    **{f"desk {rubric}": partial(desk_pages, rubric) for rubric in RUBRICS},
    "trouble": trouble,
    **{f"practice {rubric}": partial(practice, rubric) for rubric in ("maice-qac", "hiring-agent")},
    "survey": survey,
    "talk": talk,
    "errors": errors,
    "workbench": workbench,
    "agent": run_pages,
    **{f"owner {name}": partial(owner_pages, name) for name in (*RUBRICS, "own-criteria")},
}

QUICK = [
    ("desk ubica", "en"),
    ("desk hiring-agent", "ko"),
    ("trouble", "ko"),
    ("practice maice-qac", "en"),
    ("survey", "ko"),
    ("talk", "en"),
    ("errors", "ko"),
    ("workbench", "en"),
    ("owner maice-qac", "ko"),
    ("owner hiring-agent", "en"),
]
"""Each kind of page once."""


@pytest.fixture
def walk(visit, tmp_path, demo):
    """Go through some pages; says what was found."""

    def gone(name, lang, whole):
        looks = Looks(lang, whole)
        WALKS[name](Walk(looks, visit, tmp_path, demo))
        return looks.faults

    return gone


@pytest.mark.parametrize(("name", "lang"), QUICK)
def test_every_page_in_one_way(walk, name, lang):
    assert walk(name, lang, whole=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("name", WALKS)
def test_every_page_in_every_way(walk, name, lang):
    assert walk(name, lang, whole=True) == []
