"""From the first page to the last: a study from a spreadsheet, two people who rate on their phones, and the report."""

from __future__ import annotations

import json
import signal

import openpyxl
import polars as pl
import pytest
from browser import (
    arrive,
    chromium,
    in_a_browser,
    serious,
    step,
    tap_form,
    tap_value,
    visit,
    wait_saved,
)

from haechi.study.study import Study
from processes import start_haechi

pytestmark = in_a_browser
PHONE = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
ITEMS = [
    ("d1", "비가 와서 우산을 잃어버렸다.", "속상했겠어요. 우산은 찾았나요?", "3학년"),
    ("d2", "시험을 봤다.", "고생했어요.", "4학년"),
    ("d3", "강아지가 아프다.", "병원에 가 보세요!", "3학년"),
]
GIVEN = {"김하나": ["111", "100", "101"], "이두리": ["111", "110", "001"]}
CRITERIA = ("sensibleness", "specificity", "sympathy")


@pytest.fixture
def server(tmp_path):
    """`haechi serve` in a process of its own; gives the folder and the owner's link."""
    folder = tmp_path / "studies"
    folder.mkdir()
    process = start_haechi("serve", folder, "--port", "0", "--json", environment={"HAECHI_LANG": "ko"})
    said = ""
    while not said.endswith("}\n"):
        said += process.stdout.readline()
    yield folder, json.loads(said)["owner"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


@pytest.fixture
def spreadsheet(tmp_path):
    """A workbook as people write one: a title above the table, and a name for the replies that nobody knows."""
    book = openpyxl.Workbook()
    book.active.append(["1학기 일기와 AI의 글"])
    book.active.append([])
    book.active.append(["번호", "일기", "AI가 쓴 글", "학년"])
    for row in ITEMS:
        book.active.append(row)
    path = tmp_path / "1학기 일기.xlsx"
    book.save(path)
    return path


def rate(page, name):
    """Tap the answers of one person, item by item, whatever order they come in."""
    for _ in ITEMS:
        text = page.inner_text(".item")
        answers = next(
            given for (_, diary, *_), given in zip(ITEMS, GIVEN[name], strict=True) if diary in text
        )
        tap_form(page)
        for criterion, value in zip(CRITERIA, answers, strict=True):
            tap_value(page, criterion, value)
        wait_saved(page)
        step(page, lambda: page.tap(".bottom .primary"))
    page.wait_for_selector(".finished h2")


def test_a_study_without_a_terminal(server, spreadsheet, visit):
    folder, link = server
    owner = visit(link, wait="main h1")
    looked_at = []

    def look():
        looked_at.append(owner.url)
        assert serious(owner) == [], owner.url

    assert "첫 스터디를 만들어 보세요" in owner.inner_text("main")
    look()

    owner.click("text=새 스터디 >> nth=0")
    arrive(owner, "form[data-preview]")
    owner.fill("input[name=name]", "일기 코멘트")
    owner.check("input[value=diary-comment]")
    owner.wait_for_selector("text=haechi new")
    look()
    owner.click("button:has-text('만들기')")

    arrive(owner, ".drop")
    look()
    owner.set_input_files(".drop input", str(spreadsheet))
    arrive(owner, "table.columns")
    assert owner.is_disabled("button.primary")  # which column holds the reply has to be said
    owner.select_option("select[aria-label='AI가 쓴 글']", "response=AI가 쓴 글")
    arrive(owner, "button:has-text('항목 3개 넣기'):not([disabled])")
    assert "--map 'response=AI가 쓴 글'" in owner.inner_text(".command code")
    look()
    assert Study(folder / "일기 코멘트").count_items() == 0
    owner.click("button:has-text('항목 3개 넣기')")

    owner.click("text=평가자 초대하기")
    arrive(owner, "textarea[name=names]")
    owner.fill("textarea[name=names]", "\n".join(GIVEN))
    owner.click("button:has-text('링크 만들기')")
    owner.wait_for_selector(".links")
    look()
    links = dict(
        zip(
            owner.locator(".links h3").all_inner_texts(),
            owner.locator(".links code").all_inner_texts(),
            strict=True,
        )
    )

    for name, personal in links.items():
        rate(visit(personal, wait=".item", **PHONE), name)

    owner.click(".sections a:has-text('현황')")
    arrive(owner, "main.dashboard")
    owner.click(".sections a:has-text('보고서')")
    arrive(owner, "text=보고서 읽기")
    look()
    with owner.expect_download() as downloaded:
        owner.click("a:has-text('scores.csv')")
    scores = pl.read_csv(downloaded.value.path())
    owner.click("text=보고서 읽기")
    arrive(owner, "h1:has-text('코멘트 생성 품질')")
    look()

    # Sensibleness of the three items over both people: 1, 1 and 1/2.
    column = next(name for name in scores.columns if name.endswith(":sensibleness"))
    assert sorted(scores[column]) == [0.5, 1, 1]
    report = owner.inner_text("main")
    assert "0.83" in report
    owner.click("text=해치로 돌아가기")
    owner.wait_for_selector("text=보고서 읽기")
    ratings = Study(folder / "일기 코멘트").ratings()
    assert sorted(ratings["rater"].unique()) == sorted(GIVEN)
    assert ratings.height == 18
    assert len(set(looked_at)) >= 7
